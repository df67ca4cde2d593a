"""``/models``: the engines, each with its spec, so that a client knows before it sends."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from triptych.engines.registry import Registry
from triptych.errors import EngineUnavailable
from triptych.server import query
from triptych.server.context import context_of
from triptych.wire.file import ModelDocument, ModelPageDocument, render_model

router = APIRouter(prefix="/models", tags=["models"])


@router.get("")
async def list_models(request: Request) -> Response:
    """Every engine, with what it takes and makes."""
    query.only(request)
    context = context_of(request)
    document: ModelPageDocument = {
        "object": "list",
        "data": [model(context.registry, name, default=context.settings.engine) for name in context.registry.names()],
    }
    return JSONResponse(document)


@router.get("/{model_id:path}")
async def retrieve_model(request: Request, model_id: str) -> Response:
    """One engine, with what it takes and makes."""
    query.only(request)
    context = context_of(request)
    return JSONResponse(model(context.registry, model_id, default=context.settings.engine))


def model(registry: Registry, name: str, *, default: str) -> ModelDocument:
    """An engine by name.

    Raises:
        InvalidRequest: there is none of that name.
    """
    try:
        spec = registry.spec(name, field="model")
    except EngineUnavailable as error:
        return render_model(name, spec=None, unavailable=error.message, default=name == default)
    return render_model(name, spec=spec, unavailable=None, default=name == default)

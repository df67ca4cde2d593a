"""Is it alive, is it ready, and what has it counted: for whoever runs the server."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from triptych.server import metric, query
from triptych.server.context import Context, context_of

router = APIRouter(tags=["server"])


@router.get("/health")
async def check_health(request: Request) -> Response:
    """Alive: the server answers. Nothing else is looked at."""
    return JSONResponse({"status": "ok"})


@router.get("/ready")
async def check_ready(request: Request) -> Response:
    """Ready to take jobs: files can be stored, jobs can be read, and the default engine is there. 503 when not."""
    context = context_of(request)
    checks = {
        "store": await asyncio.to_thread(_can_store, context),
        "jobs": _can_count(context),
        "engine": context.spec(context.settings.engine) is not None,
        "running": not context.stopping.is_set(),
    }
    ready = all(checks.values())
    told = {"status": "ready" if ready else "not ready", "checks": checks}
    return JSONResponse(told, 200 if ready else 503)


@router.get("/metrics")
async def read_metrics(request: Request) -> Response:
    """Counters in the text format of Prometheus."""
    query.only(request)
    return Response(context_of(request).metrics.text(), media_type=metric.CONTENT_TYPE)


def _can_store(context: Context) -> bool:
    try:
        with tempfile.TemporaryFile(dir=Path(context.studio.spool)) as file:
            file.write(b"ready")
    except OSError:
        return False
    return True


def _can_count(context: Context) -> bool:
    try:
        context.service.counts()
    except OSError:
        return False
    return True

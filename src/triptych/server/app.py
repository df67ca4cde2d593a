"""The app: what it works with, what every request passes, and which routes there are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import fastapi_offline
from fastapi import APIRouter, FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from triptych.config import Settings
from triptych.engines.registry import Registry
from triptych.errors import TriptychError
from triptych.jobs.service import Service
from triptych.server import problem
from triptych.server.auth import Keys
from triptych.server.context import Context
from triptych.server.entry import Entry
from triptych.server.guard import Guard, is_loopback
from triptych.server.metric import Metrics
from triptych.server.openapi import document_for
from triptych.server.route import file, health, model, video
from triptych.server.store import open_service

DESCRIPTION = """\
Video with sound from a prompt and what you show it: pictures, clips, voices, and earlier results. What you supply is
used, or refused before anything runs, in the words you used.

Any client of OpenAI's `/v1/videos` can be pointed here. `GET /v1/models` says what each engine takes.
"""

STATIC = "/static"
EXPOSED = ("x-request-id", "openai-poll-after-ms", "etag", "content-range", "retry-after-ms")


def create_app(settings: Settings, *, service: Service | None = None, registry: Registry | None = None) -> FastAPI:
    """The server as an ASGI app; its lifespan opens and closes what it works with.

    Args:
        settings: of the installation.
        service: the jobs and files; those of ``settings.data_dir`` by default. One that is given is entered and left
            by whoever gives it.
        registry: the engines; those installed by default.

    Raises:
        InvalidRequest: a setting makes no sense.
    """
    keys = Keys(settings.api_keys)
    app = FastAPI(
        title="Triptych",
        version=_version(),
        description=DESCRIPTION,
        lifespan=_lifespan(settings, service, registry),
        middleware=_middleware(settings, keys, lambda: app.state.metrics),
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    for kind in (TriptychError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, problem.on_http if kind is HTTPException else problem.on_error)
    described = FastAPI(generate_unique_id_function=lambda route: route.name)
    # ``/videos/characters`` stands before ``/videos/{id}``.
    for router in (file.characters, video.router, file.router, model.router):
        described.include_router(router, prefix="/v1")
        app.router.routes += [*_flat(router, prefix="/v1"), *_flat(router)]
    described.include_router(health.router)
    app.router.routes += _flat(health.router)
    _add_docs(app)
    app.openapi = document_for(app, described.routes)  # type: ignore[method-assign]  # as FastAPI has it done
    app.state.metrics = Metrics(lambda: asdict(app.state.context.service.counts()))
    return app


def _flat(router: APIRouter, *, prefix: str = "") -> list[Route]:
    """A router's routes without what the framework does around each of them.

    Handlers read their requests themselves. Looking routes up through nested routers, and resolving parameters that
    there are none of, took twice as long as all that a status request needs.
    """
    flat = []
    for route in router.routes:
        if isinstance(route, APIRoute):
            methods = set(route.methods or ())
            made = Route(f"{prefix}{route.path}", _handler(route), methods=list(methods), name=route.name)
            made.methods = methods  # ``Route`` adds HEAD to GET; here it is said where there is one
            flat.append(made)
    return flat


def _handler(route: APIRoute) -> Callable[[Request], Awaitable[Response]]:
    endpoint: Callable[..., Awaitable[Response]] = route.endpoint

    async def handle(request: Request) -> Response:
        request.scope["route"] = route  # names what the request was about, in errors and in metrics
        return await endpoint(request, **request.path_params)

    return handle


def _lifespan(
    settings: Settings, service: Service | None, registry: Registry | None
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            engines = Registry.installed() if registry is None else registry
            opened = await stack.enter_async_context(open_service(settings, engines)) if service is None else service
            app.state.context = Context(
                settings=settings,
                registry=engines,
                studio=opened.studio,
                service=opened,
                metrics=app.state.metrics,
                bodies=asyncio.Semaphore(settings.max_bodies or 1_000_000),
            )
            yield

    return lifespan


def _middleware(settings: Settings, keys: Keys, metrics: Callable[[], Metrics]) -> list[Middleware]:
    guard = Guard(
        keys=bool(keys),
        loopback=is_loopback(settings.host),
        hosts=settings.allowed_hosts,
        origins=settings.allowed_origins,
    )
    entry = Middleware(Entry, guard=guard, keys=keys, metrics=metrics)
    if not settings.allowed_origins:
        return [entry]
    cors = Middleware(
        CORSMiddleware,
        allow_origins=settings.allowed_origins,
        allow_methods=("GET", "HEAD", "POST", "DELETE"),
        allow_headers=("*",),
        expose_headers=EXPOSED,
    )
    return [cors, entry]


def _add_docs(app: FastAPI) -> None:
    """The interactive pages; all that they load comes from here."""
    folder = Path(fastapi_offline.__file__).parent / "static"
    app.mount(STATIC, StaticFiles(directory=folder), name="static")

    @app.get("/docs", include_in_schema=False)
    async def show_docs(request: Request) -> HTMLResponse:
        return get_swagger_ui_html(
            openapi_url="openapi.json",
            title="Triptych",
            swagger_js_url=f"{STATIC[1:]}/swagger-ui-bundle.js",
            swagger_css_url=f"{STATIC[1:]}/swagger-ui.css",
            swagger_favicon_url=f"{STATIC[1:]}/favicon.png",
        )


def _version() -> str:
    try:
        return version("triptych")
    except PackageNotFoundError:  # a folder of source that is not installed
        return "0"

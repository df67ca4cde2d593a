"""The work of a create and of a status read behind FastAPI's own routes: what the server adds to it is its surface."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI

from benchmarks.server.bare import Asked, Video, stopping
from triptych import run
from triptych.config import Settings
from triptych.engines.registry import Registry
from triptych.jobs.service import Service
from triptych.server.store import open_service
from triptych.task import Job, Request
from triptych.wire.job import render_job


def plain_app(settings: Settings) -> FastAPI:
    """Checked, planned and stored as in the server; read, routed and answered as FastAPI does by default."""
    registry = Registry.installed()
    opened: list[Service] = []

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_service(settings, registry) as service:
            opened[:] = [service]
            yield

    app = FastAPI(lifespan=lifespan)
    app.state.context = stopping()

    @app.post("/v1/videos")
    async def create_video(body: Asked) -> Video:
        (service,) = opened
        width, _, height = body.size.partition("x")
        request = Request(
            prompt=body.prompt,
            seconds=float(body.seconds),
            width=int(width),
            height=int(height),
            engine=body.model or settings.engine,
        )
        plan = await run.prepare(request, service.studio, resolver=service.resolver(""))
        asked = {"requested": {"seconds": body.seconds, "size": body.size}}
        return _told(service, await service.create(request, plan, owner="", asked=asked))

    @app.get("/v1/videos/{id}")
    async def retrieve_video(id: str) -> Video:
        (service,) = opened
        return _told(service, service.get(id, owner=""))

    @app.delete("/v1/videos/{id}")
    async def delete_video(id: str) -> dict[str, bool]:
        (service,) = opened
        await service.delete(id, owner="")
        return {"deleted": True}

    return app


def _told(service: Service, job: Job) -> Video:
    document: Any = render_job(job, position=service.position(job))
    return Video(**document)

"""The app in this process, with an engine that only says what it took."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest
from fastapi import FastAPI

from triptych.config import Settings
from triptych.server.app import create_app
from triptych.testing.asgi import Reply, call, running
from triptych.testing.double import DoubleEngine
from triptych.testing.job_double import JobDouble

Value = TypeVar("Value")


@dataclass(frozen=True, kw_only=True)
class Client:
    """Calls a running app."""

    app: FastAPI
    engine: Any
    data: Path

    async def __call__(self, method: str, path: str, **more: Any) -> Reply:
        return await call(self.app, method, path, **more)

    async def make(self, **fields: Any) -> dict[str, Any]:
        """A job, as it was answered."""
        reply = await self("POST", "/v1/videos", document={"prompt": "a boat", **fields})
        assert reply.status == 200, reply.body
        job: dict[str, Any] = reply.json()
        return job

    async def ended(self, job_id: str) -> dict[str, Any]:
        """The job, when it has ended."""
        async with asyncio.timeout(20):
            while True:
                job: dict[str, Any] = (await self("GET", f"/v1/videos/{job_id}")).json()
                if job["status"] in ("completed", "failed"):
                    return job
                await asyncio.sleep(0.01)

    async def jobs(self) -> int:
        """How many jobs there are."""
        return len((await self("GET", "/v1/videos?limit=100")).json()["data"])


Using = Callable[[Callable[[Client], Coroutine[Any, Any, Value]]], Value]


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where apps are run, one after another on the same data."""

    data: Path

    @asynccontextmanager
    async def open(
        self, *, engine: DoubleEngine | JobDouble | None = None, default_engine: str = "double", **settings: Any
    ) -> AsyncIterator[Client]:
        """A running app. Without ``workers`` no job is begun."""
        double = engine or DoubleEngine()
        values = {"engine": default_engine, "workers": 0, **settings}
        app = create_app(Settings(data_dir=str(self.data), **values), registry=double.registry())
        async with running(app):
            yield Client(app=app, engine=double, data=self.data)

    def run(self, work: Callable[[Client], Coroutine[Any, Any, Value]], **settings: Any) -> Value:
        """Do some work with a running app."""

        async def whole() -> Value:
            async with self.open(**settings) as client:
                return await work(client)

        return asyncio.run(whole())


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A data folder that is not there yet."""
    return Place(data=tmp_path / "data")

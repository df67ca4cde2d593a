"""The engines, before anything is sent to one."""

from __future__ import annotations

import asyncio

from tests.server.conftest import Client, Place
from triptych.config import Settings
from triptych.engines.base import Engine
from triptych.engines.registry import Registry
from triptych.errors import EngineUnavailable
from triptych.server.app import create_app
from triptych.testing.asgi import call, running
from triptych.testing.double import ANYTHING, DoubleEngine
from triptych.wire.document import render_spec


def test_every_engine_is_told_with_its_spec(place: Place) -> None:
    async def work(client: Client) -> None:
        page = (await client("GET", "/v1/models")).json()
        (model,) = page["data"]
        assert (page["object"], model["object"], model["id"], model["default"]) == ("list", "model", "double", True)
        assert model["spec"] == render_spec(ANYTHING)
        assert (await client("GET", "/v1/models/double")).json() == model
        missing = await client("GET", "/v1/models/fal:minimax/h3")
        assert (missing.status, missing.error["code"]) == (404, "model_not_found")

    place.run(work)


def test_an_engine_that_cannot_be_loaded_is_told_with_the_reason(place: Place) -> None:
    def broken() -> Engine:
        raise EngineUnavailable("it needs a torch")

    async def work() -> None:
        registry = Registry({"double": DoubleEngine, "h3": broken})
        app = create_app(Settings(data_dir=str(place.data), engine="double", workers=0), registry=registry)
        async with running(app):
            model = (await call(app, "GET", "/v1/models/h3")).json()
            assert (model["spec"], model["unavailable"]) == (None, "it needs a torch")
            assert len((await call(app, "GET", "/v1/models")).json()["data"]) == 2
            reply = await call(app, "POST", "/v1/videos", document={"prompt": "a", "model": "h3"})
            assert (reply.status, reply.error["code"]) == (503, "engine_unavailable")

    asyncio.run(work())

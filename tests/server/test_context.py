"""What routes work with is there while the app runs, and only then."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from starlette.requests import Request

from tests.server.conftest import Client, Place
from triptych.config import Settings
from triptych.server.app import create_app
from triptych.server.context import context_of, owner_of
from triptych.testing.asgi import call
from triptych.testing.double import ANYTHING


def test_it_is_there_while_the_app_runs(place: Place) -> None:
    async def work(client: Client) -> None:
        request = Request({"type": "http", "app": client.app, "headers": [], "state": {"owner": "ann"}})
        context = context_of(request)
        assert context.service.counts().queued == 0
        assert (context.spec("double"), context.spec(None), context.spec("none")) == (ANYTHING, None, None)
        assert owner_of(request) == "ann"

    place.run(work)


def test_an_app_that_was_not_started_fails_loudly(tmp_path: Path) -> None:
    app = create_app(Settings(data_dir=str(tmp_path)))
    reply = asyncio.run(call(app, "GET", "/v1/videos"))
    assert (reply.status, reply.error["code"]) == (500, "internal_error")
    with pytest.raises(AttributeError):
        context_of(Request({"type": "http", "app": app, "headers": []}))

"""Calls arrive as they were meant."""

from __future__ import annotations

import asyncio

import pytest
from starlette.types import Receive, Scope, Send

from triptych.testing.asgi import call, running


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers what came, and in which pieces; or that the client was gone."""
    told = [scope["method"].encode(), scope["path"].encode(), scope["query_string"]]
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            told.append(b"gone")
            break
        told.append(message["body"])
        if not message["more_body"]:
            break
    await send({"type": "http.response.start", "status": 200, "headers": [(b"X-A", b"1")]})
    await send({"type": "http.response.body", "body": b"|".join(told)})


def test_a_body_comes_in_the_pieces_in_which_it_was_given() -> None:
    reply = asyncio.run(call(echo, "POST", "/a?b=c", body=[b"1", b"2"]))
    assert (reply.status, reply.headers, reply.body) == (200, {"x-a": "1"}, b"POST|/a|b=c|1|2")


def test_a_client_can_go_in_the_middle() -> None:
    assert asyncio.run(call(echo, "GET", "/", body=b"1", gone=True)).body == b"GET|/||1|gone"


def test_an_app_that_does_not_start_is_an_error() -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        raise ZeroDivisionError

    async def start() -> None:
        async with running(broken):
            pass

    with pytest.raises(ZeroDivisionError):
        asyncio.run(start())


def test_an_app_lives_between_start_and_stop() -> None:
    lived = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        for name in ("startup", "shutdown"):
            assert (await receive())["type"] == f"lifespan.{name}"
            lived.append(name)
            await send({"type": f"lifespan.{name}.complete"})

    async def whole() -> None:
        async with running(app):
            assert lived == ["startup"]

    asyncio.run(whole())
    assert lived == ["startup", "shutdown"]

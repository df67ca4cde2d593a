"""Calls an ASGI app in this process, message by message: for what no client would send, or stop sending."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # this module is of use without the extra too
    from starlette.types import ASGIApp, Message


@dataclass(kw_only=True)
class Reply:
    """What an app sent.

    Attributes:
        status: 0 when it sent nothing.
        headers: names in lower case; the last of several.
        body: as far as it came.
    """

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    def json(self) -> Any:
        """The body, read as JSON."""
        return json.loads(self.body)

    @property
    def error(self) -> dict[str, Any]:
        """The error in it, in the one shape; fails when it has another."""
        told = self.json()
        assert set(told) == {"error"}, told
        error: dict[str, Any] = told["error"]
        assert (
            {"message", "type", "param", "code"}
            <= set(error)
            <= {
                "message",
                "type",
                "param",
                "code",
                "problems",
                "job_id",
            }
        ), error
        return error


async def call(
    app: ASGIApp,
    method: str,
    path: str,
    *,
    document: Any = None,
    body: bytes | Iterable[bytes] = b"",
    headers: Mapping[str, str] | None = None,
    gone: bool = False,
    gone_when: asyncio.Event | None = None,
) -> Reply:
    """One request.

    Args:
        app: what answers.
        method: of it.
        path: with its query.
        document: sent as JSON.
        body: sent as it is, in one piece or in several.
        headers: beside ``host``, which is this machine.
        gone: after the last piece of the body the client is gone, in the middle of it.
        gone_when: the client goes when this is set; without it, at once if ``gone``, else when it has its answer.
    """
    sent = {"host": "127.0.0.1:8000", **{name.lower(): value for name, value in (headers or {}).items()}}
    if document is not None:
        body = json.dumps(document).encode()
        sent.setdefault("content-type", "application/json")
    pieces = [body] if isinstance(body, bytes) else list(body)
    route, _, query = path.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": route,
        "raw_path": route.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in sent.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
        "state": {},
    }
    coming: list[Message] = [
        {"type": "http.request", "body": piece, "more_body": gone or index < len(pieces) - 1}
        for index, piece in enumerate(pieces)
    ]
    reply = Reply()

    async def receive() -> Message:
        if coming:
            return coming.pop(0)
        if gone_when is not None or not gone:
            await (gone_when or asyncio.Event()).wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            reply.status = message["status"]
            reply.headers = {name.decode().lower(): value.decode("latin-1") for name, value in message["headers"]}
        else:
            reply.body += message.get("body", b"")

    await app(scope, receive, send)
    return reply


@asynccontextmanager
async def running(app: ASGIApp) -> AsyncIterator[None]:
    """Start an app, and stop it at the end; an error of either is raised here."""
    coming: asyncio.Queue[Message] = asyncio.Queue()
    told: asyncio.Queue[Message] = asyncio.Queue()
    scope = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}
    living = asyncio.ensure_future(_live(app, scope, coming, told))
    try:
        await _step(living, coming, told, "startup")
        yield
        await _step(living, coming, told, "shutdown")
    finally:
        living.cancel()
        await asyncio.gather(living, return_exceptions=True)


async def _step(
    living: asyncio.Future[None], coming: asyncio.Queue[Message], told: asyncio.Queue[Message], name: str
) -> None:
    await coming.put({"type": f"lifespan.{name}"})
    answer = asyncio.ensure_future(told.get())
    await asyncio.wait((living, answer), return_when=asyncio.FIRST_COMPLETED)
    if not answer.done():
        answer.cancel()
        living.result()
        raise AssertionError(f"the app ended instead of its {name}")
    if answer.result()["type"] != f"lifespan.{name}.complete":
        living.result() if living.done() else await living
        raise AssertionError(answer.result().get("message", ""))


async def _live(
    app: ASGIApp, scope: dict[str, Any], coming: asyncio.Queue[Message], told: asyncio.Queue[Message]
) -> None:
    await app(scope, coming.get, told.put)

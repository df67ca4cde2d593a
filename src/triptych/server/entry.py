"""What every request passes first and last: an id, the guard, the key, the log line, and the net under all routes."""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from triptych.errors import TriptychError
from triptych.server import problem
from triptych.server.auth import Keys
from triptych.server.guard import Guard
from triptych.server.log import tell
from triptych.server.metric import Metrics

log = logging.getLogger(__name__)

OPEN = ("/health", "/ready", "/docs", "/openapi.json", "/static")
"""Where no key is needed; what is below them too."""

CLIENT_GONE = 499
"""The status in log and metrics when nobody was there any more to answer. It is never sent."""

_SANE_ID = re.compile(r"[A-Za-z0-9_.:/+=-]{1,100}")


@dataclass(kw_only=True)
class Exchange:
    """One request and its answer, as they pass.

    Attributes:
        scope, receive, send: of ASGI.
        id: of the request: the caller's, if it is sane, else one of ours.
        status: of the answer, once it has begun.
        received_bytes: of the body, so far.
    """

    scope: Scope
    receive: Receive
    send: Send
    id: str
    status: int | None = None
    received_bytes: int = 0
    started_at: float = field(default_factory=time.monotonic)

    async def on_receive(self) -> Message:
        """Pass on what comes, and count it."""
        message = await self.receive()
        if message["type"] == "http.request":
            self.received_bytes += len(message.get("body", b""))
        return message

    async def on_send(self, message: Message) -> None:
        """Pass on what goes, with the headers that every answer has."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            every = ((b"x-request-id", self.id.encode()), (b"x-content-type-options", b"nosniff"))
            message = {**message, "headers": [*message.get("headers", ()), *every]}
        await self.send(message)

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self.started_at

    @property
    def route(self) -> str:
        """The route's pattern, which holds no ids."""
        return getattr(self.scope.get("route"), "path", "") or "none"

    def state(self, name: str) -> Any:
        """What a route noted about the request."""
        return self.scope["state"].get(name)


class Entry:
    """The middleware around all routes."""

    def __init__(self, app: ASGIApp, *, guard: Guard, keys: Keys, metrics: Callable[[], Metrics]) -> None:
        self._app = app
        self._guard = guard
        self._keys = keys
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, see it through, and note how it went."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        scope.setdefault("state", {})
        exchange = Exchange(scope=scope, receive=receive, send=send, id=_id(headers.get("x-request-id")))
        scope["state"]["request_id"] = exchange.id
        try:
            scope["state"]["owner"] = self._admit(scope, headers)
            await self._app(scope, exchange.on_receive, exchange.on_send)
        except TriptychError as error:
            await problem.respond(error)(scope, receive, exchange.on_send)
        except ClientDisconnect:
            exchange.status = CLIENT_GONE
        except Exception as error:
            log.exception("crash", extra={"fields": {"request_id": exchange.id, "route": exchange.route}})
            if exchange.status is not None:
                raise  # the answer has begun; that it breaks off is all that can still be said
            response = problem.crash(error, request_id=exchange.id, job_id=exchange.state("job_id"))
            await response(scope, receive, exchange.on_send)
        finally:
            self._note(exchange)

    def _admit(self, scope: Scope, headers: Headers) -> str:
        """The owner of the request. Raises ``Forbidden`` or ``Unauthorized``."""
        self._guard.check(scope["method"], headers)
        if any(scope["path"] == path or scope["path"].startswith(f"{path}/") for path in OPEN):
            return ""
        return self._keys.owner(headers.get("authorization"))

    def _note(self, exchange: Exchange) -> None:
        status = CLIENT_GONE if exchange.status is None else exchange.status
        method = exchange.scope["method"]
        known = method if method in ("GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH") else "other"
        self._metrics().request(
            method=known,
            route=exchange.route,
            status=status,
            seconds=exchange.seconds,
            received_bytes=exchange.received_bytes,
        )
        tell(
            log,
            logging.INFO,
            "request",
            request_id=exchange.id,
            method=known,
            path=exchange.scope["path"][:200],
            status=status,
            ms=round(exchange.seconds * 1000, 1),
            received_bytes=exchange.received_bytes or None,
            owner=exchange.state("owner") or None,
            job_id=exchange.state("job_id"),
        )


def _id(sent: str | None) -> str:
    if sent is not None and _SANE_ID.fullmatch(sent):
        return sent
    return f"req_{secrets.token_hex(12)}"

"""The HTTP server itself: a socket that is ours before anything is opened, and an end that waits for nobody long."""

from __future__ import annotations

import contextlib
import errno
import signal
import socket
from collections.abc import Callable, Iterator
from types import FrameType

import uvicorn
from fastapi import FastAPI

from triptych.errors import InvalidRequest, Problem

GRACE_SECONDS = 5
"""How long answers that are on their way may take once the server is to stop."""

KEEP_ALIVE_SECONDS = 30
BACKLOG = 2048
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens at an address; port 0 takes a free one.

    Raises:
        InvalidRequest: there is no such address here, or somebody listens there already.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
    except (OSError, OverflowError, UnicodeError) as error:
        raise _refusal("--host", f"there is no address {host!r} ({error})", host) from error
    opened = socket.socket(family, kind, protocol)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(BACKLOG)
    except OSError as error:
        opened.close()
        raise _refused(error, host, port) from error
    opened.setblocking(False)
    return opened


def _refused(error: OSError, host: str, port: int) -> InvalidRequest:
    if error.errno == errno.EADDRINUSE:
        return _refusal("--port", f"somebody listens at {host}:{port} already", port, fix="Say --port 0 for a free one")
    if error.errno == errno.EACCES:
        return _refusal("--port", f"port {port} is not open to this user", port, fix="Take one of 1024 or more")
    return _refusal("--host", f"nobody can listen at {host!r} here ({error.strerror})", host)


def _refusal(field: str, message: str, value: object, *, fix: str = "") -> InvalidRequest:
    return InvalidRequest([Problem(code="invalid_value", field=field, message=message, value=value, fix=fix)])


class Server(uvicorn.Server):
    """Says when it listens, and lets go of whoever waits when it is to stop.

    Args:
        app: what answers.
        started: called once it listens.
    """

    def __init__(self, app: FastAPI, *, started: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                ws="none",
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )
        self._app = app
        self._on_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open what the app works with, then listen."""
        await super().startup(sockets=sockets)
        if self.started:
            self._on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, let answers end, close what the app works with."""
        self._app.state.context.stopping.set()
        await super().shutdown(sockets=sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take signals to stop as such. Being stopped is how a server ends, so none is raised again."""
        before = {
            name: signal.signal(name, self.handle_exit)
            for name in STOPPING
            if signal.getsignal(name) is not signal.SIG_IGN
        }
        try:
            yield
        finally:
            for name, handler in before.items():
                signal.signal(name, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A second interrupt waits for no answers any more."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True

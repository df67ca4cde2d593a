"""A web server on this machine that answers with exactly the bytes it was given."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

Answer = bytes | Callable[[socket.socket], None]

CERTIFICATE = Path(__file__).parent / "site.pem"
"""Of ``media.test``, signed by itself, with its key. It protects nothing."""


def reply(body: bytes = b"", *, status: str = "200 OK", head: str = "", length: bool = True) -> bytes:
    """An HTTP answer."""
    lines = f"HTTP/1.1 {status}\r\n" + (f"Content-Length: {len(body)}\r\n" if length else "") + head
    return lines.encode() + b"\r\n" + body


def to(address: str, status: str = "302 Found") -> bytes:
    """An HTTP answer that sends somebody elsewhere."""
    return reply(status=status, head=f"Location: {address}\r\n")


class Site:
    """A running server.

    Attributes:
        answers: path → what is sent.
        asked: the heads of the requests that came, in order.
        connections: how many came.
        greeting: what is sent before anything was asked.
    """

    def __init__(self, listening: socket.socket, context: ssl.SSLContext | None) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []
        self.connections = 0
        self.greeting = b""
        self._listening = listening
        self._context = context
        self.port: int = listening.getsockname()[1]

    def url(self, path: str, *, host: str = "127.0.0.1") -> str:
        return f"{'https' if self._context else 'http'}://{host}:{self.port}{path}"

    def work(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            with connection, contextlib.suppress(OSError):
                self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        connection.settimeout(20)
        if self._context is not None:
            connection = self._context.wrap_socket(connection, server_side=True)
        connection.sendall(self.greeting)
        head = b""
        while b"\r\n\r\n" not in head:
            data = connection.recv(65536)
            if not data:
                return
            head += data
        self.asked.append(head.decode())
        answer = self.answers[head.split(b" ")[1].decode()]
        if callable(answer):
            answer(connection)
        else:
            connection.sendall(answer)
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass
        connection.close()


@contextlib.contextmanager
def site(*, tls: bool = False) -> Iterator[Site]:
    """A server on a free port of 127.0.0.1, until the block ends."""
    context = None
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        running = Site(listening, context)
        thread = threading.Thread(target=running.work, daemon=True)
        thread.start()
        try:
            yield running
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join(30)

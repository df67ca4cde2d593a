"""Clients that cost next to nothing themselves: bodies go out by ``sendfile``, small requests are made beforehand."""

from __future__ import annotations

import json
import selectors
import socket
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TIMEOUT_SECONDS = 300.0
_ANSWER_BYTES = 64 << 10
_END_OF_HEAD = b"\r\n\r\n"
_LENGTH = b"\r\ncontent-length:"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What was answered, and how long that took.

    Attributes:
        seconds: from the first byte sent to the last one received.
        body: the bytes.
    """

    seconds: float
    body: bytes

    def json(self) -> Any:
        """The body, read as JSON."""
        return json.loads(self.body)


def request(method: str, path: str, *, document: Any = None) -> bytes:
    """A small request, ready to be sent."""
    body = b"" if document is None else json.dumps(document).encode()
    kind = "" if document is None else "content-type: application/json\r\n"
    return _head(method, path, kind, len(body)) + body


def send_file(port: int, method: str, path: str, *, kind: str, body: Path) -> Answer:
    """Send a file as a body, on a connection of its own.

    Raises:
        RuntimeError: the answer is no 200.
    """
    size_bytes = body.stat().st_size
    with socket.create_connection(("127.0.0.1", port), TIMEOUT_SECONDS) as connection, body.open("rb") as file:
        began = time.perf_counter()
        connection.sendall(_head(method, path, f"content-type: {kind}\r\n", size_bytes))
        connection.sendfile(file)
        answer = _Reading()
        while not answer.add(connection.recv(_ANSWER_BYTES)):
            pass
        return Answer(seconds=time.perf_counter() - began, body=answer.body())


def ask(port: int, message: bytes) -> Answer:
    """One small request. Raises ``RuntimeError`` as ``send_file`` does."""
    with Line(port) as line:
        return line.ask(message)


class Line:
    """A connection that is kept; a context manager."""

    def __init__(self, port: int) -> None:
        self._connection = socket.create_connection(("127.0.0.1", port), TIMEOUT_SECONDS)

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def ask(self, message: bytes) -> Answer:
        """Send a request, and wait for its answer."""
        began = time.perf_counter()
        self._connection.sendall(message)
        answer = _Reading()
        while not answer.add(self._connection.recv(_ANSWER_BYTES)):
            pass
        return Answer(seconds=time.perf_counter() - began, body=answer.body())


@dataclass(frozen=True, kw_only=True)
class Load:
    """What came of many requests.

    Attributes:
        seconds: all of them together.
        answers: in the order in which they came.
    """

    seconds: float
    answers: tuple[Answer, ...]

    @property
    def rate_hz(self) -> float:
        """Requests a second."""
        return len(self.answers) / self.seconds


def load(port: int, messages: Iterable[bytes], *, connections: int) -> Load:
    """Send requests over several connections, on each the next one as soon as the last was answered.

    Raises:
        RuntimeError: an answer is no 200.
    """
    waiting = deque(messages)
    answers: list[Answer] = []
    opened = [socket.create_connection(("127.0.0.1", port), TIMEOUT_SECONDS) for _ in range(connections)]
    with selectors.DefaultSelector() as selector:
        try:
            began = time.perf_counter()
            for connection in opened:
                if waiting:
                    connection.sendall(waiting.popleft())
                    selector.register(connection, selectors.EVENT_READ, _Reading())
            while selector.get_map():
                ready = selector.select(TIMEOUT_SECONDS)
                if not ready:
                    raise RuntimeError(f"no answer within {TIMEOUT_SECONDS:g} s")
                for key, _ in ready:
                    connection = key.fileobj  # type: ignore[assignment]  # it is what was registered
                    if not key.data.add(connection.recv(_ANSWER_BYTES)):
                        continue
                    seconds = time.perf_counter() - key.data.began
                    answers.append(Answer(seconds=seconds, body=key.data.body()))
                    if waiting:
                        key.data.reset()
                        connection.sendall(waiting.popleft())
                    else:
                        selector.unregister(connection)
            return Load(seconds=time.perf_counter() - began, answers=tuple(answers))
        finally:
            for connection in opened:
                connection.close()


@dataclass
class _Reading:
    """An answer as it comes in."""

    data: bytes = b""
    began: float = field(default_factory=time.perf_counter)

    def reset(self) -> None:
        self.data = b""
        self.began = time.perf_counter()

    def add(self, piece: bytes) -> bool:
        """Take in a piece; whether that was the last one."""
        if not piece:
            raise RuntimeError(f"the connection was closed after {self.data!r}")
        self.data += piece
        end = self.data.find(_END_OF_HEAD)
        return end >= 0 and len(self.data) >= end + len(_END_OF_HEAD) + self._length(end)

    def _length(self, end: int) -> int:
        at = self.data.lower().find(_LENGTH, 0, end)
        if at < 0:
            raise RuntimeError(f"an answer without a length: {self.data[:end]!r}")
        at += len(_LENGTH)
        stop = self.data.find(b"\r", at)
        return int(self.data[at:stop])

    def body(self) -> bytes:
        if self.data[9:12] != b"200":
            raise RuntimeError(f"no 200: {self.data[:2000]!r}")
        return self.data[self.data.find(_END_OF_HEAD) + len(_END_OF_HEAD) :]


def _head(method: str, path: str, kind: str, length: int) -> bytes:
    return f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n{kind}content-length: {length}\r\n\r\n".encode()

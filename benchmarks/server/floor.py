"""What receiving, decoding, hashing and writing cost, each alone: the floor is their sum.

As a process of its own it receives: ``python -m benchmarks.server.floor`` reads bodies into one buffer, and answers
when they have ended.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pybase64

PIECE_BYTES = 256 << 10
"""How much is received, decoded, hashed and written at a time, always in the same memory."""


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Seconds of each part but receiving."""

    decode: float
    hash: float
    write: float


def measure(text_bytes: int, folder: Path) -> Parts:
    """Decode as much base64 as that, and hash and write what comes of it into a new file of ``folder``."""
    text = pybase64.b64encode(os.urandom(PIECE_BYTES * 3 // 4))
    data = pybase64.b64decode(text)
    count = max(1, round(text_bytes / PIECE_BYTES))
    digest = hashlib.sha256()
    decode = _seconds(count, lambda: pybase64.b64decode(text, validate=True))
    hashed = _seconds(count, lambda: digest.update(data))
    path = folder / "floor"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        write = _seconds(count, lambda: os.write(descriptor, data))
    finally:
        os.close(descriptor)
        path.unlink()
    return Parts(decode=decode, hash=hashed, write=write)


def _seconds(count: int, work: Callable[[], object]) -> float:
    began = time.perf_counter()
    for _ in range(count):
        work()
    return time.perf_counter() - began


def drain() -> None:
    """Receive bodies, one connection after the other, by blocking calls."""
    buffer = bytearray(PIECE_BYTES)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(json.dumps(listening.getsockname()[1]), flush=True)
        while True:
            connection, _ = listening.accept()
            with connection:
                _receive(connection, buffer)
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")


def _receive(connection: socket.socket, buffer: bytearray) -> None:
    head = b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(PIECE_BYTES)
    head, _, begun = head.partition(b"\r\n\r\n")
    rest = int(head.lower().partition(b"content-length:")[2].split()[0]) - len(begun)
    while rest > 0:
        got = connection.recv_into(buffer)
        if not got:
            raise ConnectionError(f"closed {rest} bytes before the end")
        rest -= got


if __name__ == "__main__":
    drain()

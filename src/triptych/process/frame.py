"""Messages between a program and its child process: one letter, a length, and JSON.

- kind, 1 byte: ``R`` request, ``I`` item, ``E`` end, ``X`` error
- length, 4 bytes, big-endian, of what follows; at most ``MOST_BYTES``
- body, JSON in UTF-8
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

REQUEST, ITEM, END, ERROR = b"R", b"I", b"E", b"X"
MOST_BYTES = 4 << 20
"""Media go by path. JSON unfolds to some thirty times its length, and a child that was taken over may send any."""

_HEADER = struct.Struct(">cI")
_KINDS = frozenset((REQUEST, ITEM, END, ERROR))


class FrameError(ValueError):
    """Bytes that are no frame, or a message that cannot be one."""


def encode(kind: bytes, body: Any) -> bytes:
    """One frame.

    Raises:
        FrameError: ``body`` is not plain JSON, or is over ``MOST_BYTES``.
    """
    try:
        data = json.dumps(body, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise FrameError(f"not plain JSON: {error}") from error
    if len(data) > MOST_BYTES:
        raise FrameError(f"a message of {len(data)} bytes; the most is {MOST_BYTES}")
    return _HEADER.pack(kind, len(data)) + data


class Decoder:
    """Puts frames together from pieces of any size."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[bytes, Any]]:
        """Take in some bytes; yield the kind and body of every frame that they complete.

        Raises:
            FrameError: an unknown kind, a length over the bound, or a body that is not JSON.
        """
        self._buffer += data
        while len(self._buffer) >= _HEADER.size:
            kind, length = _HEADER.unpack_from(self._buffer)
            if kind not in _KINDS:
                raise FrameError(f"unknown kind {kind!r}")
            if length > MOST_BYTES:
                raise FrameError(f"a frame of {length} bytes; the most is {MOST_BYTES}")
            end = _HEADER.size + length
            if len(self._buffer) < end:
                return
            body = bytes(self._buffer[_HEADER.size : end])
            del self._buffer[:end]
            try:
                yield kind, json.loads(body)
            except (ValueError, RecursionError) as error:
                raise FrameError(f"a body that is not JSON: {error}") from error

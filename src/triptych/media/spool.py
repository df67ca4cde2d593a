"""Private copies of inputs: hashed on the way, bounded on the way, whole or not there at all."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from triptych.errors import InvalidRequest, Problem, StorageFailed
from triptych.task import Blob

CHUNK_BYTES = 1 << 20


class Copy:
    """A file that is being written into a spool. Made by ``copying``.

    Attributes:
        size_bytes: written so far.
    """

    def __init__(self, descriptor: int, *, field: str, max_bytes: int) -> None:
        self._descriptor = descriptor
        self._field = field
        self._max_bytes = max_bytes
        self._digest = hashlib.sha256()
        self.size_bytes = 0

    def write(self, data: bytes | memoryview) -> None:
        """Add some bytes.

        Raises:
            InvalidRequest: ``media_too_large``, when they are more than there may be.
            StorageFailed: the disk is full.
        """
        self.size_bytes += len(data)
        if self.size_bytes > self._max_bytes:
            raise too_large(self._field, self.size_bytes, self._max_bytes, at_least=True)
        self._digest.update(data)
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise StorageFailed(f"{self._field}: no room left on the disk for a copy of it") from error
            raise

    @property
    def sha256(self) -> str:
        """Of what was written so far, lower-case hex."""
        return self._digest.hexdigest()


@contextlib.contextmanager
def copying(spool: Path, *, field: str, max_bytes: int) -> Iterator[tuple[Copy, Callable[..., Blob]]]:
    """Write one file into ``spool``: gives where to write, and the function that makes it final.

    The file is for its owner alone (0600) and ends up named by its content, with no ending. Without the second call,
    and after an error, nothing is left.
    """
    descriptor, name = tempfile.mkstemp(dir=spool, prefix="incoming-")
    done = False
    try:
        copy = Copy(descriptor, field=field, max_bytes=max_bytes)

        def finish(*, packed: bool = False, frame_rate: float | None = None) -> Blob:
            nonlocal done
            path = spool / copy.sha256
            Path(name).replace(path)
            done = True
            return Blob(
                path=str(path),
                sha256=copy.sha256,
                size_bytes=copy.size_bytes,
                packed=packed,
                frame_rate=frame_rate,
            )

        yield copy, finish
    finally:
        os.close(descriptor)
        if not done:
            Path(name).unlink(missing_ok=True)


def too_large(field: str, size_bytes: int, max_bytes: int, *, at_least: bool = False) -> InvalidRequest:
    """The refusal of something with more bytes than it may have."""
    more = "at least " if at_least else ""
    return InvalidRequest(
        [
            Problem(
                code="media_too_large",
                field=field,
                message=f"it has {more}{size_bytes} bytes; the most is {max_bytes}",
                value=size_bytes,
                limit=max_bytes,
            )
        ]
    )

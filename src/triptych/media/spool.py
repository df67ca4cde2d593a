"""Private copies of inputs: hashed on the way, bounded on the way, whole or not there at all."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from triptych.errors import InvalidRequest, Problem, StorageFailed
from triptych.task import Blob

CHUNK_BYTES = 1 << 20

INCOMING = "incoming-"
"""How the name of a file begins that is still being written."""


class Copy:
    """A file that is being written into a spool. Made by ``begin``, or by ``copying``.

    Attributes:
        size_bytes: written so far.
        replaced: once it is finished, which file was there under the same name before, and so with the same content.
        identity: which file it is itself.
    """

    def __init__(self, descriptor: int, path: Path, *, field: str, max_bytes: int) -> None:
        self._descriptor = descriptor
        self._path = path
        self._field = field
        self._max_bytes = max_bytes
        self._digest = hashlib.sha256()
        self._open = True
        self.size_bytes = 0
        self.replaced: Identity | None = None
        self.identity: Identity | None = None

    def write(self, data: bytes | memoryview) -> None:
        """Add some bytes.

        Raises:
            InvalidRequest: ``media_too_large``, when they are more than there may be.
            StorageFailed: the disk is full.
        """
        self.size_bytes += len(data)
        if self.size_bytes > self._max_bytes:
            # How much more there is depends on how it was cut into pieces, so it is not said.
            raise too_large(self._field, self._max_bytes + 1, self._max_bytes, at_least=True)
        self._digest.update(data)
        rest = memoryview(data)
        with _room(self._field):
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]

    @property
    def sha256(self) -> str:
        """Of what was written so far, lower-case hex."""
        return self._digest.hexdigest()

    def finish(self, *, packed: bool = False, frame_rate: float | None = None) -> Blob:
        """Make it final, under the name of its content. A file of that name is replaced by this one, its equal.

        Raises:
            StorageFailed: the disk is full.
        """
        final = self._path.with_name(self.sha256)
        with _room(self._field), alone(self._path.parent):
            # Who clears up goes by this stamp, and the last byte may have come long ago.
            now = time.time_ns()
            os.utime(self._descriptor, ns=(now, now))
            self.identity = _identity_of(self._path)
            self.replaced = _identity_of(final)
            self._path.replace(final)
        self._close()
        return Blob(
            path=str(final), sha256=self.sha256, size_bytes=self.size_bytes, packed=packed, frame_rate=frame_rate
        )

    def discard(self) -> None:
        """Remove it, unless it is finished. May be called twice."""
        if self._open:
            self._close()
            self._path.unlink(missing_ok=True)

    def _close(self) -> None:
        self._open = False
        os.close(self._descriptor)


def begin(spool: Path, *, field: str, max_bytes: int) -> Copy:
    """Begin a file in ``spool``, for its owner alone (0600). It is final after ``finish``, and named by its content.

    Raises:
        StorageFailed: the disk is full.
    """
    with _room(field):
        descriptor, name = tempfile.mkstemp(dir=spool, prefix=INCOMING)
    return Copy(descriptor, Path(name), field=field, max_bytes=max_bytes)


class Batch:
    """The files that belong together, such as those of one body: all of them are kept, or all are removed.

    Args:
        spool: where they go.
        max_bytes: of each.
    """

    def __init__(self, spool: Path, *, max_bytes: int) -> None:
        self._spool = spool
        self._max_bytes = max_bytes
        self._open: list[Copy] = []
        self._own: dict[str, Identity] = {}

    def begin(self, *, field: str) -> Copy:
        """Begin one. Raises ``StorageFailed`` when the disk is full."""
        copy = begin(self._spool, field=field, max_bytes=self._max_bytes)
        self._open.append(copy)
        return copy

    def finish(self, copy: Copy) -> Blob:
        """Make one final. Raises ``StorageFailed`` when the disk is full."""
        blob = copy.finish()
        self._open.remove(copy)
        # One that was there before is somebody else's, unless it came in this same batch.
        if copy.identity is not None and copy.replaced in (None, self._own.get(blob.path)):
            self._own[blob.path] = copy.identity
        return blob

    def drop(self, copy: Copy) -> None:
        """Remove one that is not finished."""
        copy.discard()
        self._open.remove(copy)

    def discard(self) -> None:
        """Remove what this batch alone put there: nothing that was there before, or that somebody stored since."""
        while self._open:
            self._open.pop().discard()
        if not self._own:
            return
        with alone(self._spool):
            while self._own:
                path, identity = self._own.popitem()
                if _identity_of(Path(path)) == identity:
                    Path(path).unlink()


Identity = tuple[int, int, int]
"""Which file it is, whatever it is called: device, inode, and time stamp, for inodes are used again at once.

Whoever finds a file and means to use it renews its stamp, and so it is another from then on.
"""


def _identity_of(path: Path) -> Identity | None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns


@contextlib.contextmanager
def alone(spool: Path) -> Iterator[None]:
    """Nobody else, in any process, gives a file its final name or takes it away meanwhile. For an instant only."""
    descriptor = os.open(spool, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _room(field: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFailed(f"{field}: no room left on the disk for a copy of it") from error
        raise


@contextlib.contextmanager
def copying(spool: Path, *, field: str, max_bytes: int) -> Iterator[tuple[Copy, Callable[..., Blob]]]:
    """Write one file into ``spool``: gives where to write, and the function that makes it final.

    Without the second call, and after an error, nothing is left.
    """
    copy = begin(spool, field=field, max_bytes=max_bytes)
    try:
        yield copy, copy.finish
    finally:
        copy.discard()


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

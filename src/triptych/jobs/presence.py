"""Which processes are alive: each holds a lock on a file of its own, which the system lets go when it dies.

A lock tells at once, and cannot be wrong about a process that was killed; a lease, which covers what a lock cannot (a
process that hangs), takes its time.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

_ENDING = ".lock"
_KNOCK_SECONDS = 0.005


@dataclass(frozen=True, kw_only=True)
class Other:
    """A process that uses this data folder, or did.

    Attributes:
        worker: its name.
        folder: the name of its private folder below ``work``; empty until it has one.
        alive: whether it is.
    """

    worker: str
    folder: str
    alive: bool


class Presence:
    """Says that this process is alive, and finds out who else is.

    Args:
        run: the folder of locks; it exists.
        worker: the name of this process, which no other ever had.
    """

    def __init__(self, run: Path, worker: str) -> None:
        self._run = run
        self.worker = worker
        self.folder = ""
        self._descriptor: int | None = None

    @contextlib.asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """While nobody else comes or clears up. It is kept for moments, and somebody else's moment is waited for."""
        descriptor = os.open(self._run / "door", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            # Asked for again and again, not waited for: the other one may be of this very process and loop.
            while not _locked(descriptor):
                await asyncio.sleep(_KNOCK_SECONDS)
            yield
        finally:
            os.close(descriptor)

    def enter(self) -> None:
        """Come: take the lock. Call it ``alone``, so that nobody finds the file without its lock."""
        path = self._run / f"{self.worker}{_ENDING}"
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def settle(self, folder: str) -> None:
        """Write down which private folder is this process's."""
        if self._descriptor is None:
            raise RuntimeError("the process has not entered")
        self.folder = folder
        os.pwrite(self._descriptor, folder.encode(), 0)

    def leave(self) -> None:
        """Go: the file is removed, and the lock with it."""
        if self._descriptor is not None:
            (self._run / f"{self.worker}{_ENDING}").unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = None

    def others(self) -> tuple[Other, ...]:
        """Everybody else who left a file."""
        found = []
        for path in sorted(self._run.glob(f"*{_ENDING}")):
            worker = path.name.removesuffix(_ENDING)
            if worker != self.worker:
                with contextlib.suppress(FileNotFoundError):  # it left in this moment
                    found.append(_look(path, worker))
        return tuple(found)

    def is_alive(self, worker: str) -> bool:
        """Whether the process of that name is alive; one that left no file is not."""
        if worker == self.worker:
            return self._descriptor is not None
        try:
            return _look(self._run / f"{worker}{_ENDING}", worker).alive
        except FileNotFoundError:
            return False

    def forget(self, worker: str) -> None:
        """Remove the file of a dead process."""
        (self._run / f"{worker}{_ENDING}").unlink(missing_ok=True)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _look(path: Path, worker: str) -> Other:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        folder = os.pread(descriptor, 4096, 0).decode()
        try:
            # Shared, so that two who look at one time do not take each other for the owner.
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return Other(worker=worker, folder=folder, alive=True)
        return Other(worker=worker, folder=folder, alive=False)
    finally:
        os.close(descriptor)

"""Sees what a stretch of a test does behind its back: what it dials, and which processes and threads it leaves."""

from __future__ import annotations

import os
import secrets
import threading
import time
from functools import cache
from pathlib import Path
from types import TracebackType

from triptych.process import offline

MARK = "TRIPTYCH_WITNESS"
"""A variable that everything started meanwhile inherits, however far removed."""

_GRACE_SECONDS = 2.0
_STEP_SECONDS = 0.01
_listening: list[list[str]] = []


class Witness:
    """Watches while its block runs; one at a time. Processes are seen where there is a ``/proc``.

    Attributes:
        dialled: what this process dialled beyond this machine; each was refused.
        threads: those that ran before.
    """

    def __init__(self) -> None:
        self.dialled: list[str] = []
        self.threads: set[threading.Thread] = set()
        self._mark = secrets.token_hex(16)

    def __enter__(self) -> Witness:
        _listen_for_dials()
        _listening.append(self.dialled)
        os.environ[MARK] = self._mark
        self.threads = set(threading.enumerate())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _listening.remove(self.dialled)
        os.environ.pop(MARK, None)

    def running(self) -> set[int]:
        """The processes that were started meanwhile, by anything, and still run."""
        mark = f"{MARK}={self._mark}".encode()
        found = set()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if int(folder.name) != os.getpid() and mark in (folder / "environ").read_bytes():
                    found.add(int(folder.name))
            except OSError:  # it ended meanwhile, or is somebody else's
                continue
        return found

    def more_than(self, before: set[int]) -> set[int]:
        """The processes beyond those of ``before``, once the killed ones have had time to die."""
        until = time.monotonic() + _GRACE_SECONDS
        while (more := self.running() - before) and time.monotonic() < until:
            time.sleep(_STEP_SECONDS)
        return more

    def new_threads(self) -> list[str]:
        """The threads started meanwhile that still run, by name; those of ``asyncio`` itself are left out."""
        return [
            thread.name
            for thread in threading.enumerate()
            if thread not in self.threads and not thread.name.startswith(("asyncio", "waitpid"))
        ]

    def check(self, when: str) -> None:
        """Nothing was dialled, and nothing runs any more.

        Raises:
            AssertionError: it was, or does.
        """
        assert not self.dialled, f"{when}, the network had been used: {', '.join(self.dialled)}"
        left = self.more_than(set())
        assert not left, f"{when}, processes were left behind: {sorted(left)}"
        threads = self.new_threads()
        assert not threads, f"{when}, threads were left behind: {', '.join(threads)}"


@cache
def _listen_for_dials() -> None:
    """Once for the process: an audit hook cannot be taken out again."""
    offline.watch(_hear)


def _hear(found: str) -> None:
    if _listening:
        for heard in _listening:
            heard.append(found)
        raise OSError(f"this test does not dial: {found}")

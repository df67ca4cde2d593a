"""Runs functions of this package in child processes: bounded, ended at once when nobody listens, never left behind."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncGenerator, Mapping
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from triptych.errors import Cancelled, ChildCrashed, EngineFailed, TriptychError
from triptych.process import frame, report
from triptych.process.connection import Connection
from triptych.process.limits import Limits

__all__ = ["Host", "Limits"]

_TARGET = re.compile(r"[a-z]\w*(\.[a-z]\w*)*:[a-z]\w*", re.ASCII)

_SOURCE_ROOT = Path(__file__).resolve().parents[2]

# The child runs this very package, whatever interpreter it has; everything else comes from that interpreter.
_START = (
    "import sys; root = sys.argv[1]; sys.path.insert(0, root); import triptych.process.child as child; "
    "sys.path.remove(root); sys.path.append(root); child.main()"
)

_PASSED_ON = frozenset(("PATH", "PYTHONPATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT", "LD_LIBRARY_PATH"))
_PASSED_ON_PREFIXES = ("LC_", "TRIPTYCH_")
# Addresses too: that of a database has its password inside.
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|URL|DSN", re.ASCII | re.IGNORECASE)
_IDLE_MOST = 4
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class Host:
    """Starts child processes and ends every one of them when it is closed.

    Args:
        python: interpreter of the children; this one's by default.
        limits: of a call that states none.
        workdir: the children's working folder.
        env: variables for the children, beside the few that are passed on. The environment itself is not.

    Use it as an async context manager, within one event loop.
    """

    def __init__(
        self,
        *,
        python: str | None = None,
        limits: Limits = Limits(),  # noqa: B008  (frozen, so it can be shared)
        workdir: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._python = python or sys.executable
        self._limits = limits
        self._workdir = workdir
        self._env = {**_passed_on(os.environ), **_ONE_THREAD, **(env or {})}
        self._children: set[Connection] = set()
        self._idle: dict[Limits, list[Connection]] = {}
        self._open = False

    async def __aenter__(self) -> Host:
        """Open it for calls."""
        self._open = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Kill and reap every child."""
        self._open = False
        self._idle.clear()
        children = list(self._children)
        for child in children:
            child.kill()
        for child in children:
            await self._end(child)

    def call(
        self, target: str, params: dict[str, Any], *, limits: Limits | None = None, warm: bool = False
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Run ``target`` in a child process and yield what it yields, as it comes.

        The child waits while nobody takes its items. Closing the generator, or cancelling the task that iterates it,
        kills the child and everything it started.

        Args:
            target: ``package.module:function``, of this package or of an engine's own; the child imports it. The
                function takes ``params`` and returns an iterator of dicts. Never a caller's word.
            params: plain JSON.
            limits: of this call; the host's by default.
            warm: keep the child for the next warm call with the same limits. A call has its child to itself.

        Raises:
            TriptychError: the target raised it; same class, same message.
            LimitExceeded: it passed a limit, which is named.
            ChildCrashed: the child died, or sent what is not a frame.
            EngineFailed: the target raised anything else; the child's traceback is the ``__cause__``.
            ValueError: ``target`` does not name a function.
        """
        if not _TARGET.fullmatch(target):
            raise ValueError(f"does not name a function: {target!r}; say 'package.module:function'")
        return self._run(target, params, limits or self._limits, warm)

    async def _run(
        self, target: str, params: dict[str, Any], limits: Limits, warm: bool
    ) -> AsyncGenerator[dict[str, Any], None]:
        if not self._open:
            raise RuntimeError("the host is not open: use 'async with Host() as host'")
        request = frame.encode(frame.REQUEST, {"target": target, "params": params, "limits": asdict(limits)})
        child = (await self._take(limits) if warm else None) or await self._start()
        reusable = False
        try:
            child.begin(request, limits.wall_seconds)
            while True:
                kind, body = await child.receive()
                if kind == frame.ITEM:
                    if not isinstance(body, dict):
                        raise frame.FrameError(f"an item that is no object: {body!r:.80}")
                    yield body
                elif kind == frame.END:
                    reusable = warm
                    return
                elif kind == frame.ERROR:
                    report.raise_told(body, target=target, limits=limits)
                else:
                    raise _death(child, target, limits)
        except frame.FrameError as error:
            raise ChildCrashed(f"{target} sent something that is not a message: {error}") from error
        except EngineFailed:
            raise
        except TriptychError:
            reusable = warm
            raise
        finally:
            child.finish()
            if not (reusable and self._keep(child, limits)):
                await self._end(child)

    def _keep(self, child: Connection, limits: Limits) -> bool:
        """Put a child aside for the next warm call, when it is fit for one and few enough wait already."""
        idle = self._idle.setdefault(limits, [])
        if not self._open or not child.alive or len(idle) >= _IDLE_MOST:
            return False
        idle.append(child)
        return True

    async def _take(self, limits: Limits) -> Connection | None:
        """A child that was put aside, if one is left alive."""
        idle = self._idle.get(limits, [])
        while idle:
            child = idle.pop()
            if child.alive:
                return child
            await self._end(child)
        return None

    async def _start(self) -> Connection:
        loop = asyncio.get_running_loop()
        command = (self._python, "-P", "-c", _START, str(_SOURCE_ROOT))
        try:
            _, child = await loop.subprocess_exec(
                Connection, *command, env=self._env, cwd=self._workdir, start_new_session=True
            )
        except OSError as error:
            why = error.strerror or error
            raise EngineFailed(f"cannot start a child process with {self._python}: {why}") from error
        self._children.add(child)
        if not self._open:  # closed meanwhile, and this child was not there to be ended
            await self._end(child)
            raise Cancelled("the host was closed while a child process started")
        return child

    async def _end(self, child: Connection) -> None:
        await child.end()
        self._children.discard(child)


def _death(child: Connection, target: str, limits: Limits) -> TriptychError:
    """What the end of a child without an answer means."""
    failure: TriptychError
    status = child.status
    said = child.last_words
    if child.ended:
        failure = Cancelled(f"the host was closed while {target} ran")
    elif child.expired:
        failure = report.limit_exceeded("wall_seconds", target=target, limits=limits)
    elif status == -signal.SIGXCPU:
        failure = report.limit_exceeded("cpu_seconds", target=target, limits=limits)
    elif status == -signal.SIGXFSZ:
        failure = report.limit_exceeded("file_bytes", target=target, limits=limits)
    elif status == -signal.SIGABRT and "bad_alloc" in said:
        failure = report.limit_exceeded("memory_bytes", target=target, limits=limits)
    elif status is not None and status < 0:
        failure = ChildCrashed(f"{target} died by {_signal_name(-status)}{_SIGNAL_HINT.get(-status, '')}")
    else:
        last_line = said.strip().rpartition("\n")[2][:200]
        ending = f"; it last said: {last_line}" if last_line else ""
        failure = ChildCrashed(f"{target} ended with exit status {status} and no answer{ending}")
    if said:
        failure.__cause__ = report.ChildDetailError(said)
    return failure


_SIGNAL_HINT: dict[int, str] = {signal.SIGKILL: " (often the system, when the machine is out of memory)"}


def _signal_name(number: int) -> str:
    try:
        return f"{signal.Signals(number).name} (signal {number})"
    except ValueError:
        return f"signal {number}"


def _passed_on(environ: Mapping[str, str]) -> dict[str, str]:
    """The few variables that a child needs; a secret is not one of them."""
    return {
        name: value
        for name, value in environ.items()
        if name in _PASSED_ON or (name.startswith(_PASSED_ON_PREFIXES) and not _SECRET.search(name))
    }

"""Jobs that are stored so that a power cut does not lose them: together in one commit, and one by one."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from triptych import run
from triptych.engines.registry import Registry
from triptych.jobs import writer
from triptych.jobs.content import Content, Folder
from triptych.jobs.sqlite import SqliteStore
from triptych.jobs.store import Draft
from triptych.jobs.term import Terms
from triptych.jobs.transition import Bench
from triptych.studio import Studio
from triptych.task import Request

CLIENTS = 64
FLUSH_SECONDS = 0.005
"""What a flush takes longer on a disk that is made believe: about that of a network disk; a hard disk takes longer."""

_FLUSHED_BYTES = 4096


@dataclass(kw_only=True)
class Inserts:
    """Jobs a second, of each round.

    Attributes:
        flush_seconds: what each commit is made to take beyond what it takes here.
    """

    flush_seconds: float
    together: list[float] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)

    @property
    def together_hz(self) -> float:
        """Median."""
        return statistics.median(self.together)

    @property
    def alone_hz(self) -> float:
        """Median."""
        return statistics.median(self.alone)

    @property
    def ratio(self) -> float:
        """How many times as quick it is together."""
        return self.together_hz / self.alone_hz


def measure(folder: Path, *, jobs: int, repeats: int) -> tuple[float, list[Inserts]]:
    """Seconds of one flush here; then 64 clients on this disk, and on one that takes its time."""
    draft = asyncio.run(_draft(folder / "draft"))
    found = [Inserts(flush_seconds=seconds) for seconds in (0.0, FLUSH_SECONDS)]
    for _ in range(repeats):
        for each in found:
            with mock.patch.object(writer, "MOST_IN_A_COMMIT", 1):
                # A quarter of them is enough where each has a commit of its own.
                each.alone.append(asyncio.run(_rate(folder, draft, max(CLIENTS, jobs // 4), each.flush_seconds)))
            each.together.append(asyncio.run(_rate(folder, draft, jobs, each.flush_seconds)))
    return flush_seconds(folder), found


def flush_seconds(folder: Path, *, times: int = 50) -> float:
    """What one small write takes until the disk has it; median."""
    seconds = []
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        for _ in range(times):
            began = time.perf_counter()
            os.pwrite(file.fileno(), bytes(_FLUSHED_BYTES), 0)
            os.fdatasync(file.fileno())
            seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


async def _rate(folder: Path, draft: Draft, jobs: int, flush_seconds: float) -> float:
    """Jobs a second that so many clients store, each one after another."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        place = Folder(Path(name))
        place.make()
        terms = Terms(max_queued=jobs + 1)
        bench = Bench(content=Content(place.content), terms=terms, clock=time.time, checkpoint=writer.pass_by)
        store = _SlowStore(place, bench)
        store.flush_seconds = flush_seconds
        store.open()

        async def client() -> None:
            for _ in range(jobs // CLIENTS):
                await store.insert(draft)

        began = time.perf_counter()
        await asyncio.gather(*(client() for _ in range(CLIENTS)))
        rate = jobs // CLIENTS * CLIENTS / (time.perf_counter() - began)
        store.close()
        return rate


class _SlowStore(SqliteStore):
    """The store, on a disk that takes longer to flush."""

    flush_seconds = 0.0

    def _connect(self) -> sqlite3.Connection:
        connect: Callable[..., sqlite3.Connection] = sqlite3.connect

        def slow(*args: Any, **named: Any) -> sqlite3.Connection:
            made = connect(*args, factory=_SlowConnection, **named)
            assert isinstance(made, _SlowConnection)
            made.flush_seconds = self.flush_seconds
            return made

        with mock.patch.object(sqlite3, "connect", slow):
            return super()._connect()


class _SlowConnection(sqlite3.Connection):
    flush_seconds = 0.0

    def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
        done = super().execute(sql, *args)
        if sql == "COMMIT":
            time.sleep(self.flush_seconds)
        return done


async def _draft(folder: Path) -> Draft:
    """A job of the preview engine, as the server stores it."""
    place = Folder(folder)
    place.make()
    request = Request(prompt="A quiet street at dawn", engine="animatic")
    async with Studio(registry=Registry.installed(), spool=place.content, work_dir=place.work) as studio:
        plan = await run.prepare(request, studio)
    return Draft(
        owner="",
        kind="video",
        request=request,
        plan=plan,
        asked={"requested": {"prompt": request.prompt}},
        parent=None,
        once=None,
        waits=(),
        contents=(),
    )

"""Many writes to a commit, each for itself."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from triptych.jobs.writer import Writer

SLOW_SECONDS = 0.004
"""A commit of a disk that is not quick."""


class SlowConnection(sqlite3.Connection):
    """Its commits wait for the disk."""

    def execute(self, sql: str, *rest: object) -> sqlite3.Cursor:
        if sql == "COMMIT":
            time.sleep(SLOW_SECONDS)
        return super().execute(sql, *rest)  # type: ignore[arg-type]  # passed on as it came


def connect(path: Path, kind: type[sqlite3.Connection] = sqlite3.Connection) -> Callable[[], sqlite3.Connection]:
    def make() -> sqlite3.Connection:
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, factory=kind, timeout=0.2)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE IF NOT EXISTS t (a INTEGER PRIMARY KEY)")
        return db

    return make


def rows(path: Path) -> list[int]:
    db = sqlite3.connect(path)
    try:
        return [a for (a,) in db.execute("SELECT a FROM t ORDER BY a")]
    finally:
        db.close()


def add(number: int) -> Callable[[sqlite3.Connection], int]:
    def work(db: sqlite3.Connection) -> int:
        db.execute("INSERT INTO t VALUES (?)", (number,))
        return number

    return work


def test_writes_that_wait_are_committed_together_and_ten_times_as_quick(tmp_path: Path) -> None:
    async def run() -> tuple[float, float, int]:
        writer = Writer(connect(tmp_path / "db", SlowConnection))
        writer.start()
        await writer.do(add(0))
        began = time.perf_counter()
        for number in range(1, 51):
            await writer.do(add(number))
        alone = (time.perf_counter() - began) / 50
        before = writer.commits
        waiting = asyncio.Semaphore(64)

        async def one(number: int) -> None:
            async with waiting:
                await writer.do(add(number))

        began = time.perf_counter()
        await asyncio.gather(*(one(number) for number in range(100, 1380)))
        together = (time.perf_counter() - began) / 1280
        commits = writer.commits - before
        writer.stop()
        return alone, together, commits

    alone, together, commits = asyncio.run(run())
    assert len(rows(tmp_path / "db")) == 1331
    assert commits <= 1280 / 10
    assert alone / together >= 10, f"{alone / together:.1f} times as quick"


def test_one_that_fails_undoes_its_own_writes_alone(tmp_path: Path) -> None:
    def spoil(db: sqlite3.Connection) -> None:
        db.execute("INSERT INTO t VALUES (50)")
        raise KeyError("spoiled")

    async def run() -> list[object]:
        writer = Writer(connect(tmp_path / "db"))
        writer.start()
        found = await asyncio.gather(
            writer.do(add(1)), writer.do(spoil), writer.do(add(1)), writer.do(add(2)), return_exceptions=True
        )
        writer.stop()
        return list(found)

    first, spoiled, doubled, second = asyncio.run(run())
    assert (first, second) == (1, 2)
    assert isinstance(spoiled, KeyError) and isinstance(doubled, sqlite3.IntegrityError)
    assert rows(tmp_path / "db") == [1, 2]


def test_checkpoints_are_passed_before_and_after_the_commit(tmp_path: Path) -> None:
    seen: list[tuple[str, list[int]]] = []

    async def run() -> None:
        writer = Writer(connect(tmp_path / "db"), checkpoint=lambda name: seen.append((name, rows(tmp_path / "db"))))
        writer.start()
        await writer.do(add(1), letter="a")
        writer.stop()

    asyncio.run(run())
    assert seen == [("a.before", []), ("a.after", [1])]


def test_a_database_that_is_locked_for_too_long_fails_the_writes_and_not_the_writer(tmp_path: Path) -> None:
    async def run() -> None:
        writer = Writer(connect(tmp_path / "db"))
        writer.start()
        await writer.do(add(1))
        other = sqlite3.connect(tmp_path / "db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            await writer.do(add(2))
        other.execute("ROLLBACK")
        other.close()
        await writer.do(add(3))
        writer.stop()

    asyncio.run(run())
    assert rows(tmp_path / "db") == [1, 3]


def test_what_was_asked_for_is_written_before_the_writer_ends(tmp_path: Path) -> None:
    async def run() -> None:
        writer = Writer(connect(tmp_path / "db"))
        writer.start()
        writes = [asyncio.ensure_future(writer.do(add(number))) for number in range(20)]
        await asyncio.sleep(0)
        writer.stop()
        assert await asyncio.gather(*writes) == list(range(20))
        with pytest.raises(RuntimeError, match="not running"):
            await writer.do(add(99))

    asyncio.run(run())
    assert rows(tmp_path / "db") == list(range(20))


def test_whoever_stops_waiting_stops_no_write(tmp_path: Path) -> None:
    async def run() -> None:
        writer = Writer(connect(tmp_path / "db", SlowConnection))
        writer.start()
        waiting = asyncio.ensure_future(writer.do(add(1)))
        await asyncio.sleep(0)
        waiting.cancel()
        await writer.do(add(2))
        writer.stop()

    asyncio.run(run())
    assert rows(tmp_path / "db") == [1, 2]

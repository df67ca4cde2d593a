"""The one thread of a process that writes to the database, many small writes to a commit.

A commit that must survive a power cut waits for the disk, whether it holds one row or fifty. So writes that come while
one commit is being made are made together in the next one. Each still succeeds or fails alone.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")

Checkpoint = Callable[[str], None]
"""Called at each lettered transition (``a.before``: made, not committed; ``a.after``: committed). For tests."""

MOST_IN_A_COMMIT = 256


def pass_by(_: str) -> None:
    """A checkpoint where nothing happens."""


@dataclass(eq=False)
class _Write(Generic[Value]):
    work: Callable[[sqlite3.Connection], Value]
    letter: str
    durable: bool
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[Value]
    value: Any = None
    error: BaseException | None = field(default=None)


class Writer:
    """Runs write functions in a thread of its own.

    Args:
        connect: makes the connection, in that thread; it must be in autocommit mode.
        checkpoint: called at each transition.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], *, checkpoint: Checkpoint = pass_by) -> None:
        self._connect = connect
        self._checkpoint = checkpoint
        self._queue: queue.SimpleQueue[_Write[Any] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self.commits = 0

    def start(self) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._run, name="triptych-writer", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Write what was asked for, and end the thread."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None

    async def do(self, work: Callable[[sqlite3.Connection], Value], *, letter: str = "", durable: bool = True) -> Value:
        """Run a function in a transaction; gives what it gave, once that is committed.

        The transaction holds the database's write lock, so what the function reads cannot change under it. If it
        raises, what it wrote is undone, and what others wrote in the same commit is not.

        Args:
            work: the function.
            letter: of the transition, for ``checkpoint``.
            durable: whether the commit must survive a power cut. One that need not survives the process's death.
        """
        if self._thread is None:
            raise RuntimeError("the writer is not running")
        loop = asyncio.get_running_loop()
        write = _Write(work, letter, durable, loop, loop.create_future())
        self._queue.put(write)
        # Who stops waiting does not undo the write; the future is then simply not looked at.
        return await asyncio.shield(write.done)

    def _run(self) -> None:
        db = self._connect()
        try:
            while (first := self._queue.get()) is not None:
                batch, last = self._gather(first)
                self._commit(db, batch)
                if last:
                    return
        finally:
            db.close()

    def _gather(self, first: _Write[Any]) -> tuple[list[_Write[Any]], bool]:
        """What else is waiting, and whether the end was asked for."""
        batch = [first]
        while len(batch) < MOST_IN_A_COMMIT:
            try:
                write = self._queue.get_nowait()
            except queue.Empty:
                break
            if write is None:
                return batch, True
            batch.append(write)
        return batch, False

    def _commit(self, db: sqlite3.Connection, batch: list[_Write[Any]]) -> None:
        try:
            level = "FULL" if any(write.durable for write in batch) else "NORMAL"
            db.execute(f"PRAGMA synchronous = {level}")
            db.execute("BEGIN IMMEDIATE")
            for write in batch:
                self._attempt(db, write)
            db.execute("COMMIT")
            self.commits += 1
        except sqlite3.Error as error:
            # Nothing of it is there: the disk is full, or somebody else held the lock for too long.
            if db.in_transaction:
                db.execute("ROLLBACK")
            for write in batch:
                write.error = write.error or error
        for write in batch:
            if write.error is None and write.letter:
                self._checkpoint(f"{write.letter}.after")
        self._tell(batch)

    def _attempt(self, db: sqlite3.Connection, write: _Write[Any]) -> None:
        db.execute("SAVEPOINT one")
        try:
            write.value = write.work(db)
            if write.letter:
                self._checkpoint(f"{write.letter}.before")
        except sqlite3.OperationalError:
            raise  # of the disk or the lock, and so of the whole commit
        except BaseException as error:  # noqa: BLE001  (whatever it is, it is raised again where the write was asked for)
            write.error = error
            db.execute("ROLLBACK TO one")
        db.execute("RELEASE one")

    @staticmethod
    def _tell(batch: list[_Write[Any]]) -> None:
        by_loop: dict[asyncio.AbstractEventLoop, list[_Write[Any]]] = {}
        for write in batch:
            by_loop.setdefault(write.loop, []).append(write)
        for loop, writes in by_loop.items():
            if not loop.is_closed():
                loop.call_soon_threadsafe(_settle, writes)


async def or_undone(write: Coroutine[Any, Any, Value], undo: Callable[[Value], Awaitable[object]]) -> Value:
    """What a write gives; or, when whoever waits for it is stopped meanwhile, the write is undone.

    A write cannot be called back. Its caller, who never heard of it, is about to remove what it needs.
    """
    writing = asyncio.ensure_future(write)
    try:
        return await asyncio.shield(writing)
    except asyncio.CancelledError:
        (outcome,) = await asyncio.gather(writing, return_exceptions=True)
        if not isinstance(outcome, BaseException):
            await undo(outcome)
        raise


def _settle(writes: list[_Write[Any]]) -> None:
    for write in writes:
        if write.done.done():
            continue
        if write.error is None:
            write.done.set_result(write.value)
        else:
            write.done.set_exception(write.error)
            write.done.exception()  # it counts as looked at, also when nobody waits any more

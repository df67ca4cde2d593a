"""The store of one machine: SQLite, one thread that writes, and reads that take microseconds.

Any number of processes on one data folder share it; the folder must be on a local disk.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from triptych.errors import StorageFailed
from triptych.jobs import housekeeping, transition
from triptych.jobs.content import Folder
from triptych.jobs.record import Documents, read_documents, read_job, read_output, write, write_asked
from triptych.jobs.store import (
    Claim,
    Counts,
    Draft,
    FilePage,
    Freed,
    LostError,
    Need,
    Once,
    Order,
    Page,
    Removal,
    StoredFile,
)
from triptych.jobs.transition import SQL, Bench
from triptych.jobs.writer import Writer
from triptych.task import Blob, Job, JobError, Plan, Progress, Request, Result

Value = TypeVar("Value")

SCHEMA_VERSION = 1
BUSY_SECONDS = 10.0
_CACHED_MOST = 1024
_SWEPT_AT_ONCE = 200
_FIRST = ""
_LAST = "\x7f"  # behind every id


class SqliteStore:
    """``Store`` on SQLite.

    Args:
        folder: the data folder.
        bench: what changes need.
    """

    def __init__(self, folder: Folder, bench: Bench) -> None:
        self._folder = folder
        self._bench = bench
        self._writer = Writer(self._connect, checkpoint=bench.checkpoint)
        self._reading = threading.Lock()
        self._reader: sqlite3.Connection | None = None
        self._cache: OrderedDict[str, Documents] = OrderedDict()

    def open(self) -> None:
        """Open the database, and make it where there is none. Nobody else may be doing that at the same time.

        Raises:
            StorageFailed: it cannot be opened, or a newer release wrote it.
        """
        try:
            db = self._connect()
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version == 0:
                db.executescript(f"BEGIN IMMEDIATE; {SQL['schema']} COMMIT;")
            elif version != SCHEMA_VERSION:
                db.close()
                raise StorageFailed(
                    f"{self._folder.database} was written by another release (format {version}, and this one reads "
                    f"{SCHEMA_VERSION}); use that release, or another data folder"
                )
        except sqlite3.Error as error:
            raise StorageFailed(f"the database {self._folder.database} cannot be opened: {error}") from error
        self._reader = db
        self._writer.start()

    def close(self) -> None:
        """Write what was asked for, and close the database."""
        self._writer.stop()
        with self._reading:
            if self._reader is not None:
                self._reader.close()
                self._reader = None

    @property
    def commits(self) -> int:
        """How many commits this process made."""
        return self._writer.commits

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._folder.database, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        for pragma in ("journal_mode = WAL", "synchronous = FULL"):
            db.execute(f"PRAGMA {pragma}")
        return db

    def _read(self, name: str, **values: object) -> list[tuple[Any, ...]]:
        with self._reading:
            if self._reader is None:
                raise RuntimeError("the store is not open")
            return self._reader.execute(SQL[name], values).fetchall()

    async def _write(
        self, work: Callable[[sqlite3.Connection], Value], *, letter: str = "", durable: bool = True
    ) -> Value:
        try:
            return await self._writer.do(work, letter=letter, durable=durable)
        except sqlite3.Error as error:
            raise StorageFailed(f"the database cannot be written: {error}") from error

    # Jobs, for whoever asks.

    async def insert(self, draft: Draft) -> tuple[str, bool]:
        documents = (write(draft.request), write(draft.plan), write_asked(draft.asked))
        id, new = await self._write(lambda db: transition.insert(db, self._bench, draft, documents), letter="a")
        if new:
            asked = MappingProxyType(dict(draft.asked))
            self._remember(id, Documents(revision=0, request=draft.request, plan=draft.plan, asked=asked, result=None))
        return id, new

    def find(self, once: Once, owner: str) -> str | None:
        with self._reading:
            if self._reader is None:
                raise RuntimeError("the store is not open")
            return transition.repeated(self._reader, once, owner, self._bench.terms.retry_seconds)

    def get(self, id: str) -> Job | None:
        rows = self._read("state", id=id)
        if not rows:
            return None
        documents = self._cache.get(id)
        if documents is None or documents.revision != rows[0][-1]:
            rows, found = self._read_whole(id)
            if not rows:
                return None
            documents = read_documents(found[0], self._bench.content)
            self._remember(id, documents)
        return read_job(rows[0], documents)

    def _read_whole(self, id: str) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        """A job's state and its documents, as they were at one moment."""
        with self._reading:
            if self._reader is None:
                raise RuntimeError("the store is not open")
            self._reader.execute("BEGIN")
            try:
                state = self._reader.execute(SQL["state"], {"id": id}).fetchall()
                return state, self._reader.execute(SQL["documents"], {"id": id}).fetchall()
            finally:
                self._reader.execute("COMMIT")

    def _remember(self, id: str, documents: Documents) -> None:
        self._cache[id] = documents
        while len(self._cache) > _CACHED_MOST:
            self._cache.popitem(last=False)

    def is_gone(self, id: str, owner: str) -> bool:
        return bool(self._read("grave", id=id, owner=owner))

    def page(self, owner: str, *, after: str | None, limit: int, order: Order) -> Page:
        found = self._read(f"page_{order}", **self._place(owner, after, limit, order))
        jobs = [self.get(id) for (id,) in found[:limit]]
        return Page(jobs=tuple(job for job in jobs if job is not None), has_more=len(found) > limit)

    def _place(self, owner: str, after: str | None, limit: int, order: Order) -> dict[str, object]:
        start = after or (_FIRST if order == "asc" else _LAST)
        return {"owner": owner, "after": start, "limit": limit + 1, "now": self._bench.clock()}

    def position(self, id: str) -> int:
        return int(self._read("before", id=id)[0][0])

    def counts(self) -> Counts:
        return Counts(**dict(self._read("counts")))

    async def cancel(self, id: str, owner: str) -> Removal | None:
        return await self._write(lambda db: transition.cancel(db, self._bench, id, owner), letter="h")

    async def delete(self, id: str, owner: str) -> Removal | None:
        return await self._write(lambda db: transition.delete(db, self._bench, id, owner), letter="k")

    # Jobs, for whoever runs them.

    def has_ready(self) -> bool:
        return bool(self._read("ready"))

    async def claim(self, worker: str) -> Claim | None:
        return await self._write(lambda db: transition.claim(db, self._bench, worker), letter="b", durable=False)

    def needs(self, id: str) -> tuple[Need, ...]:
        return tuple(
            Need(
                piece=piece,
                field=field,
                output=None if output is None else read_output(output, self._bench.content),
            )
            for piece, _, field, output in self._read("needs", job=id)
        )

    async def bind(self, claim: Claim, request: Request, plan: Plan) -> None:
        await self._write(lambda db: transition.bind(db, self._bench, claim, request, plan), letter="c")

    def cancel_requested(self, claim: Claim) -> bool:
        found = self._read("held", id=claim.id, worker=claim.worker, attempt=claim.attempt)
        if not found:
            raise LostError(claim.id)
        return bool(found[0][0])

    async def beat(self, claims: Sequence[Claim]) -> None:
        lease = self._bench.clock() + self._bench.terms.lease_seconds
        rows = [{**_named(claim), "lease_until": lease} for claim in claims]
        await self._write(lambda db: db.executemany(SQL["beat"], rows), durable=False)

    async def progress(self, heard: Sequence[tuple[Claim, Progress]]) -> None:
        rows = [{**_named(claim), "stage": it.stage, "done": it.done, "total": it.total} for claim, it in heard]
        await self._write(lambda db: db.executemany(SQL["progress"], rows), letter="d", durable=False)

    async def complete(self, claim: Claim, result: Result) -> tuple[str, ...]:
        return await self._write(lambda db: transition.complete(db, self._bench, claim, result), letter="f")

    async def fail(self, claim: Claim, error: JobError) -> tuple[str, ...]:
        def work(db: sqlite3.Connection) -> tuple[str, ...]:
            stopped = transition.held(db, claim)
            return transition.fail(db, self._bench, claim.id, transition.CANCELLED if stopped else error)

        return await self._write(work, letter="g")

    async def give_back(self, claim: Claim) -> None:
        await self._write(lambda db: transition.give_back(db, self._bench, claim), letter="i")

    # Housekeeping.

    def workers(self) -> tuple[str, ...]:
        return tuple(worker for (worker,) in self._read("workers"))

    def has_overdue(self) -> bool:
        return bool(self._read("overdue", now=self._bench.clock())[0][0])

    async def take_back(self, worker: str | None) -> tuple[str, ...]:
        return await self._write(lambda db: transition.take_back(db, self._bench, worker), letter="j")

    async def expire(self) -> tuple[str, ...]:
        ids: list[str] = []
        while True:
            gone, freed = await self._write(lambda db: housekeeping.expire(db, self._bench), letter="l")
            if not gone:
                return tuple(ids)
            ids += gone
            await self.release(freed)

    async def release(self, freed: Sequence[Freed]) -> None:
        if freed:
            await self._write(lambda db: housekeeping.release(db, self._bench, freed), letter="m", durable=False)

    async def sweep(self) -> int:
        names = await asyncio.to_thread(self._unneeded)
        removed = 0
        for start in range(0, len(names), _SWEPT_AT_ONCE):
            some = names[start : start + _SWEPT_AT_ONCE]
            removed += await self._write(
                lambda db, some=some: housekeeping.sweep(db, self._bench, some),  # type: ignore[misc]
                letter="m",
                durable=False,
            )
        return removed

    def _unneeded(self) -> list[str]:
        db = self._connect()
        try:
            return housekeeping.unneeded(db, self._bench)
        finally:
            db.close()

    # Pieces and files.

    def piece(self, job: str, variant: str, number: int) -> tuple[Blob, str] | None:
        for sha256, size_bytes, media_type in self._read("piece", job=job, variant=variant, number=number):
            path = str(self._bench.content.path(sha256))
            return Blob(path=path, sha256=sha256, size_bytes=size_bytes), media_type
        return None

    async def add_piece(self, job: str, variant: str, number: int, blob: Blob, media_type: str) -> None:
        await self._write(lambda db: housekeeping.add_piece(db, self._bench, job, variant, number, blob, media_type))

    async def add_file(self, blob: Blob, *, owner: str, file_name: str, media_type: str, purpose: str) -> StoredFile:
        said = {"owner": owner, "file_name": file_name, "media_type": media_type, "purpose": purpose}
        return await self._write(lambda db: housekeeping.add_file(db, self._bench, blob, **said))

    def file(self, id: str) -> StoredFile | None:
        rows = self._read("file", id=id)
        return housekeeping.read_file(rows[0], self._bench) if rows else None

    def files(self, owner: str, *, after: str | None, limit: int, order: Order, purpose: str) -> FilePage:
        found = self._read(f"files_{order}", **self._place(owner, after, limit, order), purpose=purpose)
        files = tuple(housekeeping.read_file(row, self._bench) for row in found[:limit])
        return FilePage(files=files, has_more=len(found) > limit)

    async def delete_file(self, id: str, owner: str) -> Removal | None:
        return await self._write(lambda db: housekeeping.delete_file(db, id, owner))


def _named(claim: Claim) -> dict[str, object]:
    return {"id": claim.id, "worker": claim.worker, "attempt": claim.attempt}

"""Jobs and files, for whoever serves them. A job outlives the process that took it.

    a job's life, each transition with its letter

                     a inserted
                         │
                         ▼       b claimed
        ┌───────────► queued ───────────────► in_progress ──┐ c bound: what it waited for is in its place
        │                │  ▲                   │ │ │ ▲ └───┘ d progress
        │                │  └───────────────────┘ │ │ │
        │                │   i given back: the    │ │ │
        │                │     process was closed │ │ │ e outputs moved, then
        │                │   j taken back: it died│ │ │ f completed, in one commit
        │                │                        │ │ └──────────────► completed
        │                │ h cancelled            │ │                     │
        │                ▼                        │ │ g failed            │ k deleted: no trace is left
        │              failed ◄───────────────────┴─┘                     │ l expired: its id is remembered for a time
        │                │       j also ends what was begun too often     ▼
        └ (a new job)    └─────────────── k, l ──────────────────────► (gone) ── m its files removed

``a`` to ``m`` are the letters that ``checkpoint`` is called with: ``f.before`` when the change is made and not yet
committed, ``f.after`` when it is. A process that dies before a commit leaves the state before it, and files that the
sweep removes; one that dies after it leaves the state behind it. A completed job is never begun again: its row says so
in the commit that its files belong to.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from triptych.errors import Expired, InvalidRequest, NotFound, Problem
from triptych.jobs.bus import Bus, heard
from triptych.jobs.content import Content, Folder
from triptych.jobs.id import is_id, ulid
from triptych.jobs.piece import Derive, Derived, PieceMaker
from triptych.jobs.presence import Presence
from triptych.jobs.record import bound
from triptych.jobs.resolver import StoredResolver
from triptych.jobs.sqlite import SqliteStore
from triptych.jobs.store import Counts, Draft, FilePage, Once, Order, Page, Removal, Stored, StoredFile
from triptych.jobs.sweep import Sweeper
from triptych.jobs.term import Terms
from triptych.jobs.transition import Bench
from triptych.jobs.worker import Stop, Worker
from triptych.jobs.writer import Checkpoint, or_undone, pass_by
from triptych.studio import Studio
from triptych.task import Blob, Job, Plan, Request, Status
from triptych.task.piece import FILE_PREFIX, VIDEO_PREFIX


class Service:
    """The jobs of one data folder; an async context manager, used within one event loop.

    Several processes may each have one on the same folder: they share the jobs.

    Args:
        data: the data folder, on a local disk. It is made where there is none.
        studio: what jobs are done with. Its ``spool`` is ``data/content`` and its ``work_dir`` is ``data/work``; the
            service opens and closes it.
        terms: how long, how often, how much.
        checkpoint: called at each lettered transition. For tests that kill the process there.
        clock: seconds since 1970.
        pieces: makes a piece of a video; ``media.derive`` by default.
    """

    def __init__(
        self,
        data: Path,
        studio: Studio,
        *,
        terms: Terms = Terms(),  # noqa: B008  (frozen, so it can be shared)
        checkpoint: Checkpoint = pass_by,
        clock: Callable[[], float] = time.time,
        pieces: Derive | None = None,
    ) -> None:
        self.folder = Folder(data.resolve())
        self.studio = studio
        self._terms = terms
        self._clock = clock
        self._content = Content(self.folder.content)
        bench = Bench(content=self._content, terms=terms, clock=clock, checkpoint=checkpoint)
        self._store = SqliteStore(self.folder, bench)
        self._bus = Bus()
        self._presence = Presence(self.folder.run, f"worker_{ulid(clock())}")
        self._pieces = PieceMaker(self._store, self._content, pieces or self._derive)
        self._worker = Worker(
            name=self._presence.worker,
            store=self._store,
            studio=studio,
            pieces=self._pieces,
            bus=self._bus,
            terms=terms,
            touched=self._touched,
        )
        self._sweeper = Sweeper(
            folder=self.folder, store=self._store, presence=self._presence, terms=terms, touched=self._touched
        )
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Service:
        """Open the folder, take back what dead processes left, and begin to work.

        Raises:
            StorageFailed: the folder cannot be used.
            ValueError: the studio keeps its inputs elsewhere.
        """
        self.folder.make()
        async with AsyncExitStack() as stack:
            async with self._presence.alone():
                self._presence.enter()
                stack.callback(self._presence.leave)
                await stack.enter_async_context(self.studio)
                if self.studio.spool.resolve() != self.folder.content:
                    raise ValueError(f"the studio's spool is {self.studio.spool}; it must be {self.folder.content}")
                self._presence.settle(self.studio.root.name)
                self._store.open()
                stack.callback(self._store.close)
                self._sweeper.clear_spool()
            await self._sweeper.tend()
            self._worker.start()
            stack.push_async_callback(self._pieces.close)
            stack.push_async_callback(self._worker.close)
            self._sweeper.start()
            stack.push_async_callback(self._sweeper.close)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Begin nothing more; what runs is finished within a moment, or goes back into the queue."""
        await self._stack.aclose()

    @property
    def worker(self) -> str:
        """The name of this process among those on the folder."""
        return self._presence.worker

    # Jobs.

    async def create(
        self,
        request: Request,
        plan: Plan,
        *,
        owner: str,
        kind: str = "video",
        asked: Mapping[str, Any],
        parent: str | None = None,
        once: Once | None = None,
    ) -> Job:
        """Store a job; when this returns it survives anything. Or find the job that the request repeats.

        Args:
            request: as it was asked.
            plan: of ``run.prepare``, with the resolver of this service.
            owner: whose job it is.
            kind: what it makes; its id begins so.
            asked: plain JSON to tell again.
            parent: the job that it was made from.
            once: what tells that it was sent before.

        When whoever waits for this is stopped, there is no job.

        Raises:
            QueueFull: too many wait.
            Conflict: the key was used for another request.
            InvalidRequest: an input is gone, or a result that it waits for failed meanwhile.
        """
        slots = tuple(replace(slot, blob=self._content.place(slot.blob)) for slot in plan.slots)
        placed = replace(plan, slots=slots)
        waits = {slot.blob.awaits: slot.field for slot in slots if slot.blob.awaits is not None}
        draft = Draft(
            owner=owner,
            kind=kind,
            request=bound(request, placed),
            plan=placed,
            asked=asked,
            parent=parent,
            once=once,
            waits=tuple(waits.items()),
            contents=tuple((slot.blob.sha256, slot.field) for slot in slots if slot.blob.awaits is None),
        )

        async def undo(made: tuple[str, bool]) -> None:
            if made[1]:
                await self._store.delete(made[0], owner)

        id, new = await or_undone(self._store.insert(draft), undo)
        if new:
            self._worker.wake()
        return self.get(id, owner=owner)

    def duplicate(self, once: Once, owner: str) -> Job | None:
        """The job that a request repeats, before anything is read of what it needs. Raises ``Conflict``."""
        id = self._store.find(once, owner)
        return None if id is None else self.get(id, owner=owner)

    def get(self, id: str, *, owner: str) -> Job:
        """A job as it is now; takes microseconds.

        Raises:
            NotFound: there is none of that id, or it is another's.
            Expired: it was kept for its time.
        """
        job = self._store.get(id)
        if job is None or job.owner != owner:
            raise self._missing("video", id, owner)
        if job.expires_at is not None and job.expires_at <= self._clock():
            raise Expired(f"the video {id!r} was kept until its time was over, and is gone")
        run = self._worker.runs.get(id)
        if run is None or run.progress is None or job.status is not Status.IN_PROGRESS:
            return job
        return replace(job, stage=run.progress.stage, done=run.progress.done, total=run.progress.total)

    def page(self, *, owner: str, after: str | None = None, limit: int = 20, order: Order = "desc") -> Page:
        """Some of an owner's jobs, by the time at which they were made.

        Args:
            owner: whose.
            after: the id behind which to begin; it need not exist any more.
            limit: how many, at most.
            order: ``desc`` begins with the newest.

        Raises:
            InvalidRequest: ``after`` is no id.
        """
        _check_place(after, VIDEO_PREFIX)
        return self._store.page(owner, after=after, limit=limit, order=order)

    async def delete(self, id: str, *, owner: str) -> None:
        """Remove a job and what it made, for good; one that runs is stopped first, or at once elsewhere.

        Raises:
            NotFound: there is none of that id, or it is another's.
            Expired: it is gone already.
        """
        removal = await self._store.delete(id, owner)
        if removal is None:
            raise self._missing("video", id, owner)
        await self._stop(id, Stop.LOST)
        self._touched(removal.touched)
        await self._store.release(removal.freed)

    async def cancel(self, id: str, *, owner: str) -> Job:
        """Stop a job: it ends ``failed``, with code ``cancelled``. One that has ended stays as it is.

        Waits a moment until it has stopped; if it has not, the job says ``cancel_requested``.

        Raises:
            NotFound: there is none of that id, or it is another's.
            Expired: it was kept for its time.
        """
        removal = await self._store.cancel(id, owner)
        if removal is None:
            raise self._missing("video", id, owner)
        self._touched(removal.touched)
        if removal.worker is not None:
            await self._stop(id, Stop.CANCELLED)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._terms.cancel_seconds):
                    async for _ in self.watch(id, owner=owner):
                        pass
        return self.get(id, owner=owner)

    async def watch(self, id: str, *, owner: str) -> AsyncGenerator[Job, None]:
        """The job as it is now, and again at each change, until it has ended or was deleted.

        Whoever is slow misses what was between, never the end.

        Raises:
            NotFound: there is none of that id, or it is another's.
            Expired: it was kept for its time.
        """
        told = self.get(id, owner=owner)
        with self._bus.listen(id) as changed:
            yield told
            while not told.status.ended:
                await heard(changed, seconds=self._terms.look_seconds)
                try:
                    job = self.get(id, owner=owner)
                except (NotFound, Expired):
                    return
                if job != told:
                    told = job
                    yield told

    def position(self, job: Job) -> int | None:
        """How many jobs are before it in the queue; ``None`` when it does not wait."""
        return self._store.position(job.id) if job.status is Status.QUEUED else None

    def counts(self) -> Counts:
        """How many jobs there are, by status, of all owners."""
        return self._store.counts()

    def resolver(self, owner: str) -> StoredResolver:
        """Finds what this owner may name in a request."""
        return StoredResolver(
            content=self._content,
            file=lambda id: self.file(id, owner=owner),
            job=lambda id: self.get(id, owner=owner),
            piece=lambda job, variant: self._pieces.piece(job, variant, 0),
            loop=asyncio.get_running_loop(),
        )

    async def piece(self, id: str, *, owner: str, variant: str = "video", index: int = 0) -> Stored:
        """A file of a finished job: its video, or a piece that is made of it when it is first asked for.

        Raises:
            NotFound: there is no such job, or its video has no sound.
            Expired: it was kept for its time.
            InvalidRequest: no piece is called so.
            NotReady: the job has not ended.
            NoResult: it failed.
        """
        return await self._pieces.piece(self.get(id, owner=owner), variant, index)

    # Files.

    async def add_file(self, blob: Blob, *, owner: str, file_name: str, media_type: str, purpose: str) -> StoredFile:
        """Keep a file that was uploaded to ``content``, under an id that requests can name."""
        said = {"owner": owner, "file_name": file_name, "media_type": media_type, "purpose": purpose}
        adding = self._store.add_file(blob, **said)
        return await or_undone(adding, lambda added: self._store.delete_file(added.id, owner))

    def file(self, id: str, *, owner: str) -> StoredFile:
        """An uploaded file. Raises ``NotFound`` and ``Expired`` as ``get`` does."""
        found = self._store.file(id)
        if found is None or found.owner != owner:
            raise self._missing("file", id, owner)
        if found.expires_at is not None and found.expires_at <= self._clock():
            raise Expired(f"the file {id!r} was kept until its time was over, and is gone")
        return found

    def files(
        self, *, owner: str, after: str | None = None, limit: int = 20, order: Order = "desc", purpose: str = ""
    ) -> FilePage:
        """Some of an owner's files, as ``page`` does; of one purpose, if that is said."""
        _check_place(after, FILE_PREFIX)
        return self._store.files(owner, after=after, limit=limit, order=order, purpose=purpose)

    async def delete_file(self, id: str, *, owner: str) -> None:
        """Forget a file. Jobs that use it keep what they need. Raises ``NotFound`` and ``Expired``."""
        removal: Removal | None = await self._store.delete_file(id, owner)
        if removal is None:
            raise self._missing("file", id, owner)
        await self._store.release(removal.freed)

    async def sweep(self) -> None:
        """Clear up now; it is done from time to time anyway."""
        await self._sweeper.tend()
        await self._sweeper.sweep()

    async def _derive(self, path: Path, variant: str) -> Derived:
        from triptych.media.derive import derive  # it brings in what only pieces need

        return await derive(self.studio.host, path, variant=variant, spool=self.folder.content)

    async def _stop(self, id: str, why: Stop) -> None:
        """Stop a job that runs in this process, and wait until it has."""
        run = self._worker.runs.get(id)
        if run is not None and run.task is not None:
            run.halt(why)
            await asyncio.wait({run.task})

    def _touched(self, ids: tuple[str, ...]) -> None:
        for id in ids:
            self._bus.publish(id)
        if ids:
            self._worker.wake()

    def _missing(self, what: str, id: str, owner: str) -> NotFound | Expired:
        if self._store.is_gone(id, owner):
            return Expired(f"the {what} {id!r} was kept until its time was over, and is gone")
        return NotFound(f"there is no {what} {id!r}")


def _check_place(after: str | None, prefix: str) -> None:
    if after is not None and not is_id(after, prefix=prefix):
        message = f"no id of a {prefix.removesuffix('_')}: {after[:80]!r}"
        raise InvalidRequest([Problem(code="invalid_value", field="after", message=message, value=after[:80])])

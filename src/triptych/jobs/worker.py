"""Runs jobs: claims one, walks it, keeps its lease, and ends it, however it ends."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from enum import Enum, auto

from triptych.errors import Cancelled, EngineFailed, InvalidRequest, TriptychError
from triptych.jobs.bind import Arrival, UnexpectedError, awaited, bind
from triptych.jobs.bus import Bus, heard
from triptych.jobs.content import seal
from triptych.jobs.piece import PieceMaker
from triptych.jobs.record import bound
from triptych.jobs.store import Claim, LostError, Store
from triptych.jobs.term import Terms
from triptych.jobs.transition import CANCELLED
from triptych.run import execute
from triptych.studio import Studio
from triptych.task import JobError, Plan, Progress, Result
from triptych.task.piece import variant_of

_log = logging.getLogger("triptych.jobs")


class Stop(Enum):
    """Why a run is stopped from outside."""

    CANCELLED = auto()
    """Somebody asked for it."""
    LOST = auto()
    """The job was deleted, or belongs to another worker by now."""
    CLOSING = auto()
    """This process ends; the job goes back into the queue."""


@dataclass(eq=False)
class Run:
    """One job that is being run here.

    Attributes:
        claim: the right to it.
        progress: the last that was heard.
        written: the last that was stored.
        stop: why it was stopped.
        ending: whether its result is being stored; it is not stopped any more then.
        task: what does it.
    """

    claim: Claim
    progress: Progress | None = None
    written: Progress | None = None
    stop: Stop | None = None
    ending: bool = False
    task: asyncio.Task[None] | None = None

    def halt(self, why: Stop) -> None:
        """Stop it, if it has not been stopped."""
        if self.stop is None and not self.ending and self.task is not None:
            self.stop = why
            self.task.cancel()


class Worker:
    """Runs up to ``terms.workers`` jobs at once.

    Args:
        name: of this process.
        store: where jobs are.
        studio: what they are done with.
        pieces: makes pieces of results that were waited for.
        bus: told of every change.
        terms: the figures.
        touched: called with the ids of other jobs that changed because one ended.
    """

    def __init__(
        self,
        *,
        name: str,
        store: Store,
        studio: Studio,
        pieces: PieceMaker,
        bus: Bus,
        terms: Terms,
        touched: Callable[[tuple[str, ...]], None],
    ) -> None:
        self.name = name
        self._store = store
        self._studio = studio
        self._pieces = pieces
        self._bus = bus
        self._terms = terms
        self._touched = touched
        self._wake = [asyncio.Event() for _ in range(terms.workers)]
        self._begun = asyncio.Event()
        self._closing = False
        self._servers: list[asyncio.Task[None]] = []
        self._attendant: asyncio.Task[None] | None = None
        self.runs: dict[str, Run] = {}

    def start(self) -> None:
        """Begin to look for jobs."""
        self._servers = [asyncio.create_task(self._serve(wake)) for wake in self._wake]
        self._attendant = asyncio.create_task(self._attend())

    def wake(self) -> None:
        """There may be something to do."""
        for event in self._wake:
            event.set()

    async def close(self) -> None:
        """Begin nothing more; let what runs finish for a moment; put the rest back into the queue."""
        self._closing = True
        self.wake()
        if self._servers:
            await asyncio.wait(self._servers, timeout=self._terms.grace_seconds if self.runs else None)
        for run in list(self.runs.values()):
            run.halt(Stop.CLOSING)
        await asyncio.gather(*self._servers, return_exceptions=True)
        if self._attendant is not None:
            self._attendant.cancel()
            await asyncio.gather(self._attendant, return_exceptions=True)

    async def _serve(self, wake: asyncio.Event) -> None:
        """Run one job after another."""
        while not self._closing:
            wake.clear()
            try:
                claim = await self._store.claim(self.name) if self._store.has_ready() else None
            except TriptychError as error:
                _log.error("no job can be claimed: %s", error.message)
                claim = None
            if claim is not None:
                await self._run(claim)
            elif not self._closing:
                await heard(wake, seconds=self._terms.look_seconds)

    async def _run(self, claim: Claim) -> None:
        run = Run(claim=claim)
        self.runs[claim.id] = run
        self._begun.set()
        self._bus.publish(claim.id)
        run.task = asyncio.create_task(self._walk(run))
        if self._closing:
            run.halt(Stop.CLOSING)
        try:
            await asyncio.wait({run.task})
            await self._end(run)
        finally:
            del self.runs[claim.id]
            self._bus.publish(claim.id)

    async def _walk(self, run: Run) -> None:
        """From the claim to the stored result."""
        plan = await self._bound_plan(run.claim)
        result: Result | None = None
        try:
            async with aclosing(execute(plan, self._studio)) as events:
                async for event in events:
                    if isinstance(event, Result):
                        result = event
                    else:
                        run.progress = event
                        self._bus.publish(run.claim.id)
            if result is None:
                raise EngineFailed(f"{plan.engine} ended without a result")
            for output in result.outputs:
                await asyncio.to_thread(seal, output)
            run.ending = True
            self._touched(await self._store.complete(run.claim, result))
        finally:
            if result is not None:
                self._studio.discard(result)

    async def _bound_plan(self, claim: Claim) -> Plan:
        """The plan of a job, what it waited for in its place."""
        job = self._store.get(claim.id)
        if job is None:
            raise LostError(claim.id)
        if not awaited(job.plan):
            return job.plan
        arrivals: dict[str, Arrival] = {}
        for need in self._store.needs(claim.id):
            if need.output is not None:
                arrivals[need.piece] = await self._pieces.of_output(need.output, variant_of(need.piece))
        plan = bind(job.plan, arrivals)
        await self._store.bind(claim, bound(job.request, plan), plan)
        return plan

    async def _end(self, run: Run) -> None:
        """Write down how a run ended, if that is not written yet."""
        assert run.task is not None
        try:
            if run.task.cancelled():
                await self._end_stopped(run)
            elif (error := run.task.exception()) is not None:
                await self._end_failed(run, error)
        except LostError:
            pass  # deleted, or taken back: it is not for us to say how it ends
        except TriptychError as error:
            # The lease runs out, and the job is taken back like one of a dead process.
            _log.error("the end of %s cannot be written: %s", run.claim.id, error.message)

    async def _end_stopped(self, run: Run) -> None:
        if run.stop is Stop.CANCELLED:
            self._touched(await self._store.fail(run.claim, CANCELLED))
        elif run.stop is not Stop.LOST:
            await self._store.give_back(run.claim)

    async def _end_failed(self, run: Run, error: BaseException) -> None:
        if isinstance(error, LostError):
            return
        if not isinstance(error, TriptychError):
            _log.error("%s broke", run.claim.id, exc_info=error)
        self._touched(await self._store.fail(run.claim, reason(error)))

    async def _attend(self) -> None:
        """Store progress, renew leases, and look whether somebody wants a run stopped."""
        clock = asyncio.get_running_loop().time
        next_look = next_beat = 0.0
        while True:
            if not self.runs:
                self._begun.clear()
                await self._begun.wait()
                next_beat = clock() + self._terms.beat_seconds
            await asyncio.sleep(self._terms.progress_seconds)
            runs = list(self.runs.values())
            if clock() >= next_look:
                next_look = clock() + self._terms.look_seconds
                for run in runs:
                    self._look(run)
            with contextlib.suppress(TriptychError):  # the disk is full; whoever ends a run says so
                await self._store_progress(runs)
                if clock() >= next_beat and runs:
                    next_beat = clock() + self._terms.beat_seconds
                    await self._store.beat([run.claim for run in runs])

    def _look(self, run: Run) -> None:
        try:
            if self._store.cancel_requested(run.claim):
                run.halt(Stop.CANCELLED)
        except LostError:
            run.halt(Stop.LOST)

    async def _store_progress(self, runs: list[Run]) -> None:
        news = [(run.claim, run.progress) for run in runs if run.progress and run.progress is not run.written]
        for run in runs:
            run.written = run.progress
        if news:
            await self._store.progress(news)


def reason(error: BaseException) -> JobError:
    """Why a run failed, for whoever asked for it."""
    if isinstance(error, InvalidRequest):
        first = error.problems[0]
        return JobError(code=first.code, message=error.message, param=first.field or None)
    if isinstance(error, UnexpectedError):
        return JobError(code=error.code, message=error.message, param=error.field)
    if isinstance(error, Cancelled):
        return CANCELLED
    if isinstance(error, TriptychError):
        return JobError(code=error.code, message=error.message)
    # What it says may hold paths and more of this machine; that is for the log.
    return JobError(code=EngineFailed.code, message=f"the engine broke ({type(error).__name__}); the log has more")

"""What every engine must keep. An engine's tests subclass ``EngineContract`` and say what to try it with.

class TestMine(EngineContract):
    def engine(self) -> Engine:
        return MyEngine()

    def requests(self) -> Sequence[Request]:
        return [Request(prompt="a boat", references=(...))]
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from triptych.engines.base import Context, Engine
from triptych.engines.registry import Registry
from triptych.errors import InvalidRequest
from triptych.media.fetch import Policy
from triptych.process import offline
from triptych.process.host import Host
from triptych.rules.spec import EngineSpec
from triptych.run import execute, prepare
from triptych.studio import Studio
from triptych.task import EngineEvent, Made, Plan, Progress, Request, Result
from triptych.testing.illegal import illegal
from triptych.testing.witness import Witness

MAX_INPUT_BYTES = 64 << 20
SEED = 7
STOP_SECONDS = 30.0
"""A run that is being stopped and takes this long hangs."""


class _Watched:
    """An engine that is listened to.

    Attributes:
        calls: how often it was started.
        events: what it yielded, before anything put it right.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.calls = 0
        self.events: list[EngineEvent] = []

    @property
    def spec(self) -> EngineSpec:
        return self._engine.spec

    async def run(self, plan: Plan, context: Context) -> AsyncGenerator[EngineEvent, None]:
        self.calls += 1
        async with aclosing(self._engine.run(plan, context)) as events:
            async for event in events:
                self.events.append(event)
                yield event


@dataclass(frozen=True, kw_only=True)
class _Output:
    """One file of a result, as it was while it was there."""

    told_sha256: str
    told_bytes: int
    sha256: str
    size_bytes: int
    inside: bool


class EngineContract(ABC):
    """Subclass it, and give ``engine`` and ``requests``. No network is needed, and any use of it fails a test."""

    _finished: ClassVar[list[tuple[Request, tuple[Result, list[_Output], list[EngineEvent]]]]]

    @abstractmethod
    def engine(self) -> Engine:
        """A fresh engine."""

    @abstractmethod
    def requests(self) -> Sequence[Request]:
        """Legal requests that between them use every role and kind the spec allows. Keep them small."""

    def test_the_requests_use_every_role(self) -> None:
        """A contract that leaves a role, or a kind in a role, untried proves nothing of it."""
        spec = self.engine().spec
        wanted = {(role, modality) for role, rule in spec.roles.items() for modality in rule.modalities}
        only = {role: next(iter(rule.modalities)) for role, rule in spec.roles.items() if len(rule.modalities) == 1}
        used = {
            (one.role, one.modality or only.get(one.role)) for request in self.requests() for one in request.references
        }
        missing = sorted(f"{role} {modality}" for role, modality in wanted - used)
        assert not missing, f"requests() leave out: {', '.join(missing)} (say each reference's modality)"

    def test_it_refuses_what_its_spec_refuses(self) -> None:
        """Each request that the spec rules out is refused, and the engine is never started."""
        watched = _Watched(self.engine())
        accepted = asyncio.run(_accepted(watched, self.requests()[0]))
        assert not accepted, f"accepted: {', '.join(accepted)}"
        assert watched.calls == 0, "the engine was started for a request that is refused"

    def test_every_input_has_one_receipt(self) -> None:
        """The result holds one receipt for each input, of the bytes that were supplied."""
        for request, (result, _, _) in self._runs():
            assert len(result.plan.slots) == len(request.inputs)
            assert [r.slot for r in result.receipts] == [s.key for s in result.plan.slots]
            assert [r.source_sha256 for r in result.receipts] == [s.blob.sha256 for s in result.plan.slots]

    def test_outputs_are_what_it_says(self) -> None:
        """Each output lies in the run's folder, with the length and the sha256 that are told of it."""
        for _, (_, outputs, _) in self._runs():
            for output in outputs:
                assert output.inside, "an output is not in the run's folder"
                assert (output.told_bytes, output.told_sha256) == (output.size_bytes, output.sha256)

    def test_progress_never_falls_and_ends_full(self) -> None:
        """``done`` never falls, ``total`` stays, the last progress is full, and the result is the last word."""
        for _, (_, _, events) in self._runs():
            seen = [event for event in events if isinstance(event, Progress)]
            assert seen, "no progress was told"
            assert isinstance(events[-1], Made), "the result is not the last that it says"
            assert sum(isinstance(event, Made) for event in events) == 1, "there is more than one result"
            assert [p.done for p in seen] == sorted(p.done for p in seen), "progress fell"
            assert len({p.total for p in seen}) == 1, "the total changed"
            assert seen[0].done >= 0
            assert seen[-1].done == seen[-1].total, "the last progress is not full"

    def test_the_same_seed_gives_the_same_bytes(self) -> None:
        """Twice the same request with the same seed: the same files."""
        for request, (_, outputs, _) in self._runs():
            _, again, _ = self._run(request)
            assert [output.sha256 for output in again] == [output.sha256 for output in outputs]

    def test_closing_it_stops_it(self) -> None:
        """Closed at any progress: nothing runs on, so not one more frame is made; no file is left; it can run again."""
        request = self.requests()[0]
        for after in (1, 3):
            asyncio.run(self._close(request, after))
        self._run(request)

    def test_cancelling_the_task_stops_it(self) -> None:
        """The same, when the task that listens is cancelled."""
        asyncio.run(self._cancel(self.requests()[0]))

    def _runs(self) -> list[tuple[Request, tuple[Result, list[_Output], list[EngineEvent]]]]:
        """Each request, seeded, and what came of it; run once for all tests of the class."""
        if "_finished" not in vars(type(self)):
            seeded = [replace(request, seed=SEED) for request in self.requests()]
            type(self)._finished = [(request, self._run(request)) for request in seeded]
        return self._finished

    def _run(self, request: Request) -> tuple[Result, list[_Output], list[EngineEvent]]:
        """Run a request to its end; nothing may be dialled, and nothing may be left running."""
        with Witness() as witness:
            watched = _Watched(self.engine())
            result, outputs = asyncio.run(_run(request, watched))
            witness.check("after a run")
        return result, outputs, watched.events

    async def _close(self, request: Request, after: int) -> None:
        with Witness() as witness:
            watched = _Watched(self.engine())
            async with _studio(watched) as studio:
                plan = await prepare(_named(request, watched), studio)
                before = witness.running()
                seen = 0
                async with aclosing(execute(plan, studio)) as events, asyncio.timeout(STOP_SECONDS):
                    async for _ in events:
                        seen += 1
                        if seen == after:
                            break
                self._check_stopped(studio, witness, before)
            witness.check("after a run that was closed")

    async def _cancel(self, request: Request) -> None:
        with Witness() as witness:
            watched = _Watched(self.engine())
            async with _studio(watched) as studio:
                plan = await prepare(_named(request, watched), studio)
                before = witness.running()
                begun = asyncio.Event()

                async def listen() -> None:
                    async with aclosing(execute(plan, studio)) as events:
                        async for _ in events:
                            begun.set()

                task = asyncio.create_task(listen())
                await begun.wait()
                task.cancel()
                done, _ = await asyncio.wait([task], timeout=STOP_SECONDS)
                assert done, f"cancelled, and it still runs after {STOP_SECONDS:g} s"
                self._check_stopped(studio, witness, before)
            witness.check("after a run that was cancelled")

    @staticmethod
    def _check_stopped(studio: Studio, witness: Witness, before: set[int]) -> None:
        left = [str(path.relative_to(studio.root)) for path in studio.root.glob("run-*/**/*")]
        assert not left, f"stopped, and it left {', '.join(left)}"
        more = witness.more_than(before)
        assert not more, f"stopped, and processes of it run on: {sorted(more)}"
        threads = witness.new_threads()
        assert not threads, f"stopped, and threads of it run on: {', '.join(threads)}"


def _studio(engine: Engine) -> Studio:
    return Studio(
        registry=Registry({engine.spec.name: lambda: engine}),
        policy=Policy(roots=None, max_bytes=MAX_INPUT_BYTES),
        host=Host(env={offline.VARIABLE: "1"}),
    )


def _named(request: Request, engine: Engine) -> Request:
    return replace(request, engine=engine.spec.name)


async def _run(request: Request, engine: Engine) -> tuple[Result, list[_Output]]:
    async with _studio(engine) as studio:
        plan = await prepare(_named(request, engine), studio)
        async with aclosing(execute(plan, studio)) as events:
            async for event in events:
                if isinstance(event, Result):
                    return event, [_looked_at(one.path, one.sha256, one.size_bytes, studio) for one in event.outputs]
    raise AssertionError("the run ended without a result")


def _looked_at(path: str, told_sha256: str, told_bytes: int, studio: Studio) -> _Output:
    data = Path(path).read_bytes()
    return _Output(
        told_sha256=told_sha256,
        told_bytes=told_bytes,
        sha256=hashlib.sha256(data).hexdigest(),
        size_bytes=len(data),
        inside=Path(os.path.realpath(path)).is_relative_to(os.path.realpath(studio.root)),
    )


async def _accepted(engine: Engine, base: Request) -> list[str]:
    """What was accepted of all that the spec rules out."""
    accepted = []
    async with _studio(engine) as studio:
        for reason, request in illegal(engine.spec, base):
            try:
                async with aclosing(execute(await prepare(_named(request, engine), studio), studio)) as events:
                    async for _ in events:
                        break
                accepted.append(reason)
            except InvalidRequest:
                continue
    return accepted

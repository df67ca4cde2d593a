"""The walk, with an engine that only says what it took."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from triptych.engines.base import Context, Engine
from triptych.engines.registry import Registry
from triptych.errors import EngineFailed, InputNotUsed, InvalidRequest, Problem
from triptych.media import fetch
from triptych.run import execute, prepare
from triptych.studio import Studio
from triptych.task import (
    Artifact,
    BytesSource,
    EngineEvent,
    Fit,
    Modality,
    PathSource,
    Plan,
    Progress,
    Reference,
    Request,
    Result,
    Role,
)
from triptych.testing.double import ANYTHING, DoubleEngine, Fault
from triptych.testing.media import picture_bytes, quarters


def note(text: str = "one", position: int = 0) -> Artifact:
    """An input that needs no decoding."""
    source = BytesSource(text.encode())
    return Artifact(id="double.note", kind="text", source=source, field=f"artifacts[{position}] (double.note)")


def notes(*texts: str) -> tuple[Artifact, ...]:
    return tuple(note(text, position) for position, text in enumerate(texts))


REQUEST = Request(prompt="a boat", engine="double", artifacts=notes("one", "two"))


def studio(engine: Engine, *, roots: tuple[Path, ...] | None = ()) -> Studio:
    registry = Registry({engine.spec.name: lambda: engine})
    return Studio(registry=registry, policy=fetch.Policy(roots=roots, max_bytes=1 << 20))


def refusal(request: Request, *, found: Sequence[Problem] = (), roots: tuple[Path, ...] | None = None) -> list[str]:
    """The problems of a request, each as ``code field``; nothing may have been read or started."""
    engine = DoubleEngine()

    async def run() -> list[str]:
        async with studio(engine, roots=roots) as here:
            with pytest.raises(InvalidRequest) as caught:
                await prepare(request, here, found=found)
            assert list((here.root / "inputs").iterdir()) == []
            return [f"{problem.code} {problem.field}" for problem in caught.value.problems]

    problems = asyncio.run(run())
    assert engine.calls == 0
    return problems


def run(request: Request, engine: Engine) -> list[Progress | Result]:
    async def walk() -> list[Progress | Result]:
        async with studio(engine) as here:
            plan = await prepare(request, here)
            return [event async for event in execute(plan, here)]

    return asyncio.run(walk())


async def listen(events: AsyncGenerator[object, None], told: list[object]) -> None:
    async with aclosing(events):
        async for event in events:
            told.append(event)  # noqa: PERF401  (what was told before an error is kept)


class Scripted(DoubleEngine):
    """A double that yields what it is told to before, or after, it does its work."""

    def __init__(self, *, before: Sequence[EngineEvent] = (), after: Sequence[EngineEvent] = ()) -> None:
        super().__init__(steps=0)
        self._before, self._after = before, after
        self.closed = False
        self.workdir = Path()

    async def run(self, plan: Plan, context: Context) -> AsyncGenerator[EngineEvent, None]:
        self.workdir = context.workdir
        (context.workdir / "half").write_text("half done")
        try:
            for event in self._before:
                yield event
            async with aclosing(super().run(plan, context)) as events:
                async for event in events:
                    yield event
            for event in self._after:
                yield event
        finally:
            self.closed = True


def at(*done: int) -> list[Progress]:
    return [Progress(stage="pretend", done=one, total=9) for one in done]


def test_a_request_becomes_a_plan_and_a_result_with_a_receipt_for_each_input() -> None:
    picture = Reference(
        role=Role.FIRST_FRAME, source=BytesSource(picture_bytes(quarters())), field="--first-frame a.png"
    )
    *progress, result = run(replace(REQUEST, references=(picture,)), DoubleEngine(steps=4))
    assert [(one.done, one.total) for one in progress if isinstance(one, Progress)] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert isinstance(result, Result)
    assert [slot.field for slot in result.plan.slots] == ["--first-frame a.png", *(one.field for one in notes("", ""))]
    assert [receipt.slot for receipt in result.receipts] == ["first_frame", "artifacts[0]", "artifacts[1]"]
    assert [r.source_sha256 for r in result.receipts] == [slot.blob.sha256 for slot in result.plan.slots]
    assert result.plan.slots[0].modality is Modality.IMAGE


def test_what_the_reader_met_comes_first_and_then_every_rule_and_every_file(tmp_path: Path) -> None:
    missing = Reference(
        role=Role.REFERENCE,
        source=PathSource(str(tmp_path / "no.png")),
        field="--image no.png",
        modality=Modality.IMAGE,
    )
    request = replace(
        REQUEST, prompt="", width=1, height=1, references=(missing,), fields={"prompt": "PROMPT", "width": "--size"}
    )
    typed = Problem(code="invalid_value", field="--seconds", message="'x' is not a number")
    assert refusal(request, found=[typed]) == [
        "invalid_value --seconds",
        "missing_required_parameter PROMPT",
        "size_not_supported --size",
        "media_not_found --image no.png",
    ]

    assert refusal(replace(request, engine="dubble"), found=[typed]) == [
        "invalid_value --seconds",
        "unknown_engine engine",
        "media_not_found --image no.png",
    ]


def test_nothing_is_read_when_a_rule_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object, **__: object) -> None:
        raise AssertionError("an input was read")

    monkeypatch.setattr(fetch, "fetch", read)
    there = tmp_path / "there.png"
    there.write_bytes(picture_bytes(quarters()))
    reference = Reference(role=Role.VOICE, source=PathSource(str(there)), field="voice", modality=Modality.AUDIO)
    assert refusal(replace(REQUEST, references=(reference,))) == ["unsupported_role voice"]


def test_an_unknown_engine_is_named_in_the_callers_words() -> None:
    request = replace(REQUEST, engine="nobody", fields={"engine": "--engine"})
    assert refusal(request) == ["unknown_engine --engine"]


def test_files_that_cannot_be_read_are_told_beside_what_the_others_break() -> None:
    """What needed the bytes: the broken file, and the rule that a good one breaks, in one answer."""
    broken = Reference(role=Role.FIRST_FRAME, source=BytesSource(b"no picture at all"), field="first")
    wrong = Reference(role=Role.LAST_FRAME, source=BytesSource(b"RIFF\x04\x00\x00\x00WAVE"), field="last")
    good = Reference(role=Role.REFERENCE, source=BytesSource(picture_bytes(quarters())), field="shape", fit=Fit.REFUSE)

    async def walk() -> list[str]:
        async with studio(DoubleEngine()) as here:
            with pytest.raises(InvalidRequest) as caught:
                await prepare(replace(REQUEST, references=(broken, wrong, good)), here)
            return [f"{problem.code} {problem.field}" for problem in caught.value.problems]

    assert asyncio.run(walk()) == ["media_unreadable first", "media_unreadable last", "fit_refused shape"]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("skip", r"artifacts\[0\] \(double.note\): 0 receipts instead of one"),
        ("double", r"artifacts\[0\] \(double.note\): 2 receipts instead of one"),
        ("swap", r"other bytes were read"),
        ("partial", r"used as nothing, planned as payload"),
        ("invent", r"a receipt for 'elsewhere', which is in no slot"),
        ("unread", r"a receipt was asked for, and its bytes were never opened"),
        ("nothing", r"ended without a result"),
    ],
)
def test_an_engine_that_loses_an_input_is_caught_and_its_files_are_gone(fault: Fault, words: str) -> None:
    engine = DoubleEngine(fault=fault)

    async def walk() -> None:
        async with studio(engine) as here:
            plan = await prepare(REQUEST, here)
            told: list[object] = []
            with pytest.raises(InputNotUsed, match=words):
                await listen(execute(plan, here), told)
            assert all(isinstance(event, Progress) for event in told)
            assert list(here.root.glob("run-*")) == []

    asyncio.run(walk())
    assert engine.calls == 1


def test_progress_never_falls() -> None:
    *progress, result = run(REQUEST, Scripted(before=at(1, 5, 3, 4, 7)))
    assert [one.done for one in progress if isinstance(one, Progress)] == [1, 5, 5, 5, 7]
    assert isinstance(result, Result)


def test_an_engine_that_goes_on_after_its_result_has_failed() -> None:
    with pytest.raises(EngineFailed, match="double went on after it had ended"):
        run(REQUEST, Scripted(after=at(9)))


def test_closing_the_walk_closes_the_engine_and_removes_its_files() -> None:
    engine = Scripted(before=at(1, 2, 3))

    async def walk() -> None:
        async with studio(engine) as here:
            plan = await prepare(REQUEST, here)
            async with aclosing(execute(plan, here)) as events:
                assert await anext(events) == at(1)[0]
                assert (engine.workdir / "half").is_file()
            assert engine.closed
            assert not engine.workdir.exists()

    asyncio.run(walk())


def test_cancelling_the_task_closes_the_engine_and_removes_its_files() -> None:
    begun = asyncio.Event()

    class Sleeper(Scripted):
        async def run(self, plan: Plan, context: Context) -> AsyncGenerator[EngineEvent, None]:
            async with aclosing(super().run(plan, context)) as events:
                async for event in events:
                    yield event
                    begun.set()
                    await asyncio.sleep(3600)

    engine = Sleeper(before=at(1))

    async def walk() -> None:
        async with studio(engine) as here:
            plan = await prepare(REQUEST, here)

            task = asyncio.create_task(listen(execute(plan, here), []))
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert engine.closed
            assert not engine.workdir.exists()

    asyncio.run(walk())


def test_an_artifact_that_the_caller_lets_it_pass_over_has_its_receipt() -> None:
    alien = Artifact(id="other.thing", kind="text", source=BytesSource(b"x"), field="artifacts[0] (other.thing)")
    result = run(replace(REQUEST, artifacts=(alien,), ignore_artifacts=True), DoubleEngine())[-1]
    assert isinstance(result, Result)
    assert [(one.how, one.uses) for one in result.receipts] == [("ignored", ())]
    assert [warning.field for warning in result.warnings] == ["artifacts[0] (other.thing)"]


def test_without_a_seed_the_engines_own_rule_holds() -> None:
    drawn = replace(ANYTHING, default_seed=None)
    seeds = {
        result.plan.settings.seed
        for result in (run(REQUEST, DoubleEngine(drawn))[-1] for _ in range(2))
        if isinstance(result, Result)
    }
    assert len(seeds) == 2
    fixed = run(REQUEST, DoubleEngine())[-1]
    assert isinstance(fixed, Result)
    assert fixed.plan.settings.seed == 0


def test_fewer_videos_than_were_asked_for_are_no_result() -> None:
    engine = DoubleEngine(replace(ANYTHING, max_outputs=3))
    with pytest.raises(EngineFailed, match="double made 1 of the 3 that were asked for"):
        run(replace(REQUEST, n=3), engine)

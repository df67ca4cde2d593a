"""Any request, for any engine: refused in the caller's words, or planned and run with every input used once."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from tests.flows.random_request import Asked, asked, specs, tamed
from triptych.errors import PROBLEM_CODES, InputNotUsed, InvalidRequest, Problem
from triptych.rules.check import check
from triptych.rules.geometry import size_problems
from triptych.rules.plan import plan as resolve
from triptych.rules.size import ASPECT_SLACK
from triptych.rules.spec import ArtifactRule, EngineSpec
from triptych.rules.timing import frames_of
from triptych.run import execute
from triptych.studio import Studio
from triptych.task import Artifact, Blob, BytesSource, Modality, Plan, Progress, Reference, Request, Result, Role, Tags
from triptych.testing.double import ANYTHING, DoubleEngine, Fault

SOON = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large])
FEW = settings(SOON, max_examples=max(8, settings.get_current_profile_name() == "soak" and 300))
MANY = settings(SOON, max_examples=5000 if settings.get_current_profile_name() == "soak" else 150)
SEED = 3
ROOMY = replace(ANYTHING, artifacts_read=(ArtifactRule(id="note", kinds=frozenset(("text",))),))
pytestmark = pytest.mark.timeout(300 if settings.get_current_profile_name() == "ci" else 7200)


def blobs_in(folder: Path, request: Request) -> tuple[Blob, ...]:
    """Small files, no two alike."""
    made = []
    for index, one in enumerate(request.inputs):
        data = f"{index} {one.field}".encode()
        path = folder / str(index)
        path.write_bytes(data)
        made.append(Blob(path=str(path), sha256=hashlib.sha256(data).hexdigest(), size_bytes=len(data)))
    return tuple(made)


def unread_blobs(request: Request) -> tuple[Blob, ...]:
    return tuple(Blob(path="", sha256=f"{index:064x}", size_bytes=1) for index in range(len(request.inputs)))


def words_of(request: Request) -> set[str]:
    """Every name that the caller has for something."""
    settings_ = {request.called(name) for name in vars(request)}
    options = {request.fields.get(f"options.{name}", name) for name in request.options}
    return settings_ | options | {one.field for one in request.inputs}


def hold_refusal(problems: Sequence[Problem], request: Request) -> None:
    for problem in problems:
        assert problem.code in PROBLEM_CODES
        assert problem.field in words_of(request)
        assert problem.message and not problem.message.endswith(".")
        assert not problem.message.startswith(f"{problem.field}:")
        assert str(problem).endswith((".", "?", "!"))
        assert json.dumps(problem.as_json(), allow_nan=False)
        said = replace(problem, field="")
        assert json.dumps(said.as_json(), allow_nan=False, ensure_ascii=False).encode("utf-8")
        assert str(said).encode("utf-8")


def hold_plan(plan: Plan, one: Asked, spec: EngineSpec) -> None:
    request, final, timing = one.request, plan.settings, spec.timing
    assert [slot.position for slot in plan.slots] == list(range(len(request.inputs)))
    assert [slot.field for slot in plan.slots] == [given.field for given in request.inputs]
    assert len({slot.key for slot in plan.slots}) == len(plan.slots)
    assert not list(size_problems((final.width, final.height), spec.geometry, field=""))
    shown = sum(frames_of(slot.seconds, final.fps) for slot in plan.slots if slot.role and spec.roles[slot.role].shown)
    assert (final.num_frames - shown) % timing.step == timing.offset % timing.step
    assert timing.min_frames <= final.num_frames - shown <= final.num_frames <= timing.max_frames
    assert timing.min_fps <= final.fps <= timing.max_fps
    assert 0 <= final.seed < 2**63
    hold_shape(plan, request)
    assert request.generate_audio in (None, final.generate_audio)
    assert spec.sound == "choice" or final.generate_audio is (spec.sound == "always")
    assert 1 <= final.n <= spec.max_outputs
    assert set(final.options) == set(spec.options)
    assert all(final.options[name] == value for name, value in request.options.items())
    hold_parts(plan, one, spec)
    for modality in Modality:
        assert sum(label.tag.startswith(("<P", "<V", "<A")) for label in plan.labels) == len(plan.labels)
        assert sum(slot.tag is not None and slot.modality is modality for slot in plan.slots) <= spec.caps.of(modality)


def hold_shape(plan: Plan, request: Request) -> None:
    """What was said of the frame is so, or stands in for it by the engine's own table and is listed."""
    size = (plan.settings.width, plan.settings.height)
    if request.width is not None and request.height is not None:
        changed = [one for one in plan.adjustments if one.field == "--size"]
        assert size == (request.width, request.height) or (request.loose_size and changed)
        return
    assert request.short_edge in (None, min(size))
    if request.aspect_ratio is not None:
        across, up = (float(part) for part in request.aspect_ratio.replace("x", ":").split(":"))
        assert abs(math.log(across / up * size[1] / size[0])) <= ASPECT_SLACK


def hold_parts(plan: Plan, one: Asked, spec: EngineSpec) -> None:
    """Every part lies inside its file and inside the limits, alone and together."""
    for slot, probe in zip(plan.slots, one.probes, strict=False):
        if probe.modality is Modality.IMAGE:
            assert (slot.start_seconds, slot.seconds) == (0.0, 0.0)
            continue
        assert slot.seconds > 0
        assert slot.start_seconds >= 0
        assert slot.start_seconds + slot.seconds <= probe.seconds + 1e-5
        longest = spec.limits_of(probe.modality).max_seconds
        assert longest is None or slot.seconds <= longest + 1e-6
    for modality in (Modality.VIDEO, Modality.AUDIO):
        held = [slot.seconds for slot in plan.slots if slot.modality is modality]
        total = spec.limits_of(modality).total_seconds
        assert total is None or sum(held) <= total + 1e-5
        tagged = [slot.seconds for slot in plan.slots if slot.modality is modality and slot.tag]
        together = {"together": sum(tagged), "each": max(tagged, default=0.0), "free": 0.0}[spec.timing.inputs]
        assert together <= plan.settings.seconds + 1e-5


@given(st.data())
@MANY
def test_refused_in_the_callers_words_or_planned_whole(data: st.DataObject) -> None:
    spec = data.draw(specs())
    one = data.draw(asked(spec))
    if data.draw(st.booleans()):
        one = tamed(one, spec)
    early = check(one.request, spec)
    hold_refusal(early, one.request)
    try:
        plan = resolve(
            one.request,
            spec,
            one.probes,
            unread_blobs(one.request),
            seed=SEED,
            spoken_seconds=one.spoken_seconds,
        )
    except InvalidRequest as refusal:
        event("refused early" if early else "refused late")
        hold_refusal(refusal.problems, one.request)
        return
    event(f"planned with {min(len(plan.slots), 3)} inputs or more")
    assert not early, "what is refused before the bytes were seen is refused after"
    hold_plan(plan, one, spec)


@given(st.data())
@MANY
def test_looking_at_the_bytes_forgives_nothing(data: st.DataObject) -> None:
    """What was wrong with a setting is still wrong once every input was seen."""
    spec = data.draw(specs())
    one = data.draw(asked(spec))
    whole = replace(one.request, tags=Tags.VERBATIM, references=tuple(truthful(one)))
    inputs = {given.field for given in whole.inputs}
    # With its inputs seen, a video may become long enough for them.
    early = [one for one in check(whole, spec) if one.field not in inputs and one.code != "duration_not_supported"]
    if not early:
        return
    with pytest.raises(InvalidRequest) as refused:
        resolve(whole, spec, one.probes, unread_blobs(whole), seed=SEED, spoken_seconds=one.spoken_seconds)
    late = {(problem.code, problem.field) for problem in refused.value.problems}
    assert {(problem.code, problem.field) for problem in early} <= late


def truthful(one: Asked) -> Iterator[Reference]:
    """The references, each of the kind that was stated: one that is not so is refused when its bytes are read."""
    for reference, probe in zip(one.request.references, one.probes, strict=True):
        yield replace(reference, modality=None if reference.modality is None else probe.modality)


def a_plan(data: st.DataObject, folder: Path) -> Plan:
    """A plan with real bytes, of any inputs at all."""
    one = tamed(data.draw(asked(ROOMY)), ROOMY)
    request = one.request
    references = tuple(replace(given, start_seconds=None, seconds=None) for given in request.references)
    request = replace(request, references=references)
    probes = [
        replace(probe, seconds=0.04) if reference.role is Role.SOUNDTRACK else probe
        for reference, probe in zip(references, one.probes, strict=True)
    ]
    foreign = Artifact(id="foreign", kind="text", source=BytesSource(b""), field="artifacts[1]")
    if data.draw(st.booleans()):
        request = replace(request, artifacts=(*request.artifacts, foreign), ignore_artifacts=True)
    return resolve(request, ROOMY, probes, blobs_in(folder, request), seed=SEED)


async def run(plan: Plan, fault: Fault | None = None) -> Result:
    engine = DoubleEngine(ANYTHING, fault=fault)
    done: list[int] = []
    async with Studio(registry=engine.registry()) as studio:
        async for event_ in execute(plan, studio):
            if isinstance(event_, Progress):
                done.append(event_.done)
            else:
                assert done == sorted(done)
                return event_
    raise AssertionError("ended without a result")


@given(st.data())
@FEW
def test_a_plan_that_is_run_ends_with_one_receipt_for_each_input(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        plan = a_plan(data, Path(folder))
        result = asyncio.run(run(plan))
    assert [receipt.slot for receipt in result.receipts] == [slot.key for slot in plan.slots]
    assert [receipt.source_sha256 for receipt in result.receipts] == [slot.blob.sha256 for slot in plan.slots]
    assert [receipt.how == "ignored" for receipt in result.receipts] == [slot.ignored for slot in plan.slots]


@pytest.mark.parametrize("fault", get_args(Fault))
@given(data=st.data())
@FEW
def test_an_engine_that_loses_an_input_is_caught(fault: Fault, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        plan = a_plan(data, Path(folder))
        used = [slot for slot in plan.slots if fault == "unread" or not slot.ignored]
        needed = {"swap": 2, "nothing": 0, "invent": 0}.get(fault, 1)
        if len(used) < needed:
            assert asyncio.run(run(plan, fault)).receipts is not None
            return
        with pytest.raises(InputNotUsed):
            asyncio.run(run(plan, fault))


def test_the_double_without_a_fault_is_not_caught(tmp_path: Path) -> None:
    request = Request(prompt="a boat")
    plan = resolve(request, ANYTHING, [], blobs_in(tmp_path, request), seed=SEED)
    assert asyncio.run(run(plan)).receipts == ()

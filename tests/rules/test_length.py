from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.example import ANYTHING, GOING_ON, H3_LIKE, HOSTED, VIDEO, case, clip, ref, told
from tests.rules.test_timing import timings
from triptych.engines.animatic.spec import animatic_spec
from triptych.rules.length import fps_of, length_of, timing_rule
from triptych.rules.spec import Timing
from triptych.rules.timing import on_lattice
from triptych.task import Request, Role

SPEC = animatic_spec()


def request(**values: Any) -> Request:
    return Request(prompt="x", fields={"seconds": "--seconds", "num_frames": "--frames", "fps": "--fps"}, **values)


def test_the_default_is_the_specs() -> None:
    found = length_of(case(request(), SPEC), 0.0)
    assert (found.num_frames, found.fps, found.adjustments) == (120, 24, ())
    assert length_of(case(request(), H3_LIKE), 0.0).num_frames == 124


def test_the_default_is_as_long_at_another_rate() -> None:
    found = length_of(case(request(fps=60.0), SPEC), 0.0)
    assert (found.num_frames, found.fps) == (300, 60)


def test_a_default_never_leaves_the_range() -> None:
    timing = Timing(default_fps=24, max_fps=60, default_frames=120, max_frames=240)
    assert length_of(case(request(fps=60), replace(ANYTHING, timing=timing)), 0.0).num_frames == 240
    low = Timing(default_fps=24, min_fps=1, default_frames=120, min_frames=50)
    assert length_of(case(request(fps=1), replace(ANYTHING, timing=low)), 0.0).num_frames == 50


@pytest.mark.parametrize(
    ("asked", "frames", "listed"),
    [
        ({"seconds": 4.0}, 96, False),
        ({"seconds": 4.01}, 96, True),
        ({"num_frames": 97}, 97, False),
        ({"seconds": 2.5, "fps": 30.0}, 75, False),
        ({"seconds": 1.0, "num_frames": 24}, 24, False),
    ],
)
def test_a_stated_length_is_met_in_whole_frames(asked: dict[str, Any], frames: int, listed: bool) -> None:
    seen = case(request(**asked), SPEC)
    assert not list(timing_rule(seen))
    found = length_of(seen, 0.0)
    assert found.num_frames == frames
    assert bool(found.adjustments) is listed


@pytest.mark.parametrize(("asked", "frames"), [(108, 124), (124, 124), (125, 141), (345, 345)])
def test_a_lattice_step_is_listed(asked: int, frames: int) -> None:
    seen = case(request(num_frames=asked), H3_LIKE)
    assert not list(timing_rule(seen))
    found = length_of(seen, 0.0)
    assert found.num_frames == frames
    changes = [(one.field, one.asked, one.got) for one in found.adjustments]
    assert changes == ([("--frames", asked, frames)] if asked != frames else [])
    assert all("17k+5" in one.reason for one in found.adjustments)


def test_the_true_length_of_a_chain_is_shown_before_it_runs() -> None:
    chain = replace(H3_LIKE, timing=replace(H3_LIKE.timing, max_frames=5 + 17 * 40))
    found = length_of(case(request(seconds=22.0), chain), 0.0)
    assert found.num_frames == 532
    (change,) = found.adjustments
    assert (change.field, change.asked, change.got) == ("--seconds", 22.0, 22.166667)


@pytest.mark.parametrize(
    "asked",
    [
        {"seconds": 4},
        {"seconds": 15},
        {"num_frames": 107},
        {"num_frames": 346},
        {"seconds": math.nan},
        {"seconds": math.inf},
        {"seconds": -1.0},
        {"seconds": 0.0},
        {"seconds": 1e308},
        {"seconds": 10**400},
        {"num_frames": -(10**5000)},
        {"num_frames": 10**5000},
    ],
    ids=lambda asked: "".join(asked) + (str(next(iter(asked.values())))[:5] if "num_frames" not in asked else ""),
)
def test_a_length_outside_the_range_is_refused_with_the_range(asked: dict[str, float]) -> None:
    seen = case(request(**asked), H3_LIKE)
    (problem,) = timing_rule(seen)
    assert problem.code == "duration_not_supported"
    assert problem.field == ("--frames" if "num_frames" in asked else "--seconds")
    assert "108 to 345 frames (4.500 to 14.375 s at 24 frames a second)" in problem.message
    assert problem.limit in ([108, 345], [4.5, 14.375])
    assert json.dumps(problem.as_json(), allow_nan=False)
    assert length_of(seen, 0.0).num_frames / length_of(seen, 0.0).fps >= 0


def test_the_range_that_is_told_is_the_range_that_is_kept() -> None:
    timing = Timing(default_frames=20, min_frames=10, max_frames=99, step=10, rounding="up")
    spec = replace(ANYTHING, timing=timing)
    assert not list(timing_rule(case(request(num_frames=90), spec)))
    (problem,) = timing_rule(case(request(num_frames=91), spec))
    assert problem.limit == [10, 90]


@given(timings(), st.integers(-5, 2000))
def test_a_count_is_refused_exactly_when_it_is_outside_what_is_told(timing: Timing, asked: int) -> None:
    spec = replace(ANYTHING, timing=replace(timing, default_frames=timing.min_frames))
    seen = case(request(num_frames=asked), spec)
    found = list(timing_rule(seen))
    assert bool(found) is not (timing.min_frames <= asked <= timing.max_frames)
    if not found:
        frames = length_of(seen, 0.0).num_frames
        assert timing.min_frames <= frames <= timing.max_frames
        assert frames % timing.step == timing.offset


@pytest.mark.parametrize("fps", [0, -24, 23.976, 61, 7, math.nan, math.inf, 1e300, 10**400], ids=lambda v: str(v)[:6])
def test_a_rate_out_of_range_is_refused_and_the_rest_judged_at_the_usual_one(fps: float) -> None:
    seen = case(request(fps=fps, seconds=4.0), SPEC)
    (problem,) = timing_rule(seen)
    assert (problem.code, problem.field, problem.limit) == ("invalid_value", "--fps", [8, 60])
    assert "a whole number from 8 to 60" in problem.message
    assert json.dumps(problem.as_json(), allow_nan=False)
    assert fps_of(seen) == 24


def test_a_fixed_rate_cannot_be_changed() -> None:
    (problem,) = timing_rule(case(request(fps=30), H3_LIKE))
    assert (problem.code, problem.message) == ("unsupported_parameter", "30 frames per second is not 24")
    assert not list(timing_rule(case(request(fps=24.0), H3_LIKE)))


def test_two_lengths_that_disagree_are_refused() -> None:
    (problem,) = timing_rule(case(request(seconds=5.0, num_frames=100), SPEC))
    assert (problem.code, problem.field) == ("conflicting_parameters", "--frames")
    assert problem.message == "100 frames, but --seconds 5 at 24 frames a second is 120"
    assert not list(timing_rule(case(request(seconds=5.0, num_frames=124), H3_LIKE)))


def test_without_a_length_the_video_holds_its_inputs_where_the_engine_stretches() -> None:
    found = length_of(case(request(), SPEC), 7.3)
    assert found.num_frames == math.ceil(7.3 * 24)
    (change,) = found.adjustments
    assert (change.field, change.asked) == ("--seconds", None)
    assert "7.300 s" in change.reason
    assert length_of(case(request(), H3_LIKE), 7.3).num_frames == 124
    assert length_of(case(request(seconds=5.0), SPEC), 7.3).num_frames == 120
    assert length_of(case(request(), SPEC), 4.9).num_frames == 120


@given(timings(), st.floats(0, 1e308, allow_nan=False, allow_infinity=False))
def test_a_stretched_length_is_legal_and_long_enough_where_it_can_be(timing: Timing, needed: float) -> None:
    spec = replace(ANYTHING, timing=replace(timing, default_frames=timing.min_frames, stretches=True))
    found = length_of(case(request(), spec), needed)
    assert found.num_frames % timing.step == timing.offset
    assert timing.min_frames <= found.num_frames <= timing.max_frames
    assert found.num_frames == timing.max_frames or found.num_frames / found.fps >= needed - 1e-6


def test_an_input_of_any_length_can_be_counted() -> None:
    assert length_of(case(request(), SPEC), math.inf).num_frames == SPEC.timing.max_frames


def test_whole_seconds_can_be_a_lattice() -> None:
    assert not list(timing_rule(case(request(seconds=7), HOSTED)))
    assert length_of(case(request(seconds=7.4), HOSTED), 0.0).num_frames == 168
    assert told(timing_rule(case(request(seconds=4), HOSTED))) == [("duration_not_supported", "--seconds")]


def test_specs_have_legal_defaults() -> None:
    for spec in (SPEC, H3_LIKE, HOSTED, ANYTHING):
        timing = spec.timing
        assert on_lattice(timing.default_frames, timing) == timing.default_frames
        assert timing.min_frames <= timing.default_frames <= timing.max_frames
        assert timing.min_fps <= timing.default_fps <= timing.max_fps


EXTENDED = ref("--extend", VIDEO, Role.INPUT)


@pytest.mark.parametrize(
    ("asked", "frames", "fps", "changes"),
    [
        ({}, 72 + 120, 24, [("--seconds", None, 8.0)]),
        ({"seconds": 2.0}, 72 + 48, 24, [("--seconds", 2.0, 5.0)]),
        ({"num_frames": 10}, 72 + 10, 24, [("--frames", 10, 82)]),
        ({"seconds": 2.0, "fps": 10.0}, 30 + 20, 10, [("--seconds", 2.0, 5.0)]),
    ],
)
def test_a_length_is_that_of_what_comes_after_a_clip_that_is_shown(
    asked: dict[str, Any], frames: int, fps: int, changes: list[tuple[str, Any, Any]]
) -> None:
    seen = case(request(references=(EXTENDED,), **asked), GOING_ON, [clip(3.0)])
    assert not list(timing_rule(seen))
    found = length_of(seen, 0.0)
    assert (found.num_frames, found.fps) == (frames, fps)
    assert found.new_frames == frames - 3 * fps
    assert [(one.field, one.asked, one.got) for one in found.adjustments] == changes
    assert (
        f"--extend comes first: its {3 * fps} frames, then {found.new_frames} new ones" in found.adjustments[0].reason
    )


@pytest.mark.parametrize(
    ("own", "fps"), [(29.97, 30), (23.976, 24), (5.0, 8), (120.0, 60), (24.0, 24)], ids=lambda value: f"{value:g}"
)
def test_a_clip_that_is_shown_says_the_rate(own: float, fps: int) -> None:
    seen = case(request(references=(EXTENDED,), seconds=1.0), GOING_ON, [clip(2.0, fps=own)])
    assert fps_of(seen) == fps
    found = length_of(seen, 0.0)
    assert found.num_frames == 3 * fps
    rates = [one.got for one in found.adjustments if one.field == "--fps"]
    assert rates == ([] if fps == 24 else [fps])


def test_before_the_clip_was_seen_nothing_is_held_against_a_rate_that_may_be_another() -> None:
    """One frame at 60 a second is none at 24."""
    asked = request(references=(EXTENDED,), seconds=0.02)
    assert not list(timing_rule(case(asked, GOING_ON)))
    assert not list(timing_rule(case(asked, GOING_ON, [clip(2.0, fps=60.0)])))
    assert told(timing_rule(case(asked, GOING_ON, [clip(2.0)]))) == [("duration_not_supported", "--seconds")]
    nothing = request(references=(EXTENDED,), seconds=0.0)
    assert told(timing_rule(case(nothing, GOING_ON))) == [("duration_not_supported", "--seconds")]

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.example import H3_LIKE
from triptych.rules.spec import Timing
from triptych.rules.timing import allot, frames_of, longest, on_lattice

LENGTHS = st.lists(st.floats(0, 120, allow_nan=False).map(lambda value: round(value, 3)), min_size=1, max_size=60)
RATES = st.sampled_from([8, 12, 23.976, 24, 25, 29.97, 30, 50, 60])


@st.composite
def timings(draw: st.DrawFn) -> Timing:
    step = draw(st.integers(1, 40))
    offset = draw(st.integers(0, step - 1))
    lowest = offset + step * draw(st.integers(1, 20))
    highest = lowest + step * draw(st.integers(0, 40))
    return Timing(
        step=step,
        offset=offset,
        min_frames=lowest,
        max_frames=highest,
        rounding=draw(st.sampled_from(["nearest", "up"])),
    )


@pytest.mark.parametrize(
    ("seconds", "fps", "frames"),
    [
        (5, 24, 120),
        (4.44, 25, 111),
        (0.1, 30, 3),
        (1.0, 29.97, 30),
        (0.0, 24, 0),
        (0.0625, 24, 2),
        (15.015, 29.97, 450),
    ],
)
def test_seconds_become_the_nearest_whole_frames(seconds: float, fps: float, frames: int) -> None:
    assert frames_of(seconds, fps) == frames


@pytest.mark.parametrize(
    ("asked", "rendered"),
    [(108, 124), (119, 124), (124, 124), (125, 141), (243, 243), (329, 345), (345, 345), (346, 362)],
)
def test_a_lattice_that_rounds_up_does(asked: int, rendered: int) -> None:
    assert on_lattice(asked, H3_LIKE.timing) == rendered


@given(timings(), st.integers(0, 2000))
def test_a_count_is_on_the_lattice(timing: Timing, frames: int) -> None:
    found = on_lattice(frames, timing)
    assert found % timing.step == timing.offset
    assert abs(found - frames) <= timing.step
    if timing.rounding == "up":
        assert 0 <= found - frames < timing.step


@given(timings(), st.data())
def test_a_count_in_range_stays_in_range(timing: Timing, data: st.DataObject) -> None:
    frames = data.draw(st.integers(timing.min_frames, timing.max_frames))
    assert timing.min_frames <= on_lattice(frames, timing) <= timing.max_frames


def test_the_nearest_legal_count_is_taken_at_the_lower_end_too() -> None:
    timing = Timing(step=5, offset=3, min_frames=10, max_frames=40)
    assert on_lattice(10, timing) == 13
    assert on_lattice(15, timing) == 13
    assert on_lattice(39, timing) == 38


@given(timings())
def test_the_longest_count_is_the_last_one_on_the_lattice(timing: Timing) -> None:
    assert longest(timing) == timing.max_frames
    shorter = Timing(step=timing.step, offset=timing.offset, max_frames=timing.max_frames + timing.step - 1)
    assert longest(shorter) == timing.max_frames


@given(LENGTHS, RATES)
def test_pieces_in_a_row_never_drift(lengths: list[float], fps: float) -> None:
    pieces = allot(lengths, fps)
    assert len(pieces) == len(lengths)
    assert pieces[0][0] == 0
    position = Fraction(0)
    for index, (first, end) in enumerate(pieces):
        assert first <= end
        if index:
            assert first == pieces[index - 1][1], "no frame is skipped or given twice"
        position += Fraction(str(lengths[index]))
        assert abs(end - position * Fraction(str(fps))) <= Fraction(1, 2)


def test_a_long_row_of_short_clips_stays_with_its_song() -> None:
    pieces = allot([4.44] * 35, 24)
    assert pieces[-1][1] == round(35 * 4.44 * 24)
    assert {end - first for first, end in pieces} == {106, 107}
    alone = sum(frames_of(4.44, 24) for _ in range(35))
    assert alone != pieces[-1][1], "rounding each clip alone does drift, which is what this is against"


def test_nothing_takes_no_frames() -> None:
    assert allot([], 24) == ()
    assert allot([0.0, 1.0, 0.0], 24) == ((0, 0), (0, 24), (24, 24))

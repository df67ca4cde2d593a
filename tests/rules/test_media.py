from __future__ import annotations

import pytest

from tests.rules.example import told
from triptych.rules.media import bytes_problems, frames_problems, length_problems, megabytes, picture_problems
from triptych.rules.spec import MediaLimits

NONE = MediaLimits()
LIMITS = MediaLimits(
    max_bytes=1_000_000,
    max_side=4000,
    max_pixels=8_000_000,
    min_side=64,
    min_aspect=0.25,
    max_aspect=4.0,
    min_seconds=2,
    max_seconds=15,
    min_frames=13,
    max_frames=400,
)


def test_without_bounds_nothing_is_refused() -> None:
    assert not list(bytes_problems(10**15, NONE, field="f"))
    assert not list(picture_problems(1, 10**6, NONE, field="f"))
    assert not list(length_problems(1e9, NONE, field="f"))
    assert not list(frames_problems(10**9, NONE, field="f"))


def test_bounds_are_inclusive() -> None:
    assert not list(bytes_problems(1_000_000, LIMITS, field="f"))
    assert not list(picture_problems(4000, 2000, LIMITS, field="f"))
    assert not list(picture_problems(256, 64, LIMITS, field="f"))
    assert not list(length_problems(2.0, LIMITS, field="f"))
    assert not list(frames_problems(13, LIMITS, field="f"))
    assert not list(frames_problems(400, LIMITS, field="f"))


@pytest.mark.parametrize("seconds", [15.0, 15.008, 15.008334, 15.015, 15.083, 15.1])
def test_what_a_container_says_for_fifteen_seconds_is_fifteen_seconds(seconds: float) -> None:
    assert not list(length_problems(seconds, LIMITS, field="f"))


def test_a_true_excess_is_refused_with_both_figures() -> None:
    (problem,) = length_problems(15.2, LIMITS, field="--clip a.mp4")
    assert (problem.code, problem.field, problem.value, problem.limit) == ("media_too_long", "--clip a.mp4", 15.2, 15)
    assert problem.message == "15.200 s, over the limit of 15 s"
    assert "of 15 s at most" in problem.fix


def test_too_short_has_no_tolerance() -> None:
    (problem,) = length_problems(1.99, LIMITS, field="f")
    assert (problem.code, problem.value, problem.limit) == ("media_too_short", 1.99, 2)


def test_bytes_over_the_limit() -> None:
    (problem,) = bytes_problems(1_000_001, LIMITS, field="f")
    assert (problem.code, problem.value, problem.limit) == ("media_too_large", 1_000_001, 1_000_000)
    assert "1.0 MB, over the limit of 1.0 MB" in problem.message


def test_every_bound_of_a_picture_is_told() -> None:
    found = list(picture_problems(40_000, 20, LIMITS, field="f"))
    assert told(found) == [("media_too_large", "f"), ("size_not_supported", "f"), ("aspect_not_supported", "f")]
    assert "40000x20 has a side over the limit of 4,000 pixels" in found[0].message
    assert "2000.000:1, outside 0.25:1 to 4:1" in found[2].message
    (pixels,) = picture_problems(4000, 4000, LIMITS, field="f")
    assert (pixels.value, pixels.limit) == (16_000_000, 8_000_000)


def test_a_shape_with_one_bound_says_that_one() -> None:
    (low,) = picture_problems(10, 100, MediaLimits(min_aspect=0.5), field="f")
    (high,) = picture_problems(100, 10, MediaLimits(max_aspect=2), field="f")
    assert "outside 0.5:1 to inf:1" in low.message
    assert "outside 0:1 to 2:1" in high.message


def test_frames_out_of_range() -> None:
    assert told(frames_problems(12, LIMITS, field="f")) == [("media_too_short", "f")]
    assert told(frames_problems(401, LIMITS, field="f")) == [("media_too_long", "f")]


def test_byte_counts_for_people() -> None:
    assert [megabytes(count) for count in (0, 99_999, 30_000_000)] == ["0 bytes", "99,999 bytes", "30.0 MB"]

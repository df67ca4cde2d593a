from __future__ import annotations

import pytest

from triptych.errors import InvalidRequest
from triptych.media.bound import (
    CLIP_BOUND,
    IMAGE_BOUND,
    MAX_SECONDS,
    Bound,
    check_seconds,
    check_size,
    refused,
    unreadable,
)
from triptych.rules.spec import MediaLimits


def test_the_lower_bound_wins() -> None:
    assert IMAGE_BOUND.under(MediaLimits()) == IMAGE_BOUND
    assert IMAGE_BOUND.under(MediaLimits(max_side=100, max_pixels=99)) == Bound(max_side=100, max_pixels=99)
    assert CLIP_BOUND.under(MediaLimits(max_side=10**6, max_pixels=10**12)) == CLIP_BOUND


@pytest.mark.parametrize(
    ("size", "code", "says"),
    [
        ((16_385, 10), "media_too_large", "16385x10 has a side over the limit of 16,384"),
        ((10_000, 5_001), "media_too_large", "50 megapixels"),
        ((0, 10), "media_unreadable", "no size"),
    ],
)
def test_a_size_over_the_bound_is_refused(size: tuple[int, int], code: str, says: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        check_size(*size, field="--image cat.png", bound=IMAGE_BOUND, limits=MediaLimits(), what="picture")
    problem = caught.value.problems[0]
    assert (problem.code, problem.field) == (code, "--image cat.png")
    assert says in problem.message


def test_sizes_on_the_bound_pass() -> None:
    check_size(10_000, 5_000, field="f", bound=IMAGE_BOUND, limits=MediaLimits(), what="picture")
    check_size(16_384, 3_000, field="f", bound=IMAGE_BOUND, limits=MediaLimits(), what="picture")


def test_a_tenth_of_a_second_over_is_left_to_the_rules() -> None:
    limits = MediaLimits(max_seconds=15)
    check_seconds(15.083, field="f", limits=limits)
    with pytest.raises(InvalidRequest, match=r"15\.300 s, over the limit of 15 s") as caught:
        check_seconds(15.3, field="f", limits=limits)
    assert caught.value.problems[0].limit == 15
    with pytest.raises(InvalidRequest, match="more than 15 s"):
        check_seconds(15.3, field="f", limits=limits, at_least=True)


def test_there_is_a_bound_without_limits() -> None:
    with pytest.raises(InvalidRequest, match="over the limit of 3600 s"):
        check_seconds(MAX_SECONDS + 1, field="f", limits=MediaLimits())


def test_refusals_carry_what_they_are_given() -> None:
    problem = unreadable("f", "is cut", fix="Get it again.", value=1, limit=2).problems[0]
    assert (problem.code, problem.field, problem.fix, problem.value, problem.limit) == (
        "media_unreadable",
        "f",
        "Get it again.",
        1,
        2,
    )
    assert refused("media_animated", "f", "moves").problems[0].code == "media_animated"

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.rules.example import (
    ANYTHING,
    GOING_ON,
    H3_LIKE,
    H3_SIZES,
    HOSTED,
    VIDEO,
    case,
    clip,
    image,
    ref,
    told,
)
from triptych.rules.geometry import size_problems
from triptych.rules.size import shape_rule, size_of, size_rule
from triptych.task import Request, Role

FIRST, LAST = ref("first", role=Role.FIRST_FRAME), ref("last", role=Role.LAST_FRAME)


def test_half_a_size_names_the_missing_side() -> None:
    assert told(size_rule(case(Request(prompt="x", width=64)))) == [("missing_required_parameter", "height")]
    assert told(size_rule(case(Request(prompt="x", height=64)))) == [("missing_required_parameter", "width")]


@pytest.mark.parametrize("size", [(0, 720), (1280, -2), (0, 0), (-(10**400), 10**400)], ids=str.__call__)
def test_a_size_without_pixels_is_refused(size: tuple[int, int]) -> None:
    request = Request(prompt="x", width=size[0], height=size[1], fields={"width": "--size"})
    (problem,) = size_rule(case(request))
    assert (problem.code, problem.field) == ("size_not_supported", "--size")
    assert "no pixels" in problem.message


@pytest.mark.parametrize("asked", list(H3_SIZES))
def test_the_sizes_of_another_vocabulary_mean_the_engines_nearest(asked: tuple[int, int]) -> None:
    request = Request(prompt="x", width=asked[0], height=asked[1], loose_size=True, fields={"width": "size"})
    seen = case(request, H3_LIKE)
    assert not list(size_rule(seen))
    assert told(size_rule(case(replace(request, loose_size=False), H3_LIKE))), "a size that is meant exactly is not met"
    found = size_of(seen)
    assert (found.width, found.height) == H3_SIZES[asked]
    (change,) = found.adjustments
    assert (change.field, change.asked) == ("size", f"{asked[0]}x{asked[1]}")
    assert change.got == f"{found.width}x{found.height}"
    assert (asked[0] > asked[1]) == (found.width > found.height)


def test_every_alias_and_default_of_the_specs_is_legal() -> None:
    for spec in (ANYTHING, H3_LIKE, HOSTED):
        for size in (spec.geometry.default, *spec.geometry.aliases.values()):
            assert not list(size_problems(size, spec.geometry, field=""))


def test_any_other_size_is_exact_or_refused() -> None:
    exact = case(Request(prompt="x", width=768, height=512), H3_LIKE)
    assert not list(size_rule(exact))
    assert (size_of(exact).width, size_of(exact).adjustments) == (768, ())
    assert told(size_rule(case(Request(prompt="x", width=1376, height=768), H3_LIKE))) == [
        ("size_not_supported", "width")
    ]


def test_an_explicit_size_wins_over_the_first_frame() -> None:
    request = Request(prompt="x", references=(FIRST,), width=1344, height=768)
    found = size_of(case(request, H3_LIKE, [image(640, 640)]))
    assert (found.width, found.height, found.adjustments) == (1344, 768, ())


def test_without_a_size_the_first_frame_says_the_shape() -> None:
    request = Request(prompt="x", references=(LAST, FIRST), fields={"width": "--size"})
    found = size_of(case(request, H3_LIKE, [image(100, 100), image(736, 992)]))
    assert (found.width, found.height) == (768, 1024)
    (change,) = found.adjustments
    assert (change.field, change.asked, change.got) == ("--size", None, "768x1024")
    assert "first (736x992)" in change.reason


def test_a_last_frame_alone_says_it_too() -> None:
    found = size_of(case(Request(prompt="x", references=(LAST,)), H3_LIKE, [image(100, 100)]))
    assert (found.width, found.height) == (768, 768)


def test_references_never_say_the_shape() -> None:
    request = Request(prompt="x", references=(ref("one"), ref("two", None)))
    assert size_of(case(request, H3_LIKE, [image(100, 900), clip(width=100, height=900)])).adjustments == ()


def test_before_the_frame_is_seen_it_is_the_default() -> None:
    found = size_of(case(Request(prompt="x", references=(FIRST,)), H3_LIKE))
    assert (found.width, found.height) == H3_LIKE.geometry.default


@pytest.mark.parametrize(
    ("request_", "size"),
    [
        (Request(aspect_ratio="16:9"), (1280, 720)),
        (Request(aspect_ratio="9:16"), (720, 1280)),
        (Request(aspect_ratio="1:1"), (720, 720)),
        (Request(aspect_ratio="1:1", short_edge=512), (512, 512)),
        (Request(aspect_ratio="21:9", short_edge=480), (1120, 480)),
        (Request(short_edge=360), (640, 360)),
        (Request(width=640, height=360, aspect_ratio="16:9", short_edge=360), (640, 360)),
    ],
)
def test_a_shape_is_met(request_: Request, size: tuple[int, int]) -> None:
    seen = case(request_)
    assert told(shape_rule(seen)) == []
    found = size_of(seen)
    assert (found.width, found.height, found.adjustments) == (*size, ())


@pytest.mark.parametrize(
    ("request_", "code", "field"),
    [
        (Request(aspect_ratio="wide"), "invalid_value", "aspect_ratio"),
        (Request(aspect_ratio="0:9"), "invalid_value", "aspect_ratio"),
        (Request(aspect_ratio="99999:1"), "invalid_value", "aspect_ratio"),
        (Request(aspect_ratio="100:1"), "aspect_not_supported", "aspect_ratio"),
        (Request(short_edge=-3), "size_not_supported", "short_edge"),
        (Request(short_edge=721), "size_not_supported", "short_edge"),
        (Request(width=640, height=360, aspect_ratio="9:16"), "conflicting_parameters", "aspect_ratio"),
        (Request(width=640, height=360, short_edge=480), "conflicting_parameters", "short_edge"),
        (Request(width=640, height=360, short_edge=10**5000), "conflicting_parameters", "short_edge"),
        (Request(short_edge=10**5000), "size_not_supported", "short_edge"),
        (Request(aspect_ratio="\ud800"), "invalid_value", "aspect_ratio"),
    ],
    ids=["word", "no width", "thread", "far", "negative", "off the grid", "shape", "edge", "huge edge", "huge", "text"],
)
def test_a_shape_that_cannot_be_met_is_refused_by_name(request_: Request, code: str, field: str) -> None:
    (problem,) = shape_rule(case(request_))
    assert (problem.code, problem.field) == (code, field)
    assert json.dumps(problem.as_json(), allow_nan=False, ensure_ascii=False).encode("utf-8")


def test_a_shape_between_two_sizes_of_a_grid_is_met_nearly_and_that_is_listed() -> None:
    found = size_of(case(Request(aspect_ratio="16:9"), H3_LIKE))
    assert (found.width, found.height) == (1344, 768)
    assert [(change.field, change.asked, change.got) for change in found.adjustments] == [
        ("aspect_ratio", "16:9", "1344x768")
    ]


@pytest.mark.parametrize("size", [(0, 720), (1280, -2), (10**400, 10**400)], ids=["no width", "negative", "huge"])
def test_a_shape_beside_a_size_that_is_none_leaves_the_word_to_the_size(size: tuple[int, int]) -> None:
    seen = case(Request(width=size[0], height=size[1], aspect_ratio="16:9", short_edge=720))
    assert not list(shape_rule(seen))
    assert list(size_rule(seen))


def test_both_words_that_contradict_a_size_are_told() -> None:
    request = Request(width=640, height=360, aspect_ratio="1:1", short_edge=480, fields={"short_edge": "--short-edge"})
    assert told(shape_rule(case(request))) == [
        ("conflicting_parameters", "aspect_ratio"),
        ("conflicting_parameters", "--short-edge"),
    ]


def test_a_stated_shape_wins_over_the_first_frame_and_a_short_edge_scales_it() -> None:
    both = Request(references=(FIRST,), aspect_ratio="16:9", short_edge=360)
    framed = Request(references=(FIRST,), short_edge=360)
    assert [(size_of(case(one, ANYTHING, [image(600, 600)])).width) for one in (both, framed)] == [640, 360]


def test_an_engine_of_a_few_sizes_lists_them_when_none_has_the_shape() -> None:
    (problem,) = shape_rule(case(Request(aspect_ratio="4:3"), HOSTED))
    assert (problem.code, problem.limit) == ("aspect_not_supported", ["1366x768", "768x768", "768x1366"])
    assert told(shape_rule(case(Request(aspect_ratio="16:9"), HOSTED))) == []


@pytest.mark.parametrize(
    ("own", "size"), [((640, 360), (640, 360)), ((641, 361), (640, 360)), ((360, 640), (360, 640)), ((9, 9), (64, 64))]
)
def test_a_clip_that_is_shown_keeps_its_size_where_that_is_legal(own: tuple[int, int], size: tuple[int, int]) -> None:
    extended = Request(prompt="x", references=(ref("--extend", VIDEO, Role.INPUT),))
    found = size_of(case(extended, GOING_ON, [clip(width=own[0], height=own[1])]))
    assert (found.width, found.height) == size
    assert [one.asked for one in found.adjustments] == [None]
    assert f"({own[0]}x{own[1]})" in found.adjustments[0].reason
    assert size_of(case(extended, GOING_ON)).width == 1280, "before it was seen"
    short = replace(extended, short_edge=128)
    found = size_of(case(short, GOING_ON, [clip(width=640, height=320)]))
    assert (found.width, found.height) == (256, 128)

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.example import H3_LIKE, HOSTED
from triptych.engines.animatic.spec import animatic_spec
from triptych.rules.geometry import (
    fit_differs,
    fit_plan,
    nearest_size,
    size_for_aspect,
    size_problems,
    written,
)
from triptych.rules.spec import Geometry
from triptych.task import Fit

SIDES = st.integers(1, 20_000)


@st.composite
def geometries(draw: st.DrawFn) -> Geometry:
    """Any grid that has its own default on it."""
    if draw(st.integers(0, 4)) == 0:
        sizes = tuple(draw(st.lists(st.tuples(st.integers(1, 4096), st.integers(1, 4096)), min_size=1, max_size=8)))
        return Geometry(sizes=sizes, default=sizes[0])
    multiple = draw(st.sampled_from([1, 2, 8, 16, 32, 64]))
    low = draw(st.integers(1, 512))
    high = draw(st.integers(max(low, multiple) + multiple * 8, 8192))
    widest = draw(st.floats(1.0, 8.0, allow_nan=False))
    default = math.ceil(low / multiple) * multiple
    cap = draw(st.none() | st.integers(default * default, 20_000_000))
    return Geometry(
        multiple=multiple,
        min_side=low,
        max_side=high,
        max_pixels=cap,
        min_aspect=draw(st.floats(0.1, 1.0, allow_nan=False)),
        max_aspect=widest,
        default=(default, default),
        short_edge=draw(st.integers(1, 4096)),
    )


def legal(size: tuple[int, int], geometry: Geometry) -> bool:
    return not list(size_problems(size, geometry, field="size"))


@given(geometries(), SIDES, SIDES)
def test_the_nearest_size_is_always_legal(geometry: Geometry, width: int, height: int) -> None:
    assert legal(nearest_size(geometry, width, height), geometry)


@given(geometries(), SIDES, SIDES)
def test_the_size_for_a_first_frame_is_always_legal(geometry: Geometry, width: int, height: int) -> None:
    assert legal(size_for_aspect(geometry, width, height), geometry)


@given(geometries(), SIDES, SIDES, st.integers(-5, 10**400))
def test_the_size_for_a_shape_is_legal_at_any_short_edge(
    geometry: Geometry, width: int, height: int, short_edge: int
) -> None:
    assert legal(size_for_aspect(geometry, width, height, short_edge), geometry)


@pytest.mark.parametrize(
    ("shape", "short_edge", "size"),
    [((16, 9), 360, (640, 360)), ((9, 16), 360, (360, 640)), ((1, 1), 96, (96, 96)), ((16, 9), None, (1280, 720))],
)
def test_a_short_edge_is_met_where_the_grid_has_it(
    shape: tuple[int, int], short_edge: int | None, size: tuple[int, int]
) -> None:
    assert size_for_aspect(animatic_spec().geometry, *shape, short_edge) == size


def test_of_a_list_of_sizes_the_one_of_the_shape_is_taken() -> None:
    assert size_for_aspect(HOSTED.geometry, 16, 9, 768) == (1366, 768)
    assert size_for_aspect(HOSTED.geometry, 9, 16, 10) == (768, 1366)


@given(geometries(), SIDES, SIDES)
def test_a_legal_size_is_nearest_to_itself(geometry: Geometry, width: int, height: int) -> None:
    size = nearest_size(geometry, width, height)
    assert nearest_size(geometry, *size) == size


@pytest.mark.parametrize("size", [(0, 0), (-5, 10), (10**400, 3), (3, 10**401), (-(10**401), 1)])
@pytest.mark.parametrize("geometry", [H3_LIKE.geometry, HOSTED.geometry])
def test_sizes_of_any_magnitude_are_refused_with_a_legal_one(size: tuple[int, int], geometry: Geometry) -> None:
    problems = list(size_problems(size, geometry, field="size"))
    assert problems
    nearest = nearest_size(geometry, *size)
    assert legal(nearest, geometry)
    assert all(problem.fix == f"The nearest legal size is {written(nearest)}" for problem in problems)
    assert all(len(str(problem)) < 300 for problem in problems)


@pytest.mark.parametrize(
    ("size", "code", "words"),
    [
        ((720, 1280), "size_not_supported", "steps of 32 pixels"),
        ((1376, 768), "size_not_supported", "1,056,768 pixels, over the limit of 1,032,192"),
        ((16, 768), "size_not_supported", "outside 32 to 2688 pixels"),
        ((2688, 384), "aspect_not_supported", "7.000:1, outside 0.25:1 to 4:1"),
    ],
)
def test_a_size_off_the_grid_is_refused_with_figures(size: tuple[int, int], code: str, words: str) -> None:
    problem = next(size_problems(size, H3_LIKE.geometry, field="size"))
    assert problem.code == code
    assert problem.value == written(size)
    assert written(size) in problem.message
    assert words in problem.message
    assert "The nearest legal size is" in problem.fix


def test_everything_that_is_wrong_with_a_size_is_told() -> None:
    found = [problem.code for problem in size_problems((2000, 400), H3_LIKE.geometry, field="size")]
    assert found == ["size_not_supported", "aspect_not_supported"]
    over = Geometry(multiple=32, max_pixels=1000 * 1000)
    assert len(list(size_problems((1001, 1001), over, field="size"))) == 2


def test_a_list_of_sizes_is_the_only_law() -> None:
    problem = next(size_problems((1280, 720), HOSTED.geometry, field="size"))
    assert "1366x768, 768x768, 768x1366" in problem.message
    assert problem.fix == "The nearest legal size is 1366x768"
    assert legal((768, 1366), HOSTED.geometry)


@pytest.mark.parametrize(
    ("picture", "size"),
    [
        ((736, 992), (768, 1024)),
        ((1920, 1080), (1344, 768)),
        ((1080, 1920), (768, 1344)),
        ((1000, 1000), (768, 768)),
        ((2016, 512), (2016, 512)),
        ((4000, 100), (2016, 512)),
    ],
)
def test_a_model_takes_the_shape_of_the_first_frame(picture: tuple[int, int], size: tuple[int, int]) -> None:
    assert size_for_aspect(H3_LIKE.geometry, *picture) == size


@pytest.mark.parametrize(
    ("picture", "size"), [((736, 992), (720, 970)), ((64, 64), (720, 720)), ((1280, 720), (1280, 720))]
)
def test_the_preview_takes_the_shape_of_the_first_frame(picture: tuple[int, int], size: tuple[int, int]) -> None:
    assert size_for_aspect(animatic_spec().geometry, *picture) == size


@given(SIDES, SIDES, st.integers(16, 4096), st.integers(16, 4096))
def test_a_cropped_picture_covers_the_frame_from_inside_the_source(width: int, height: int, w: int, h: int) -> None:
    fit = fit_plan((width, height), (w, h), Fit.CROP)
    left, top, box_width, box_height = fit.box
    assert left >= 0 and top >= 0
    assert left + box_width <= width * (1 + 1e-9)
    assert top + box_height <= height * (1 + 1e-9)
    assert math.isclose(box_width / box_height, w / h, rel_tol=1e-9)
    assert math.isclose(box_width, width, rel_tol=1e-9) or math.isclose(box_height, height, rel_tol=1e-9)
    assert fit.inside == (0, 0, w, h)
    assert math.isclose(fit.cut_fraction, 1 - box_width * box_height / (width * height), abs_tol=1e-6)


@given(SIDES, SIDES, st.integers(16, 4096), st.integers(16, 4096))
def test_a_padded_picture_is_whole_and_inside_the_frame(width: int, height: int, w: int, h: int) -> None:
    fit = fit_plan((width, height), (w, h), Fit.PAD)
    assert list(fit.box) == [0.0, 0.0, width, height]
    assert fit.cut_fraction == 0
    left, top, inner_width, inner_height = fit.inside
    assert 0 <= left <= left + inner_width <= w
    assert 0 <= top <= top + inner_height <= h
    assert inner_width == w or inner_height == h
    assert inner_width >= 1 and inner_height >= 1
    assert abs((w - inner_width) - 2 * left) <= 1 and abs((h - inner_height) - 2 * top) <= 1


def test_a_portrait_picture_loses_more_of_its_foot_than_of_its_head() -> None:
    fit = fit_plan((1000, 2000), (1280, 720), Fit.CROP)
    _, top, _, height = fit.box
    cut = 2000 - height
    assert math.isclose(top, 0.2 * cut)
    square = fit_plan((512, 512), (1280, 720), Fit.CROP)
    assert square.box[1] < (512 - square.box[3]) / 2


def test_a_landscape_picture_is_cut_evenly() -> None:
    fit = fit_plan((2000, 1000), (1000, 1000), Fit.CROP)
    assert fit.cut_fraction == 0.5
    assert list(fit.box) == [500.0, 0.0, 1000.0, 1000.0]
    assert fit_plan((2000, 1900), (2000, 1000), Fit.CROP).box[1] == 450.0


def test_shapes_that_differ_by_rounding_are_one() -> None:
    assert not fit_differs((1920, 1080), (1280, 720))
    assert not fit_differs((1366, 768), (1280, 720))
    assert fit_differs((640, 480), (1280, 720))
    assert fit_differs((720, 1280), (1280, 720))

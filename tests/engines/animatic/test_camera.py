"""Views stay inside the picture, and are drawn where they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engines.animatic.plan_builder import photo
from triptych.engines.animatic.camera import STILL, Bend, Camera, contain, draw, join, seen, similarity
from triptych.engines.animatic.picture import Picture, from_rgb

SIZES = [(64, 64), (320, 180), (128, 512), (512, 128), (1280, 720)]


def inside(view: np.ndarray, size: tuple[int, int]) -> bool:
    low, high = seen(view, size)
    return bool((low >= -1e-6).all() and (high <= np.array(size) - 1 + 1e-6).all())


@given(
    seed=st.integers(0, 2**40),
    shot=st.integers(0, 20),
    share=st.floats(0, 1),
    pulse=st.floats(0, 1),
    size=st.sampled_from(SIZES),
    wide=st.booleans(),
)
def test_a_camera_never_looks_outside(
    seed: int, shot: int, share: float, pulse: float, size: tuple[int, int], wide: bool
) -> None:
    assert inside(Camera(seed, shot, wide=wide).view(share, size, pulse=pulse), size)


@given(
    scale=st.floats(0.3, 3),
    angle=st.floats(-3, 3),
    shift=st.tuples(st.floats(-2, 2), st.floats(-2, 2)),
    size=st.sampled_from(SIZES),
)
def test_containing_any_view_brings_it_inside(
    scale: float, angle: float, shift: tuple[float, float], size: tuple[int, int]
) -> None:
    assert inside(contain(similarity(size, scale=scale, angle=angle, shift=shift), size), size)


@pytest.mark.parametrize("seed", range(8))
def test_a_move_begins_or_ends_with_the_whole_picture_where_it_must(seed: int) -> None:
    size = (320, 180)
    begins, ends = Camera(seed, 0, begins_whole=True), Camera(seed, 0, ends_whole=True)
    assert np.array_equal(begins.view(0, size), STILL)
    assert not np.array_equal(begins.view(1, size), STILL)
    assert np.array_equal(ends.view(1, size), STILL)
    assert not np.array_equal(ends.view(0, size), STILL)
    assert np.array_equal(begins.view(begins.rest, size), STILL)


def test_seed_and_shot_choose_the_move() -> None:
    views = {tuple(Camera(seed, shot).view(0.5, (320, 180)).ravel()) for seed in range(3) for shot in range(3)}
    assert len(views) == 9


def test_a_pulse_comes_closer() -> None:
    size = (320, 180)
    calm, beat = (np.ptp(seen(Camera(0, 0).view(0.5, size, pulse=pulse), size), axis=0) for pulse in (0.0, 1.0))
    assert (beat < calm).all()


def test_a_view_is_drawn_where_it_says_in_luma_and_chroma() -> None:
    picture = from_rgb(photo((320, 180)))
    moved = draw(picture, similarity((320, 180), shift=(20 / 320, 10 / 180)))
    assert np.array_equal(moved.luma[:150, :280], picture.luma[10:160, 20:300])
    assert np.array_equal(moved.chroma[:75, :140], picture.chroma[5:80, 10:150])
    assert draw(picture, STILL) is picture


def test_bending_by_nothing_is_the_straight_view() -> None:
    picture, size = from_rgb(photo((322, 178))), (322, 178)
    bend = Bend(size)
    nothing = bend.field(np.zeros((5, 9, 2), np.float32))
    view = contain(similarity(size, scale=0.9, angle=0.02), size)
    straight, bent = draw(picture, view), bend.draw(picture, nothing, view)
    for one, other in ((straight.luma, bent.luma), (straight.chroma, bent.chroma)):
        assert np.abs(one.astype(int) - other.astype(int)).max() <= 6
        assert np.abs(one.astype(int) - other.astype(int)).mean() < 0.7


def test_bending_looks_as_far_as_the_field_says() -> None:
    picture, size = from_rgb(photo((320, 180))), (320, 180)
    bend = Bend(size)
    field = bend.field(np.full((6, 10, 2), (8, 0), np.float32))
    moved = bend.draw(picture, field)
    assert np.abs(moved.luma[:, :300].astype(int) - picture.luma[:, 8:308]).max() <= 1


def test_joining_goes_through_the_inner_view_first() -> None:
    size = (100, 100)
    outer, inner = similarity(size, scale=0.5), similarity(size, shift=(0.1, 0))
    point = np.array([3.0, 4.0, 1.0])
    assert join(outer, inner) @ point == pytest.approx(outer @ np.append(inner @ point, 1))


def test_flat_pictures_stay_flat() -> None:
    """A border that was sampled would show as another value."""
    plain = Picture(np.full((180, 320), 90, np.uint8), np.full((90, 160, 2), 100, np.uint8))
    drawn = draw(plain, Camera(3, 1).view(0.7, (320, 180)))
    assert np.unique(drawn.luma).tolist() == [90]
    assert np.unique(drawn.chroma).tolist() == [100]

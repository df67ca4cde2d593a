"""In-betweens of two views of one scene, and the verdict on two scenes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engines.animatic.plan_builder import photo, psnr
from triptych.engines.animatic.morph import Morph
from triptych.engines.animatic.picture import from_rgb, mix


def shifted(pixels: int) -> np.ndarray:
    return np.ascontiguousarray(photo((400, 180), 7)[:, 40 + pixels : 360 + pixels])


def test_a_moved_scene_is_seen_halfway_in_the_middle() -> None:
    one, other, halfway = (from_rgb(shifted(pixels)) for pixels in (0, 16, 8))
    morph = Morph(one, other)
    assert morph.consistent
    assert morph.share > 0.8
    inner = (slice(20, -20), slice(30, -30))
    drawn, dissolved = morph.frame(0.5).luma[inner], mix(one, other, 0.5).luma[inner]
    assert psnr(drawn, halfway.luma[inner]) > psnr(dissolved, halfway.luma[inner]) + 6


def test_both_ends_are_the_pictures_themselves() -> None:
    one, other = from_rgb(shifted(0)), from_rgb(shifted(10))
    morph = Morph(one, other)
    assert morph.frame(0) is one
    assert morph.frame(1) is other
    assert psnr(morph.frame(0.01).luma, one.luma) > 30
    assert psnr(morph.frame(0.99).luma, other.luma) > 30


def test_two_scenes_do_not_correspond() -> None:
    morph = Morph(from_rgb(photo((320, 180), 1)), from_rgb(photo((320, 180), 2)))
    assert not morph.consistent


@pytest.mark.parametrize("size", [(64, 64), (64, 256), (256, 64), (66, 98)])
def test_small_and_narrow_pictures_work(size: tuple[int, int]) -> None:
    picture = from_rgb(photo(size))
    assert Morph(picture, picture).consistent
    assert Morph(picture, picture).frame(0.5).size == size

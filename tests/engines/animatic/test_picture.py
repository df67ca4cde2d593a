"""Pictures in the encoder's own form."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engines.animatic.plan_builder import flat, photo
from triptych.engines.animatic.picture import ease, from_rgb, gradient, mix


@pytest.mark.parametrize(
    ("rgb", "yuv"),
    [
        ((0, 0, 0), (16, 128, 128)),
        ((255, 255, 255), (235, 128, 128)),
        ((255, 0, 0), (63, 102, 240)),
        ((0, 255, 0), (173, 42, 26)),
        ((0, 0, 255), (32, 240, 118)),
    ],
)
def test_colours_are_bt709_limited(rgb: tuple[int, int, int], yuv: tuple[int, int, int]) -> None:
    picture = from_rgb(flat((8, 4), rgb))
    assert (picture.luma[0, 0], *picture.chroma[0, 0]) == pytest.approx(yuv, abs=1)


def test_packing_puts_the_planes_one_after_another() -> None:
    picture = from_rgb(photo((64, 66)))
    packed = picture.pack()
    assert packed.shape == (99, 64)
    planes = packed.reshape(-1)
    assert np.array_equal(planes[: 64 * 66].reshape(66, 64), picture.luma)
    assert np.array_equal(planes[64 * 66 : -32 * 33].reshape(33, 32), picture.chroma[..., 0])
    assert np.array_equal(planes[-32 * 33 :].reshape(33, 32), picture.chroma[..., 1])


def test_a_dissolve_is_exact_at_both_ends_and_between_in_the_middle() -> None:
    dark, light = from_rgb(flat((8, 8), (0, 0, 0))), from_rgb(flat((8, 8), (255, 255, 255)))
    assert mix(dark, light, 0) is dark
    assert mix(dark, light, 1) is light
    assert int(mix(dark, light, 0.5).luma[0, 0]) == pytest.approx((16 + 235) / 2, abs=1)


def test_easing_starts_and_ends_at_rest() -> None:
    assert [ease(share) for share in (-1, 0, 0.5, 1, 2)] == [0, 0, 0.5, 1, 1]
    assert ease(0.01) < 0.001


def test_a_gradient_comes_from_the_words_and_the_seed() -> None:
    one = gradient("a boat", seed=1, size=(64, 36))
    assert np.array_equal(one.luma, gradient("a boat", seed=1, size=(64, 36)).luma)
    assert not np.array_equal(one.luma, gradient("a train", seed=1, size=(64, 36)).luma)
    assert not np.array_equal(one.luma, gradient("a boat", seed=2, size=(64, 36)).luma)
    assert one.luma.std() > 5

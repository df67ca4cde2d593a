from __future__ import annotations

import numpy as np
import pytest

from triptych.media.animation import PixelShot
from triptych.media.shot import Shot
from triptych.testing.media import QUARTERS, corners, quarters


def test_a_shot_gives_its_pixels_at_any_size() -> None:
    shot: Shot = PixelShot(seconds=0.5, length=0.1, rgb=quarters())
    assert np.array_equal(shot.pixels(None, False), quarters())
    for size in [(48, 32), (200, 100)]:
        pixels = shot.pixels(size, False)
        assert pixels.shape == (size[1], size[0], 3)
        assert corners(pixels) == QUARTERS


@pytest.mark.parametrize("size", [None, (12, 8)])
def test_luma_is_one_plane(size: tuple[int, int] | None) -> None:
    luma = PixelShot(seconds=0, length=0, rgb=quarters()).pixels(size, True)
    assert luma.ndim == 2
    assert luma[-1, -1] == 255
    assert luma[0, -1] > luma[0, 0] > luma[-1, 0]

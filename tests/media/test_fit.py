from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from triptych.media.fit import apply_fit
from triptych.task import Fit, FitPlan
from triptych.testing.media import QUARTERS, corners, quarters


def test_a_picture_of_the_frames_size_is_untouched() -> None:
    picture = np.random.default_rng(0).integers(0, 256, (64, 96, 3), np.uint8)
    plan = FitPlan(fit=Fit.CROP, box=(0, 0, 96, 64), inside=(0, 0, 96, 64))
    assert np.array_equal(apply_fit(picture, plan, (96, 64)), picture)


def test_a_crop_takes_its_box() -> None:
    plan = FitPlan(fit=Fit.CROP, box=(48, 0, 48, 32), inside=(0, 0, 96, 64))
    out = apply_fit(quarters(), plan, (96, 64))
    assert out.shape == (64, 96, 3)
    assert corners(out) == (QUARTERS[1],) * 4


def test_a_pad_fills_what_is_free() -> None:
    plan = FitPlan(fit=Fit.PAD, box=(0, 0, 96, 64), inside=(24, 0, 48, 32))
    out = apply_fit(quarters(), plan, (96, 32), background=(9, 8, 7))
    assert (out[:, :24] == (9, 8, 7)).all()
    assert (out[:, 72:] == (9, 8, 7)).all()
    assert corners(out[:, 24:72]) == QUARTERS


def test_shrinking_keeps_the_mean() -> None:
    stripes = np.zeros((128, 128, 3), np.uint8)
    stripes[:, ::2] = 255
    plan = FitPlan(fit=Fit.CROP, box=(0, 0, 128, 128), inside=(0, 0, 32, 32))
    out = apply_fit(stripes, plan, (32, 32))
    assert np.abs(out.astype(int) - 128).max() <= 1


@given(
    width=st.integers(1, 40),
    height=st.integers(1, 40),
    corner=st.tuples(st.floats(0, 0.9), st.floats(0, 0.9)),
    share=st.tuples(st.floats(0.05, 1), st.floats(0.05, 1)),
)
def test_any_box_inside_the_picture_fills_the_frame(
    width: int, height: int, corner: tuple[float, float], share: tuple[float, float]
) -> None:
    left, top = corner[0] * width, corner[1] * height
    box = (left, top, (width - left) * share[0], (height - top) * share[1])
    plan = FitPlan(fit=Fit.CROP, box=box, inside=(0, 0, 16, 8))
    assert apply_fit(np.full((height, width, 3), 77, np.uint8), plan, (16, 8)).tolist() == [[[77] * 3] * 16] * 8


@pytest.mark.parametrize(
    ("box", "inside"),
    [((0, 0, 97, 64), (0, 0, 96, 64)), ((0, 0, 96, 64), (1, 0, 96, 64)), ((-1, 0, 5, 5), (0, 0, 9, 9))],
)
def test_what_lies_outside_is_refused(
    box: tuple[float, float, float, float], inside: tuple[int, int, int, int]
) -> None:
    with pytest.raises(ValueError, match="is not inside"):
        apply_fit(quarters(), FitPlan(fit=Fit.CROP, box=box, inside=inside), (96, 64))

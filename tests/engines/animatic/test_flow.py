"""Where points went, and looking things up there."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engines.animatic.plan_builder import photo
from triptych.engines.animatic.flow import Flow, look, places, stretch


@pytest.mark.parametrize("fine", [False, True])
def test_flow_finds_a_shift(fine: bool) -> None:
    wide = photo((400, 200))[..., 1]
    one, other = np.ascontiguousarray(wide[10:190, 40:360]), np.ascontiguousarray(wide[13:193, 35:355])
    flow = Flow(fine=fine).between(one, other)
    assert flow.shape == (180, 320, 2)
    assert np.median(flow[20:-20, 20:-20], axis=(0, 1)) == pytest.approx([5, -3], abs=0.3)


def test_looking_at_each_own_place_changes_nothing() -> None:
    plane = photo((64, 36))[..., 0].copy()
    assert np.array_equal(look(plane, places((64, 36))), plane)


def test_looking_outside_sees_the_edge() -> None:
    plane = np.arange(12, dtype=np.uint8).reshape(3, 4)
    points = np.array([[[-5, 0], [9, 2]]], np.float32)
    assert look(plane, points).tolist() == [[0, 11]]


def test_stretching_keeps_values() -> None:
    assert stretch(np.full((3, 4, 2), 2.5, np.float32), (40, 30)).tolist() == np.full((30, 40, 2), 2.5).tolist()

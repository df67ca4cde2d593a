from __future__ import annotations

import numpy as np
import pytest

from triptych.media.turn import SIDEWAYS, TURNS, matrix_orientation, turned_note, upright
from triptych.testing.media import QUARTERS, corners, quarters

_ONE = 0x10000


@pytest.mark.parametrize("orientation", sorted(TURNS))
def test_each_turn_follows_from_its_degrees_and_mirror(orientation: int) -> None:
    stored = quarters()
    rotation, mirrored = TURNS[orientation]
    expected = np.rot90(stored, -rotation // 90)
    if mirrored:
        expected = expected[:, ::-1]
    turned = upright(stored, orientation)
    assert np.array_equal(turned, expected)
    assert turned.flags.c_contiguous
    assert (turned.shape[:2] == (96, 64)) == (orientation in SIDEWAYS)


def test_upright_pictures_stay_as_they_are() -> None:
    assert corners(upright(quarters(), 1)) == QUARTERS
    assert turned_note(1) == ""


def test_notes_say_what_was_done() -> None:
    assert turned_note(6) == "stored sideways, turned 90° clockwise to be upright"
    assert turned_note(3) == "stored upside down, turned upside down to be upright"
    assert "mirrored" in turned_note(2)


def test_a_matrix_of_no_quarter_turn_is_none() -> None:
    assert matrix_orientation((0, _ONE, 0, -_ONE, 0, 0, 0, 0, 0)) == 6
    assert matrix_orientation((46_341, 46_341, 0, -46_341, 46_341, 0, 0, 0, 0)) is None
    assert matrix_orientation((0,) * 9) is None

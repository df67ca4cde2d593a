"""The camera of a clip is followed, cuts are noticed, and what comes out stays within reach."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence

import numpy as np
import pytest

from tests.engines.animatic.plan_builder import panned, photo
from triptych.engines.animatic.camera import contain, seen
from triptych.engines.animatic.motion import REST_SECONDS, Motion, flow_size, view_of

SIZE = (320, 180)


def followed(frames: Sequence[np.ndarray], *, gain: float = 1.0, fps: float = 24.0) -> Motion:
    gray = [np.ascontiguousarray(frame[..., 1]) for frame in frames]
    motion = Motion(SIZE, io.BytesIO(), shape=9 / 16, gain=gain)
    times = list(motion.follow((number / fps, frame) for number, frame in enumerate(gray)))
    assert len(times) == motion.frames == len(frames)
    return motion


def across(motion: Motion, frames: int, fps: float = 24.0) -> np.ndarray:
    """How far the content moves to the right in each frame, in widths."""
    places = [motion.at(number / fps)[0][0] for number in range(frames)]
    return -np.diff(places)


def test_a_pan_is_followed() -> None:
    shifts = [18 * math.sin(number / 5) for number in range(48)]
    moved = across(followed(panned(SIZE, shifts)), 48)
    wanted = np.diff(shifts) / SIZE[0]
    assert np.corrcoef(moved, wanted)[0, 1] > 0.95
    assert np.polyfit(wanted, moved, 1)[0] == pytest.approx(1, abs=0.15)


def test_a_long_pan_keeps_its_shape_within_reach() -> None:
    shifts = [150 * math.sin(number / 12) for number in range(96)]
    motion = followed(panned(SIZE, shifts))
    moved = across(motion, 96)
    assert np.corrcoef(moved, np.diff(shifts))[0, 1] > 0.9
    assert max(abs(motion.at(number / 24)[0][0]) for number in range(96)) <= 0.081
    assert 1 < motion.room <= 1.25


def test_gain_scales_the_motion() -> None:
    frames = panned(SIZE, [8 * math.sin(number / 5) for number in range(36)])
    full, half = (across(followed(frames, gain=gain), 36) for gain in (1.0, 0.5))
    assert np.abs(half).sum() == pytest.approx(np.abs(full).sum() / 2, rel=0.1)


def test_a_still_clip_moves_nothing() -> None:
    motion = followed([photo(SIZE)] * 12)
    place, sway = motion.at(0.25)
    assert np.abs(place).max() < 1e-4
    assert np.abs(sway).max() < 1e-4
    assert motion.room == pytest.approx(1, abs=1e-3)


def test_a_cut_is_noticed_and_jumps_nowhere() -> None:
    shifts = [10 * math.sin(number / 5) for number in range(24)]
    motion = followed([*panned(SIZE, shifts, seed=1), *panned(SIZE, shifts, seed=2)])
    assert motion.cuts == 1
    assert np.abs(across(motion, 48)).max() < 0.02


def test_motion_dies_away_after_the_clip() -> None:
    motion = followed(panned(SIZE, [number * 0.8 for number in range(24)]))
    sizes = [abs(motion.at(1 + share * REST_SECONDS)[0][0]) for share in (0, 0.3, 0.6, 1, 5)]
    assert sizes[0] > 0.02
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-2:] == [0, 0]


def test_sway_is_bounded_and_never_pulls_in_the_edge() -> None:
    """A part that moves by itself, over a still ground."""
    ground, thing = photo(SIZE, 3), photo((90, 80), 4)
    frames = []
    for number in range(16):
        frame = ground.copy()
        frame[50:130, 100 + 4 * number : 190 + 4 * number] = thing
        frames.append(frame)
    motion = followed(frames)
    sways = [motion.at(number / 24)[1] for number in range(16)]
    assert 0.002 < max(float(np.abs(sway).max()) for sway in sways) <= 0.031
    assert max(float(np.abs(sway[[0, -1]]).max()) for sway in sways) < 0.01


def test_a_single_frame_is_a_clip_too() -> None:
    assert followed([photo(SIZE)]).at(0)[0].tolist() == [0, 0, 0, 0]


def test_where_the_motion_leads_is_inside_the_picture() -> None:
    motion = followed(panned(SIZE, [60 * math.sin(number / 6) for number in range(48)]))
    size = (640, 360)
    for number in range(48):
        view = view_of(motion.at(number / 24)[0], motion.room, size)
        assert np.allclose(view, contain(view, size), atol=0.5)
        low, high = seen(view, size)
        assert (low > -1).all()
        assert (high < np.array(size)).all()


@pytest.mark.parametrize(
    ("clip", "size"),
    [((1920, 1080), (320, 180)), ((1080, 1920), (180, 320)), ((200, 100), (200, 100)), ((4000, 64), (320, 32))],
)
def test_clips_are_followed_small_and_in_their_own_shape(clip: tuple[int, int], size: tuple[int, int]) -> None:
    assert flow_size(*clip) == size

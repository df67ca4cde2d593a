"""Sound laid on the tape is where it was put."""

from __future__ import annotations

import io

import numpy as np
import pytest

from triptych.engines.animatic.tape import Tape
from triptych.media.encode import samples_until


def ones(samples: int, level: float = 0.5) -> np.ndarray:
    return np.full((2, samples), level, np.float32)


def whole(tape: Tape, frames: int, fps: int) -> np.ndarray:
    return np.concatenate([tape.read(number, fps) for number in range(frames)], axis=1)


def test_a_new_tape_is_silent_and_as_long_as_it_says() -> None:
    tape = Tape(io.BytesIO(b"\0" * 8 * 4000), 4000)
    assert whole(tape, 2, 24).tolist() == np.zeros((2, 4000)).tolist()


def test_sound_lies_where_it_was_laid_and_adds_up() -> None:
    tape = tape_of(24, 24)
    assert [place for place, _ in tape.lay([ones(3000), ones(3000)], at=1000, most=6000)] == [1000, 4000]
    list(tape.lay([ones(2000, 0.25)], at=3000, most=2000))
    sound = whole(tape, 24, 24)[0]
    assert sound.shape == (48_000,)
    assert np.abs(sound[:1000]).max() == 0
    assert sound[2000] == 0.5
    assert sound[4000] == 0.75
    assert np.abs(sound[7000:]).max() == 0


def test_edges_fade_over_5_ms_and_no_more_is_laid_than_asked() -> None:
    tape = tape_of(24, 24)
    list(tape.lay([ones(40_000)], at=0, most=10_000))
    sound = whole(tape, 24, 24)[0]
    assert 0 < sound[0] < 0.01
    assert sound[240] == 0.5
    assert 0 < sound[9_999] < 0.01
    assert np.abs(sound[10_000:]).max() == 0


def test_what_lies_beyond_the_end_is_left_out() -> None:
    tape = tape_of(2, 24)
    list(tape.lay([ones(40_000)], at=3000, most=40_000))
    assert whole(tape, 2, 24).shape == (2, 4000)


def test_ducking_turns_down_what_lies_there() -> None:
    tape = tape_of(72, 24)
    list(tape.lay([ones(144_000)], at=0, most=144_000))
    tape.duck([(60_000, 80_000)])
    sound = whole(tape, 72, 24)[0]
    assert sound[40_000] == 0.5
    assert sound[60_000:80_000] == pytest.approx(np.full(20_000, 0.125))
    assert sound[100_000] == 0.5
    assert np.abs(np.diff(sound[1000:-1000])).max() < 0.001, "it goes down and comes back without a click"


def test_measuring_finds_level_and_peak_per_frame() -> None:
    tape = tape_of(10, 24)
    list(tape.lay([ones(4000, 1.25)], at=samples_until(4, 24), most=4000))
    levels, peak = tape.measure(10, 24)
    assert peak == 1.25
    assert levels[4] > 1
    assert levels[[0, 3, 6, 9]].tolist() == [0, 0, 0, 0]


def tape_of(frames: int, fps: int) -> Tape:
    samples = samples_until(frames, fps)
    return Tape(io.BytesIO(b"\0" * 8 * samples), samples)

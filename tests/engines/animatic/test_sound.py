"""What is laid down, what is spoken over it, and how it drives the picture."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from tests.engines.animatic.plan_builder import RATE_HZ, Job, photo, tone
from triptych.engines.animatic.ledger import Ledger
from triptych.engines.animatic.scene import scene_of
from triptych.engines.animatic.sound import envelope, lay_sound
from triptych.engines.animatic.tape import Tape
from triptych.media import voice
from triptych.media.encode import samples_until
from triptych.task import Spoken


def laid(job: Job) -> tuple[np.ndarray, list[dict[str, str]], list[dict[str, object]]]:
    """The whole sound, the warnings, and the receipts."""
    samples = samples_until(job.num_frames, job.fps)
    tape = Tape(io.BytesIO(b"\0" * 8 * samples), samples)
    with Ledger() as ledger:
        warnings = [each for each in lay_sound(scene_of(job.plan(), str(job.folder)), tape, ledger) if each]
        report = ledger.report()
    return np.concatenate([tape.read(n, job.fps) for n in range(job.num_frames)], axis=1), warnings, report


def level(wave: np.ndarray, start: float, end: float) -> float:
    return float(np.sqrt(np.mean(wave[:, round(start * RATE_HZ) : round(end * RATE_HZ)] ** 2)))


def test_sounds_follow_one_another_and_a_soundtrack_its_clip(tmp_path: Path) -> None:
    job = Job(tmp_path, num_frames=48)
    job.sound(tone(0.5)).clip([photo((64, 36))] * 24).clip([photo((64, 36))] * 24)
    job.sound(tone(0.5), soundtrack_of="reference_videos[1]")
    wave, _, report = laid(job)
    assert level(wave, 0.01, 0.49) == pytest.approx(0.35, abs=0.02)
    assert level(wave, 0.51, 0.99) == 0
    assert level(wave, 1.01, 1.49) == pytest.approx(0.35, abs=0.02)
    assert level(wave, 1.51, 1.99) == 0
    wheres = {str(each["slot"]): each["where"] for each in report}
    assert wheres == {
        "reference_audio[0]": "sound at 0.000-0.500 s",
        "soundtrack[0]": "sound at 1.000-1.500 s",
    }


def test_a_clips_own_sound_is_heard_only_when_asked_for(tmp_path: Path) -> None:
    for use, expected in ((False, 0.0), (True, 0.35)):
        folder = tmp_path / str(use)
        folder.mkdir()
        job = Job(folder, num_frames=24).clip([photo((64, 36))] * 24, sound=tone(1.0), use_sound=use)
        wave, _, _ = laid(job)
        assert level(wave, 0.1, 0.9) == pytest.approx(expected, abs=0.02)


def test_lines_are_spoken_one_after_another_over_ducked_sound(tmp_path: Path) -> None:
    lines = ("Fail again.", "Fail better.")
    lengths = [len(voice.speak(line)) / RATE_HZ for line in lines]
    job = Job(tmp_path, num_frames=120, lines=tuple(Spoken(text=line, seconds=1) for line in lines)).sound(tone(5.0))
    music, _, _ = laid(Job(tmp_path, num_frames=120).sound(tone(5.0)))
    both, warnings, _ = laid(job)
    assert warnings == []
    second = 0.5 + lengths[0] + 0.25
    for start, line in ((0.5, lines[0]), (second, lines[1])):
        said = voice.speak(line)
        place = round(start * RATE_HZ)
        inner = slice(place + 480, place + len(said) - 480)
        assert both[0, inner] - 0.25 * music[0, inner] == pytest.approx(said[480:-480], abs=1e-4)
    assert np.array_equal(both[:, : round(0.34 * RATE_HZ)], music[:, : round(0.34 * RATE_HZ)])
    after = round((second + lengths[1] + 0.3) * RATE_HZ)
    assert np.array_equal(both[:, after:], music[:, after:])


def test_a_line_that_cannot_be_pronounced_is_reported(tmp_path: Path) -> None:
    _, warnings, _ = laid(Job(tmp_path, lines=(Spoken(text="...", seconds=1), Spoken(text="hello", seconds=1))))
    assert [(each["code"], each["field"]) for each in warnings] == [("line_not_spoken", "prompt")]
    assert '"..."' in warnings[0]["message"]


def test_without_a_voice_nothing_is_spoken_and_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voice, "available", lambda: False)
    wave, warnings, _ = laid(Job(tmp_path, lines=(Spoken(text="hello", seconds=1),)))
    assert not wave.any()
    assert "triptych[speech]" in warnings[0]["message"]


def test_a_beat_rises_at_once_and_falls_slowly() -> None:
    levels = np.full(96, 0.02)
    levels[24:30] = levels[60:66] = 0.5
    beat = envelope(levels, 24)
    assert beat[:24].max() < 0.05
    assert beat[25] > 0.7
    assert 0.2 < beat[33] < beat[30] < beat[29]
    assert beat[55] < 0.05


def test_a_steady_sound_and_silence_have_no_beat() -> None:
    assert envelope(np.zeros(48), 24).max() == 0
    wavering = 0.3 + np.random.default_rng(0).normal(0, 0.001, 96)
    assert envelope(wavering, 24).max() < 0.1


def test_the_beat_depends_on_time_and_not_on_the_frame_rate() -> None:
    def at(fps: int) -> float:
        levels = np.full(4 * fps, 0.02)
        levels[fps : fps * 5 // 4] = 0.5
        return float(envelope(levels, fps)[round(1.4 * fps)])

    assert at(24) == pytest.approx(at(60), abs=0.1)

"""Inputs are read through the hashed handle, in their part only, and what went in is noted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.engines.animatic.plan_builder import Job, flat, photo, tone
from triptych.engines.animatic.ledger import Ledger
from triptych.engines.animatic.picture import from_rgb
from triptych.engines.animatic.scene import GRADIENT, Scene, scene_of
from triptych.engines.animatic.source import gray_frames, pictures_of, sound_of
from triptych.task import Fit, Role

SIZE = (128, 72)


def scene(job: Job) -> Scene:
    return scene_of(job.plan(), str(job.folder))


def job(folder: Path) -> Job:
    return Job(folder, size=SIZE)


def test_pictures_come_fitted_and_in_order(tmp_path: Path) -> None:
    same, wide = photo(SIZE, 1), photo((200, 72), 2)
    made = scene(job(tmp_path).picture(wide, Role.LAST_FRAME, Fit.PAD).picture(same).picture(same, Role.FIRST_FRAME))
    with Ledger() as ledger:
        found = dict(pictures_of(made, ledger))
        report = {each["slot"]: each for each in ledger.report()}
    assert list(found) == ["first_frame", "reference_images[0]", "last_frame"]
    assert np.array_equal(found["first_frame"].luma, from_rgb(same).luma)
    assert found["last_frame"].luma[0, 0] == 16, "padding is black"
    assert report["first_frame"]["used_sha256"] == found["first_frame"].sha256()


def test_without_a_still_each_clip_lends_the_first_frame_of_its_part(tmp_path: Path) -> None:
    frames = [flat(SIZE, (255, 0, 0))] * 12 + [flat(SIZE, (0, 0, 255))] * 12
    made = scene(job(tmp_path).clip(frames, start=0.5, seconds=0.5))
    with Ledger() as ledger:
        [(key, picture)] = pictures_of(made, ledger)
    assert key == "reference_videos[0]"
    assert (int(picture.luma[9, 9]), *picture.chroma[9, 9].tolist()) == pytest.approx((32, 240, 118), abs=4)


def test_without_anything_there_is_a_gradient(tmp_path: Path) -> None:
    with Ledger() as ledger:
        assert [key for key, _ in pictures_of(scene(job(tmp_path)), ledger)] == [GRADIENT]


def test_gray_frames_are_those_of_the_part_at_no_more_than_the_videos_rate(tmp_path: Path) -> None:
    frames = [flat(SIZE, (number, number, number)) for number in range(0, 240, 4)]
    clip = scene(job(tmp_path).clip(frames, fps=48, start=0.5, seconds=0.5)).of_kind("clip")[0]
    with Ledger() as ledger:
        found = list(gray_frames(clip, ledger, fps=24))
        used = ledger.report()[0]["used_sha256"]
    assert [seconds for seconds, _ in found] == pytest.approx([number / 24 for number in range(12)])
    assert float(found[0][1].mean()) == pytest.approx(96, abs=6)
    assert len(used) == 64


def test_a_slow_clip_keeps_its_own_frames(tmp_path: Path) -> None:
    clip = scene(job(tmp_path).clip([photo(SIZE)] * 10, fps=10)).of_kind("clip")[0]
    with Ledger() as ledger:
        assert [seconds for seconds, _ in gray_frames(clip, ledger, fps=24)] == pytest.approx(
            [n / 10 for n in range(10)]
        )


def test_sound_comes_from_its_part_of_a_file_or_of_a_clip(tmp_path: Path) -> None:
    wave = tone(1.0, bursts=[(0.5, 0.75)])
    made = scene(job(tmp_path).clip([photo(SIZE)] * 24, sound=wave, use_sound=True, start=0.5).sound(wave, start=0.25))
    with Ledger() as ledger:
        clip, audio = (np.concatenate(list(sound_of(each, ledger)), axis=1) for each in made.inputs)
    assert clip.shape[1] == pytest.approx(24_000, abs=1)
    assert np.abs(clip[:, 100:11_900]).mean() > 0.2
    assert np.abs(clip[:, 12_100:]).max() < 0.01
    assert np.abs(audio[:, :11_900]).max() < 0.01
    assert np.abs(audio[:, 12_100:23_900]).mean() > 0.2

"""Where everything lies on the timeline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.engines.animatic.plan_builder import Job, photo, tone
from triptych.engines.animatic.scene import FADE_FRAMES, Scene, clip_shots, scene_of, shots
from triptych.task import Fit, Role, Spoken

PICTURE = photo((64, 36))


def test_a_scene_survives_json(tmp_path: Path) -> None:
    job = Job(tmp_path, lines=(Spoken(text="hello", seconds=0.4),), options={"camera": "still"})
    job.picture(PICTURE, Role.FIRST_FRAME, Fit.PAD).clip([PICTURE] * 12).sound(tone(0.5))
    scene = scene_of(job.plan(), str(tmp_path))
    assert Scene.from_json(json.loads(json.dumps(scene.as_json()))) == scene
    assert scene.camera == "still"


def test_clips_and_sounds_lie_one_after_another_and_a_soundtrack_with_its_clip(tmp_path: Path) -> None:
    job = Job(tmp_path)
    job.clip([PICTURE] * 12).sound(tone(0.3)).clip([PICTURE] * 24, start=0.25, seconds=0.5).sound(tone(0.4))
    job.sound(tone(0.5), soundtrack_of="reference_videos[1]")
    inputs = scene_of(job.plan(), str(tmp_path)).inputs
    assert [(each.kind, each.at_seconds) for each in inputs] == [
        ("clip", 0), ("audio", 0), ("clip", 0.5), ("audio", 0.3), ("soundtrack", 0.5),
    ]  # fmt: skip
    assert (inputs[2].start_seconds, inputs[2].seconds) == (0.25, 0.5)


@pytest.mark.parametrize("frames", [1, 2, 3, 7, 100, 101, 1000])
@pytest.mark.parametrize("count", [1, 2, 3, 7, 11])
def test_shots_cover_every_frame_once_without_drift(frames: int, count: int) -> None:
    if count > frames:
        return
    found = shots([str(number) for number in range(count)], frames)
    assert [shot.start for shot in found] == [0, *(shot.end for shot in found[:-1])]
    assert found[-1].end == frames
    assert all(shot.end - shot.start >= 1 for shot in found)
    assert all(abs(shot.start - index * frames / count) <= 0.5 for index, shot in enumerate(found))
    assert all(shot.fade <= min(FADE_FRAMES, (shot.end - shot.start) // 2) for shot in found)
    assert found[-1].fade == 0


def test_clips_that_lend_pictures_hold_until_the_next_one(tmp_path: Path) -> None:
    job = Job(tmp_path)
    job.clip([PICTURE] * 12).clip([PICTURE] * 24)
    clips = scene_of(job.plan(), str(tmp_path)).of_kind("clip")
    assert [(shot.start, shot.end) for shot in clip_shots(clips, 48, 24)] == [(0, 12), (12, 48)]

"""Which picture a frame shows, and what moves it."""

from __future__ import annotations

import io
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.engines.animatic.plan_builder import Job, flat, panned, photo, psnr
from triptych.engines.animatic.ledger import Ledger
from triptych.engines.animatic.motion import Motion
from triptych.engines.animatic.picture import Picture
from triptych.engines.animatic.scene import pinned_frames, scene_of
from triptych.engines.animatic.source import pictures_of
from triptych.engines.animatic.stage import Drive, Stage
from triptych.task import Role

SIZE = (320, 180)
FRAMES = 48


def drawn(
    job: Job, *, beat: np.ndarray | None = None, drives: list[Drive] | None = None
) -> tuple[list[Picture], dict[str, str], Stage]:
    """Every frame, where each input was seen, and the stage."""
    scene = scene_of(job.plan(), str(job.folder))
    with Ledger() as ledger:
        pictures = dict(pictures_of(scene, ledger))
        for clip in scene.of_kind("clip"):
            ledger.open(clip)
        stage = Stage(scene, pictures, drives or [], np.zeros(job.num_frames) if beat is None else beat, ledger)
        frames = [stage.frame(number) for number in range(job.num_frames)]
        return frames, {each["slot"]: each["where"] for each in ledger.report()}, stage


def drive(shifts: list[float], start: float = 0.0) -> Drive:
    motion = Motion(SIZE, io.BytesIO(), shape=9 / 16)
    gray = [np.ascontiguousarray(frame[..., 1]) for frame in panned(SIZE, shifts)]
    list(motion.follow((number / 24, frame) for number, frame in enumerate(gray)))
    return Drive(key="reference_videos[0]", motion=motion, start=start, end=start + len(shifts) / 24)


def with_clip(folder: Path) -> Job:
    return Job(folder, size=SIZE, num_frames=FRAMES).clip([photo((64, 36))] * 24)


def test_first_and_last_frame_are_the_pictures_themselves(tmp_path: Path) -> None:
    one, other = photo(SIZE, 1), photo(SIZE, 2)
    job = Job(tmp_path, size=SIZE).picture(one, Role.FIRST_FRAME).picture(other, Role.LAST_FRAME)
    job.clip([photo((64, 36))] * 48)
    shifts = [15 * math.sin(n / 4) for n in range(48)]
    frames, *_ = drawn(job, beat=np.ones(FRAMES), drives=[drive(shifts)])
    scene = scene_of(job.plan(), "")
    with Ledger() as ledger:
        pictures = dict(pictures_of(scene, ledger))
    assert pinned_frames(scene) == (0, FRAMES - 1)
    assert np.array_equal(frames[0].luma, pictures["first_frame"].luma)
    assert np.array_equal(frames[-1].luma, pictures["last_frame"].luma)
    assert psnr(frames[1].luma, frames[0].luma) > 24, "the motion starts gently"
    assert psnr(frames[-2].luma, frames[-1].luma) > 24, "and comes to rest"


def test_shots_show_their_pictures_in_order_and_dissolve(tmp_path: Path) -> None:
    job = Job(tmp_path, size=SIZE, num_frames=72)
    for colour in ((255, 0, 0), (0, 255, 0), (0, 0, 255)):
        job.picture(flat(SIZE, colour))
    frames, where, _ = drawn(job)
    lumas = [int(frame.luma[90, 160]) for frame in frames]
    assert lumas[:18] == [63] * 18
    assert lumas[24:42] == [173] * 18
    assert lumas[48:] == [32] * 24
    assert 63 < lumas[20] < lumas[22] < 173
    assert where["reference_images[1]"] == "shot 2, frames 18-47"


def test_the_camera_moves_over_a_still_unless_it_is_told_not_to(tmp_path: Path) -> None:
    frames, _, _ = drawn(Job(tmp_path, size=SIZE, options={"camera": "auto"}).picture(photo(SIZE)))
    still, _, _ = drawn(Job(tmp_path, size=SIZE, options={"camera": "still"}).picture(photo(SIZE)))
    assert not np.array_equal(frames[5].luma, frames[40].luma)
    assert np.array_equal(still[5].luma, still[40].luma)


def test_corresponding_frames_are_morphed_and_others_dissolve(tmp_path: Path) -> None:
    wide = photo((400, 180), 7)
    for name, last, shots in (("morph", wide[:, 56:376], 1), ("cut", photo(SIZE, 99), 2)):
        folder = tmp_path / name
        folder.mkdir()
        job = Job(folder, size=SIZE).picture(wide[:, 40:360].copy(), Role.FIRST_FRAME)
        _, where, _ = drawn(job.picture(last.copy(), Role.LAST_FRAME))
        assert f"shot {shots}" in where["last_frame"]
        assert "shot 1" in where["first_frame"]


def test_a_last_frame_alone_is_approached(tmp_path: Path) -> None:
    frames, where, _ = drawn(Job(tmp_path, size=SIZE).picture(photo(SIZE), Role.LAST_FRAME))
    distances = [psnr(frame.luma, frames[-1].luma) for frame in frames]
    assert distances[0] < distances[24] < distances[40] <= distances[47] == 99
    assert where["last_frame"] == "shot 1, frames 0-46; frame 47"


def test_a_beat_comes_closer(tmp_path: Path) -> None:
    beat = np.zeros(FRAMES)
    beat[20] = 1.0
    job = Job(tmp_path, size=SIZE, options={"camera": "still"}).picture(photo(SIZE))
    frames, _, _ = drawn(job, beat=beat)
    assert np.array_equal(frames[19].luma, frames[21].luma)
    assert not np.array_equal(frames[20].luma, frames[19].luma)


def test_a_clip_drives_the_picture_and_the_own_camera_rests(tmp_path: Path) -> None:
    still = drive([0.0] * 24)
    frames, where, _ = drawn(with_clip(tmp_path).picture(photo(SIZE)), drives=[still])
    assert all(np.array_equal(frames[0].luma, frame.luma) for frame in frames[1:23])
    assert not np.array_equal(frames[24].luma, frames[47].luma), "after the clip the camera moves again"
    assert where["reference_videos[0]"] == "camera of frames 0-23"


def test_motion_eases_to_rest_after_its_clip(tmp_path: Path) -> None:
    job = with_clip(tmp_path).picture(photo(SIZE))
    job.options = {"camera": "still"}
    frames, _, _ = drawn(job, drives=[drive([n * 0.7 for n in range(24)])])
    rest = frames[-1].luma
    assert np.array_equal(frames[44].luma, rest)
    assert not np.array_equal(frames[26].luma, rest)
    steps = [psnr(one.luma, other.luma) for one, other in pairwise(frames[24:45])]
    assert min(steps) > 20, "nothing jumps"


@pytest.mark.parametrize("before", [0, 8])
def test_a_clip_of_which_one_frame_is_free_still_moves_it(tmp_path: Path, before: int) -> None:
    """The last frame is pinned, and all else of the clip is the frame that its motion starts from."""
    frames = []
    for way in (1, -1):
        folder = tmp_path / str(way)
        folder.mkdir()
        job = Job(folder, size=SIZE, fps=8, num_frames=before + 2).picture(photo(SIZE), Role.LAST_FRAME)
        job.clip([photo((64, 36))] * 6)
        moving = drive([way * 3.0 * n for n in range(6)], start=before / 8)
        pictures, where, _ = drawn(job, drives=[moving])
        frames.append(pictures)
        assert where["reference_videos[0]"] == f"camera of frame {before}"
    assert np.array_equal(frames[0][before + 1].luma, frames[1][before + 1].luma), "the pinned frame"
    assert not np.array_equal(frames[0][before].luma, frames[1][before].luma), "another motion looks otherwise"


def test_without_any_picture_the_gradient_moves(tmp_path: Path) -> None:
    frames, where, _ = drawn(Job(tmp_path, size=SIZE))
    assert where == {}
    assert not np.array_equal(frames[0].luma, frames[24].luma)


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_very_short_videos_are_drawn(tmp_path: Path, frames: int) -> None:
    job = Job(tmp_path, size=(64, 64), num_frames=frames)
    for number in range(frames):
        job.picture(photo((64, 64), number), Role.FIRST_FRAME if number == 0 else Role.REFERENCE)
    found, where, _ = drawn(job)
    assert len(found) == frames
    assert all(where.values())
    assert len(where) == frames

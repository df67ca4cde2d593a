"""A clip is gone on from: shown whole and heard, then continued from its last frame; judged by what is decoded back."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from itertools import pairwise
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from tests.engines.animatic.plan_builder import Pixels, Wave, loudness, panned, photo, psnr, tone, write_clip
from triptych.errors import InvalidRequest
from triptych.media.fetch import Policy
from triptych.media.voice import available
from triptych.run import execute, prepare
from triptych.studio import Studio
from triptych.task import Modality, PathSource, Plan, Reference, Request, Result, Role, Task
from triptych.testing.media import picture_bytes

SIZE = (320, 180)


def given(path: Path, role: Role = Role.INPUT, field: str = "--extend", **more: Any) -> Reference:
    return Reference(role=role, source=PathSource(str(path)), field=field, **more)


def asked(*references: Reference, prompt: str = "and on", **more: Any) -> Request:
    return Request(prompt=prompt, engine="animatic", references=references, **more)


def made(request: Request, folder: Path, name: str = "made.mp4") -> tuple[Plan, Result, Path]:
    """The plan, the result, and the video at a place of ours."""

    async def run() -> tuple[Plan, Result]:
        async with Studio(policy=Policy(roots=None, max_bytes=64 << 20)) as studio:
            plan = await prepare(request, studio)
            async with aclosing(execute(plan, studio)) as events:
                async for event in events:
                    if isinstance(event, Result):
                        Path(event.outputs[0].path).rename(folder / name)
                        return plan, event
        raise AssertionError("no result")

    plan, result = asyncio.run(run())
    return plan, result, folder / name


def refused(request: Request) -> list[tuple[str, str]]:
    async def run() -> None:
        async with Studio(policy=Policy(roots=None, max_bytes=64 << 20)) as studio:
            await prepare(request, studio)

    with pytest.raises(InvalidRequest) as caught:
        asyncio.run(run())
    return [(problem.code, problem.field) for problem in caught.value.problems]


def frames_of(path: Path) -> list[Pixels]:
    with av.open(str(path)) as container:
        return [np.asarray(frame.to_ndarray(format="rgb24"), np.uint8) for frame in container.decode(video=0)]


def sound_of(path: Path) -> Wave:
    with av.open(str(path)) as container:
        return np.concatenate([frame.to_ndarray() for frame in container.decode(audio=0)], axis=1)


def chirp(seconds: float) -> Wave:
    """A rising tone: no part of it is like another."""
    moments = np.arange(round(seconds * 48_000)) / 48_000
    wave = (0.4 * np.sin(2 * np.pi * (200 * moments + 300 * moments**2))).astype(np.float32)
    return np.stack([wave, wave])


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seconds that move, at 24 frames a second, with a rising tone."""
    path = tmp_path_factory.mktemp("clip") / "clip.mkv"
    write_clip(path, panned(SIZE, [1.5 * number for number in range(48)]), fps=24, sound=chirp(2.0))
    return path


def test_the_clip_is_whole_and_goes_on_from_its_last_frame(clip: Path, tmp_path: Path) -> None:
    plan, result, path = made(asked(given(clip), seconds=1.5), tmp_path)
    assert plan.task is Task.EXTEND
    assert (plan.settings.width, plan.settings.height, plan.settings.fps) == (*SIZE, 24)
    assert (plan.settings.num_frames, result.outputs[0].probe.seconds) == (48 + 36, 3.5)
    before, after = frames_of(clip), frames_of(path)
    assert len(after) == 84
    assert min(psnr(one, other) for one, other in zip(before, after, strict=False)) > 34
    steps = [psnr(one, other) for one, other in pairwise(after[46:])]
    assert psnr(after[47], after[48]) > 34, "what is new begins with the clip's last frame"
    assert min(steps[1:]) > min(steps[0], 28), "and nothing jumps afterwards"
    assert psnr(after[48], after[-1]) < 30, "but it does go on"


def test_its_sound_is_heard_with_it_and_not_again(clip: Path, tmp_path: Path) -> None:
    _, result, path = made(asked(given(clip), seconds=1.0), tmp_path)
    before, after = sound_of(clip).astype(np.float64) / 32768, sound_of(path)
    assert after.shape[1] == 3 * 48_000
    mono = before.reshape(-1, 2).T if before.shape[0] == 1 else before
    assert np.corrcoef(mono[0, 4800:91_200], after[0, 4800:91_200])[0, 1] > 0.99
    assert loudness(after, 2.1, 3.0) < 1e-3
    (receipt,) = result.receipts
    assert (receipt.slot, receipt.uses) == ("input", ("picture", "sound"))
    assert receipt.where.startswith("shown whole, frames 0-47; frame 48; ")
    assert receipt.where.endswith("sound at 0.000-2.000 s")


def test_all_that_is_usual_comes_after_it(clip: Path, tmp_path: Path) -> None:
    """References, their sound, their motion and the last frame belong to what is new."""
    still, end, pan, hum = (tmp_path / name for name in ("still.png", "end.png", "pan.mkv", "hum.mkv"))
    still.write_bytes(picture_bytes(photo(SIZE, 7)))
    end.write_bytes(picture_bytes(photo(SIZE, 8)))
    write_clip(pan, panned(SIZE, [2.0 * number for number in range(24)]), fps=24)
    write_clip(hum, panned(SIZE, [0.0] * 24), fps=24, sound=tone(1.0))
    request = asked(
        given(still, Role.REFERENCE, "--image"),
        given(clip),
        given(pan, Role.REFERENCE, "--clip 1", modality=Modality.VIDEO),
        given(hum, Role.REFERENCE, "--sounded-clip 1", modality=Modality.VIDEO, sound=True),
        given(end, Role.LAST_FRAME, "--last-frame"),
    )
    plan, result, path = made(request, tmp_path)
    assert plan.settings.num_frames == 48 + 120
    uses = {receipt.slot: (receipt.uses, receipt.where) for receipt in result.receipts}
    assert uses["input"][0] == ("picture", "sound")
    assert uses["reference_videos[0]"] == (("motion",), "camera of frames 49-71")
    assert uses["reference_videos[1]"][1].endswith("sound at 3.000-4.000 s")
    assert "167" in uses["last_frame"][1]
    frames = frames_of(path)
    assert psnr(frames[-1], photo(SIZE, 8)) > 30
    sound = sound_of(path)
    assert loudness(sound, 2.1, 2.9) < 1e-3 < loudness(sound, 3.1, 3.9)


def test_words_are_spoken_after_it(clip: Path, tmp_path: Path) -> None:
    assert available()
    plan, _, path = made(asked(given(clip), prompt='he says "well then"', seconds=2.0), tmp_path)
    assert [line.text for line in plan.spoken] == ["well then"]
    sound = sound_of(path)
    assert loudness(sound, 2.05, 2.45) < 1e-3 < loudness(sound, 2.55, 2.55 + plan.spoken[0].seconds)


def test_a_silent_clip_of_another_rate_keeps_its_time_and_shape(tmp_path: Path) -> None:
    path = tmp_path / "slow.mkv"
    write_clip(path, panned((180, 320), [2.0 * number for number in range(20)]), fps=10)
    plan, result, video = made(asked(given(path), seconds=1.0, fps=24.0), tmp_path)
    assert (plan.settings.width, plan.settings.height, plan.settings.num_frames) == (180, 320, 48 + 24)
    assert result.receipts[0].uses == ("picture",)
    before, after = frames_of(path), frames_of(video)
    assert min(psnr(before[int((number + 0.5) / 2.4)], after[number]) for number in range(48)) > 34
    own, _, _ = made(asked(given(path), num_frames=5), tmp_path, "own.mp4")
    assert (own.settings.fps, own.settings.num_frames) == (10, 25)


def test_a_part_of_it_brought_to_another_shape(clip: Path, tmp_path: Path) -> None:
    request = asked(given(clip, start_seconds=0.5, seconds=1.0), width=180, height=180, seconds=0.5)
    plan, _, path = made(request, tmp_path)
    fit = plan.slot("input").fit
    assert fit is not None and fit.cut_fraction == pytest.approx(1 - 180 / 320, abs=1e-3)
    assert plan.settings.num_frames == 24 + 12
    before, after = frames_of(clip), frames_of(path)
    assert min(psnr(before[12 + n][:, 70:250], after[n]) for n in range(24)) > 34


def test_what_was_made_can_be_gone_on_from(clip: Path, tmp_path: Path) -> None:
    _, _, once = made(asked(given(clip), seconds=0.5), tmp_path, "once.mp4")
    plan, result, twice = made(asked(given(once), seconds=0.5), tmp_path, "twice.mp4")
    assert (plan.settings.num_frames, result.receipts[0].uses) == (72, ("picture", "sound"))
    assert min(psnr(one, other) for one, other in zip(frames_of(clip), frames_of(twice), strict=False)) > 32


def test_one_new_frame_is_enough(clip: Path, tmp_path: Path) -> None:
    _, _, path = made(asked(given(clip), num_frames=1), tmp_path)
    frames = frames_of(path)
    assert len(frames) == 49
    assert psnr(frames[47], frames[48]) > 34


def test_what_makes_no_sense_is_refused(clip: Path, tmp_path: Path) -> None:
    still = tmp_path / "still.png"
    still.write_bytes(picture_bytes(photo(SIZE, 7)))
    first = given(still, Role.FIRST_FRAME, "--first-frame")
    assert refused(asked(given(clip), first)) == [("unsupported_combination", "--extend")]
    two = asked(given(clip, field="--extend 1"), given(clip, field="--extend 2"))
    assert ("reference_limit_exceeded", "--extend 2") in refused(two)
    assert refused(asked(given(still))) == [("unsupported_modality", "--extend")]
    assert refused(asked(given(clip), task=Task.REF2VA))[0] == ("conflicting_parameters", "task")
    assert refused(asked(task=Task.EXTEND)) == [("reference_required", "task")]
    assert refused(asked(given(clip), task=Task.EDIT)) == [("unsupported_task", "task")]
    assert refused(asked(given(clip), num_frames=14_400)) == [("duration_not_supported", "--extend")]
    assert refused(asked(given(clip), seconds=0.0)) == [("duration_not_supported", "seconds")]

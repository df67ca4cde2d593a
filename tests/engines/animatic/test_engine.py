"""Real requests to real videos, judged by what is decoded back from them."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from contextlib import aclosing
from itertools import pairwise
from pathlib import Path

import numpy as np
import psutil
import pytest

from tests.engines.animatic.plan_builder import (
    RATE_HZ,
    Job,
    flat,
    frames_of,
    loudness,
    luma_of,
    panned,
    photo,
    psnr,
    sound_of,
    tone,
)
from triptych.engines.animatic import create
from triptych.engines.animatic.flow import Flow
from triptych.engines.animatic.picture import from_rgb
from triptych.engines.base import Context
from triptych.errors import InputChanged
from triptych.media.fit import apply_fit
from triptych.process.host import Host
from triptych.rules.conserve import differences
from triptych.task import Fit, Progress, Role, Spoken

SMALL = (320, 180)


def test_first_and_last_frame_are_met_at_full_size(tmp_path: Path) -> None:
    size = (1280, 720)
    job = Job(tmp_path, size=size, num_frames=48)
    job.picture(photo((1600, 1000), 1), Role.FIRST_FRAME).picture(photo((900, 900), 2), Role.LAST_FRAME, Fit.PAD)
    plan = job.plan()
    lumas = luma_of(job.made())
    for slot, seed, source, frame, least in (
        (plan.slot("first_frame"), 1, (1600, 1000), lumas[0], 55),
        (plan.slot("last_frame"), 2, (900, 900), lumas[-1], 50),
    ):
        assert slot.fit is not None
        wanted = from_rgb(apply_fit(photo(source, seed), slot.fit, size))
        assert psnr(frame, wanted.luma) >= least


def test_every_input_has_a_receipt_that_agrees_with_the_plan(tmp_path: Path) -> None:
    job = Job(tmp_path, size=SMALL, num_frames=48)
    job.sound(tone(0.5)).picture(photo(SMALL, 3), Role.LAST_FRAME).picture(photo(SMALL, 2))
    job.clip([photo((64, 36))] * 24, sound=tone(1.0), use_sound=True).clip([photo((64, 36))] * 12)
    job.sound(tone(0.5, hz=600), soundtrack_of="reference_videos[1]").picture(photo(SMALL, 1), Role.FIRST_FRAME)
    made, told = job.make()
    assert differences(job.plan(), made.receipts) == ()
    assert [receipt.slot for receipt in made.receipts] == [slot.key for slot in job.slots]
    assert len({receipt.used_sha256 for receipt in made.receipts}) == len(job.slots)
    wheres = {receipt.slot: receipt.where for receipt in made.receipts}
    assert wheres["first_frame"].startswith("frame 0; shot 1, frames 1-")
    assert wheres["last_frame"].endswith("frame 47")
    assert wheres["reference_videos[0]"] == "camera of frames 1-23; sound at 0.000-1.000 s"
    assert wheres["reference_videos[1]"] == "camera of frames 24-35"
    assert wheres["soundtrack[0]"] == "sound at 1.000-1.500 s"
    done = [progress.done for progress in told]
    assert done == sorted(done)
    assert (done[-1], len({progress.total for progress in told})) == (told[-1].total, 1)


def test_shots_come_in_the_callers_order(tmp_path: Path) -> None:
    job = Job(tmp_path, size=SMALL, num_frames=72)
    for colour in ((230, 20, 20), (20, 230, 20), (20, 20, 230)):
        job.picture(flat(SMALL, colour))
    frames = frames_of(job.made())
    strongest = [int(frame[90, 160].argmax()) for frame in frames]
    assert (strongest[:18], strongest[24:42], strongest[48:]) == ([0] * 18, [1] * 18, [2] * 24)


def test_a_camera_never_shows_what_is_outside_the_picture(tmp_path: Path) -> None:
    """The inside is smooth: a border that was mirrored or filled would draw a line."""
    ramp = np.linspace(40, 200, SMALL[0]).astype(np.uint8)
    picture = np.repeat(np.repeat(ramp[None, :, None], SMALL[1], axis=0), 3, axis=2)
    for frame in luma_of(Job(tmp_path, size=SMALL, seed=3).picture(picture).made())[::6]:
        steps = np.diff(frame[90].astype(int))
        assert steps.min() >= -3, "brightness rises all the way"
        assert np.diff(frame[90, ::20].astype(int)).min() > 0


def test_the_same_seed_gives_the_same_bytes_and_another_moves_otherwise(tmp_path: Path) -> None:
    def made(name: str, seed: int) -> tuple[str, list[np.ndarray]]:
        folder = tmp_path / name
        folder.mkdir()
        job = Job(folder, size=SMALL, num_frames=36, seed=seed, lines=(Spoken(text="hello", seconds=0.4),))
        job.picture(photo(SMALL)).clip(panned((160, 90), [3.0 * n for n in range(12)])).sound(tone(1.0))
        result = job.made()
        return result.outputs[0].sha256, luma_of(result)

    (one, frames), (two, _), (other, others) = made("a", 1), made("b", 1), made("c", 2)
    assert one == two != other
    assert psnr(frames[30], others[30]) < 35


def moves(frames: Sequence[np.ndarray]) -> np.ndarray:
    """How far the content moves to the right from frame to frame, in pixels: the median of the flow's middle."""
    flow = Flow(fine=True)
    middle = (slice(40, 140), slice(60, 260))
    return np.array([-float(np.median(flow.between(b, a)[middle][..., 0])) for a, b in pairwise(frames)])


def test_a_clips_pan_moves_the_still_likewise(tmp_path: Path) -> None:
    shifts = [22 * math.sin(number / 6) + 3 * math.sin(number * 1.1) for number in range(60)]
    job = (
        Job(tmp_path, size=SMALL, num_frames=60)
        .picture(photo(SMALL, 9))
        .clip(panned((640, 360), [2 * s for s in shifts]))
    )
    moved, wanted = moves(luma_of(job.made())), np.diff(shifts)
    assert np.corrcoef(moved[2:], wanted[2:])[0, 1] >= 0.8
    assert np.polyfit(wanted[2:], moved[2:], 1)[0] == pytest.approx(1, abs=0.3)


def test_less_gain_moves_less(tmp_path: Path) -> None:
    shifts = [12 * math.sin(number / 5) for number in range(36)]
    sizes = []
    for gain in (0.3, 1.0):
        folder = tmp_path / str(gain)
        folder.mkdir()
        job = Job(folder, size=SMALL, num_frames=36, options={"motion_gain": gain})
        sizes.append(np.abs(moves(luma_of(job.picture(photo(SMALL, 9)).clip(panned(SMALL, shifts)).made()))).sum())
    assert sizes[0] < 0.5 * sizes[1]


def test_a_clip_alone_is_its_own_picture(tmp_path: Path) -> None:
    job = Job(tmp_path, size=SMALL, num_frames=24).clip([flat((160, 90), (20, 30, 220))] * 24)
    made = job.made()
    assert differences(job.plan(), made.receipts) == ()
    assert made.receipts[0].where == "shot 1, frames 0-23; camera of frames 0-23"
    assert int(frames_of(made)[12][90, 160].argmax()) == 2


def test_what_is_cut_from_a_clip_that_is_its_own_picture_is_said(tmp_path: Path) -> None:
    frames = [flat((160, 90), (20, 30, 220))] * 12
    [adjustment] = Job(tmp_path, size=(90, 160), num_frames=12).clip(frames).made().adjustments
    assert (adjustment.asked, adjustment.got) == ("160x90", "51x90 from 55,0")
    assert adjustment.reason.endswith("68.4% of it is outside the frame")
    assert Job(tmp_path, size=SMALL, num_frames=12).clip(frames).made().adjustments == ()
    beside = Job(tmp_path, size=(90, 160), num_frames=12).picture(photo((90, 160))).clip(frames)
    assert beside.made().adjustments == (), "the clip lends its motion alone"


def test_sound_that_is_silent_is_told_from_no_sound(tmp_path: Path) -> None:
    job = Job(tmp_path, size=SMALL, num_frames=12).picture(photo(SMALL)).sound(0 * tone(0.5))
    assert job.made().outputs[0].probe.notes == ("the sound track is silent: what was given to be heard is silent",)


def test_words_alone_make_a_moving_picture_and_silence_is_said(tmp_path: Path) -> None:
    made = Job(tmp_path, size=SMALL, num_frames=24, prompt="a boat").made()
    frames = luma_of(made)
    assert float(frames[0].std()) > 5
    assert psnr(frames[0], frames[23]) < 40
    assert "silent" in made.outputs[0].probe.notes[0]
    assert np.abs(sound_of(made)).max() < 1e-3


def test_sound_is_heard_when_it_should_be(tmp_path: Path) -> None:
    bursts = [(0.25, 0.5), (1.0, 1.125), (1.75, 2.0)]
    made = Job(tmp_path, size=SMALL, num_frames=48).picture(photo(SMALL)).sound(tone(2.0, bursts=bursts)).made()
    wave, frame = sound_of(made), 1 / 24
    for start, end in bursts:
        assert loudness(wave, start + 0.005, end - 0.005) > 0.25
        assert loudness(wave, start - frame - 0.05, start - frame) < 0.02
        if end < 2:
            assert loudness(wave, end + frame, end + frame + 0.05) < 0.02


def test_a_soundtrack_is_heard_with_its_clip(tmp_path: Path) -> None:
    job = Job(tmp_path, size=SMALL, num_frames=48).clip([photo((64, 36))] * 24).clip([photo((64, 36))] * 24)
    wave = sound_of(job.sound(tone(1.0), soundtrack_of="reference_videos[1]").made())
    assert loudness(wave, 0.0, 0.95) < 0.01
    assert loudness(wave, 1.05, 1.95) == pytest.approx(0.35, abs=0.03)


def test_a_line_is_spoken_and_the_music_steps_back(tmp_path: Path) -> None:
    line = (Spoken(text="Fail again. Fail better.", seconds=1.66),)
    music, tuned = tone(3.0, hz=300), np.abs(np.fft.rfftfreq(RATE_HZ, 1 / RATE_HZ) - 300) < 5

    said: dict[str, list[tuple[str, object, object]]] = {}

    def made(name: str, *, lines: tuple[Spoken, ...] = (), sound: bool = True) -> np.ndarray:
        folder = tmp_path / name
        folder.mkdir()
        job = Job(folder, size=SMALL, num_frames=72, lines=lines).picture(photo(SMALL))
        done = (job.sound(music) if sound else job).made()
        said[name] = [(each.field, each.asked, each.got) for each in done.adjustments]
        return sound_of(done)

    def music_in(wave: np.ndarray) -> float:
        part = wave[0, round(0.8 * RATE_HZ) : round(1.8 * RATE_HZ)]
        return float(np.abs(np.fft.rfft(part * np.hanning(RATE_HZ)))[tuned].max())

    voice, alone, both = made("voice", lines=line, sound=False), made("music"), made("both", lines=line)
    assert [said.pop(name) for name in ("voice", "music")] == [[], []]
    assert said.pop("both") == [("sound", 1.0, 0.25)]
    assert loudness(voice, 0.0, 0.45) < 0.005
    assert loudness(voice, 0.55, 2.0) > 0.03
    assert music_in(both) == pytest.approx(0.25 * music_in(alone), rel=0.2)
    spoken = slice(round(0.6 * RATE_HZ), round(1.9 * RATE_HZ))
    assert np.corrcoef((both - 0.25 * alone)[0, spoken], voice[0, spoken])[0, 1] > 0.95


def test_too_loud_a_mix_is_turned_down_and_said(tmp_path: Path) -> None:
    job = Job(tmp_path, size=SMALL, num_frames=24).clip([photo((64, 36))] * 24, sound=2 * tone(1.0), use_sound=True)
    made = job.sound(2 * tone(1.0)).made()
    [adjustment] = made.adjustments
    assert adjustment.asked == pytest.approx(2.0, abs=0.02)
    assert adjustment.got == pytest.approx(0.98, abs=0.01)
    assert np.abs(sound_of(made)).max() < 1.05


def test_loud_moments_come_closer_unless_that_is_switched_off(tmp_path: Path) -> None:
    sound = tone(2.0, bursts=[(1.0, 1.3)])
    moved = {}
    for pulse in (True, False):
        folder = tmp_path / str(pulse)
        folder.mkdir()
        job = (
            Job(folder, size=SMALL, options={"camera": "still", "audio_pulse": pulse})
            .picture(photo(SMALL))
            .sound(sound)
        )
        frames = luma_of(job.made())
        moved[pulse] = [psnr(frames[10], frames[number]) for number in (20, 28)]
    assert moved[True][1] < min(moved[True][0], *moved[False]) - 6


@pytest.mark.parametrize(("frames", "fps"), [(1, 24), (2, 24), (3, 24), (1, 60), (23, 11), (31, 29), (60, 60), (17, 8)])
def test_counts_and_lengths_are_exact(tmp_path: Path, frames: int, fps: int) -> None:
    job = Job(tmp_path, size=(64, 64), num_frames=frames, fps=fps).picture(photo((64, 64)), Role.FIRST_FRAME)
    made = job.made()
    probe = made.outputs[0].probe
    assert (probe.frames, probe.fps) == (frames, fps)
    assert probe.seconds == pytest.approx(frames / fps)
    assert len(frames_of(made)) == frames
    samples = round(frames / fps * RATE_HZ)
    assert sound_of(made).shape[1] == max(samples, 1024)


def test_two_frames_can_be_both_pictures(tmp_path: Path) -> None:
    job = Job(tmp_path, size=(64, 64), num_frames=2)
    job.picture(photo((64, 64), 1), Role.FIRST_FRAME).picture(photo((64, 64), 2), Role.LAST_FRAME)
    lumas = luma_of(job.made())
    assert psnr(lumas[0], from_rgb(photo((64, 64), 1)).luma) > 45
    assert psnr(lumas[1], from_rgb(photo((64, 64), 2)).luma) > 45


def test_a_changed_input_stops_the_run_and_leaves_nothing(tmp_path: Path) -> None:
    job = Job(tmp_path, size=(64, 64)).picture(photo((64, 64)))
    Path(job.slots[0].blob.path).write_bytes(b"not the file that was checked")
    with pytest.raises(InputChanged):
        job.made()
    assert list((tmp_path / "work").iterdir()) == []


def test_stopping_ends_the_process_and_leaves_no_file(tmp_path: Path) -> None:
    job = Job(tmp_path, size=SMALL, num_frames=2400).picture(photo(SMALL))
    work = tmp_path / "work"
    work.mkdir()

    async def stopped() -> tuple[int, int]:
        async with Host() as host:
            async with aclosing(create().run(job.plan(), Context(workdir=work, host=host))) as events:
                async for event in events:
                    if isinstance(event, Progress) and event.stage == "render":
                        break
                running = len(psutil.Process().children(recursive=True))
            return running, len(psutil.Process().children(recursive=True))

    assert asyncio.run(stopped()) == (1, 0)
    assert list(work.iterdir()) == []


def test_memory_does_not_grow_with_duration(tmp_path: Path) -> None:
    """Peak memory of the child, five times as long; the benchmark holds the larger figures."""

    def peak(name: str, frames: int) -> int:
        folder = tmp_path / name
        folder.mkdir()
        seconds = frames / 24
        shifts = [10 * math.sin(number / 6) for number in range(frames)]
        job = Job(folder, size=SMALL, num_frames=frames).picture(photo(SMALL))
        job.clip(panned((160, 90), shifts)).sound(tone(seconds))
        return asyncio.run(_peak(job, folder))

    short, long = peak("short", 48), peak("long", 240)
    assert long < short * 1.1


async def _peak(job: Job, folder: Path) -> int:
    """Largest resident size of the child, in bytes, as its own kernel counter says after each event."""
    work = folder / "work"
    work.mkdir()
    most = 0
    async with Host() as host, aclosing(create().run(job.plan(), Context(workdir=work, host=host))) as events:
        async for _ in events:
            for child in psutil.Process().children():
                status = Path(f"/proc/{child.pid}/status").read_text(encoding="ascii")
                line = next((line for line in status.splitlines() if line.startswith("VmHWM")), "VmHWM: 0 kB")
                most = max(most, int(line.split()[1]) * 1024)
    return most

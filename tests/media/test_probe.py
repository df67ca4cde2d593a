from __future__ import annotations

import asyncio
import hashlib
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from triptych.errors import InputChanged, InvalidRequest
from triptych.media.folder import FrameFolderWriter, pack_folder
from triptych.media.probe import PROBE_LIMITS, describe, probe, probe_blob
from triptych.process.host import Host
from triptych.process.limits import Limits
from triptych.rules.spec import MediaLimits
from triptych.task import Blob, Modality, Probe
from triptych.testing.media import (
    make_clip,
    make_turned_clip,
    numbered,
    picture_bytes,
    quarters,
    tone,
    wav_bytes,
)
from triptych.testing.trap import PORT, TRAPS, Trap


def blob_of(path: Path) -> Blob:
    data = path.read_bytes()
    return Blob(path=str(path), sha256=hashlib.sha256(data).hexdigest(), size_bytes=len(data))


def look(path: Path | Blob, **options: Any) -> Probe:
    async def run() -> Probe:
        async with Host() as host:
            return await probe(host, path if isinstance(path, Blob) else blob_of(path), field="--image 1", **options)

    return asyncio.run(run())


@dataclass(frozen=True)
class Outcomes:
    found: dict[str, Probe | InvalidRequest]
    dialled: int


@pytest.fixture(scope="module")
def outcomes() -> Outcomes:
    """Every trap, probed by one warm child, with a socket that listens for whoever dials."""
    found: dict[str, Probe | InvalidRequest] = {}
    dialled = 0

    async def run(folder: Path, port: int) -> None:
        async with Host() as host:
            for trap in TRAPS:
                path = folder / trap.name
                trap.make(path)
                data = path.read_bytes()
                if PORT.encode() in data:
                    path.write_bytes(data.replace(PORT.encode(), str(port).encode()))
                try:
                    found[trap.name] = await probe(host, blob_of(path), field=trap.name, as_=trap.as_)
                except InvalidRequest as refusal:
                    found[trap.name] = refusal
                path.unlink()

    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        make_clip(Path(folder) / "secret.mp4", frames=3)
        asyncio.run(run(Path(folder), server.getsockname()[1]))
        try:
            server.accept()
            dialled += 1
        except BlockingIOError:
            pass
    return Outcomes(found=found, dialled=dialled)


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)
def test_every_trap_has_its_right_outcome(outcomes: Outcomes, trap: Trap) -> None:
    found = outcomes.found[trap.name]
    if trap.refused:
        assert isinstance(found, InvalidRequest), f"was read: {found}"
        problem = found.problems[0]
        assert (problem.code, problem.field) == (trap.refused, trap.name)
        assert trap.says in problem.message
        return
    assert isinstance(found, Probe), f"was refused: {found}"
    for name, value in trap.seen.items():
        expected = pytest.approx(value, abs=0.002) if isinstance(value, float) else value
        assert getattr(found, name) == expected, name
    assert not trap.says or any(trap.says in note for note in found.notes), found.notes


def test_nothing_was_dialled(outcomes: Outcomes) -> None:
    assert outcomes.dialled == 0


def test_traps_have_names_of_their_own() -> None:
    assert len({trap.name for trap in TRAPS}) == len(TRAPS) >= 80


def test_the_hash_is_of_the_bytes_that_were_decoded(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(picture_bytes(quarters()))
    seen = look(path)
    assert seen.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert seen.size_bytes == path.stat().st_size
    fetched = blob_of(path)
    path.write_bytes(picture_bytes(quarters(48, 32)))
    with pytest.raises(InputChanged, match="--image 1"):
        look(fetched)


def test_it_is_used_as_what_it_is_asked_for(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "c.mp4", frames=24, sound=tone(1.0))
    assert look(clip).modality is Modality.VIDEO
    assert look(clip, as_=Modality.VIDEO).has_sound
    sound = look(clip, as_=Modality.AUDIO)
    assert (sound.modality, sound.width, sound.frames, sound.channels) == (Modality.AUDIO, 0, 0, 2)
    still = tmp_path / "a.png"
    still.write_bytes(picture_bytes(quarters()))
    # What was asked for wrongly is told as what it is; the rules refuse it, with everything else that is wrong.
    assert look(still, as_=Modality.VIDEO).modality is Modality.IMAGE
    assert look(clip, as_=Modality.IMAGE).modality is Modality.VIDEO


def test_limits_of_its_kind_hold_in_the_child(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(picture_bytes(quarters()))
    limits = {Modality.IMAGE: MediaLimits(max_side=50, containers=frozenset(("png",))), Modality.VIDEO: MediaLimits()}
    with pytest.raises(InvalidRequest) as caught:
        look(path, limits=limits)
    assert caught.value.problems[0].limit == 50
    clip = make_clip(tmp_path / "c.mp4", frames=48)
    video = {Modality.VIDEO: MediaLimits(max_seconds=1)}
    with pytest.raises(InvalidRequest, match=r"2\.000 s, over the limit of 1 s"):
        look(clip, limits=video)
    part = look(clip, limits=video, start_seconds=0.5, seconds=1.0)
    assert part.frames == 24
    assert part.seconds == pytest.approx(2.0)


def test_sound_longer_than_the_pictures_is_no_reason_to_refuse(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "c.mp4", frames=24, sound=tone(2.0))
    seen = look(clip, limits={Modality.VIDEO: MediaLimits(max_seconds=1.0)})
    assert seen.seconds == pytest.approx(1.0)
    assert seen.has_sound


def test_a_packed_folder_is_a_clip(tmp_path: Path) -> None:
    writer = FrameFolderWriter(tmp_path / "frames")
    for index in range(6):
        writer.write(numbered(index))
    blob = pack_folder(tmp_path / "frames", field="f", spool=tmp_path, max_bytes=1 << 20, frame_rate=12)
    seen = look(blob)
    assert (seen.modality, seen.container, seen.frames) == (Modality.VIDEO, "frames", 6)
    assert seen.fps == pytest.approx(12)
    assert seen.seconds == pytest.approx(0.5)


def test_what_takes_too_much_is_a_refusal_that_names_the_input(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "c.mp4", frames=24)
    with pytest.raises(InvalidRequest) as caught:
        look(clip, process_limits=Limits(wall_seconds=0.01, memory_bytes=PROBE_LIMITS.memory_bytes))
    problem = caught.value.problems[0]
    assert (problem.code, problem.field) == ("media_unreadable", "--image 1")
    assert "takes too much" in problem.message


def test_the_child_yields_one_probe(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(wav_bytes(tone(0.5)))
    params = {
        "path": str(path),
        "field": "f",
        "packed": False,
        "frame_rate": None,
        "as": None,
        "limits": {},
        "start_seconds": 0.0,
        "seconds": None,
    }
    [item] = probe_blob(params)
    seen = Probe.from_json(item["probe"])
    assert (seen.modality, seen.audio_codec) == (Modality.AUDIO, "pcm_s16le")
    assert seen.seconds == pytest.approx(0.5)


def test_described_for_people(tmp_path: Path) -> None:
    lines = describe(look(make_turned_clip(tmp_path / "c.mp4", 6)))
    assert lines[0].startswith("video in mov (video/mp4), ")
    assert lines[1] == "upright 96x64 (stored sideways, turned 90° clockwise to be upright)"
    assert lines[2] == "0.500 s, 12 frames at 24.000 fps, h264"
    assert lines[3] == "no sound"
    assert len(lines) == 5
    sound = tmp_path / "a.wav"
    sound.write_bytes(wav_bytes(tone(0.5, hz=(440,))))
    assert "0.500 s of sound: 48000 Hz, mono, pcm_s16le" in describe(look(sound))


def test_sound_that_outlasts_its_pictures_is_said(tmp_path: Path) -> None:
    longer = look(make_clip(tmp_path / "longer.mp4", frames=24, sound=tone(3.0)))
    assert any("goes on after the last picture" in note for note in longer.notes)
    shorter = look(make_clip(tmp_path / "shorter.mp4", frames=72, sound=tone(1.0)))
    assert any("ends 2.0" in note for note in shorter.notes)


def test_a_short_clip_keeps_its_rate_where_times_are_rounded(tmp_path: Path) -> None:
    found = look(make_clip(tmp_path / "a.mkv", frames=2, fps=30))
    assert found.fps == 30.0


def test_a_child_that_sends_what_is_no_probe_has_crashed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A decoder that a file has taken over may send anything; the file is refused, and nothing else happens."""
    monkeypatch.setattr("triptych.media.probe.TARGET", "triptych.testing.child_target:echo")
    path = tmp_path / "a.png"
    path.write_bytes(b"x")
    with pytest.raises(InvalidRequest, match=r"--image 1: its decoder crashed: it .*sent what is no probe"):
        look(path)

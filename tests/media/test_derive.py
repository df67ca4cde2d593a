"""Pieces of a video: exact where they say so, small where they say so, and the same bytes each time."""

from __future__ import annotations

import asyncio
import hashlib
import wave
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from triptych.errors import InvalidRequest
from triptych.media.derive import SHEET_SIDE, Derived, derive
from triptych.media.encode import MovieWriter
from triptych.media.sniff import HEAD_BYTES, sniff
from triptych.media.video import ClipReader
from triptych.process.host import Host
from triptych.rules.spec import MediaLimits
from triptych.task import Modality
from triptych.task.piece import THUMBNAIL_SIDE
from triptych.testing.media import Pixels, make_clip, tone


def pieces(path: Path, *variants: str) -> list[Derived]:
    spool = path.parent / "spool"
    spool.mkdir(exist_ok=True)

    async def run() -> list[Derived]:
        async with Host() as host:
            return [await derive(host, path, variant=variant, spool=spool) for variant in variants]

    return asyncio.run(run())


def decoded(path: Path) -> list[Pixels]:
    with path.open("rb") as file:
        found = sniff(file.read(HEAD_BYTES), field="clip", size_bytes=path.stat().st_size)
        file.seek(0)
        clip = ClipReader(file, container=found.container, demuxer=found.demuxer, field="clip", limits=MediaLimits())
        return [pixels.copy() for _, pixels in clip]


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    return make_clip(tmp_path / "clip.mp4", frames=30, sound=tone(30 / 24))


def test_the_last_frame_is_the_last_decoded_frame_exactly(clip: Path) -> None:
    (piece,) = pieces(clip, "last_frame")
    assert piece.media_type == "image/png"
    assert piece.probe.modality is Modality.IMAGE
    assert np.array_equal(np.asarray(Image.open(piece.blob.path).convert("RGB")), decoded(clip)[-1])


def test_the_sound_is_whole(clip: Path) -> None:
    (piece,) = pieces(clip, "audio")
    assert piece.media_type == "audio/wav"
    with wave.open(piece.blob.path) as sound:
        assert (sound.getframerate(), sound.getnchannels(), sound.getsampwidth()) == (48_000, 2, 2)
        assert sound.getnframes() / 48_000 == pytest.approx(30 / 24, abs=0.03)
        samples = np.frombuffer(sound.readframes(sound.getnframes()), "<i2")
    assert np.abs(samples).max() > 1000
    assert piece.probe.seconds == pytest.approx(30 / 24, abs=0.03)


def test_the_sound_of_a_video_that_was_made_has_every_sample(tmp_path: Path) -> None:
    path = tmp_path / "made.mp4"
    wave_in = np.stack([tone(29 / 24)[0]] * 2)
    with MovieWriter(path, width=64, height=48, fps=24, num_frames=29) as writer:
        for _ in range(29):
            writer.add_frame(np.full((72, 64), 128, np.uint8))
        writer.add_sound(wave_in)
        writer.finish()
    (piece,) = pieces(path, "audio")
    with wave.open(piece.blob.path) as sound:
        assert sound.getnframes() == 29 * 2000
        samples = np.frombuffer(sound.readframes(58_000), "<i2").reshape(-1, 2).T / 32767
    assert np.corrcoef(samples[0, 2000:-2000], wave_in[0, 2000:-2000])[0, 1] > 0.99
    assert piece.probe.seconds == pytest.approx(29 / 24, abs=1e-6)


def test_a_thumbnail_is_small_and_a_sheet_holds_many(tmp_path: Path) -> None:
    wide = make_clip(tmp_path / "wide.mp4", frames=60, width=1280, height=320)
    thumbnail, sheet = pieces(wide, "thumbnail", "spritesheet")
    assert (thumbnail.probe.width, thumbnail.probe.height) == (THUMBNAIL_SIDE, THUMBNAIL_SIDE // 4)
    assert sheet.media_type == "image/jpeg"
    assert (sheet.probe.width, sheet.probe.height) == (SHEET_SIDE * 320, SHEET_SIDE * 80)


def test_the_same_video_gives_the_same_bytes_named_by_their_content(clip: Path) -> None:
    variants = ("last_frame", "audio", "thumbnail", "spritesheet")
    first, second = pieces(clip, *variants), pieces(clip, *variants)
    assert [piece.blob for piece in first] == [piece.blob for piece in second]
    for piece in first:
        assert Path(piece.blob.path).name == hashlib.sha256(Path(piece.blob.path).read_bytes()).hexdigest()
    assert len(list((clip.parent / "spool").iterdir())) == len(variants)


def test_a_silent_video_has_no_sound_to_give(tmp_path: Path) -> None:
    silent = make_clip(tmp_path / "silent.mp4", frames=6)
    with pytest.raises(InvalidRequest, match="has no sound"):
        pieces(silent, "audio")
    assert list((tmp_path / "spool").iterdir()) == []


def test_a_piece_that_is_none_is_told_before_anything_is_begun(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="poster"):
        pieces(tmp_path / "none.mp4", "poster")

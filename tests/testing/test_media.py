from __future__ import annotations

import io
import wave
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from triptych.testing.media import (
    QUARTERS,
    animation_bytes,
    corners,
    make_clip,
    make_sound,
    make_turned_clip,
    numbered,
    picture_bytes,
    quarters,
    read_number,
    tone,
    turned_bytes,
    wav_bytes,
)


@pytest.mark.parametrize("size", [(96, 64), (97, 65), (320, 180)])
def test_pictures_say_what_they_are(size: tuple[int, int]) -> None:
    assert corners(quarters(*size)) == QUARTERS
    assert [read_number(numbered(number, *size)) for number in (0, 1, 77, 4_095)] == [0, 1, 77, 4_095]


def test_a_turned_picture_is_stored_turned() -> None:
    stored = Image.open(io.BytesIO(turned_bytes(6)))
    assert stored.size == (64, 96)
    assert stored.getexif()[0x0112] == 6
    assert corners(np.asarray(stored)) != QUARTERS


def test_a_turned_clip_is_stored_turned(tmp_path: Path) -> None:
    with av.open(str(make_turned_clip(tmp_path / "c.mp4", 6))) as container:
        frame = next(container.decode(video=0))
        assert (frame.width, frame.height, frame.rotation) == (64, 96, -90)


def test_clips_are_as_asked(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "c.mkv", frames=5, milliseconds=[0, 10, 50, 80, 200], sound=tone(0.2))
    with av.open(str(path)) as container:
        times = [round((frame.time or 0) * 1000) for frame in container.decode(video=0)]
        assert len(container.streams.audio) == 1
    assert times == [0, 10, 50, 80, 200]


def test_sounds_are_as_asked(tmp_path: Path) -> None:
    path = make_sound(tmp_path / "s.flac", tone(0.5, rate=44_100), codec="flac", rate=44_100, sample_format="s16")
    with av.open(str(path)) as container:
        assert sum(frame.samples for frame in container.decode(audio=0)) == 22_050


def test_plain_wav_files_are_what_others_read() -> None:
    with wave.open(io.BytesIO(wav_bytes(tone(0.5)))) as file:
        assert (file.getnchannels(), file.getframerate(), file.getnframes(), file.getsampwidth()) == (
            2,
            48_000,
            24_000,
            2,
        )


def test_animations_and_stills() -> None:
    assert getattr(Image.open(io.BytesIO(animation_bytes("GIF", 4))), "n_frames", 0) == 4
    assert Image.open(io.BytesIO(picture_bytes(quarters(), "BMP"))).format == "BMP"

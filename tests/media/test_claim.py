from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from triptych.media.bound import CLIP_BOUND
from triptych.media.claim import WavSize, container_seconds, stream_seconds, wav_size
from triptych.media.stream import open_container
from triptych.testing.media import make_clip, make_sound, tone, wav_bytes

_TONE = tone(1.0)
_BYTES = 48_000 * 2 * 2


def stated(path: Path, demuxer: str) -> tuple[float | None, float | None]:
    """Of the first stream, and of the whole."""
    with (
        path.open("rb") as file,
        open_container(file, demuxer=demuxer, field="f", max_pixels=CLIP_BOUND.max_pixels) as container,
    ):
        return stream_seconds(container, container.streams[0], file), container_seconds(container)


@pytest.mark.parametrize(
    ("name", "demuxer", "options"),
    [
        ("a.mp3", "mp3", {"codec": "libmp3lame"}),
        ("a.flac", "flac", {"codec": "flac", "sample_format": "s16"}),
        ("a.m4a", "mov", {"codec": "aac", "container": "ipod"}),
        ("a.wav", "wav", {"codec": "pcm_s16le"}),
        ("a.aiff", "aiff", {"codec": "pcm_s16be"}),
        ("a.caf", "caf", {"codec": "pcm_s16le"}),
    ],
)
def test_headers_that_state_a_length(tmp_path: Path, name: str, demuxer: str, options: dict[str, Any]) -> None:
    seconds, _ = stated(make_sound(tmp_path / name, _TONE, **options), demuxer)
    assert seconds == pytest.approx(1.0, abs=0.03)


@pytest.mark.parametrize(
    ("name", "demuxer", "options"),
    [
        ("a.aac", "aac", {"codec": "aac", "container": "adts"}),
        ("a.ogg", "ogg", {"codec": "libopus", "container": "ogg"}),
    ],
)
def test_guesses_are_not_taken_for_statements(tmp_path: Path, name: str, demuxer: str, options: dict[str, Any]) -> None:
    assert stated(make_sound(tmp_path / name, _TONE, **options), demuxer) == (None, None)


def test_an_mp3_without_a_count_states_nothing(tmp_path: Path) -> None:
    path = make_sound(tmp_path / "a.mp3", _TONE, codec="libmp3lame")
    data = path.read_bytes()
    for mark in (b"Xing", b"Info"):
        data = data.replace(mark, bytes(4))
    path.write_bytes(data)
    assert stated(path, "mp3")[0] is None


def test_matroska_states_each_track_and_the_whole(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "a.mkv", frames=24, sound=tone(3.0))
    seconds, whole = stated(path, "matroska")
    assert seconds == pytest.approx(1.0, abs=0.01)
    assert whole == pytest.approx(3.0, abs=0.05)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (wav_bytes(_TONE), WavSize(claimed_bytes=_BYTES, present_bytes=_BYTES, streaming=False, empty=False)),
        (
            wav_bytes(_TONE, rf64=True),
            WavSize(claimed_bytes=_BYTES, present_bytes=_BYTES, streaming=False, empty=False),
        ),
        (
            wav_bytes(_TONE, before=b"LIST\x05\0\0\0INFO1\0"),
            WavSize(claimed_bytes=_BYTES, present_bytes=_BYTES, streaming=False, empty=False),
        ),
        (
            wav_bytes(_TONE, data_size=0xFFFFFFFF),
            WavSize(claimed_bytes=0xFFFFFFFF, present_bytes=_BYTES, streaming=True, empty=False),
        ),
        (
            wav_bytes(_TONE, data_size=0, riff_size=0),
            WavSize(claimed_bytes=0, present_bytes=_BYTES, streaming=True, empty=False),
        ),
        (wav_bytes(tone(0.0)), WavSize(claimed_bytes=0, present_bytes=0, streaming=False, empty=True)),
        (b"RIFF\x04\0\0\0WAVE", None),
        (b"nothing of the kind", None),
    ],
)
def test_wav_sizes(data: bytes, expected: WavSize | None) -> None:
    file = io.BytesIO(data)
    file.seek(5)
    assert wav_size(file) == expected
    assert file.tell() == 5


@pytest.mark.parametrize("codec", ["adpcm_ms", "adpcm_ima_wav"])
def test_blocks_of_adpcm_are_reckoned_by_what_they_hold(tmp_path: Path, codec: str) -> None:
    """Their stated bytes a second are often wrong."""
    path = make_sound(tmp_path / "a.wav", _TONE, codec=codec)
    assert stated(path, "wav")[0] == pytest.approx(1.0, abs=0.05)


def test_an_mp3_states_its_frames_whatever_stands_behind_and_before_them(tmp_path: Path) -> None:
    path = make_sound(tmp_path / "a.mp3", _TONE, codec="libmp3lame")
    data = path.read_bytes()
    path.write_bytes(b"ID3\x03\0\0\0\0\0\x0a" + bytes(10) + data + bytes(20_000))
    assert stated(path, "mp3")[0] == pytest.approx(1.0, abs=0.001)


def test_a_matroska_track_that_begins_late_is_no_longer_for_it(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "a.mkv", frames=24, milliseconds=[2000 + 40 * index for index in range(24)])
    assert stated(path, "matroska")[0] == pytest.approx(0.96, abs=0.05)


def test_a_cut_avi_states_what_it_did_when_it_was_whole(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "a.avi", codec="mjpeg", pixel_format="yuvj420p", frames=24)
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 3 // 4])
    assert stated(path, "avi")[0] == pytest.approx(1.0, abs=0.05)

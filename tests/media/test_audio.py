from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from triptych.errors import InvalidRequest, Problem
from triptych.media.audio import Samples, SoundReader, read_sound
from triptych.media.video import ClipReader
from triptych.rules.spec import MediaLimits
from triptych.testing.media import make_clip, make_sound, tone, wav_bytes


def heard(data: bytes, demuxer: str = "wav", **options: Any) -> Samples:
    return read_sound(io.BytesIO(data), demuxer=demuxer, field="--voice", limits=MediaLimits(), **options)


def refusal(data: bytes, demuxer: str = "wav", limits: MediaLimits | None = None) -> Problem:
    with pytest.raises(InvalidRequest) as caught:
        read_sound(io.BytesIO(data), demuxer=demuxer, field="--voice", limits=limits or MediaLimits())
    problem = caught.value.problems[0]
    assert problem.field == "--voice"
    return problem


def pitch(samples: Samples, rate: int = 48_000) -> list[int]:
    """Loudest frequency of each channel, in Hz."""
    spectrum = np.abs(np.fft.rfft(samples, axis=1))
    return [round(int(line[1:].argmax() + 1) * rate / samples.shape[1]) for line in spectrum]


@pytest.mark.parametrize(("kind", "error"), [("u8", 0.01), ("s16", 1e-4), ("s24", 1e-5), ("f32", 1e-6)])
@pytest.mark.parametrize("extensible", [False, True])
def test_every_width_keeps_its_samples(kind: str, error: float, extensible: bool) -> None:
    wave = tone(0.5)
    out = heard(wav_bytes(wave, kind=kind, extensible=extensible))
    assert out.shape == (2, 24_000)
    assert out.dtype == np.float32
    assert np.abs(out - wave).max() < error


@pytest.mark.parametrize("rate", [8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000])
def test_every_rate_keeps_length_and_pitch(rate: int) -> None:
    out = heard(wav_bytes(tone(1.0, rate=rate), rate=rate))
    assert out.shape == (2, 48_000)
    assert pitch(out) == [440, 660]
    assert np.abs(out[:, 4_800:-4_800]).max() == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize(
    ("name", "demuxer", "options"),
    [
        ("a.mp3", "mp3", {"codec": "libmp3lame"}),
        ("a.m4a", "mov", {"codec": "aac", "container": "ipod"}),
        ("b.m4a", "mov", {"codec": "alac", "container": "ipod", "sample_format": "s16p"}),
        ("a.flac", "flac", {"codec": "flac", "sample_format": "s16"}),
        ("a.opus", "ogg", {"codec": "libopus", "container": "ogg"}),
        ("a.webm", "matroska", {"codec": "libopus"}),
        ("a.aiff", "aiff", {"codec": "pcm_s16be"}),
        ("a.caf", "caf", {"codec": "pcm_s16le"}),
    ],
)
def test_padding_is_taken_off_where_the_container_says(
    tmp_path: Path, name: str, demuxer: str, options: dict[str, Any]
) -> None:
    wave = tone(1.0)
    path = make_sound(tmp_path / name, wave, **options)
    out = heard(path.read_bytes(), demuxer)
    assert out.shape == (2, 48_000)
    assert pitch(out) == [440, 660]
    middle = slice(9_600, 38_400)  # an encoder's delay that was not taken off would shift the phase
    assert np.corrcoef(out[0, middle], wave[0, middle])[0, 1] > 0.99


def test_mono_is_heard_on_both_sides_at_its_own_level() -> None:
    wave = tone(0.5, hz=(440,), level=0.5)
    file = io.BytesIO(wav_bytes(wave, kind="f32"))
    reader = SoundReader(file, demuxer="wav", field="f", limits=MediaLimits())
    out = np.concatenate(list(reader.chunks()), axis=1)
    assert np.array_equal(out[0], out[1])
    assert np.abs(out - wave).max() < 1e-6
    assert reader.notes == ["one channel; it is heard on both sides at its own level"]


def test_surround_is_mixed_without_overload() -> None:
    loud = np.ones((6, 24_000), np.float32) * 0.99
    file = io.BytesIO(wav_bytes(loud, kind="f32", extensible=True))
    reader = SoundReader(file, demuxer="wav", field="f", limits=MediaLimits())
    seen = reader.measure()
    assert seen.peak <= 1.0
    assert "6 channels are mixed down to stereo" in reader.notes[0]
    each = [np.zeros((6, 24_000), np.float32) for _ in range(3)]
    for index, samples in enumerate(each):
        samples[index] = tone(0.5, hz=(440,), level=0.9)[0]
    left, right, centre = (heard(wav_bytes(samples, kind="f32", extensible=True)) for samples in each)
    assert np.abs(left[0]).max() > 0.2 > 0.01 > np.abs(left[1]).max()
    assert np.abs(right[1]).max() > 0.2 > 0.01 > np.abs(right[0]).max()
    assert np.allclose(centre[0], centre[1], atol=1e-4)


def test_one_channel_on_request() -> None:
    out = heard(wav_bytes(tone(0.5, hz=(440, 440))), channels=1, rate=16_000)
    assert out.shape == (1, 8_000)
    assert pitch(out, 16_000) == [440]
    assert np.abs(out).max() == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize(
    ("header", "counted"),
    [
        ({"data_size": 0xFFFFFFFF, "riff_size": 0xFFFFFFFF}, True),
        ({"data_size": 0x7FFFFFFF, "riff_size": 0x7FFFFFFF}, True),
        ({"data_size": 2_000_000_000}, True),
        ({"before": b"LIST\x05\0\0\0INFO1\0"}, False),
        ({"rf64": True}, False),
    ],
)
def test_headers_of_streams_and_chunks_before_the_sound(header: dict[str, Any], counted: bool) -> None:
    wave = tone(0.5)
    reader = SoundReader(io.BytesIO(wav_bytes(wave, **header)), demuxer="wav", field="f", limits=MediaLimits())
    out = np.concatenate(list(reader.chunks()), axis=1)
    assert out.shape == (2, 24_000)
    assert np.abs(out - wave).max() < 1e-4
    assert bool(reader.notes) == counted


def test_a_header_that_says_no_sound_before_sound_is_refused() -> None:
    problem = refusal(wav_bytes(tone(0.5), data_size=0, riff_size=0))
    assert problem.code == "media_unreadable"
    assert "0 bytes of sound, and 96,000 follow" in problem.message


def test_a_part_is_exactly_that_part() -> None:
    data = wav_bytes(tone(1.0))
    whole = heard(data)
    assert np.array_equal(heard(data, start_seconds=0.25, seconds=0.5), whole[:, 12_000:36_000])
    assert np.array_equal(heard(data, start_seconds=0.75), whole[:, 36_000:])
    assert heard(data, start_seconds=2.0, seconds=1.0).shape == (2, 0)


def test_it_streams() -> None:
    reader = SoundReader(io.BytesIO(wav_bytes(tone(5.0))), demuxer="wav", field="f", limits=MediaLimits())
    sizes = [chunk.shape[1] for chunk in reader.chunks()]
    assert sum(sizes) == 240_000
    assert max(sizes) <= 48_000
    with pytest.raises(RuntimeError, match="read once"):
        next(reader.chunks())


def test_a_clips_sound_stays_with_its_pictures(tmp_path: Path) -> None:
    path = make_clip(
        tmp_path / "c.mkv", frames=24, sound=tone(0.5, level=0.5), sound_codec="pcm_s16le", sound_after_seconds=0.4
    )
    out = heard(path.read_bytes(), "matroska")
    assert out.shape[1] == pytest.approx(0.9 * 48_000, abs=100)
    assert np.abs(out[:, : int(0.39 * 48_000)]).max() < 0.01
    assert np.abs(out[:, int(0.41 * 48_000) : int(0.45 * 48_000)]).max() > 0.4


def test_silence_is_sound() -> None:
    out = heard(wav_bytes(np.zeros((2, 4_800), np.float32)))
    assert out.shape == (2, 4_800)
    assert not out.any()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_refused(value: float) -> None:
    wave = tone(0.5)
    wave[0, 20_000] = value
    assert "not numbers" in refusal(wav_bytes(wave, kind="f32")).message


def test_over_full_scale_is_clipped_and_said() -> None:
    file = io.BytesIO(wav_bytes(tone(0.2, level=1.8), kind="f32"))
    reader = SoundReader(file, demuxer="wav", field="f", limits=MediaLimits())
    out = np.concatenate(list(reader.chunks()), axis=1)
    assert np.abs(out).max() == 1.0
    assert any("over full scale" in note for note in reader.notes)


@pytest.mark.parametrize(
    ("name", "demuxer", "options"),
    [
        ("a.mp3", "mp3", {"codec": "libmp3lame"}),
        ("a.flac", "flac", {"codec": "flac", "sample_format": "s16"}),
        ("a.wav", "wav", {"codec": "pcm_s16le"}),
        ("a.webm", "matroska", {"codec": "libopus"}),
    ],
)
@pytest.mark.parametrize("share", [0.5, 0.8])
def test_half_a_sound_is_refused(
    tmp_path: Path, name: str, demuxer: str, options: dict[str, Any], share: float
) -> None:
    data = make_sound(tmp_path / name, tone(2.0), **options).read_bytes()
    problem = refusal(data[: int(len(data) * share)], demuxer)
    assert problem.code == "media_unreadable"
    assert "only" in problem.message
    assert "can be decoded" in problem.message


def test_a_cut_ogg_file_is_refused_and_one_without_an_end_mark_is_noted(tmp_path: Path) -> None:
    data = make_sound(tmp_path / "a.ogg", tone(3.0), codec="libopus", container="ogg").read_bytes()
    assert "cut short" in refusal(data[:-10], "ogg").message
    unmarked = io.BytesIO(data[: data.rindex(b"OggS")])
    reader = SoundReader(unmarked, demuxer="ogg", field="f", limits=MediaLimits())
    assert any("no end mark" in note for note in reader.notes)


def test_a_file_that_states_no_length_says_so(tmp_path: Path) -> None:
    data = make_sound(tmp_path / "a.aac", tone(1.0), codec="aac", container="adts").read_bytes()
    reader = SoundReader(io.BytesIO(data), demuxer="aac", field="f", limits=MediaLimits())
    assert "states no length, so a missing end would not show" in reader.notes
    assert refusal(data[: int(len(data) * 0.6)], "aac").code == "media_unreadable"


def test_hours_of_low_rate_sound_stop_at_the_limit(tmp_path: Path) -> None:
    path = make_sound(
        tmp_path / "a.opus", tone(20.0, hz=(300,)), codec="libopus", container="ogg", options={"b": "8000"}
    )
    problem = refusal(path.read_bytes(), "ogg", MediaLimits(max_seconds=5))
    assert (problem.code, problem.limit) == ("media_too_long", 5)
    reader = SoundReader(io.BytesIO(path.read_bytes()), demuxer="ogg", field="f", limits=MediaLimits(max_seconds=5))
    got: list[int] = []
    with pytest.raises(InvalidRequest, match="more than 5 s"):
        got.extend(chunk.shape[1] for chunk in reader.chunks())
    assert sum(got) <= 5.2 * 48_000


def test_too_long_is_refused_from_the_header() -> None:
    problem = refusal(wav_bytes(tone(1.0)), limits=MediaLimits(max_seconds=0.5))
    assert problem.message == "1.000 s, over the limit of 0.5 s"
    part = read_sound(
        io.BytesIO(wav_bytes(tone(1.0))),
        demuxer="wav",
        field="f",
        limits=MediaLimits(max_seconds=0.5),
        start_seconds=0.2,
        seconds=0.5,
    )
    assert part.shape == (2, 24_000)


def test_what_has_no_sound_is_refused(tmp_path: Path) -> None:
    problem = refusal(make_clip(tmp_path / "c.mp4", frames=3).read_bytes(), "mov")
    assert (problem.code, problem.message) == ("unsupported_modality", "has no sound")
    assert "data chunk is empty" in refusal(wav_bytes(tone(0.0))).message


def test_tags_in_another_encoding_are_no_damage() -> None:
    info = b"INFOINAM" + struct.pack("<I", 5) + b"caf\xe9\0\0"
    data = wav_bytes(tone(0.5), before=b"LIST" + struct.pack("<I", len(info)) + info)
    assert SoundReader(io.BytesIO(data), demuxer="wav", field="f", limits=MediaLimits()).measure().seconds == 0.5


def test_channels_that_are_nowhere_are_refused() -> None:
    data = bytearray(wav_bytes(tone(0.5)))
    struct.pack_into("<H", data, 22, 9)
    struct.pack_into("<IH", data, 28, 9 * 2 * 48_000, 9 * 2)
    with pytest.raises(InvalidRequest, match="where its 9 channels are heard"):
        SoundReader(io.BytesIO(data), demuxer="wav", field="f", limits=MediaLimits()).measure()


def test_a_little_that_is_missing_is_noted() -> None:
    data = wav_bytes(tone(1.0))
    reader = SoundReader(io.BytesIO(data[:-9_600]), demuxer="wav", field="f", limits=MediaLimits())
    reader.measure()
    assert "says 1.00 s, and 0.95 s are there" in reader.notes


def test_sound_is_placed_by_the_first_picture_that_can_be_shown(tmp_path: Path) -> None:
    """A transport stream that is joined between two key frames begins with pictures that nobody can show."""
    path = make_clip(tmp_path / "a.ts", frames=72, sound=tone(3.0), sound_codec="mp2", options={"g": "24"})
    data = path.read_bytes()
    packets = [data[at : at + 188] for at in range(0, len(data), 188)]
    starts = [at for at, packet in enumerate(packets) if packet[1] & 0x40 and packet[1] & 0x1F == 1 and not packet[2]]
    joined = b"".join((*packets[:3], *packets[starts[12] :]))
    clip = ClipReader(io.BytesIO(joined), container="mpegts", demuxer="mpegts", field="f", limits=MediaLimits())
    assert clip.measure().frames == 48
    assert any("cannot be shown" in note for note in clip.notes)
    reader = SoundReader(io.BytesIO(joined), demuxer="mpegts", field="f", limits=MediaLimits())
    assert reader.measure().seconds == pytest.approx(2.0, abs=0.06)
    assert any("before the first picture" in note for note in reader.notes)

"""MPEG frames in a row."""

from __future__ import annotations

import pytest

from triptych.media.mpeg import adts_frames, mpeg_audio_frames, transport_packets


@pytest.mark.parametrize(
    ("header", "length"),
    [
        (b"\xff\xfb\x90\x00", 417),  # MPEG-1 layer III, 128 kbit/s, 44.1 kHz
        (b"\xff\xfb\x92\x00", 418),  # with padding
        (b"\xff\xf3\x84\x00", 192),  # MPEG-2 layer III, 64 kbit/s, 24 kHz
        (b"\xff\xe3\x88\x00", 576),  # MPEG-2.5 layer III, 64 kbit/s, 8 kHz
        (b"\xff\xfd\x84\x00", 384),  # MPEG-1 layer II, 128 kbit/s, 48 kHz
        (b"\xff\xff\x44\x00", 128),  # MPEG-1 layer I, 128 kbit/s, 48 kHz
    ],
)
def test_frame_lengths(header: bytes, length: int) -> None:
    frames = (header + bytes(length - 4)) * 3
    assert mpeg_audio_frames(frames, len(frames))
    shifted = (header + bytes(length - 3)) * 3
    assert not mpeg_audio_frames(shifted, len(shifted))


@pytest.mark.parametrize(
    "header",
    [
        b"\xff\xeb\x90\x00",
        b"\xff\xf9\x90\x00",
        b"\xff\xfb\x00\x00",
        b"\xff\xfb\xf0\x00",
        b"\xff\xfb\x9c\x00",
        b"\xff\xfb\x90\x02",
    ],
    ids=["version", "layer", "free bitrate", "bad bitrate", "rate", "emphasis"],
)
def test_reserved_values_are_no_frames(header: bytes) -> None:
    frames = (header + bytes(413)) * 3
    assert not mpeg_audio_frames(frames, len(frames))


def test_the_sample_rate_may_not_change() -> None:
    frames = b"\xff\xfb\x90\x00" + bytes(413) + b"\xff\xfb\x94\x00" + bytes(380)
    assert not mpeg_audio_frames(frames, len(frames))


def test_a_last_frame_that_is_cut_short() -> None:
    frames = (b"\xff\xfb\x90\x00" + bytes(413)) * 4
    assert mpeg_audio_frames(frames[:1000], 1000)
    assert not mpeg_audio_frames(frames[:420], 2000)


def test_adts() -> None:
    frame = b"\xff\xf1\x50\x80\x02\x1f\xfc" + bytes(9)
    assert adts_frames(frame * 3, 48)
    assert not adts_frames(frame[:-1] * 3, 45)
    assert not adts_frames(b"\xff\xf1\x74\x80\x02\x1f\xfc" + bytes(9), 16)  # sample rate 13 is reserved


def test_transport_packets_of_each_size() -> None:
    for size, lead in ((188, 0), (192, 4), (204, 0)):
        packets = (bytes(lead) + b"\x47" + bytes(size - lead - 1)) * 3
        assert transport_packets(packets)
        assert not transport_packets(packets[: size - 1])
    assert not transport_packets(b"\x47" * 1 + bytes(600))

from __future__ import annotations

import io
from pathlib import Path

import av
import pytest

from triptych.errors import InvalidRequest
from triptych.media.audio import SoundReader
from triptych.media.ending import caf_share, mov_ending, ogg_ending
from triptych.media.video import ClipReader
from triptych.rules.spec import MediaLimits
from triptych.testing.media import make_clip, make_sound, tone

_TONE = tone(1.0)


def fragmented(tmp_path: Path, flags: str) -> bytes:
    """Two seconds in fragments of half a second."""
    whole = make_clip(tmp_path / "whole.mp4", frames=48, options={"g": "12"})
    pieces = tmp_path / "pieces.mp4"
    with av.open(str(whole)) as given, av.open(str(pieces), "w", options={"movflags": flags}) as out:
        stream = out.add_stream_from_template(given.streams.video[0])
        for packet in given.demux(video=0):
            if packet.size:
                packet.stream = stream
                out.mux(packet)
    return pieces.read_bytes()


def read(data: bytes) -> tuple[int, tuple[str, ...]]:
    clip = ClipReader(io.BytesIO(data), container="mov", demuxer="mov", field="clip", limits=MediaLimits())
    frames = clip.measure().frames
    return frames, clip.notes


def test_boxes_of_a_plain_and_of_a_fragmented_file(tmp_path: Path) -> None:
    plain = mov_ending(io.BytesIO(make_clip(tmp_path / "a.mp4", frames=2).read_bytes()))
    assert (plain.fragmented, plain.cut) == (False, False)
    data = fragmented(tmp_path, "frag_keyframe+empty_moov")
    closed = mov_ending(io.BytesIO(data))
    assert (closed.fragmented, closed.closed, closed.cut) == (True, True, False)
    unclosed = mov_ending(io.BytesIO(data[: data.rindex(b"mfra") - 4]))
    assert (unclosed.fragmented, unclosed.closed, unclosed.cut) == (True, False, False)
    assert mov_ending(io.BytesIO(data[: data.rindex(b"mfra") - 5])).cut


def test_a_fragmented_file_is_whole_or_cut_or_says_that_it_does_not_know(tmp_path: Path) -> None:
    data = fragmented(tmp_path, "frag_keyframe+empty_moov")
    assert read(data) == (48, ())
    third, fourth = [at - 4 for at in range(len(data)) if data.startswith(b"moof", at)][2:]
    with pytest.raises(InvalidRequest, match="ends inside a fragment"):
        read(data[: fourth - 20])
    frames, notes = read(data[:third])
    assert frames == 24
    assert any("states no length" in note for note in notes)


def test_how_an_ogg_file_ends(tmp_path: Path) -> None:
    data = make_sound(tmp_path / "a.ogg", _TONE, codec="libopus", container="ogg").read_bytes()
    assert ogg_ending(io.BytesIO(data)) == "marked"
    assert ogg_ending(io.BytesIO(data[:-10])) == "cut"
    assert ogg_ending(io.BytesIO(data[: data.rindex(b"OggS") + 20])) == "cut"
    assert ogg_ending(io.BytesIO(data[: data.rindex(b"OggS")])) == "unmarked"
    assert ogg_ending(io.BytesIO(b"")) == "cut"


def test_half_a_caf_is_refused_although_ffmpeg_shortens_its_length(tmp_path: Path) -> None:
    data = make_sound(tmp_path / "a.caf", _TONE, codec="pcm_s16le").read_bytes()
    assert caf_share(io.BytesIO(data)) == 1.0
    half = io.BytesIO(data[: len(data) // 2])
    assert caf_share(half) == pytest.approx(0.5, abs=0.02)
    with pytest.raises(InvalidRequest, match=r"says 1\.00 s, only 0\.50 s"):
        SoundReader(half, demuxer="caf", field="voice", limits=MediaLimits()).measure()

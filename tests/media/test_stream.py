from __future__ import annotations

import io
import socket
from pathlib import Path

import av
import pytest

from triptych.errors import InvalidRequest
from triptych.media.bound import CLIP_BOUND
from triptych.media.stream import (
    _OneFile,
    check_codec,
    cut_short,
    falls_short,
    is_cover,
    open_container,
    picture_stream,
    shortfall_note,
    sound_stream,
)
from triptych.testing import trick
from triptych.testing.media import make_clip, make_sound, tone

_MOST = CLIP_BOUND.max_pixels
_FORCED = ["mov", "matroska", "avi", "wav", "mp3", "ogg", "flac", "aac", "aiff", "amr", "mpegts", "caf"]


def test_streams_are_found(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "clip.mp4", frames=3, sound=tone(0.2))
    with path.open("rb") as file, open_container(file, demuxer="mov", field="f", max_pixels=_MOST) as container:
        picture, sound = picture_stream(container), sound_stream(container)
        assert picture is not None
        assert sound is not None
        assert (check_codec(picture, field="f"), check_codec(sound, field="f")) == ("h264", "aac")
        assert not is_cover(picture)


def test_a_cover_is_no_moving_picture(tmp_path: Path) -> None:
    path = tmp_path / "song.m4a"
    trick.covered_song(path)
    with path.open("rb") as file, open_container(file, demuxer="mov", field="f", max_pixels=_MOST) as container:
        assert [is_cover(stream) for stream in container.streams.video] == [True]
        assert picture_stream(container) is None
        assert sound_stream(container) is not None


def test_the_codec_is_named_and_not_its_decoder(tmp_path: Path) -> None:
    path = make_sound(tmp_path / "call.amr", tone(0.2, rate=8_000, hz=(300,)), codec="libopencore_amrnb", rate=8_000)
    with path.open("rb") as file, open_container(file, demuxer="amr", field="f", max_pixels=_MOST) as container:
        sound = sound_stream(container)
        assert sound is not None
        assert check_codec(sound, field="f") == "amr_nb"


def test_a_codec_that_is_not_listed_is_refused(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "clip.avi", codec="wmv2", frames=3)
    with path.open("rb") as file, open_container(file, demuxer="avi", field="f", max_pixels=_MOST) as container:
        picture = picture_stream(container)
        assert picture is not None
        with pytest.raises(InvalidRequest, match="its picture codec is wmv2, which is not read here"):
            check_codec(picture, field="f")


def decoded(data: bytes, demuxer: str) -> int:
    """How many packets come out."""
    try:
        with open_container(io.BytesIO(data), demuxer=demuxer, field="f", max_pixels=_MOST) as container:
            return sum(1 for packet in container.demux() if packet.decode())
    except (InvalidRequest, av.error.FFmpegError):
        return 0


@pytest.mark.parametrize("demuxer", _FORCED)
def test_a_forced_demuxer_follows_no_list(demuxer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    secret = make_clip(tmp_path / "secret.mp4", frames=3)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        port = server.getsockname()[1]
        address = f"http://127.0.0.1:{port}/x.ts"
        texts = [f"ffconcat version 1.0\nfile '{name}'\n" for name in (secret.name, str(secret), address)]
        texts += [
            f"#EXTM3U\n#EXTINF:1,\n{name}\n#EXT-X-ENDLIST\n" for name in (secret.name, f"file://{secret}", address)
        ]
        for text in texts:
            assert decoded(text.encode(), demuxer) == 0
        with pytest.raises(BlockingIOError):
            server.accept()


def test_even_the_list_demuxers_open_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # They are never forced, because the first bytes never name them; this is the second wall behind that one.
    monkeypatch.chdir(tmp_path)
    secret = make_clip(tmp_path / "secret.mp4", frames=3)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/x.ts"
        for name in (secret.name, str(secret), f"file:{secret}", address):
            assert decoded(f"ffconcat version 1.0\nfile '{name}'\n".encode(), "concat") == 0
            playlist = f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{name}\n#EXT-X-ENDLIST\n"
            assert decoded(playlist.encode(), "hls") == 0
        with pytest.raises(BlockingIOError):
            server.accept()


def test_a_container_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "clip.mkv", frames=3)
    with path.open("rb") as file, pytest.raises(InvalidRequest, match="cannot be opened as mov"):
        open_container(file, demuxer="mov", field="f", max_pixels=_MOST)


@pytest.mark.parametrize(
    ("seconds", "claimed", "short"),
    [
        (2.0, None, False),
        (1.0, 2.0, True),
        (14.95, 15.0, False),
        (14.2, 15.0, True),
        (0.05, 0.14, False),
        (3.0, 2.0, False),
    ],
)
def test_what_counts_as_short(seconds: float, claimed: float | None, short: bool) -> None:
    assert falls_short(seconds, claimed) is short


def test_a_cut_is_told_with_both_figures() -> None:
    error = av.error.InvalidDataError(1, "Invalid data")
    refusal = cut_short("f", claimed=5.0, seconds=2.083, done="50 frames", cause=error)
    assert "says 5.00 s, only 2.08 s (50 frames) can be decoded; then the data are damaged" in refusal.message
    assert (refusal.problems[0].value, refusal.problems[0].limit) == (2.083, 5.0)
    assert (
        "only the first 1.00 s can be decoded" in cut_short("f", claimed=None, seconds=1, done="", cause=None).message
    )


def test_a_place_that_cannot_be_is_damage_and_no_fault_of_ours() -> None:
    given = _OneFile(io.BytesIO(b"abc"))
    assert (given.seek(1), given.read(5)) == (1, b"bc")
    with pytest.raises(av.error.FFmpegError, match="points outside itself"):
        given.seek(-5)


def test_a_shortfall_is_said_when_it_is_one() -> None:
    assert shortfall_note(0.9, 1.0, spare_seconds=0.05) == "says 1.00 s, and 0.90 s are there"
    assert shortfall_note(0.96, 1.0, spare_seconds=0.05) == ""
    assert shortfall_note(0.9, None, spare_seconds=0.05) == ""

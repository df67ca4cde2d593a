from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from triptych.errors import InvalidRequest
from triptych.media.folder import FrameFolderWriter, pack_folder
from triptych.media.video import ClipReader
from triptych.rules.spec import MediaLimits
from triptych.testing.media import animation_bytes, make_clip, make_sound, numbered, read_number, tone


def reader(path: Path, *, container: str = "mov", limits: MediaLimits | None = None, whole: bool = True) -> ClipReader:
    demuxer = None if container in ("gif", "png") else container
    file = io.BytesIO(path.read_bytes())
    return ClipReader(
        file, container=container, demuxer=demuxer, field="--clip", limits=limits or MediaLimits(), whole=whole
    )


def numbers(path: Path, start: float = 0.0, seconds: float | None = None, *, fps: float | None = None) -> list[int]:
    container = {".mkv": "matroska", ".gif": "gif"}.get(path.suffix, "mov")
    clip = reader(path, container=container)
    return [read_number(pixels) for _, pixels in clip.frames(start, seconds, fps=fps)]


def test_every_frame_comes_once_and_on_time(tmp_path: Path) -> None:
    clip = reader(make_clip(tmp_path / "c.mp4", frames=48))
    frames = list(clip)
    assert [read_number(pixels) for _, pixels in frames] == list(range(48))
    assert [seconds for seconds, _ in frames] == pytest.approx([index / 24 for index in range(48)])
    assert frames[0][1].shape == (64, 96, 3)
    with pytest.raises(RuntimeError, match="read once"):
        next(clip.frames())


def test_60_fps_to_24_keeps_length_and_the_last_frame(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "c.mp4", frames=120, fps=60)
    out = numbers(path, fps=24)
    assert len(out) == 48
    assert out[-1] == 119
    assert out == sorted(out)
    assert max(after - before for before, after in pairwise(out)) <= 4
    assert [abs(number - (index + 0.5) * 2.5) < 2 for index, number in enumerate(out)] == [True] * 48


@pytest.mark.parametrize(
    ("frames", "fps", "wanted"), [(12, 12, 24), (30, 30, 24), (50, 25, 24), (24, 24, 24), (29, 29, 25)]
)
def test_any_rate_to_any_other(tmp_path: Path, frames: int, fps: int, wanted: int) -> None:
    out = numbers(make_clip(tmp_path / "c.mp4", frames=frames, fps=fps), fps=wanted)
    assert len(out) == round(frames / fps * wanted)
    assert (out[0], out[-1]) == (0, frames - 1)
    assert out == sorted(out)


def test_the_same_rate_is_one_to_one_in_spite_of_rounded_times(tmp_path: Path) -> None:
    assert numbers(make_clip(tmp_path / "c.mkv", frames=48), fps=24) == list(range(48))


def test_a_variable_rate_goes_by_time_stamps(tmp_path: Path) -> None:
    times = [0, 40, 500, 540, 1_000]
    path = make_clip(tmp_path / "c.mkv", frames=5, milliseconds=times)
    out = numbers(path, fps=25)
    assert out[:2] == [0, 1]
    assert out[2:12] == [1] * 10
    assert out[13:24] == [3] * 11
    assert out[-1] == 4
    seen = reader(path, container="matroska").measure()
    assert (seen.frames, seen.variable_rate) == (5, True)
    assert seen.seconds >= 1.0
    assert seen.fps == pytest.approx(4.0)


def test_a_part_of_a_clip(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "c.mp4", frames=48)
    assert numbers(path, 0.5, 0.5) == list(range(12, 24))
    assert numbers(path, 0.5, 0.5, fps=24) == list(range(12, 24))
    assert numbers(path, 1.5) == list(range(36, 48))
    assert len(numbers(path, 1.0, 0.25, fps=48)) == 12
    clip = reader(path)
    assert [seconds for seconds, _ in clip.frames(0.5, 0.25)] == pytest.approx([index / 24 for index in range(6)])


def test_a_part_that_ends_a_little_after_the_clip_keeps_its_length(tmp_path: Path) -> None:
    out = numbers(make_clip(tmp_path / "c.mp4", frames=24), 0.0, 1.08, fps=24)
    assert len(out) == 26
    assert out[-3:] == [23, 23, 23]


def test_size_and_luma(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "c.mp4", frames=6)
    colour = list(reader(path).frames(size=(48, 32)))
    luma = list(reader(path).frames(size=(48, 32), gray=True))
    assert {pixels.shape for _, pixels in colour} == {(32, 48, 3)}
    assert {pixels.shape for _, pixels in luma} == {(32, 48)}
    assert [read_number(pixels) for _, pixels in luma] == list(range(6))


def test_measured_and_not_read_off_the_header(tmp_path: Path) -> None:
    clip = reader(make_clip(tmp_path / "c.mp4", frames=36, sound=tone(1.5)))
    seen = clip.measure()
    assert seen.frames == 36
    assert seen.seconds == pytest.approx(1.5)
    assert seen.fps == pytest.approx(24.0)
    assert (seen.variable_rate, seen.has_alpha, seen.complete) == (False, False, True)
    assert (clip.size, clip.codec, clip.has_sound, clip.rotation, clip.notes) == ((96, 64), "h264", True, 0, ())


def test_a_part_is_decoded_no_further_than_needed(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "c.mp4", frames=240, faststart=True)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * 0.9)])
    seen = reader(path, whole=False).measure(0.5, 1.0)
    assert (seen.frames, seen.complete) == (24, False)
    assert 1.5 <= seen.seconds <= 1.7
    with pytest.raises(InvalidRequest, match=r"says 10\.00 s, only"):
        reader(path).measure()


def test_too_long_is_refused_from_the_header(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "c.mp4", frames=48)
    with pytest.raises(InvalidRequest, match=r"2\.000 s, over the limit of 1 s"):
        reader(path, limits=MediaLimits(max_seconds=1))
    assert len(list(reader(path, limits=MediaLimits(max_seconds=1), whole=False).frames(0.5, 1.0))) == 24


def test_too_long_is_refused_while_decoding(tmp_path: Path) -> None:
    path = tmp_path / "c.gif"
    path.write_bytes(animation_bytes("GIF", 30, 100))
    with pytest.raises(InvalidRequest, match="more than 1 s") as caught:
        reader(path, container="gif", limits=MediaLimits(max_seconds=1)).measure()
    assert caught.value.problems[0].code == "media_too_long"
    with pytest.raises(InvalidRequest, match="more than 20 frames"):
        reader(path, container="gif", limits=MediaLimits(max_frames=20)).measure()


def test_limits_that_just_hold_pass(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "c.mp4", frames=24)
    assert reader(path, limits=MediaLimits(max_seconds=1, max_frames=24)).measure().frames == 24


def test_sound_alone_is_no_clip(tmp_path: Path) -> None:
    path = make_sound(tmp_path / "s.m4a", tone(0.3), codec="aac", container="ipod")
    with pytest.raises(InvalidRequest, match="holds sound, and no moving picture"):
        reader(path)


def test_stills_are_no_clips(tmp_path: Path) -> None:
    for container in ("jpeg", "bmp"):
        with pytest.raises(InvalidRequest) as caught:
            ClipReader(io.BytesIO(), container=container, demuxer=None, field="f", limits=MediaLimits())
        assert caught.value.problems[0].code == "unsupported_modality"


def test_a_packed_folder_is_a_clip(tmp_path: Path) -> None:
    frames = tmp_path / "frames"
    with_writer = FrameFolderWriter(frames)
    for index in range(6):
        with_writer.write(numbered(index))
    blob = pack_folder(frames, field="f", spool=tmp_path, max_bytes=1 << 20, frame_rate=12)
    for rate, seconds in [(12.0, 0.5), (None, 0.25)]:
        with Path(blob.path).open("rb") as file:
            clip = ClipReader(file, container="frames", demuxer=None, field="f", limits=MediaLimits(), frame_rate=rate)
            seen = [(moment, read_number(pixels)) for moment, pixels in clip]
        assert [number for _, number in seen] == list(range(6))
        assert seen[1][0] == pytest.approx(seconds / 6)


def test_an_animated_picture_at_a_constant_rate(tmp_path: Path) -> None:
    path = tmp_path / "c.gif"
    path.write_bytes(animation_bytes("GIF", 5, 100))
    assert numbers(path, fps=20) == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_frames_are_bit_for_bit_where_the_codec_is(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "c.mov", codec="png", pixel_format="rgb24", frames=3)
    for index, (_, pixels) in enumerate(reader(path)):
        assert np.array_equal(pixels, numbered(index))

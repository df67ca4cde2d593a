from __future__ import annotations

import io
import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from triptych.errors import InvalidRequest
from triptych.media.animation import MovingPicture, NumberedFrames
from triptych.media.turn import Pixels
from triptych.media.video import ClipReader
from triptych.rules.spec import MediaLimits
from triptych.testing.media import animation_bytes, numbered, picture_bytes, quarters, read_number


def moving(data: bytes, container: str) -> MovingPicture:
    return MovingPicture(io.BytesIO(data), container=container, field="--clip", limits=MediaLimits())


@pytest.mark.parametrize("container", ["GIF", "PNG", "WEBP", "AVIF"])
def test_frames_and_their_times(container: str) -> None:
    shots = list(moving(animation_bytes(container, 4, [100, 50, 200, 100]), container.lower()).shots())
    assert [read_number(shot.pixels(None, False)) for shot in shots] == [0, 1, 2, 3]
    assert [shot.seconds for shot in shots] == pytest.approx([0, 0.1, 0.15, 0.35], abs=0.002)
    assert shots[-1].length == pytest.approx(0.1, abs=0.002)


def test_frames_too_short_to_be_shown_last_as_in_players() -> None:
    found = moving(animation_bytes("GIF", 3, 10), "gif")
    assert [shot.length for shot in found.shots()] == [0.1] * 3
    assert "shown for 0.1 s" in found.notes[0]


def test_transparent_frames_are_laid_on_white() -> None:
    clear = Image.new("RGBA", (16, 16))
    opaque = Image.new("RGBA", (16, 16), (255, 0, 0, 255))
    data = picture_bytes(clear, "WEBP", save_all=True, append_images=[opaque], duration=100, lossless=True)
    first, second = moving(data, "webp").shots()
    assert (first.pixels(None, False) == 255).all()
    assert (first.transparent(), second.transparent()) == (True, False)


def test_a_still_is_no_clip() -> None:
    with pytest.raises(InvalidRequest) as caught:
        moving(picture_bytes(quarters()), "png")
    assert caught.value.problems[0].code == "unsupported_modality"


@pytest.mark.parametrize("container", ["GIF", "PNG", "WEBP", "AVIF"])
@pytest.mark.parametrize("share", [0.5, 0.8, 0.97])
def test_a_short_clip_is_never_taken_for_a_whole_one(container: str, share: float) -> None:
    data = animation_bytes(container, 8)
    with pytest.raises(InvalidRequest) as caught:
        list(moving(data[: int(len(data) * share)], container.lower()).shots())
    assert caught.value.problems[0].code == "media_unreadable"


def folder(*frames: Pixels) -> NumberedFrames:
    packed = iter([(index, picture_bytes(frame, "PPM")) for index, frame in enumerate(frames)])
    return NumberedFrames(packed, frame_rate=12, field="--clip", limits=MediaLimits())


def test_numbered_frames_come_at_their_rate() -> None:
    found = folder(*[numbered(index) for index in range(5)])
    shots = list(found.shots())
    assert [read_number(shot.pixels(None, False)) for shot in shots] == list(range(5))
    assert [shot.seconds for shot in shots] == pytest.approx([index / 12 for index in range(5)])
    assert (found.width, found.height, found.rate) == (96, 64, 12)


def test_mixed_sizes_are_refused_naming_both() -> None:
    with pytest.raises(InvalidRequest, match="frame 0 is 96x64, and frame 2 is 48x32"):
        list(folder(quarters(), quarters(), quarters(48, 32)).shots())


def test_no_frames_and_bad_frames_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest) as caught:
        folder()
    assert caught.value.problems[0].code == "media_empty"
    packed = iter([(0, picture_bytes(quarters(), "PPM")), (1, picture_bytes(quarters(), "PPM")[:2_000])])
    found = NumberedFrames(packed, frame_rate=24, field="--clip", limits=MediaLimits())
    with pytest.raises(InvalidRequest) as caught:
        list(found.shots())
    assert caught.value.problems[0].field == "--clip (frame 1)"


def test_opaque_pixels_are_exact() -> None:
    shots = list(moving(animation_bytes("PNG", 2), "png").shots())
    assert np.array_equal(shots[1].pixels(None, False), numbered(1))


def test_what_no_frame_of_a_gif_has_covered_yet_is_background() -> None:
    data = bytearray(animation_bytes("GIF", 2))
    data[6:10] = struct.pack("<HH", 200, 100)
    frames = [
        pixels
        for _, pixels in ClipReader(
            io.BytesIO(data), container="gif", demuxer=None, field="clip", limits=MediaLimits(), background=(1, 2, 3)
        )
    ]
    assert [frame[80, 150].tolist() for frame in frames] == [[1, 2, 3]] * 2
    assert [read_number(frame[:64, :96]) for frame in frames] == [0, 1]

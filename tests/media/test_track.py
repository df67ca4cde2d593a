from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from triptych.errors import InvalidRequest
from triptych.media.bound import CLIP_BOUND
from triptych.media.stream import open_container, picture_stream
from triptych.media.track import PictureTrack
from triptych.rules.spec import MediaLimits
from triptych.testing import trick
from triptych.testing.media import QUARTERS, corners, make_clip, make_turned_clip, quarters, read_number


def track(path: Path, demuxer: str = "mov", limits: MediaLimits | None = None) -> PictureTrack:
    file = io.BytesIO(path.read_bytes())
    container = open_container(file, demuxer=demuxer, field="--clip", max_pixels=CLIP_BOUND.max_pixels)
    stream = picture_stream(container)
    assert stream is not None
    return PictureTrack(container, stream, file, field="--clip", limits=limits or MediaLimits())


@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_display_matrix_is_upright(tmp_path: Path, orientation: int) -> None:
    found = track(make_turned_clip(tmp_path / "clip.mp4", orientation))
    assert (found.width, found.height) == (96, 64)
    for shot in found.shots():
        assert corners(shot.pixels(None, False)) == QUARTERS
        assert corners(shot.pixels((48, 32), False)) == QUARTERS
        assert shot.pixels((30, 20), True).shape == (20, 30)


def test_square_pixels(tmp_path: Path) -> None:
    wide = track(make_clip(tmp_path / "wide.mp4", frames=2, pixel_aspect=(2, 1)))
    assert (wide.width, wide.height) == (192, 64)
    assert next(wide.shots()).pixels(None, False).shape == (64, 192, 3)
    tall = track(make_clip(tmp_path / "tall.mp4", frames=2, pixel_aspect=(1, 2)))
    assert (tall.width, tall.height) == (96, 128)
    assert "not square" in tall.notes[0]


@pytest.mark.parametrize("matrix", [1, 5])
@pytest.mark.parametrize("full", [False, True])
def test_colours_follow_the_tags(tmp_path: Path, matrix: int, full: bool) -> None:
    tags = {"colorspace": matrix, "color_range": 2 if full else 1}
    path = make_clip(
        tmp_path / "c.mp4", pictures=[quarters()] * 3, pixel_format="yuv444p", colours=tags, options={"crf": "1"}
    )
    shot = next(track(path).shots())
    middle = [shot.pixels(None, False)[y, x].astype(int) for y in (16, 48) for x in (24, 72)]
    assert np.abs(np.array(middle) - QUARTERS).max() <= 6


def test_untagged_hd_is_bt709_and_sd_is_bt601(tmp_path: Path) -> None:
    for width, height, matrix in [(1280, 720, 1), (96, 64, 5)]:
        pictures = [quarters(width, height)] * 2
        path = make_clip(
            tmp_path / f"{width}.mkv", codec="ffv1", width=width, height=height, pictures=pictures,
            pixel_format="yuv444p", colours={"colorspace": matrix},
        )  # fmt: skip
        data = path.read_bytes()
        path.write_bytes(data)
        found = track(path, "matroska")
        pixels = next(found.shots()).pixels(None, False)
        middle = np.array([pixels[y * height // 4, x * width // 4] for y in (1, 3) for x in (1, 3)], int)
        assert np.abs(middle - QUARTERS).max() <= 4


def test_alpha_is_laid_on_the_background_and_never_dropped(tmp_path: Path) -> None:
    path = tmp_path / "clear.webm"
    trick.clear_clip(path)
    shot = next(track(path, "matroska").shots())
    pixels = shot.pixels(None, False)
    assert (pixels[48:] >= 250).all()
    assert corners(pixels)[:2] == QUARTERS[:2]
    assert shot.transparent()
    assert (shot.pixels(None, True)[48:] >= 250).all()


def test_alpha_of_other_codecs(tmp_path: Path) -> None:
    rgba = np.dstack([quarters(), np.full((64, 96), 255, np.uint8)])
    rgba[:32, :, 3] = 0
    path = make_clip(tmp_path / "p.mov", codec="png", pixel_format="rgba", pictures=[rgba] * 2)
    pixels = next(track(path).shots()).pixels(None, False)
    assert (pixels[:32] == 255).all()
    assert np.array_equal(pixels[32:], quarters()[32:])


def test_hdr_is_brought_down_and_said(tmp_path: Path) -> None:
    tags = {"colorspace": 9, "color_trc": 16, "color_primaries": 9, "color_range": 1}
    grey = np.full((64, 96, 3), 148, np.uint8)  # 0.58 of PQ: paper white
    path = make_clip(tmp_path / "hdr.mkv", codec="ffv1", pixel_format="yuv420p10le", pictures=[grey] * 2, colours=tags)
    found = track(path, "matroska")
    pixels = next(found.shots()).pixels(None, False)
    assert "HDR (PQ)" in found.notes[0]
    assert 236 <= int(pixels[32, 48, 0]) <= 252


def test_a_frame_over_the_limit_is_refused_from_the_header(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "c.mp4", frames=2)
    with pytest.raises(InvalidRequest) as caught:
        track(path, limits=MediaLimits(max_side=95))
    assert caught.value.problems[0].code == "media_too_large"


@pytest.mark.parametrize("share", [0.6, 0.75, 0.9])
def test_a_cut_clip_ends_in_a_refusal_with_figures(tmp_path: Path, share: float) -> None:
    path = make_clip(tmp_path / "c.mp4", frames=120, faststart=True)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    found = track(path)
    seen: list[int] = []
    with pytest.raises(InvalidRequest, match=r"says 5\.00 s, only .* frames\) can be decoded") as caught:
        seen.extend(read_number(shot.pixels(None, False)) for shot in found.shots())
    assert seen == list(range(len(seen)))
    assert f"({len(seen)} frame" in caught.value.message


def test_frames_that_grow_are_scaled_to_the_first(tmp_path: Path) -> None:
    small = make_clip(tmp_path / "a.avi", codec="mjpeg", pixel_format="yuvj420p", frames=3)
    found = track(small, "avi")
    shapes = {shot.pixels((48, 32), False).shape for shot in found.shots()}
    assert shapes == {(32, 48, 3)}

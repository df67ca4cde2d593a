from __future__ import annotations

import av
import numpy as np
import pytest

from triptych.media.colour import Colours, read_colours, to_srgb


def _frame(name: str, width: int = 64, height: int = 48, **tags: int) -> av.VideoFrame:
    frame = av.VideoFrame(width, height, name)
    for tag, value in tags.items():
        setattr(frame, tag, value)
    return frame


@pytest.mark.parametrize(
    ("frame", "matrix", "full"),
    [
        (_frame("yuv420p"), 5, False),
        (_frame("yuv420p", 1280, 720), 1, False),
        (_frame("yuv420p", 720, 1280), 1, False),
        (_frame("yuv420p", colorspace=1), 1, False),
        (_frame("yuv420p", 1280, 720, colorspace=6), 5, False),
        (_frame("yuv420p10le", colorspace=9), 9, False),
        (_frame("yuv420p", color_range=2), 5, True),
        (_frame("yuvj420p"), 5, True),
        (_frame("gray"), 5, True),
        (_frame("rgb24"), None, True),
        (_frame("gbrp"), None, True),
    ],
)
def test_tags_decide_and_size_where_there_are_none(frame: av.VideoFrame, matrix: int | None, full: bool) -> None:
    colours = read_colours(frame)
    assert (colours.matrix, colours.full_range) == (matrix, full)
    assert colours.plain


def test_hdr_is_told_by_its_curve() -> None:
    assert read_colours(_frame("yuv420p10le", color_trc=16, color_primaries=9)).light == "pq"
    hlg = read_colours(_frame("yuv420p10le", color_trc=18, color_primaries=9))
    assert (hlg.light, hlg.plain) == ("hlg", False)
    assert "HDR (HLG)" in hlg.notes[0]


def _shown(code: float, light: str, primaries: int = 0) -> list[int]:
    pixel = np.full((1, 1, 3), round(code * 65_535), np.uint16)
    colours = Colours(matrix=9, full_range=False, light=light, primaries=primaries)  # type: ignore[arg-type]  # by name
    out: list[int] = to_srgb(pixel, colours)[0, 0].tolist()
    return out


def test_paper_white_of_pq_is_nearly_white() -> None:
    # 203 nits are 0.58 in PQ (ITU-R BT.2408).
    white = _shown(0.58, "pq")
    assert 238 <= white[0] <= 250
    assert max(white) - min(white) == 0


def test_brighter_stays_brighter_and_never_wraps() -> None:
    for light in ("pq", "hlg"):
        ramp = [_shown(code, light)[0] for code in np.linspace(0, 1, 101)]
        assert ramp == sorted(ramp)
        assert ramp[0] == 0
        assert ramp[-1] >= 254


def test_grey_stays_grey_in_any_primaries() -> None:
    for primaries in (0, 9, 12):
        values = _shown(0.5, "sdr", primaries)
        assert max(values) - min(values) <= 1
        assert abs(values[0] - 128) <= 1


def test_wide_colours_widen() -> None:
    red = np.array([[[65_535, 0, 0]]], np.uint16)
    half = np.array([[[40_000, 20_000, 20_000]]], np.uint16)
    colours = Colours(matrix=9, full_range=False, primaries=9)
    assert to_srgb(red, colours)[0, 0].tolist() == [255, 0, 0]
    plain = (half[0, 0] / 257).round().astype(int)
    assert to_srgb(half, colours)[0, 0, 0] > plain[0]

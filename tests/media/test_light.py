from __future__ import annotations

import io
import struct

import numpy as np
import pytest

from triptych.media.image import Picture, read_image
from triptych.media.light import read_light
from triptych.rules.spec import MediaLimits
from triptych.testing.media import picture_bytes, png_bytes, png_chunk, quarters


def read(data: bytes) -> Picture:
    return read_image(io.BytesIO(data), field="image", limits=MediaLimits())


def grey_png(value: int, extra: bytes) -> bytes:
    rows = (b"\0" + bytes((value, value, value)) * 4) * 4
    return png_bytes(rows, width=4, height=4, depth=8, colour=2, extra=extra)


def gamma(exponent: float) -> bytes:
    return png_chunk(b"gAMA", struct.pack(">I", round(exponent * 100_000)))


def test_linear_light_is_brought_to_srgb() -> None:
    picture = read(grey_png(55, gamma(1.0)))
    assert abs(int(picture.pixels[0, 0, 0]) - 128) <= 1  # 55 / 255 of the light is the middle grey of sRGB
    assert any("gamma of 1" in note for note in picture.notes)


@pytest.mark.parametrize("extra", [b"", gamma(0.45455), png_chunk(b"sRGB", b"\0") + gamma(1.0), gamma(0.0)])
def test_ordinary_values_stay(extra: bytes) -> None:
    picture = read(grey_png(55, extra))
    assert picture.pixels[0, 0].tolist() == [55, 55, 55]
    assert not picture.notes


def test_an_hdr_png_is_brought_down() -> None:
    # 148 of 255 in PQ is the white of paper (203 nits), which is eased a little below 255
    picture = read(grey_png(148, png_chunk(b"cICP", bytes((1, 16, 0, 1)))))
    assert 230 <= int(picture.pixels[0, 0, 0]) <= 250
    assert any("HDR (PQ)" in note for note in picture.notes)


def test_an_avif_in_wide_colours_is_brought_into_srgb() -> None:
    plain = picture_bytes(quarters(), "AVIF", quality=95)
    at = plain.index(b"colrnclx") + 8
    wide = plain[:at] + struct.pack(">HH", 12, 13) + plain[at + 4 :]
    assert read_light(io.BytesIO(plain), "avif") is None
    picture = read(wide)
    assert any("Display P3" in note for note in picture.notes)
    light = read_light(io.BytesIO(wide), "avif")
    assert light is not None
    assert np.array_equal(picture.pixels, light.applied(read(plain).pixels))

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageCms

from triptych.errors import InvalidRequest
from triptych.media.pixel import colour_name, to_srgb
from triptych.testing.media import QUARTERS, corners, quarters


def test_deep_grey_is_scaled_and_never_clipped() -> None:
    ramp = np.array([[0, 257, 32_896, 65_535]], np.uint16)
    plain = to_srgb(Image.fromarray(ramp), field="f")
    assert plain.pixels[0, :, 0].tolist() == [0, 1, 128, 255]
    assert plain.notes == ["16-bit grey was scaled to 8 bits"]


@pytest.mark.parametrize("mode", ["I", "F"])
def test_numbers_without_a_stated_white_are_refused(mode: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        to_srgb(Image.new(mode, (4, 4)), field="f")
    assert caught.value.problems[0].code == "media_not_supported"


@pytest.mark.parametrize(
    ("background", "name"), [((255, 255, 255), "white"), ((0, 0, 0), "black"), ((1, 2, 255), "#0102ff")]
)
def test_transparency_shows_the_background_and_nothing_hidden(background: tuple[int, int, int], name: str) -> None:
    image = Image.fromarray(np.dstack([quarters(), np.zeros((64, 96), np.uint8)]))
    plain = to_srgb(image, field="f", background=background)
    assert (plain.pixels == background).all()
    assert plain.has_alpha
    assert plain.notes == [f"transparency was laid on {name}"]
    assert colour_name(background) == name


def test_an_opaque_alpha_channel_is_no_transparency() -> None:
    plain = to_srgb(Image.fromarray(quarters()).convert("RGBA"), field="f")
    assert not plain.has_alpha
    assert plain.notes == []
    assert np.array_equal(plain.pixels, quarters())


@pytest.mark.parametrize("mode", ["LA", "PA", "P", "L", "1", "CMYK", "YCbCr", "HSV", "LAB", "RGBX"])
def test_every_mode_becomes_rgb(mode: str) -> None:
    image = Image.fromarray(quarters())
    if mode == "LAB":
        to_lab = ImageCms.buildTransform(ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB"), "RGB", "LAB")
        converted = ImageCms.applyTransform(image, to_lab)
        assert converted is not None
        image = converted
    else:
        image = image.convert({"PA": "LA"}.get(mode, mode)).convert(mode)
    plain = to_srgb(image, field="f")
    assert plain.pixels.shape == (64, 96, 3)
    if mode in ("P", "CMYK", "YCbCr", "HSV", "LAB", "RGBX"):
        assert corners(plain.pixels) == QUARTERS


def test_a_transparent_grey_value_of_16_bits_is_transparent() -> None:
    image = Image.fromarray(np.array([[0, 1_000, 65_535]], np.uint16))
    image.info["transparency"] = 1_000
    plain = to_srgb(image, field="f")
    assert plain.pixels[0, :, 0].tolist() == [0, 255, 255]
    assert plain.has_alpha


def _with_profile(profile: bytes) -> Image.Image:
    image = Image.new("RGB", (8, 8), (200, 100, 50))
    image.info["icc_profile"] = profile
    return image


def test_a_colour_profile_is_applied_whatever_its_name() -> None:
    # sRGB's profile with red and green exchanged: it still calls itself sRGB.
    data = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    red, green = data.index(b"rXYZ"), data.index(b"gXYZ")
    data[red : red + 4], data[green : green + 4] = b"gXYZ", b"rXYZ"
    plain = to_srgb(_with_profile(bytes(data)), field="f")
    assert np.abs(plain.pixels[0, 0].astype(int) - [100, 200, 50]).max() <= 2
    assert "was applied" in plain.notes[0]


def test_an_srgb_profile_changes_nothing() -> None:
    plain = to_srgb(_with_profile(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()), field="f")
    assert plain.pixels[0, 0].tolist() == [200, 100, 50]
    assert plain.notes == []


def test_a_broken_profile_is_a_note() -> None:
    plain = to_srgb(_with_profile(b"no profile at all"), field="f")
    assert plain.pixels[0, 0].tolist() == [200, 100, 50]
    assert "colours are taken as sRGB" in plain.notes[0]

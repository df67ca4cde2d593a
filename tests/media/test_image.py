from __future__ import annotations

import io
import struct
import sys

import numpy as np
import pytest
from PIL import Image

from triptych.errors import InvalidRequest, Problem
from triptych.media.image import PILLOW_FORMATS, Picture, read_image
from triptych.rules.spec import MediaLimits
from triptych.testing import trick
from triptych.testing.media import (
    QUARTERS,
    animation_bytes,
    corners,
    deep_rgb_png,
    picture_bytes,
    quarters,
    turned_bytes,
)


def read(data: bytes, limits: MediaLimits | None = None) -> Picture:
    return read_image(io.BytesIO(data), field="--image", limits=limits or MediaLimits())


def refusal(data: bytes, limits: MediaLimits | None = None) -> Problem:
    with pytest.raises(InvalidRequest) as caught:
        read(data, limits)
    problem = caught.value.problems[0]
    assert problem.field == "--image"
    return problem


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("container", ["JPEG", "PNG", "WEBP", "AVIF", "TIFF", "HEIF"])
def test_every_orientation_is_upright_exactly_once(container: str, orientation: int) -> None:
    picture = read(turned_bytes(orientation, container))
    assert (picture.width, picture.height) == (96, 64)
    assert corners(picture.pixels) == QUARTERS
    assert picture.rotation == {3: 180, 4: 180, 5: 90, 6: 90, 7: 270, 8: 270}.get(orientation, 0)
    assert bool(picture.notes) == (orientation != 1)


def test_heic_that_turns_itself_is_not_turned_again() -> None:
    # As phones write it: a rotation property (3 x 90° anticlockwise), and EXIF that says the same. The property takes
    # the place of one that only repeats the bit depth.
    data = bytearray(turned_bytes(6, "HEIF"))
    at = data.index(b"pixi")
    data[at : at + 5] = b"irot\x03"
    picture = read(bytes(data))
    assert (picture.width, picture.height) == (96, 64)
    assert corners(picture.pixels) == QUARTERS


@pytest.mark.parametrize("orientation", [0, 9, 77])
def test_an_orientation_out_of_range_means_nothing(orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture = read(picture_bytes(quarters(), "PNG", exif=exif))
    assert corners(picture.pixels) == QUARTERS
    assert picture.rotation == 0


@pytest.mark.parametrize("container", ["PNG", "BMP", "TIFF", "PPM", "GIF"])
def test_lossless_formats_come_back_bit_for_bit(container: str) -> None:
    assert np.array_equal(read(picture_bytes(quarters(), container)).pixels, quarters())


def test_deep_colours_are_scaled() -> None:
    values = np.array([[[0, 257, 65_535], [32_896, 1_028, 128]]], np.uint16)
    assert np.abs(read(deep_rgb_png(values)).pixels.astype(int) - [[[0, 1, 255], [128, 4, 0]]]).max() <= 1
    ramp = read(trick.deep_grey("PNG")).pixels[0, :, 0].astype(int)
    assert (ramp[0], ramp[-1]) == (0, 255)
    assert np.diff(ramp).max() <= 3


def test_deep_grey_of_ppm_is_scaled_too() -> None:
    data = b"P5\n4 1\n65535\n" + np.array([0, 257, 32_896, 65_535], ">u2").tobytes()
    assert read(data).pixels[0, :, 0].tolist() == [0, 1, 128, 255]


def test_hidden_pixels_stay_hidden() -> None:
    picture = read_image(io.BytesIO(trick.half_clear("PNG")), field="f", limits=MediaLimits(), background=(10, 20, 30))
    assert (picture.pixels[32:] == (10, 20, 30)).all()
    assert np.array_equal(picture.pixels[:32], quarters()[:32])
    assert picture.has_alpha


@pytest.mark.parametrize(("container", "frames"), [("GIF", 6), ("PNG", 3), ("WEBP", 2), ("AVIF", 4)])
def test_a_moving_picture_is_refused_by_its_count(container: str, frames: int) -> None:
    problem = refusal(animation_bytes(container, frames))
    assert (problem.code, problem.value) == ("media_animated", frames)
    assert f"has {frames} frames" in problem.message
    assert "clip" in problem.fix


def test_pages_are_refused() -> None:
    pages = Image.fromarray(quarters())
    problem = refusal(picture_bytes(pages, "TIFF", save_all=True, append_images=[pages]))
    assert (problem.code, problem.value) == ("media_animated", 2)
    assert "pages" in problem.message


def test_the_main_picture_of_several_is_used() -> None:
    one = Image.fromarray(quarters())
    picture = read(picture_bytes(one, "MPO", save_all=True, append_images=[one]))
    assert corners(picture.pixels) == QUARTERS
    assert "holds 2 pictures" in picture.notes[0]


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("container", ["PNG", "JPEG", "WEBP", "AVIF", "BMP", "TIFF", "PPM", "HEIF"])
def test_half_a_picture_is_never_shown(container: str, share: float) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (64, 96, 3), np.uint8)
    data = picture_bytes(noise, container)
    assert refusal(data[: int(len(data) * share)]).code == "media_unreadable"


def test_bounds_hold_before_decoding() -> None:
    bomb = trick.flat_png(12_000, 12_000)
    assert len(bomb) < 20_000
    assert "144 megapixels" in refusal(bomb).message
    assert "over the limit of 16,384" in refusal(trick.flat_png(16_385, 4)).message
    assert "over the limit of 50 pixels" in refusal(picture_bytes(quarters()), MediaLimits(max_side=50)).message
    assert refusal(picture_bytes(quarters()), MediaLimits(max_pixels=6_000)).limit == 6_000


def test_sound_is_no_picture() -> None:
    from triptych.testing.media import tone, wav_bytes

    assert refusal(wav_bytes(tone(0.1))).code == "unsupported_modality"


def test_heic_without_its_reader_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    data = picture_bytes(quarters(), "HEIF")
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    problem = refusal(data)
    assert problem.code == "media_not_supported"
    assert 'pip install "triptych[heic]"' in problem.fix


def test_each_container_is_opened_as_itself_alone() -> None:
    assert len(set(PILLOW_FORMATS.values())) == len(PILLOW_FORMATS)
    assert read(turned_bytes(1)).container == "jpeg"


def test_what_a_gif_leaves_empty_is_transparent() -> None:
    data = bytearray(picture_bytes(Image.new("P", (8, 8), 1), "GIF"))
    data[6:10] = struct.pack("<HH", 16, 16)  # a larger screen, of which the frame covers one corner
    picture = read_image(io.BytesIO(data), field="image", limits=MediaLimits(), background=(1, 2, 3))
    assert picture.has_alpha
    assert (picture.width, picture.height) == (16, 16)
    assert picture.pixels[12, 12].tolist() == [1, 2, 3]
    assert picture.pixels[4, 4].tolist() != [1, 2, 3]

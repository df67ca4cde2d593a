"""A Pillow picture of any mode → plain sRGB pixels, nothing clipped and nothing hidden shown."""

from __future__ import annotations

import io
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageCms

from triptych.media.bound import refused

Colour = tuple[int, int, int]

WHITE: Colour = (255, 255, 255)

_DEEP_GREY = ("I;16", "I;16L", "I;16B", "I;16N")

_NAMED = {"1": "black and white (1 bit)", "CMYK": "CMYK", "LAB": "CIELAB", "YCbCr": "YCbCr", "HSV": "HSV"}
"""Modes whose change to RGB is worth a note."""


@dataclass(kw_only=True)
class Plain:
    """sRGB pixels and how they came about.

    Attributes:
        pixels: uint8 [H, W, 3], sRGB.
        has_alpha: whether any pixel was not opaque.
        notes: what was done, one sentence each.
    """

    pixels: NDArray[np.uint8]
    has_alpha: bool = False
    notes: list[str] = field(default_factory=list)


def to_srgb(image: Image.Image, *, field: str, background: Colour = WHITE) -> Plain:
    """Make plain sRGB pixels of a loaded picture.

    16-bit grey is scaled, CMYK, palettes and other models are converted, an embedded colour profile is applied, and
    transparency is laid on ``background``.

    Args:
        image: a loaded picture.
        field: the caller's name for it.
        background: what shows where it is transparent.

    Raises:
        InvalidRequest: 32-bit whole or floating point pixels, whose range the file does not state.
    """
    notes: list[str] = []
    profile: bytes | None = image.info.get("icc_profile")
    alpha: Image.Image | None = None
    if image.mode in _DEEP_GREY or (image.mode == "I" and image.format == "PPM"):
        image, alpha = _deep_grey(image)
        notes.append("16-bit grey was scaled to 8 bits")
    elif image.mode in ("I", "F"):
        kind = "floating point numbers" if image.mode == "F" else "32-bit whole numbers"
        raise refused(
            "media_not_supported",
            field,
            f"its pixels are {kind}, and the file does not say which of them is white",
            fix="Save it with 8 or 16 bits a channel.",
        )
    elif image.has_transparency_data or image.mode in ("La", "RGBa"):
        image = image.convert("RGBA")
        alpha = image.getchannel("A")
        image = image.convert("RGB")
    elif image.mode in ("P", "RGBX"):
        image = image.convert("RGB")
    if image.mode in _NAMED:
        notes.append(f"{_NAMED[image.mode]} colours were changed to RGB")
    image = _apply_profile(image, profile, notes)
    has_alpha = alpha is not None and alpha.getextrema()[0] != 255
    if alpha is not None and has_alpha:
        below = Image.new("RGB", image.size, background)
        below.paste(image, mask=alpha)
        image = below
        notes.append(f"transparency was laid on {colour_name(background)}")
    return Plain(pixels=np.asarray(image), has_alpha=has_alpha, notes=notes)


def _deep_grey(image: Image.Image) -> tuple[Image.Image, Image.Image | None]:
    """8-bit grey of 16-bit grey, rounded, and the mask that a transparent grey value makes."""
    values = np.asarray(image).astype(np.uint32)
    grey = Image.fromarray(((values + 128) // 257).clip(0, 255).astype(np.uint8))
    clear = image.info.get("transparency")
    if not isinstance(clear, int):
        return grey, None
    return grey, Image.fromarray(np.where(values == clear, 0, 255).astype(np.uint8))


def _apply_profile(image: Image.Image, profile: bytes | None, notes: list[str]) -> Image.Image:
    """The picture in sRGB, by its own profile where it has one that can be used."""
    if profile is None and image.mode == "LAB":
        image = (
            ImageCms.profileToProfile(
                image, ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB"), outputMode="RGB"
            )
            or image
        )
    if profile is None:
        return image if image.mode == "RGB" else image.convert("RGB")
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        name = ImageCms.getProfileDescription(source).strip() or "unnamed"
        if image.mode == "1":
            image = image.convert("L")
        if image.mode == "RGB" and _is_srgb(source, name):
            return image
        converted = ImageCms.profileToProfile(image, source, ImageCms.createProfile("sRGB"), outputMode="RGB")
    except (ImageCms.PyCMSError, OSError, ValueError) as error:
        notes.append(f"its colour profile cannot be used ({_short(error)}); the colours are taken as sRGB")
        return image.convert("RGB")
    notes.append(f"its colour profile ({name}) was applied")
    return converted if converted is not None else image.convert("RGB")


def _is_srgb(profile: ImageCms.ImageCmsProfile, name: str) -> bool:
    """Whether a profile is sRGB's own by its name and its primaries, so that the numbers can stay as they are."""
    own = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).profile
    pairs = [
        (profile.profile.red_colorant, own.red_colorant),
        (profile.profile.green_colorant, own.green_colorant),
        (profile.profile.blue_colorant, own.blue_colorant),
    ]
    return "srgb" in name.lower().replace(" ", "") and all(
        there is not None and here is not None and np.allclose(there[0], here[0], atol=0.002) for there, here in pairs
    )


def colour_name(colour: Colour) -> str:
    """A colour in words, or as ``#rrggbb``."""
    names = {(255, 255, 255): "white", (0, 0, 0): "black"}
    return names.get(colour, "#{:02x}{:02x}{:02x}".format(*colour))


def _short(error: Exception) -> str:
    return str(error).strip().rstrip(".").split("\n")[0][:80] or type(error).__name__

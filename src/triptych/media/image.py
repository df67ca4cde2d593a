"""Reads stills: upright, sRGB, composited, and bounded before anything is decoded.

Pillow is the only image decoder. It opens a file as the one format that its first bytes say, the size in the header is
held against the bounds, and only then are pixels decoded. A cut or damaged file is refused, never half shown.
"""

from __future__ import annotations

import re
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray
from PIL import GifImagePlugin, Image, ImageOps, UnidentifiedImageError

from triptych.errors import InvalidRequest
from triptych.media.bound import IMAGE_BOUND, check_size, refused, unreadable
from triptych.media.light import read_light
from triptych.media.pixel import WHITE, Colour, to_srgb
from triptych.media.sniff import HEAD_BYTES, Sniffed, sniff
from triptych.media.turn import TURNS, turned_note
from triptych.rules.media import megapixels
from triptych.rules.spec import MediaLimits

PILLOW_FORMATS: dict[str, str] = {
    "png": "PNG",
    "jpeg": "JPEG",
    "webp": "WEBP",
    "avif": "AVIF",
    "heic": "HEIF",
    "gif": "GIF",
    "bmp": "BMP",
    "tiff": "TIFF",
    "ppm": "PPM",
}
"""Container → the only Pillow format that it may be opened as."""

_ORIENTATION = 0x0112

_BROKEN = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    LookupError,
    TypeError,
    ArithmeticError,
    RuntimeError,
    struct.error,
    zlib.error,
)
"""What Pillow's format readers raise for damaged files; each reader has its own habits."""


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A still, ready to be used.

    Attributes:
        pixels: uint8 [H, W, 3], sRGB, upright.
        rotation: degrees clockwise by which the stored picture was turned (0, 90, 180, 270).
        has_alpha: whether any pixel was not opaque.
        container: short name of the format.
        notes: what was put right, one sentence each.
    """

    pixels: NDArray[np.uint8]
    rotation: int
    has_alpha: bool
    container: str
    notes: tuple[str, ...]

    @property
    def width(self) -> int:
        """Upright width in pixels."""
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        """Upright height in pixels."""
        return int(self.pixels.shape[0])


def read_image(
    file: BinaryIO,
    *,
    field: str,
    limits: MediaLimits,
    background: Colour = WHITE,
    sniffed: Sniffed | None = None,
) -> Picture:
    """Decode a still.

    Args:
        file: seekable, at any position.
        field: the caller's name for it.
        limits: the engine's bounds; the lower of them and ``IMAGE_BOUND`` holds.
        background: what shows where the picture is transparent.
        sniffed: what its first bytes are, where that is known already.

    Raises:
        InvalidRequest: not a picture, a moving one, too large, cut short, or damaged.
    """
    if sniffed is None:
        file.seek(0)
        head = file.read(HEAD_BYTES)
        sniffed = sniff(head, field=field, size_bytes=file.seek(0, 2))
    if sniffed.container not in PILLOW_FORMATS:
        raise refused(
            "unsupported_modality",
            field,
            f"is {sniffed.container}, not a picture",
            fix=f"Pictures are read from {', '.join(PILLOW_FORMATS)}.",
            value=sniffed.container,
        )
    with pillow_errors(field, sniffed.container):
        image = open_pillow(file, container=sniffed.container, field=field)
        check_size(*image.size, field=field, bound=IMAGE_BOUND, limits=limits, what="picture")
        notes = _refuse_moving(image, field)
        orientation = _orientation(image, file, sniffed.container)
        covers = gif_extents(image)
        image.load()
        upright = _turned(image, orientation, sniffed.container)
        if covers is not None:
            upright = _clear_outside(upright, covers)
        plain = to_srgb(upright, field=field, background=background)
        light = read_light(file, sniffed.container)
        if light is not None:
            plain = replace(plain, pixels=light.applied(plain.pixels), notes=[*plain.notes, light.note])
    if orientation != 1:
        notes.append(turned_note(orientation))
    return Picture(
        pixels=plain.pixels,
        rotation=TURNS[orientation][0],
        has_alpha=plain.has_alpha,
        container=sniffed.container,
        notes=(*notes, *plain.notes),
    )


def open_pillow(file: BinaryIO, *, container: str, field: str) -> Image.Image:
    """Open a file as one format, reading its header only. Call it inside ``pillow_errors``.

    Raises:
        InvalidRequest: HEIC, and its reader is not installed.
    """
    if container == "heic":
        _register_heic(field)
    file.seek(0)
    return Image.open(file, formats=[PILLOW_FORMATS[container]])


@contextmanager
def pillow_errors(field: str, container: str) -> Iterator[None]:
    """Turn what Pillow raises for a bad file into a refusal of ``field``; its bomb warnings are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        try:
            yield
        except InvalidRequest:
            raise
        except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
            raise _bomb(field, str(error)) from error
        except UnidentifiedImageError as error:
            raise unreadable(field, f"starts like {container}, but its header makes no sense") from error
        except MemoryError as error:
            raise refused("media_too_large", field, "decoding it takes more memory than is allowed") from error
        except _BROKEN as error:
            raise unreadable(field, f"the {container} data are damaged or cut short ({_reason(error)})") from error


def gif_extents(image: Image.Image) -> tuple[int, int, int, int] | None:
    """Left, top, right, bottom of what a GIF's next frame covers, before it is loaded; ``None`` for all of it.

    Pillow fills the rest with the first colour of the palette; it is empty, and shown as transparent by everybody.
    """
    tiles = image.tile if isinstance(image, GifImagePlugin.GifImageFile) else ()
    extents = tiles[0][1] if tiles else None
    return None if extents is None or extents == (0, 0, *image.size) else extents


def _clear_outside(image: Image.Image, covers: tuple[int, int, int, int]) -> Image.Image:
    inside = image.convert("RGBA").crop(covers)
    clear = Image.new("RGBA", image.size)
    clear.paste(inside, covers)
    clear.format = image.format
    return clear


def _register_heic(field: str) -> None:
    try:
        from pillow_heif import register_heif_opener
    except ImportError as error:
        raise refused(
            "media_not_supported",
            field,
            "is HEIC, and the reader of HEIC is not installed",
            fix='Install it with pip install "triptych[heic]", or save the picture as JPEG or PNG.',
            value="heic",
        ) from error
    register_heif_opener(thumbnails=False)


def _refuse_moving(image: Image.Image, field: str) -> list[str]:
    """Notes on further pictures in the file; a moving picture, or one of several pages, is refused."""
    frames = int(getattr(image, "n_frames", 1))
    if frames < 2:
        return []
    if image.format in ("MPO", "HEIF"):
        return [f"holds {frames} pictures; the main one is used"]
    if image.format == "TIFF":
        raise refused(
            "media_animated",
            field,
            f"has {frames} pages, where one picture is wanted",
            fix="Save the page you mean as a file of its own.",
            value=frames,
            limit=1,
        )
    raise refused(
        "media_animated",
        field,
        f"has {frames} frames, where a still is wanted",
        fix="Give it as a clip, or save one frame.",
        value=frames,
        limit=1,
    )


def _orientation(image: Image.Image, file: BinaryIO, container: str) -> int:
    """EXIF orientation that is still to be applied (or, for TIFF, that Pillow applies when it loads)."""
    if container != "heic":
        return _known(image.getexif().get(_ORIENTATION))
    # HEIF turns pictures by its own properties, which libheif applies; only without them does EXIF count. The opener
    # resets the EXIF value to 1 either way and keeps the old one aside.
    return 1 if _heif_turns_itself(file) else _known(image.info.get("original_orientation"))


def _known(orientation: object) -> int:
    """A value out of range means nothing: such a picture is shown as it is stored."""
    return orientation if isinstance(orientation, int) and orientation in TURNS else 1


def _heif_turns_itself(file: BinaryIO) -> bool:
    """Whether the ``meta`` box (within the first MiB) has a rotation or mirror property."""
    position = file.tell()
    file.seek(0)
    head = file.read(1 << 20)
    file.seek(position)
    start = head.find(b"ipco")
    if start < 4:
        return False
    size = int.from_bytes(head[start - 4 : start], "big")
    properties = head[start : start + size]
    return any(kind in properties for kind in (b"irot", b"imir"))


def _turned(image: Image.Image, orientation: int, container: str) -> Image.Image:
    """The picture upright. Pillow has done it for TIFF; the HEIC opener has hidden the EXIF value."""
    if container == "heic":
        image.getexif()[_ORIENTATION] = orientation
    upright: Image.Image = ImageOps.exif_transpose(image)
    upright.format = image.format
    return upright


def _bomb(field: str, message: str) -> InvalidRequest:
    found = re.search(r"\d+", message)
    pixels = int(found.group()) if found else 0
    return refused(
        "media_too_large",
        field,
        f"is {megapixels(pixels)} megapixels, over the limit of {megapixels(IMAGE_BOUND.max_pixels)}",
        fix="Make it smaller",
        value=pixels,
        limit=IMAGE_BOUND.max_pixels,
    )


def _reason(error: BaseException) -> str:
    text = str(error).strip().rstrip(".").split("\n")[0]
    return text[:120] or type(error).__name__

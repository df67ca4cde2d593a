"""What light the numbers of a still stand for, where it says so in other words than a colour profile.

PNG says it in its ``cICP`` and ``gAMA`` chunks, AVIF and HEIC in a ``colr`` box. A picture that is read without regard
to them comes out washed out (HDR) or dark (linear light).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from triptych.media.colour import Colours

_META_BYTES = 1 << 20
_CHUNKS_MOST = 1_000
_BODY_BYTES = 64
_ROWS = 256
_USUAL_GAMMA = 1 / 2.2


@dataclass(frozen=True, kw_only=True)
class Light:
    """How 8-bit values become sRGB.

    Attributes:
        colours: curve and primaries; ``None`` when only ``gamma`` counts.
        gamma: exponent by which light was encoded.
        note: what is done, as a sentence.
    """

    colours: Colours | None = None
    gamma: float = 0.0
    note: str = ""

    def applied(self, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """A whole picture in sRGB: uint8 [H, W, 3]. Some rows at a time, for its memory."""
        if self.colours is None:
            return np.asarray(_gamma_table(self.gamma)[pixels])
        from triptych.media.colour import to_srgb  # PyAV and OpenCV are slow to load, and few stills need them

        out = np.empty_like(pixels)
        for top in range(0, pixels.shape[0], _ROWS):
            deep = pixels[top : top + _ROWS].astype(np.uint16) * 257
            out[top : top + _ROWS] = to_srgb(deep, self.colours)
        return out


def read_light(file: BinaryIO, container: str) -> Light | None:
    """What a still says of its light; ``None`` for sRGB, and for what a colour profile says better.

    Args:
        file: seekable; the position stays.
        container: as sniffed.
    """
    position = file.tell()
    try:
        if container == "png":
            return _png_light(file)
        return _heif_light(file) if container in ("avif", "heic") else None
    finally:
        file.seek(position)


def _heif_light(file: BinaryIO) -> Light | None:
    file.seek(0)
    head = file.read(_META_BYTES)
    at = head.find(b"colrnclx")
    if at < 0 or b"colrprof" in head or b"colrrICC" in head:
        return None
    body = head[at + 8 : at + 12]
    return _tagged(int.from_bytes(body[:2], "big"), int.from_bytes(body[2:], "big"))


def _png_light(file: BinaryIO) -> Light | None:
    chunks = dict(_png_chunks(file))
    if len(cicp := chunks.get(b"cICP", b"")) == 4:
        return _tagged(cicp[0], cicp[1])
    if b"iCCP" in chunks or b"sRGB" in chunks or len(chunks.get(b"gAMA", b"")) != 4:
        return None
    gamma = int.from_bytes(chunks[b"gAMA"], "big") / 100_000
    if not 0.1 <= gamma <= 4 or abs(gamma / _USUAL_GAMMA - 1) < 0.05:
        return None
    return Light(gamma=gamma, note=f"its values were encoded with a gamma of {gamma:.3g}, and brought to sRGB's")


def _png_chunks(file: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """Kind and first bytes of the chunks before the pixels."""
    at = 8
    for _ in range(_CHUNKS_MOST):
        file.seek(at)
        head = file.read(8)
        if len(head) < 8 or head[4:] == b"IDAT":
            return
        size = int.from_bytes(head[:4], "big")
        yield head[4:], file.read(min(size, _BODY_BYTES))
        at += 12 + size


def _tagged(primaries: int, transfer: int) -> Light | None:
    from triptych.media.colour import tagged_colours

    colours = tagged_colours(primaries, transfer)
    return None if colours.plain else Light(colours=colours, note="; ".join(colours.notes))


def _gamma_table(gamma: float) -> NDArray[np.uint8]:
    linear = np.linspace(0.0, 1.0, 256) ** (1 / gamma)
    code = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.asarray(np.rint(code * 255), np.uint8)

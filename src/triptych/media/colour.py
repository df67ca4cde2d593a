"""What the numbers of a video frame mean: which matrix, which range, which light; and HDR brought down to sRGB."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

import av
import cv2
import numpy as np
from numpy.typing import NDArray

Light = Literal["sdr", "pq", "hlg"]

_BT709, _BT601, _BT2020 = 1, 5, 9

_MATRICES = {1: _BT709, 4: 4, 5: _BT601, 6: _BT601, 7: 7, 9: _BT2020, 10: _BT2020}
"""AVColorSpace → the same matrix as swscale numbers it. Others (unspecified, YCgCo) are decided by the frame's size."""

_LIGHTS: dict[int, Light] = {16: "pq", 18: "hlg"}
"""AVColorTransferCharacteristic → the curve."""

_WHITE_NITS = 203.0
"""Where HDR puts the white of paper (ITU-R BT.2408)."""

_PEAK = {"sdr": 1.0, "pq": 10_000 / _WHITE_NITS, "hlg": 1_000 / _WHITE_NITS}
"""Brightest value of each curve, as a multiple of that white."""

_TO_SRGB: dict[int, tuple[str, NDArray[np.float32]]] = {
    9: (
        "BT.2020",
        np.array(
            [[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]], dtype=np.float32
        ),
    ),
    12: (
        "Display P3",
        np.array([[1.2249, -0.2247, 0.0], [-0.0420, 1.0419, 0.0], [-0.0197, -0.0786, 1.0979]], dtype=np.float32),
    ),
}
"""AVColorPrimaries wider than sRGB → their name, and linear light in them → linear light in sRGB."""

_STEPS = 65_536
_KNEE = 0.75


@dataclass(frozen=True, kw_only=True)
class Colours:
    """How a clip's frames are to be read.

    Attributes:
        matrix: for swscale; ``None`` for frames that are RGB already.
        full_range: 0..255 rather than 16..235.
        light: the curve.
        primaries: key of the wide gamuts known here; 0 for sRGB's own.
        notes: guesses and changes, one sentence each.
    """

    matrix: int | None
    full_range: bool
    light: Light = "sdr"
    primaries: int = 0
    notes: tuple[str, ...] = field(default=())

    @property
    def plain(self) -> bool:
        """Whether swscale alone gives sRGB."""
        return self.light == "sdr" and not self.primaries


def read_colours(frame: av.VideoFrame) -> Colours:
    """Decide from a frame's tags; where they are missing, BT.709 for HD and BT.601 below."""
    name = frame.format.name
    rgb = tagged_colours(int(frame.color_primaries), int(frame.color_trc))
    if _is_rgb(name):
        return rgb
    full = int(frame.color_range) == 2 or name.startswith("yuvj") or (name.startswith("gray") and not frame.color_range)
    hd = frame.width >= 1280 or frame.height > 576
    matrix = _MATRICES.get(int(frame.colorspace), _BT709 if hd else _BT601)
    return replace(rgb, matrix=matrix, full_range=full)


def tagged_colours(primaries: int, transfer: int) -> Colours:
    """How RGB is to be read that is tagged with these numbers (ITU-T H.273)."""
    light = _LIGHTS.get(transfer, "sdr")
    wide = primaries if primaries in _TO_SRGB else 0
    notes = []
    if light != "sdr":
        notes.append(f"HDR ({light.upper()}) was brought down to standard range; highlights are softened")
    elif wide:
        notes.append(f"wide colours ({_TO_SRGB[wide][0]}) were brought into sRGB")
    return Colours(matrix=None, full_range=True, light=light, primaries=wide, notes=tuple(notes))


def to_srgb(pixels: NDArray[np.uint16], colours: Colours) -> NDArray[np.uint8]:
    """HDR or wide-gamut RGB → sRGB.

    Tones up to three quarters of paper white keep their value; what is brighter is eased towards 255.

    Args:
        pixels: uint16 [H, W, 3], in the clip's own curve and primaries.
        colours: what those are.

    Returns:
        uint8 [H, W, 3].
    """
    linear = _linear(colours.light)[pixels]
    if colours.primaries:
        linear = np.asarray(cv2.transform(linear, _TO_SRGB[colours.primaries][1]), np.float32)
    # The table is spaced by square root, which gives the dark end the steps that it needs.
    index = np.sqrt(np.clip(linear / _PEAK[colours.light], 0.0, 1.0)) * (_STEPS - 1)
    shown: NDArray[np.uint8] = _shown(colours.light)[index.astype(np.uint16)]
    return shown


@lru_cache
def _linear(light: Light) -> NDArray[np.float32]:
    """Code value 0..65535 → light, 1.0 at paper white."""
    code = np.linspace(0.0, 1.0, _STEPS)
    if light == "pq":  # SMPTE ST 2084
        power = code ** (1 / 78.84375)
        nits = 10_000 * (np.maximum(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power)) ** (1 / 0.1593017578125)
        return np.asarray(nits / _WHITE_NITS, np.float32)
    if light == "hlg":  # ITU-R BT.2100, shown at 1000 nits: system gamma 1.2
        scene = np.where(code <= 0.5, code**2 / 3, (np.exp((code - 0.55991073) / 0.17883277) + 0.28466892) / 12)
        return np.asarray(scene**1.2 * _PEAK["hlg"], np.float32)
    return np.asarray(np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4), np.float32)


@lru_cache
def _shown(light: Light) -> NDArray[np.uint8]:
    """Square root of light / peak, 0..65535 → sRGB code 0..255."""
    value = np.linspace(0.0, 1.0, _STEPS) ** 2 * _PEAK[light]
    if light != "sdr":
        room = 1 - _KNEE
        value = np.where(value <= _KNEE, value, _KNEE + room * (1 - np.exp(-(value - _KNEE) / room)))
    code = np.where(value <= 0.0031308, value * 12.92, 1.055 * value ** (1 / 2.4) - 0.055)
    return np.asarray(np.rint(np.clip(code, 0, 1) * 255), np.uint8)


def _is_rgb(name: str) -> bool:
    return name.startswith(("rgb", "bgr", "gbr", "argb", "abgr", "0rgb", "0bgr", "pal8", "x2rgb", "x2bgr"))

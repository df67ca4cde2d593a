"""A picture as the encoder wants it: luma, and chroma at half size. From loading to encoding it stays in this form."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import cv2
import numpy as np

from triptych.engines.animatic.flow import Bytes

_KR, _KB = 0.2126, 0.0722  # ITU-R BT.709-6, item 3.2
_KG = 1 - _KR - _KB
_TO_YUV = np.array(
    [
        [_KR * 219 / 255, _KG * 219 / 255, _KB * 219 / 255, 16],
        [-_KR / (2 * (1 - _KB)) * 224 / 255, -_KG / (2 * (1 - _KB)) * 224 / 255, 112 / 255, 128],
        [112 / 255, -_KG / (2 * (1 - _KR)) * 224 / 255, -_KB / (2 * (1 - _KR)) * 224 / 255, 128],
    ],
    np.float32,
)


@dataclass(frozen=True)
class Picture:
    """One frame, BT.709, limited range.

    Attributes:
        luma: uint8 [height, width].
        chroma: uint8 [height / 2, width / 2, 2], Cb and Cr.
    """

    luma: Bytes
    chroma: Bytes

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, in pixels."""
        height, width = self.luma.shape
        return width, height

    def pack(self) -> Bytes:
        """uint8 [height * 3 / 2, width], I420: what ``MovieWriter`` takes."""
        width, height = self.size
        packed = np.empty((height * 3 // 2, width), np.uint8)
        flat, pixels = packed.reshape(-1), width * height
        flat[:pixels] = self.luma.reshape(-1)
        blue, red = cv2.split(self.chroma)
        flat[pixels : pixels * 5 // 4] = blue.reshape(-1)
        flat[pixels * 5 // 4 :] = red.reshape(-1)
        return packed

    def sha256(self) -> str:
        """Of luma, then chroma; lower-case hex."""
        digest = hashlib.sha256(self.luma.data)
        digest.update(self.chroma.data)
        return digest.hexdigest()


def from_rgb(pixels: Bytes) -> Picture:
    """A picture from uint8 [height, width, 3], sRGB; both sides even."""
    height, width = pixels.shape[:2]
    luma = cv2.transform(pixels, _TO_YUV[:1]).reshape(height, width)
    half = cv2.resize(pixels, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    return Picture(_bytes(luma), _bytes(cv2.transform(half, _TO_YUV[1:])))


def mix(one: Picture, other: Picture, share: float) -> Picture:
    """A dissolve: ``share`` (0..1) of ``other``, the rest of ``one``."""
    if share <= 0:
        return one
    if share >= 1:
        return other
    return Picture(
        _bytes(cv2.addWeighted(one.luma, 1 - share, other.luma, share, 0)),
        _bytes(cv2.addWeighted(one.chroma, 1 - share, other.chroma, share, 0)),
    )


def ease(share: float) -> float:
    """0..1 to 0..1 that starts and ends at rest."""
    share = min(max(share, 0.0), 1.0)
    return share * share * (3 - 2 * share)


def gradient(words: str, *, seed: int, size: tuple[int, int]) -> Picture:
    """A soft field of colours that stands in where no picture was given; drawn from the words and the seed."""
    width, height = size
    drawn = int.from_bytes(hashlib.sha256(words.encode()).digest()[:8], "big")
    colours = np.random.default_rng([seed % (1 << 64), drawn]).uniform(20, 220, (4, 5, 3)).astype(np.float32)
    field = cv2.resize(colours, (width, height), interpolation=cv2.INTER_CUBIC)
    return from_rgb(_bytes(np.clip(field, 0, 255).astype(np.uint8)))


def _bytes(values: object) -> Bytes:
    """cv2 types its results loosely; what comes back here is uint8."""
    return np.ascontiguousarray(values, dtype=np.uint8)

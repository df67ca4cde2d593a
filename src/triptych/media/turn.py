"""The eight ways in which a stored picture can lie, numbered as EXIF numbers them, and how each is made upright."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

TURNS: dict[int, tuple[int, bool]] = {
    1: (0, False),
    2: (0, True),
    3: (180, False),
    4: (180, True),
    5: (90, True),
    6: (90, False),
    7: (270, True),
    8: (270, False),
}
"""Orientation → degrees clockwise by which the stored picture is turned, and whether it is mirrored too."""

SIDEWAYS = frozenset((5, 6, 7, 8))
"""Orientations whose upright width is the stored height."""

_UPRIGHT: dict[int, Callable[[Pixels], Pixels]] = {
    1: lambda stored: stored,
    2: lambda stored: stored[:, ::-1],
    3: lambda stored: stored[::-1, ::-1],
    4: lambda stored: stored[::-1],
    5: lambda stored: stored.swapaxes(0, 1),
    6: lambda stored: np.rot90(stored, -1),
    7: lambda stored: stored[::-1, ::-1].swapaxes(0, 1),
    8: lambda stored: np.rot90(stored, 1),
}

_MATRICES: dict[tuple[int, int, int, int], int] = {
    (1, 0, 0, 1): 1,
    (-1, 0, 0, 1): 2,
    (-1, 0, 0, -1): 3,
    (1, 0, 0, -1): 4,
    (0, 1, 1, 0): 5,
    (0, 1, -1, 0): 6,
    (0, -1, -1, 0): 7,
    (0, -1, 1, 0): 8,
}
"""The turning part of a display matrix (a, b, c, d; x' = ax + cy, y' = bx + dy) → orientation."""


def upright(stored: Pixels, orientation: int) -> Pixels:
    """The picture upright: uint8 [H, W] or [H, W, C], contiguous."""
    return np.ascontiguousarray(_UPRIGHT[orientation](stored))


def matrix_orientation(matrix: Sequence[int]) -> int | None:
    """The orientation that a 3x3 display matrix (16.16 fixed point) says; ``None`` when it is no quarter turn."""
    a, b, _, c, d = matrix[:5]
    longest = max(abs(a), abs(b), abs(c), abs(d)) or 1
    return _MATRICES.get((round(a / longest), round(b / longest), round(c / longest), round(d / longest)))


def turned_note(orientation: int) -> str:
    """What was done to make a picture upright, as a sentence; empty when nothing was."""
    rotation, mirrored = TURNS[orientation]
    turn = {0: "", 90: "turned 90° clockwise", 180: "turned upside down", 270: "turned 90° anticlockwise"}[rotation]
    done = " and ".join(part for part in (turn, "mirrored" if mirrored else "") if part)
    if not done:
        return ""
    stored = {0: "mirrored", 180: "upside down"}.get(rotation, "sideways")
    return f"stored {stored}, {done} to be upright"

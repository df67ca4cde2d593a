"""Where the camera looks: similarities from frame to picture, kept inside the picture, and drawing through them.

A view is a float64 [2, 3] matrix that takes a pixel of the frame to the point of the picture that is seen there.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from triptych.engines.animatic.flow import Bytes, Reals, look, places, stretch
from triptych.engines.animatic.picture import Picture, ease

View = NDArray[np.float64]

STILL: View = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""The view that shows the whole picture as it is."""

PULSE_ZOOM = 0.02
"""How much closer a full beat of the sound brings the camera."""

_TAP = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
_CHROMA_OFFSET = np.array([0.5, 0.5])  # a chroma sample sits in the middle of its four pixels


class Camera:
    """A slow, eased move over one picture; seed and number of the shot decide which.

    Args:
        seed: of the job.
        shot: number of the shot, from 0.
        begins_whole: the move must start from the whole picture (it is pinned there).
        ends_whole: the move must end at the whole picture.
        wide: a larger move, for a picture with nothing in it to look at.

    Attributes:
        rest: the share of the move at which the whole picture is seen.
    """

    def __init__(
        self, seed: int, shot: int, *, begins_whole: bool = False, ends_whole: bool = False, wide: bool = False
    ) -> None:
        draw = np.random.default_rng([seed % (1 << 64), shot])
        self._zoom = float(draw.uniform(0.06, 0.14)) * (4 if wide else 1)
        angle = float(draw.uniform(0, 2 * math.pi))
        self._pan = (math.cos(angle), math.sin(angle))
        outwards = bool(draw.integers(2))
        self._outwards = ends_whole or (outwards and not begins_whole)
        self.rest = 1.0 if self._outwards else 0.0

    def view(self, share: float, size: tuple[int, int], *, pulse: float = 0.0) -> View:
        """What is seen when ``share`` (0..1) of the move is done; ``pulse`` (0..1) comes closer for a moment."""
        eased = ease(1 - share if self._outwards else share)
        zoom = (1 + self._zoom * eased) * (1 + PULSE_ZOOM * pulse)
        room = (1 - 1 / (1 + self._zoom * eased)) / 2
        return contain(similarity(size, scale=1 / zoom, shift=(self._pan[0] * room, self._pan[1] * room)), size)


def similarity(
    size: tuple[int, int], *, scale: float = 1.0, angle: float = 0.0, shift: tuple[float, float] = (0.0, 0.0)
) -> View:
    """A view about the middle of the picture: ``angle`` in radians, ``shift`` in widths and heights."""
    width, height = size
    turn = scale * np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    middle = np.array([(width - 1) / 2, (height - 1) / 2])
    offset = middle - turn @ middle + np.array([shift[0] * width, shift[1] * height])
    return np.column_stack([turn, offset])


def join(outer: View, inner: View) -> View:
    """The view of seeing ``outer`` through ``inner``: a pixel goes through ``inner`` first."""
    return np.column_stack([outer[:, :2] @ inner[:, :2], outer[:, :2] @ inner[:, 2] + outer[:, 2]])


def contain(view: View, size: tuple[int, int]) -> View:
    """The nearest view that looks at nothing outside the picture: closer if need be, then moved."""
    low, high = seen(view, size)
    room = np.array([size[0] - 1.0, size[1] - 1.0])
    closer = float(np.minimum(1.0, room / np.maximum(high - low, 1e-9)).min())
    middle, half = (low + high) / 2, (high - low) / 2 * closer
    inside = np.clip(middle, half, room - half)
    return np.column_stack([view[:, :2] * closer, (view[:, 2] - middle) * closer + inside])


def seen(view: View, size: tuple[int, int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least and the greatest x and y of the picture that the frame's corners show."""
    right, bottom = size[0] - 1.0, size[1] - 1.0
    corners = view[:, :2] @ np.array([[0, right, 0, right], [0, 0, bottom, bottom]]) + view[:, 2:]
    return corners.min(axis=1), corners.max(axis=1)


def draw(picture: Picture, view: View) -> Picture:
    """The picture as the view shows it."""
    if np.array_equal(view, STILL):
        return picture
    width, height = picture.size
    linear, offset = view[:, :2], view[:, 2]
    half = np.column_stack([linear, (linear @ _CHROMA_OFFSET + offset - _CHROMA_OFFSET) / 2])
    edge = cv2.BORDER_REPLICATE
    luma = cv2.warpAffine(picture.luma, view, (width, height), flags=_TAP, borderMode=edge)
    chroma = cv2.warpAffine(picture.chroma, half, (width // 2, height // 2), flags=_TAP, borderMode=edge)
    return Picture(np.asarray(luma, np.uint8), np.asarray(chroma, np.uint8))


class Bend:
    """Draws pictures bent by a field of shifts; holds the grid of one frame size.

    Args:
        size: of the frames.
        cell: side, in pixels, of the grid's cells: points between are interpolated. Even.
    """

    def __init__(self, size: tuple[int, int], cell: int = 8) -> None:
        self._size, self._cell = size, cell
        width, height = size
        # One more cell on every side: interpolation near the frame's edge then has both its neighbours.
        self._columns, self._rows = -(-width // cell) + 2, -(-height // cell) + 2
        self._grid = (places((self._columns, self._rows)) - np.float32(0.5)) * np.float32(cell) - np.float32(0.5)

    def field(self, shifts: Reals) -> Reals:
        """Shifts on this grid: from float32 [rows, columns, 2] of any size, stretched over the frame."""
        return np.pad(stretch(shifts, (self._columns - 2, self._rows - 2)), ((1, 1), (1, 1), (0, 0)), mode="edge")

    def draw(self, picture: Picture, field: Reals, view: View = STILL) -> Picture:
        """The picture through ``view``, each pixel looking ``field`` further: on this grid, in pixels."""
        cells = self._grid + field
        if view is not STILL:
            cells = np.asarray(cv2.transform(cells, view.astype(np.float32)), np.float32)
        return Picture(
            self._look(picture.luma, cells, self._cell),
            self._look(picture.chroma, cells * np.float32(0.5) - np.float32(0.25), self._cell // 2),
        )

    def _look(self, plane: Bytes, cells: Reals, cell: int) -> Bytes:
        """Every pixel of a plane from the point that the grid says, the grid having ``cell`` pixels a cell there."""
        whole = stretch(cells, (self._columns * cell, self._rows * cell))
        return look(plane, whole[cell : cell + plane.shape[0], cell : cell + plane.shape[1]])

"""The motion of a clip: how its camera went, and how things swayed in it.

Followed once, frame by frame; what has to be kept of each frame is four numbers in memory, and a small field of
shifts in a scratch file, so memory does not grow with the clip.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import BinaryIO

import cv2
import numpy as np
from numpy.typing import NDArray

from triptych.engines.animatic.camera import STILL, View, join, similarity
from triptych.engines.animatic.flow import Bytes, Flow, Reals, look, places
from triptych.engines.animatic.picture import ease

FLOW_SIDE = 320
"""Long side, in pixels, at which a clip is followed."""
REST_SECONDS = 0.75
"""How long motion takes to die away after its clip."""

_LEAST_SIDE = 32  # the flow's coarsest level needs some pixels
_FIELD_WIDTH = 80
_KEEP_PATH, _KEEP_SWAY = 0.985, 0.9  # what is left of them after 1/24 s
_LIMITS = np.array([0.08, 0.08, 0.10, 0.04])  # shift in widths (twice), log of scale, radians
_MOST_SWAY = 0.03  # widths
_MOST_ROOM = 1.25
_SMOOTH = 0.03  # of the field's width
_CUT_HISTOGRAM, _CUT_RESIDUE = 0.6, 18.0
_RANSAC_PIXELS = 0.7


def flow_size(width: int, height: int) -> tuple[int, int]:
    """The size at which to follow a clip of ``width`` by ``height``: the long side is ``FLOW_SIDE``, at most."""
    scale = FLOW_SIDE / max(width, height, FLOW_SIDE)
    return max(_LEAST_SIDE, round(width * scale)), max(_LEAST_SIDE, round(height * scale))


class Motion:
    """One clip's motion. ``follow`` it to the end, then ask for it at any time.

    Args:
        size: of the gray frames, from ``flow_size``.
        scratch: an empty file to keep fields in, open for reading and writing.
        shape: height over width of the frames that will be moved.
        gain: how much of the motion is carried over, 0.1..2.

    Attributes:
        room: how much larger than the frame a picture must be for the camera to go this way inside it.
        cuts: changes of scene that were found.
    """

    def __init__(self, size: tuple[int, int], scratch: BinaryIO, *, shape: float, gain: float = 1.0) -> None:
        self._size = size
        self._shape = shape
        self._scratch = scratch
        self._gain = gain
        width, height = size
        self._field_shape = (max(4, round(_FIELD_WIDTH * height / width)), _FIELD_WIDTH, 2)
        self._times: list[float] = []
        self._path: list[NDArray[np.float64]] = []
        self._taper = _taper(self._field_shape[1], self._field_shape[0])
        self._read: tuple[int, Reals] = (-1, np.zeros(self._field_shape, np.float32))
        self._scale = np.ones(4)
        self.room = 1.0
        self.cuts = 0

    def follow(self, frames: Iterable[tuple[float, Bytes]]) -> Iterator[float]:
        """Take in the clip; yields the time of each frame, in seconds.

        Args:
            frames: time in seconds, rising, and uint8 [height, width] of the size given.
        """
        flow, grid = Flow(), places(self._size)
        sway = np.zeros(self._field_shape, np.float32)
        path = np.zeros(4)
        before: Bytes | None = None
        for seconds, gray in frames:
            if before is not None:
                back = flow.between(gray, before)
                lapse = 24 * max(seconds - self._times[-1], 1e-3)
                path = path * _KEEP_PATH**lapse
                sway = sway * np.float32(_KEEP_SWAY**lapse)
                if self._is_cut(before, gray, grid + back):
                    self.cuts += 1
                else:
                    step, residue = self._split(back, grid)
                    path = path + step
                    sway = self._settle(sway + residue)
            self._times.append(seconds)
            self._path.append(path)
            self._scratch.write((sway * self._taper).astype(np.float16).tobytes())
            before = gray
            yield seconds
        self._scratch.flush()
        self._fit()

    @property
    def frames(self) -> int:
        """How many frames were followed."""
        return len(self._times)

    def at(self, seconds: float) -> tuple[NDArray[np.float64], Reals]:
        """The motion at a time of the clip's own clock; after the clip it dies away.

        Returns:
            place: float64 [4]: shift in widths (twice), log of scale, radians.
            sway: float32 [rows, columns, 2], in frame widths.
        """
        last = self._times[-1]
        left = 1 - ease((seconds - last) / REST_SECONDS)
        if left <= 0:
            return np.zeros(4), np.zeros(self._field_shape, np.float32)
        upper = min(int(np.searchsorted(self._times, seconds, side="right")), len(self._times) - 1)
        lower = max(upper - 1, 0)
        gap = self._times[upper] - self._times[lower]
        share = min(max((seconds - self._times[lower]) / gap, 0.0), 1.0) if gap > 0 else 1.0
        place = self._path[lower] * (1 - share) + self._path[upper] * share
        nearest = upper if share >= 0.5 else lower
        return place * self._scale * left, self._field(nearest) * np.float32(left * min(self._gain, 1.0))

    def _is_cut(self, before: Bytes, after: Bytes, points: Reals) -> bool:
        """Whether two frames are of different scenes: other brightnesses, or one cannot be bent into the other."""
        residue = float(np.mean(cv2.absdiff(look(before, points), after)))
        one, other = (cv2.calcHist([each], [0], None, [32], [0, 256]).ravel() / each.size for each in (before, after))
        return residue > _CUT_RESIDUE or float(np.abs(one - other).sum()) > _CUT_HISTOGRAM

    def _split(self, back: Reals, grid: Reals) -> tuple[NDArray[np.float64], Reals]:
        """One frame's flow into the camera's step and, at field size, what is left: both in widths."""
        width, height = self._size
        points, shifts = grid[4::12, 4::12].reshape(-1, 2), back[4::12, 4::12].reshape(-1, 2)
        cv2.setRNGSeed(0)
        found, _ = cv2.estimateAffinePartial2D(
            points, points + shifts, method=cv2.RANSAC, ransacReprojThreshold=_RANSAC_PIXELS, maxIters=300
        )
        view = _or_still(found)
        middle = np.array([(width - 1) / 2, (height - 1) / 2])
        moved = view[:, :2] @ middle + view[:, 2] - middle
        scale = math.hypot(view[0, 0], view[1, 0])
        angle = math.atan2(view[1, 0], view[0, 0])
        step = np.array([moved[0] / width, moved[1] / width, math.log(max(scale, 1e-3)), angle])
        residue = back - (np.asarray(cv2.transform(grid, view.astype(np.float32)), np.float32) - grid)
        small = cv2.resize(residue, self._field_shape[1::-1], interpolation=cv2.INTER_AREA)
        return step, np.asarray(small, np.float32) / np.float32(width)

    def _settle(self, sway: Reals) -> Reals:
        """Smooth, and nowhere more than ``_MOST_SWAY``."""
        smooth = np.asarray(cv2.GaussianBlur(sway, (0, 0), _SMOOTH * _FIELD_WIDTH), np.float32)
        length = np.linalg.norm(smooth, axis=2, keepdims=True)
        most = np.float32(_MOST_SWAY)
        return np.asarray(smooth * (most * np.tanh(length / most) / np.maximum(length, 1e-9)), np.float32)

    def _fit(self) -> None:
        """Scale the whole path alike until its farthest points are within reach, and see how much room that takes."""
        path = np.asarray(self._path)
        limits = _LIMITS * np.array([1, self._shape, 1, 1])
        farthest = np.abs(path).max(axis=0)
        self._scale = np.minimum(self._gain, limits / np.maximum(farthest, 1e-9))
        reach = path * self._scale
        turned = 1 + np.abs(np.sin(reach[:, 3])) / min(self._shape, 1 / self._shape)
        need = np.exp(np.maximum(reach[:, 2], 0)) * turned + 2 * np.maximum(
            np.abs(reach[:, 0]), np.abs(reach[:, 1]) / self._shape
        )
        self.room = float(np.clip(need.max(), 1.0, _MOST_ROOM))

    def _field(self, index: int) -> Reals:
        """One frame's sway, from the scratch file; the last one read is kept."""
        if self._read[0] != index:
            count = math.prod(self._field_shape)
            self._scratch.seek(index * count * 2)
            values = np.frombuffer(self._scratch.read(count * 2), np.float16)
            self._read = (index, values.astype(np.float32).reshape(self._field_shape))
        return self._read[1]


def view_of(place: NDArray[np.float64], room: float, size: tuple[int, int]) -> View:
    """The view of a frame that was moved to ``place``, in a picture that is ``room`` times as large as the frame."""
    scale = math.exp(place[2])
    moved = similarity(size, scale=scale, angle=place[3], shift=(place[0], place[1] * size[0] / size[1]))
    return join(similarity(size, scale=1 / room), moved)


def _or_still(found: object) -> View:
    """What RANSAC found; where nothing agreed it finds nothing, whatever its stub says."""
    return STILL if found is None else np.asarray(found, np.float64)


def _taper(columns: int, rows: int) -> Reals:
    """float32 [rows, columns, 1]: 1 inside, falling to 0 at the edge, so that nothing is pulled in from outside."""
    sides = [np.minimum(1, 8 * np.minimum(np.arange(n) + 0.5, n - np.arange(n) - 0.5) / n) for n in (rows, columns)]
    return np.asarray(sides[0][:, None, None] * sides[1][None, :, None], np.float32)

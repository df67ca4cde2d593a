"""Where every point of one picture lies in another (DIS optical flow), and looking a picture up along such points."""

from __future__ import annotations

from typing import Any, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Reals = NDArray[np.float32]
_Value = TypeVar("_Value", np.uint8, np.float32)

_cv2: Any = cv2  # the stubs lack DISOpticalFlow, and do not know that remap's second map may be None


class Flow:
    """Dense flow between gray pictures of one size; ``fine`` takes about three times as long."""

    def __init__(self, *, fine: bool = False) -> None:
        preset = _cv2.DISOPTICAL_FLOW_PRESET_MEDIUM if fine else _cv2.DISOPTICAL_FLOW_PRESET_FAST
        self._dis = _cv2.DISOpticalFlow_create(preset)

    def between(self, one: Bytes, other: Bytes) -> Reals:
        """How far each pixel of ``one`` lies from its place in ``other``: float32 [height, width, 2], pixels."""
        return np.asarray(self._dis.calc(one, other, None), np.float32)


def look(plane: NDArray[_Value], points: Reals) -> NDArray[_Value]:
    """The plane's values at ``points`` (x, y): interpolated, and outside as at its edge."""
    found: NDArray[_Value] = _cv2.remap(plane, points, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return found


def stretch(field: Reals, size: tuple[int, int]) -> Reals:
    """A field at another size (width, height), interpolated."""
    return np.asarray(cv2.resize(field, size, interpolation=cv2.INTER_LINEAR), np.float32)


def places(size: tuple[int, int]) -> Reals:
    """Each pixel's own x and y: float32 [height, width, 2]."""
    across, down = np.meshgrid(np.arange(size[0], dtype=np.float32), np.arange(size[1], dtype=np.float32))
    return np.dstack([across, down])

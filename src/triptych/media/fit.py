"""Brings upright pixels into the frame as a ``FitPlan`` says; the arithmetic of the plan is in ``rules.geometry``."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from triptych.task import FitPlan

Pixels = NDArray[np.uint8]


def apply_fit(
    pixels: Pixels, fit: FitPlan, size: tuple[int, int], background: tuple[int, int, int] = (0, 0, 0)
) -> Pixels:
    """Cut, scale and place a picture.

    A picture that fills the frame at its own size comes back untouched, bit for bit.

    Args:
        pixels: uint8 [H, W, 3], sRGB.
        fit: which part of it (``box``, source pixels) goes where (``inside``, frame pixels).
        size: width and height of the frame.
        background: colour of what is left free.

    Returns:
        uint8 [height, width, 3], sRGB.

    Raises:
        ValueError: a box outside the picture, or a place outside the frame.
    """
    width, height = size
    left, top, box_width, box_height = _whole_box(fit.box, pixels.shape[1], pixels.shape[0])
    at_x, at_y, in_width, in_height = fit.inside
    if at_x < 0 or at_y < 0 or in_width < 1 or in_height < 1 or at_x + in_width > width or at_y + in_height > height:
        raise ValueError(f"the place {fit.inside} is not inside a frame of {width}x{height}")
    part = pixels[top : top + box_height, left : left + box_width]
    scaled = _scaled(part, in_width, in_height)
    if (in_width, in_height) == (width, height):
        return np.ascontiguousarray(scaled)
    frame = np.empty((height, width, 3), np.uint8)
    frame[:] = background
    frame[at_y : at_y + in_height, at_x : at_x + in_width] = scaled
    return frame


def _whole_box(box: tuple[float, float, float, float], width: int, height: int) -> tuple[int, int, int, int]:
    """The box in whole pixels: each edge rounded by itself, so that neighbours meet; at least one pixel."""
    left, top, box_width, box_height = box
    if left < -0.5 or top < -0.5 or left + box_width > width + 0.5 or top + box_height > height + 0.5:
        raise ValueError(f"the box {box} is not inside a picture of {width}x{height}")
    x0 = min(max(round(left), 0), width - 1)
    y0 = min(max(round(top), 0), height - 1)
    x1 = min(max(round(left + box_width), x0 + 1), width)
    y1 = min(max(round(top + box_height), y0 + 1), height)
    return x0, y0, x1 - x0, y1 - y0


def _scaled(part: Pixels, width: int, height: int) -> Pixels:
    """Scaled by area where it shrinks, by cubic interpolation where it grows; the same array when neither."""
    have_height, have_width = part.shape[:2]
    if (have_width, have_height) == (width, height):
        return part
    shrinks = width <= have_width and height <= have_height
    method = cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC
    scaled = cv2.resize(np.ascontiguousarray(part), (width, height), interpolation=method)
    return np.asarray(scaled, np.uint8)

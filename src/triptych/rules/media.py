"""Bounds of one input, as its engine states them, held against what was measured.

``media.bound`` holds the same spec against a header before anything is decoded, beside bounds of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from triptych.errors import Problem
from triptych.rules.spec import MediaLimits
from triptych.rules.timing import OVER_SECONDS


def megabytes(count: int) -> str:
    """A byte count for people."""
    return f"{count / 1e6:.1f} MB" if count >= 100_000 else f"{count:,} bytes"


def bytes_problems(size_bytes: int, limits: MediaLimits, *, field: str) -> Iterator[Problem]:
    """A file over its limit of bytes."""
    if limits.max_bytes is not None and size_bytes > limits.max_bytes:
        yield Problem(
            code="media_too_large",
            field=field,
            message=f"{megabytes(size_bytes)}, over the limit of {megabytes(limits.max_bytes)}",
            value=size_bytes,
            limit=limits.max_bytes,
            fix="Use a smaller file",
        )


def megapixels(count: int) -> str:
    """A count of pixels for people."""
    return f"{count / 1e6:.3g}" if count < 1e9 else f"{count / 1e6:.0f}"


def picture_problems(width: int, height: int, limits: MediaLimits, *, field: str) -> Iterator[Problem]:
    """A picture, or a clip's frame, of too many or too few pixels, or too long a shape."""
    found = f"{width}x{height}"
    if limits.max_side is not None and max(width, height) > limits.max_side:
        yield Problem(
            code="media_too_large",
            field=field,
            value=found,
            limit=limits.max_side,
            message=f"{found} has a side over the limit of {limits.max_side:,} pixels",
            fix="Make it smaller",
        )
    if limits.max_pixels is not None and width * height > limits.max_pixels:
        yield Problem(
            code="media_too_large",
            field=field,
            value=width * height,
            limit=limits.max_pixels,
            message=f"{found} is {megapixels(width * height)} megapixels,"
            f" over the limit of {megapixels(limits.max_pixels)}",
            fix="Make it smaller",
        )
    if limits.min_side is not None and min(width, height) < limits.min_side:
        yield Problem(
            code="size_not_supported",
            field=field,
            value=found,
            limit=limits.min_side,
            message=f"{found} has a side under the least of {limits.min_side} pixels",
            fix="Use a larger picture",
        )
    aspect = width / height
    low, high = limits.min_aspect, limits.max_aspect
    if (low is not None and aspect < low) or (high is not None and aspect > high):
        yield Problem(
            code="aspect_not_supported",
            field=field,
            value=round(aspect, 4),
            limit=[low, high],
            message=f"{found} has the shape {aspect:.3f}:1, outside {low or 0:g}:1 to {high or math.inf:g}:1",
            fix="Crop it",
        )


def length_problems(seconds: float, limits: MediaLimits, *, field: str) -> Iterator[Problem]:
    """A clip or a sound that lasts too long or not long enough. ``seconds`` is of the part that is used."""
    if limits.max_seconds is not None and seconds > limits.max_seconds + OVER_SECONDS:
        yield Problem(
            code="media_too_long",
            field=field,
            value=round(seconds, 3),
            limit=limits.max_seconds,
            message=f"{seconds:.3f} s, over the limit of {limits.max_seconds:g} s",
            fix=f"Use a part of it, of {limits.max_seconds:g} s at most",
        )
    if limits.min_seconds is not None and seconds < limits.min_seconds:
        yield Problem(
            code="media_too_short",
            field=field,
            value=round(seconds, 3),
            limit=limits.min_seconds,
            message=f"{seconds:.3f} s, under the least of {limits.min_seconds:g} s",
            fix="Use a longer one",
        )


def frames_problems(frames: int, limits: MediaLimits, *, field: str) -> Iterator[Problem]:
    """A clip of too many or too few frames, as decoded."""
    if limits.max_frames is not None and frames > limits.max_frames:
        yield Problem(
            code="media_too_long",
            field=field,
            value=frames,
            limit=limits.max_frames,
            message=f"{frames:,} frames, over the limit of {limits.max_frames:,}",
            fix="Use a part of it",
        )
    if limits.min_frames is not None and frames < limits.min_frames:
        yield Problem(
            code="media_too_short",
            field=field,
            value=frames,
            limit=limits.min_frames,
            message=f"{frames} frames, under the least of {limits.min_frames}",
            fix="Use a longer clip",
        )

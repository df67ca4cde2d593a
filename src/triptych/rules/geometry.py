"""Sizes and shapes: which frame, and how a picture meets it. Pure arithmetic, in pixels."""

from __future__ import annotations

import math
from collections.abc import Iterator

from triptych.errors import Problem
from triptych.rules.spec import Geometry
from triptych.rules.value import shown
from triptych.task import Fit, FitPlan

PORTRAIT_TOP_SHARE = 0.2
"""Of what is cut from the height of a portrait or square picture, the share cut from its top.

Heads are near the top of such pictures; an even cut takes them off.
"""

SAME_ASPECT = 0.005
"""Shapes whose ratio differs by less than this count as one: rounding to a grid is not a difference."""

_LONGEST_SIDE = 10**9
"""Longer sides than this are taken as this, so that their shape can be worked out."""


def size_problems(size: tuple[int, int], geometry: Geometry, *, field: str) -> Iterator[Problem]:
    """Why ``size`` (width, height) is not legal; nothing when it is. The nearest legal size is named."""
    for code, reason, limit in _reasons(size, geometry):
        yield Problem(
            code=code,
            field=field,
            message=f"{written(size)} {reason}",
            value=written(size),
            limit=limit,
            fix=f"The nearest legal size is {written(nearest_size(geometry, *size))}",
        )


def is_legal(size: tuple[int, int], geometry: Geometry) -> bool:
    """Whether a frame may have this size."""
    return not any(_reasons(size, geometry))


def _reasons(size: tuple[int, int], geometry: Geometry) -> Iterator[tuple[str, str, object]]:
    """Code, reason and limit of each thing that is wrong with a size."""
    width, height = size
    if geometry.sizes is not None:
        if size not in geometry.sizes:
            listed = ", ".join(f"{w}x{h}" for w, h in geometry.sizes)
            yield "size_not_supported", f"is not one of {listed}", listed
        return
    low, high, step = geometry.min_side, geometry.max_side, geometry.multiple
    if any(not low <= side <= high for side in size):
        yield "size_not_supported", f"has a side outside {low} to {high} pixels", [low, high]
        return
    if any(side % step for side in size):
        yield "size_not_supported", f"is not in steps of {step} pixels", step
    if geometry.max_pixels is not None and width * height > geometry.max_pixels:
        reason = f"has {width * height:,} pixels, over the limit of {geometry.max_pixels:,}"
        yield "size_not_supported", reason, geometry.max_pixels
    least, most = geometry.min_aspect, geometry.max_aspect
    if not least <= width / height <= most:
        yield (
            "aspect_not_supported",
            f"has the shape {width / height:.3f}:1, outside {least:g}:1 to {most:g}:1",
            [least, most],
        )


def written(size: tuple[int, int]) -> str:
    """A size as people write it."""
    return f"{shown(size[0])}x{shown(size[1])}"


def nearest_size(geometry: Geometry, width: int, height: int) -> tuple[int, int]:
    """The legal size nearest to ``width`` x ``height``: each side rounded, where that is legal; else its shape."""
    width, height = (min(max(1, side), _LONGEST_SIDE) for side in (width, height))
    rounded = (_rounded(width, geometry.multiple), _rounded(height, geometry.multiple))
    if is_legal(rounded, geometry):
        return rounded
    if geometry.sizes is not None:
        aspect = math.log(width / height)
        return min(
            geometry.sizes,
            key=lambda size: (abs(math.log(size[0] / size[1]) - aspect), abs(size[0] * size[1] - width * height)),
        )
    aspect = min(max(width / height, geometry.min_aspect), geometry.max_aspect)
    short = min(width, height)
    return _on_grid(geometry, aspect, float(short))


def _rounded(side: int, step: int) -> int:
    """The multiple of ``step`` nearest to a side; the smaller one when two are."""
    return -(-(2 * side - step) // (2 * step)) * step


def size_for_aspect(geometry: Geometry, width: int, height: int, short_edge: int | None = None) -> tuple[int, int]:
    """The legal size of the shape ``width`` : ``height``, at a short edge; at the engine's when none is given.

    A small first frame is enlarged to it, as a large one is made smaller.
    """
    short = geometry.short_edge if short_edge is None else min(max(1, short_edge), _LONGEST_SIDE)
    aspect = min(max(width / height, geometry.min_aspect), geometry.max_aspect)
    if geometry.sizes is not None:
        return nearest_size(geometry, *_sides(aspect, short))
    return _on_grid(geometry, aspect, float(short))


def _sides(aspect: float, short: float) -> tuple[int, int]:
    """Width and height, at least 1, of a shape at a short side."""
    return max(1, round(short * max(aspect, 1.0))), max(1, round(short * max(1 / aspect, 1.0)))


def _on_grid(geometry: Geometry, aspect: float, short: float) -> tuple[int, int]:
    """The legal size of shape ``aspect`` whose short side is nearest to ``short`` and whose area is allowed."""
    step, low, high = geometry.multiple, geometry.min_side, geometry.max_side
    low, high = math.ceil(low / step) * step, high // step * step
    if geometry.max_pixels is not None:
        short = min(short, math.sqrt(geometry.max_pixels / max(aspect, 1 / aspect)))
    short = min(max(short, low), high / max(aspect, 1 / aspect))
    ideal = (short * max(aspect, 1.0), short * max(1 / aspect, 1.0))
    candidates = []
    for width in _around(ideal[0], step, low, high):
        for height in _around(ideal[1], step, low, high):
            over = geometry.max_pixels is not None and width * height > geometry.max_pixels
            outside = not geometry.min_aspect <= width / height <= geometry.max_aspect
            if not (over or outside):
                shape = abs(math.log(width / height) - math.log(aspect))
                area = abs(math.log(width * height) - math.log(ideal[0] * ideal[1]))
                candidates.append((shape + area / 2, -width * height, (width, height)))
    return min(candidates)[2] if candidates else geometry.default


def _around(side: float, step: int, low: int, high: int) -> list[int]:
    base = int(side // step) * step
    return sorted({min(max(base + step * k, low), high) for k in range(-2, 3)})


def fit_plan(source: tuple[int, int], frame: tuple[int, int], fit: Fit) -> FitPlan:
    """How an upright picture of ``source`` size meets a ``frame``, both (width, height) in pixels.

    ``refuse`` is taken as ``crop`` here; ``fit_differs`` says beforehand whether it must be refused.
    """
    (source_width, source_height), (width, height) = source, frame
    if fit is Fit.PAD:
        scale = min(width / source_width, height / source_height)
        inner_width = min(width, max(1, round(source_width * scale)))
        inner_height = min(height, max(1, round(source_height * scale)))
        inside = ((width - inner_width) // 2, (height - inner_height) // 2, inner_width, inner_height)
        return FitPlan(fit=fit, box=(0.0, 0.0, float(source_width), float(source_height)), inside=inside)
    scale = max(width / source_width, height / source_height)
    box_width, box_height = min(source_width, width / scale), min(source_height, height / scale)
    top_share = PORTRAIT_TOP_SHARE if source_height >= source_width else 0.5
    left, top = (source_width - box_width) / 2, (source_height - box_height) * top_share
    kept = (box_width * box_height) / (source_width * source_height)
    return FitPlan(
        fit=fit,
        box=(left, top, box_width, box_height),
        inside=(0, 0, width, height),
        cut_fraction=round(max(0.0, 1.0 - kept), 6),
    )


def fit_differs(source: tuple[int, int], frame: tuple[int, int], slack: float = SAME_ASPECT) -> bool:
    """Whether the two shapes differ by more than ``slack`` (a ratio); by default what rounding to a grid explains."""
    return abs(math.log((source[0] / source[1]) / (frame[0] / frame[1]))) > slack

"""Which frame size a request gets, and when it is refused.

Stated sides win; then a stated shape (``aspect_ratio``, ``short_edge``); then the shape of the first frame; then the
engine's default. What is stated is met exactly or refused; only ``loose_size`` lets an engine's table stand in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from triptych.errors import Problem
from triptych.rules.case import Case
from triptych.rules.geometry import fit_differs, nearest_size, size_for_aspect, size_problems, written
from triptych.rules.value import legible, plain, shown
from triptych.task import Adjustment, Modality, Role

_ASPECT = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)\s*[:/xX]\s*(\d{1,6}(?:\.\d{1,6})?)")

ASPECT_SLACK = 0.06
"""How far (as a ratio) the nearest legal shape may be from a stated one: grids of 32 pixels reach 16:9 within 0.02."""

_LONGEST_COMPARED = 10**9
"""No engine has longer sides, and floats hold them."""


@dataclass(frozen=True, kw_only=True)
class Size:
    """The frame, and how it was come by."""

    width: int
    height: int
    adjustments: tuple[Adjustment, ...] = ()


def asked_size(case: Case) -> tuple[int, int] | None:
    """The size that the caller stated, if both sides are usable."""
    width, height = case.request.width, case.request.height
    return (width, height) if width is not None and height is not None else None


def size_of(case: Case) -> Size:
    """The final size: as stated, or the engine's own word for it, or the first frame's shape, or the default."""
    geometry, asked = case.spec.geometry, asked_size(case)
    if asked is not None:
        alias = geometry.aliases.get(asked) if case.request.loose_size else None
        if alias is None:
            return Size(width=asked[0], height=asked[1])
        changed = Adjustment(
            field=case.request.called("width"),
            asked=f"{asked[0]}x{asked[1]}",
            got=f"{alias[0]}x{alias[1]}",
            reason=f"{case.spec.name}'s nearest size of the same orientation",
        )
        return Size(width=alias[0], height=alias[1], adjustments=(changed,))
    shape = _stated_shape(case)
    if shape is not None:
        width, height = size_for_aspect(geometry, *shape, case.request.short_edge)
        return Size(width=width, height=height, adjustments=tuple(_of_shape(case, shape, (width, height))))
    framed = _shape_of_frame(case)
    if framed is not None:
        source, field = framed
        if case.continued is not None and case.request.short_edge is None:
            # A clip that is shown keeps its own size; a still has as many pixels as its camera, which says little.
            width, height = nearest_size(geometry, *source)
        else:
            width, height = size_for_aspect(geometry, *source, case.request.short_edge)
        chosen = Adjustment(
            field=case.request.called("width"),
            asked=None,
            got=f"{width}x{height}",
            reason=f"no size was given: the nearest to the shape of {field} ({source[0]}x{source[1]})",
        )
        return Size(width=width, height=height, adjustments=(chosen,))
    if case.request.short_edge is not None:
        width, height = size_for_aspect(geometry, *geometry.default, case.request.short_edge)
        return Size(width=width, height=height)
    return Size(width=geometry.default[0], height=geometry.default[1])


def _shape_of_frame(case: Case) -> tuple[tuple[int, int], str] | None:
    """Width and height of the clip that is shown first, else of the first frame, else of the last, once it was seen;
    and what it is called.
    """
    if case.continued is not None:
        clip = case.probes.get(case.continued)
        if clip is None or clip.modality is not Modality.VIDEO:
            return None
        return (clip.width, clip.height), case.request.references[case.continued].field
    for role in (Role.FIRST_FRAME, Role.LAST_FRAME):
        for position, reference in case.in_role(role):
            probe = case.probes.get(position)
            if probe is not None and probe.modality is Modality.IMAGE:
                return (probe.width, probe.height), reference.field
    return None


def _stated_shape(case: Case) -> tuple[int, int] | None:
    """A usable ``aspect_ratio`` as two whole numbers."""
    ratio = case.request.aspect_ratio
    found = _ASPECT.fullmatch(ratio.strip()) if isinstance(ratio, str) else None
    if found is None or not (Fraction(found[1]) and Fraction(found[2])):
        return None
    aspect = Fraction(found[1]) / Fraction(found[2])  # exact: 9:16 is met by 360x640, and nothing was adjusted
    return (aspect.numerator, aspect.denominator) if 1e-3 <= aspect <= 1e3 else None


def _of_shape(case: Case, shape: tuple[int, int], got: tuple[int, int]) -> Iterator[Adjustment]:
    if shape[0] * got[1] != shape[1] * got[0]:
        yield Adjustment(
            field=case.request.called("aspect_ratio"),
            asked=case.request.aspect_ratio,
            got=written(got),
            reason=f"the size of {case.spec.name} that is nearest to that shape",
        )


def shape_rule(case: Case) -> Iterator[Problem]:
    """A stated shape or short edge that is none, that contradicts a stated size, or that no legal size has."""
    request, geometry, asked, shape = case.request, case.spec.geometry, asked_size(case), _stated_shape(case)
    if request.aspect_ratio is not None and shape is None:
        said = legible(str(request.aspect_ratio))[:40]
        yield Problem(
            code="invalid_value",
            field=request.called("aspect_ratio"),
            message=f"{said!r} is not a shape such as 16:9",
            value=said,
            fix="Give width and height as 16:9",
        )
        return
    if asked is not None:
        if min(asked) > 0 and max(asked) <= _LONGEST_COMPARED:  # any other size is refused for itself
            yield from _contradictions(case, asked, shape)
        return
    if (shape is None and request.short_edge is None) or _half_a_size(case):
        return
    size = size_of(case)
    if shape is not None and fit_differs(shape, (size.width, size.height), ASPECT_SLACK):
        fixed = geometry.sizes and [written(each) for each in geometry.sizes]
        yield Problem(
            code="aspect_not_supported",
            field=request.called("aspect_ratio"),
            message=f"{case.spec.name} has no size of the shape {request.aspect_ratio}",
            value=request.aspect_ratio,
            limit=fixed or [geometry.min_aspect, geometry.max_aspect],
            fix=f"The nearest legal size is {size.width}x{size.height}",
        )
    elif request.short_edge is not None and min(size.width, size.height) != request.short_edge:
        yield Problem(
            code="size_not_supported",
            field=request.called("short_edge"),
            message=f"{case.spec.name} has no size of that shape with a short side of {shown(request.short_edge)}",
            value=plain(request.short_edge),
            limit=min(size.width, size.height),
            fix=f"The nearest legal size is {size.width}x{size.height}",
        )


def _contradictions(case: Case, asked: tuple[int, int], shape: tuple[int, int] | None) -> Iterator[Problem]:
    """A shape beside a size that says otherwise."""
    request = case.request
    said: list[tuple[str, str | int]] = []
    if request.aspect_ratio is not None and shape is not None and fit_differs(shape, asked, ASPECT_SLACK):
        said.append(("aspect_ratio", request.aspect_ratio))
    if request.short_edge is not None and request.short_edge != min(asked):
        said.append(("short_edge", request.short_edge))
    for name, value in said:
        yield Problem(
            code="conflicting_parameters",
            field=request.called(name),
            message=f"{value if isinstance(value, str) else shown(value)} was asked for, and "
            f"{request.called('width')} says {written(asked)}",
            value=plain(value),
            limit=written(asked),
            fix="Give one of them",
        )


def _half_a_size(case: Case) -> bool:
    return (case.request.width is None) != (case.request.height is None)


def size_rule(case: Case) -> Iterator[Problem]:
    """Half a size, or one that is off the engine's grid."""
    request, asked = case.request, asked_size(case)
    if asked is None:
        for given, missing in (("width", "height"), ("height", "width")):
            if getattr(request, given) is not None:
                yield Problem(
                    code="missing_required_parameter",
                    field=request.called(missing),
                    message=f"{request.called(given)} is given and this is not",
                    fix="Give both, or neither",
                )
        return
    if min(asked) < 1:
        width, height = nearest_size(case.spec.geometry, *asked)
        yield Problem(
            code="size_not_supported",
            field=request.called("width"),
            message=f"{written(asked)} has no pixels",
            value=written(asked),
            fix=f"The nearest legal size is {width}x{height}",
        )
    elif not (request.loose_size and asked in case.spec.geometry.aliases):
        yield from size_problems(asked, case.spec.geometry, field=request.called("width"))

"""Which frame size a request gets, and when it is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from triptych.errors import Problem
from triptych.rules.case import Case
from triptych.rules.geometry import nearest_size, size_for_aspect, size_problems, written
from triptych.task import Adjustment, Modality, Role


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
        alias = geometry.aliases.get(asked)
        if alias is None:
            return Size(width=asked[0], height=asked[1])
        changed = Adjustment(
            field=case.request.called("width"),
            asked=f"{asked[0]}x{asked[1]}",
            got=f"{alias[0]}x{alias[1]}",
            reason=f"{case.spec.name}'s nearest size of the same orientation",
        )
        return Size(width=alias[0], height=alias[1], adjustments=(changed,))
    for role in (Role.FIRST_FRAME, Role.LAST_FRAME):
        for position, reference in case.in_role(role):
            probe = case.probes.get(position)
            if probe is not None and probe.modality is Modality.IMAGE:
                width, height = size_for_aspect(geometry, probe.width, probe.height)
                chosen = Adjustment(
                    field=case.request.called("width"),
                    asked=None,
                    got=f"{width}x{height}",
                    reason=f"no size was given: the nearest to the shape of {reference.field}"
                    f" ({probe.width}x{probe.height})",
                )
                return Size(width=width, height=height, adjustments=(chosen,))
    return Size(width=geometry.default[0], height=geometry.default[1])


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
    elif asked not in case.spec.geometry.aliases:
        yield from size_problems(asked, case.spec.geometry, field=request.called("width"))

"""How long a request's video is, in whole frames, and when that is refused."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from triptych.errors import Problem
from triptych.rules.case import Case
from triptych.rules.spec import Timing
from triptych.rules.timing import frames_of, longest, on_lattice
from triptych.rules.value import finite, plain, shown
from triptych.task import Adjustment

_ABSURD_FRAMES = 2**53
"""More frames than this are taken as this where they are only counted; ``timing_rule`` refuses them as they are."""


@dataclass(frozen=True, kw_only=True)
class Length:
    """How many frames at how many a second, and how that was come by."""

    num_frames: int
    fps: int
    adjustments: tuple[Adjustment, ...] = ()


def fps_of(case: Case) -> int:
    """Frames per second: as stated where that is usable, else the engine's."""
    fps = case.request.fps
    return int(fps) if fps is not None and _usable_rate(fps, case.spec.timing) else case.spec.timing.default_fps


def _usable_rate(fps: float, timing: Timing) -> bool:
    return finite(fps) and float(fps).is_integer() and timing.min_fps <= fps <= timing.max_fps


def length_of(case: Case, needed_seconds: float) -> Length:
    """The final length: as stated, or long enough for the inputs where the engine stretches, or the default.

    Args:
        case: what is judged.
        needed_seconds: how long the clips, the sound and the spoken lines are.
    """
    request, timing, fps = case.request, case.spec.timing, fps_of(case)
    asked = request.num_frames
    if asked is None and request.seconds is not None:
        asked = _frames_or_none(request.seconds, fps)
    if asked is not None:
        frames = on_lattice(min(max(asked, 0), _ABSURD_FRAMES), timing)
        name = "num_frames" if request.num_frames is not None else "seconds"
        said = request.num_frames if request.num_frames is not None else request.seconds
        got = frames if request.num_frames is not None else round(frames / fps, 6)
        if said == got:
            return Length(num_frames=frames, fps=fps)
        reason = f"whole frames: {frames} at {fps} a second"
        if timing.step > 1:
            reason = f"frame counts are {timing.step}k+{timing.offset}: {frames} at {fps} a second"
        changed = Adjustment(field=request.called(name), asked=said, got=got, reason=reason)
        return Length(num_frames=frames, fps=fps, adjustments=(changed,))
    usual = frames_of(timing.default_frames / timing.default_fps, fps)
    frames = min(on_lattice(min(max(usual, timing.min_frames), timing.max_frames), timing), longest(timing))
    needed = math.ceil(round(min(needed_seconds * fps, timing.max_frames + 1.0), 6))
    if timing.stretches and needed > frames:
        longer = on_lattice(needed, timing)
        longer = min(longer if longer >= needed else longer + timing.step, longest(timing))
        changed = Adjustment(
            field=request.called("seconds"),
            asked=None,
            got=round(longer / fps, 6),
            reason=f"no length was given: long enough for the {needed_seconds:.3f} s of the inputs",
        )
        return Length(num_frames=longer, fps=fps, adjustments=(changed,))
    return Length(num_frames=frames, fps=fps)


def timing_rule(case: Case) -> Iterator[Problem]:
    """A rate or a length outside the engine's range, or two lengths that disagree."""
    request, timing = case.request, case.spec.timing
    fps, field = request.fps, request.called("fps")
    if fps is not None and not _usable_rate(fps, timing):
        fixed = timing.min_fps == timing.max_fps
        legal = f"{timing.min_fps}" if fixed else f"a whole number from {timing.min_fps} to {timing.max_fps}"
        yield Problem(
            code="unsupported_parameter" if fixed else "invalid_value",
            field=field,
            message=f"{shown(fps)} frames per second is not {legal}",
            value=plain(fps),
            limit=[timing.min_fps, timing.max_fps],
            fix=f"Ask for {legal}, or leave it out",
        )
    rate = fps_of(case)
    for name in ("num_frames", "seconds"):
        value = getattr(request, name)
        if value is None:
            continue
        frames = value if name == "num_frames" else _frames_or_none(value, rate)
        yield from _length_problem(case, name, value, frames, rate)
    if request.num_frames is not None and request.seconds is not None:
        frames_said = _frames_or_none(request.seconds, rate)
        if frames_said is not None and on_lattice(frames_said, timing) != on_lattice(request.num_frames, timing):
            yield Problem(
                code="conflicting_parameters",
                field=request.called("num_frames"),
                message=f"{shown(request.num_frames)} frames, but {request.called('seconds')} {shown(request.seconds)}"
                f" at {rate} frames a second is {shown(frames_said)}",
                value=plain(request.num_frames),
                limit=plain(frames_said),
                fix="Give one of the two",
            )


def _frames_or_none(seconds: float, fps: int) -> int | None:
    return frames_of(seconds, fps) if finite(seconds) and seconds >= 0 else None


def _length_problem(case: Case, name: str, value: float, frames: int | None, fps: int) -> Iterator[Problem]:
    timing = case.spec.timing
    least = timing.min_frames if timing.asked_min_frames is None else timing.asked_min_frames
    most = longest(timing) if timing.rounding == "up" else timing.max_frames
    rendered = on_lattice(frames, timing) if frames is not None else -1
    if frames is not None and least <= frames <= most and timing.min_frames <= rendered <= timing.max_frames:
        return
    low, high = least / fps, most / fps
    unit = "frames" if name == "num_frames" else "s"
    legal = f"{least} to {most} frames ({low:.3f} to {high:.3f} s at {fps} frames a second)"
    yield Problem(
        code="duration_not_supported",
        field=case.request.called(name),
        message=f"{shown(value)} {unit} is outside {legal}",
        value=plain(value),
        limit=[least, most] if name == "num_frames" else [round(low, 6), round(high, 6)],
        fix="Ask for a length in that range",
    )

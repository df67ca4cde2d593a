"""How long a request's video is, in whole frames, and when that is refused."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from triptych.errors import Problem
from triptych.rules.case import Case
from triptych.rules.spec import Timing
from triptych.rules.timing import frames_of, longest, on_lattice
from triptych.rules.value import finite, plain, shown
from triptych.task import Adjustment, Modality, Probe

_ABSURD_FRAMES = 2**53
"""More frames than this are taken as this where they are only counted; ``timing_rule`` refuses them as they are."""


@dataclass(frozen=True, kw_only=True)
class Length:
    """How many frames at how many a second, and how that was come by.

    Attributes:
        num_frames: of the whole video.
        fps: frames per second.
        shown_frames: of those, how many are a clip that is shown first; a length that is asked for is without them.
        adjustments: what was changed on the way.
    """

    num_frames: int
    fps: int
    shown_frames: int = 0
    adjustments: tuple[Adjustment, ...] = ()

    @property
    def new_frames(self) -> int:
        """How many frames are made anew."""
        return self.num_frames - self.shown_frames

    @property
    def new_seconds(self) -> float:
        """How long what is made anew lasts."""
        return max(self.new_frames, 0) / self.fps


def fps_of(case: Case) -> int:
    """Frames per second: as stated where that is usable, else that of a clip that is shown first, else the engine's."""
    fps, timing = case.request.fps, case.spec.timing
    if fps is not None:
        return int(fps) if _usable_rate(fps, timing) else timing.default_fps
    clip = _shown_clip(case)
    return min(max(round(clip.fps), timing.min_fps), timing.max_fps) if clip else timing.default_fps


def _shown_clip(case: Case) -> Probe | None:
    """What was seen of the clip that is shown first."""
    probe = case.probes.get(-1 if case.continued is None else case.continued)
    return probe if probe is not None and probe.modality is Modality.VIDEO else None


def _rate_is_open(case: Case) -> bool:
    """Whether the rate is that of a clip which nobody has seen yet."""
    timing = case.spec.timing
    unseen = case.continued is not None and case.continued not in case.probes
    return unseen and case.request.fps is None and timing.min_fps != timing.max_fps


def _shown_frames(case: Case, fps: int) -> int:
    """How many frames the clip that is shown first takes; 0 without one, and until it was seen."""
    if case.continued is None or _shown_clip(case) is None:
        return 0
    most = case.spec.limits_of(Modality.VIDEO).max_seconds
    return max(0, frames_of(case.kept_seconds(case.continued, most), fps))


def _usable_rate(fps: float, timing: Timing) -> bool:
    return finite(fps) and float(fps).is_integer() and timing.min_fps <= fps <= timing.max_fps


def length_of(case: Case, needed_seconds: float) -> Length:
    """The final length: as stated, or long enough for the inputs where the engine stretches, or the default.

    With a clip that is shown first, all that is said of the length is about what comes after it, and the video is as
    long as both.

    Args:
        case: what is judged.
        needed_seconds: how long the clips, the sound and the spoken lines are.
    """
    new, request = _new_length(case, needed_seconds), case.request
    shown_frames = _shown_frames(case, new.fps)
    if case.continued is None or not shown_frames:
        return new
    field, total = request.references[case.continued].field, shown_frames + new.num_frames
    in_frames = request.num_frames is not None
    changed = [
        Adjustment(
            field=request.called("num_frames" if in_frames else "seconds"),
            asked=request.num_frames if in_frames else request.seconds,
            got=total if in_frames else round(total / new.fps, 6),
            reason=f"{field} comes first: its {shown_frames} frames, then {new.num_frames} new ones",
        )
    ]
    if request.fps is None and new.fps != case.spec.timing.default_fps:
        reason = f"no rate was given: the one nearest to that of {field}"
        changed.append(Adjustment(field=request.called("fps"), asked=None, got=new.fps, reason=reason))
    return replace(new, num_frames=total, shown_frames=shown_frames, adjustments=(*new.adjustments, *changed))


def _new_length(case: Case, needed_seconds: float) -> Length:
    """The length of what is made anew."""
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
        if value is None or (name == "seconds" and finite(value) and value > 0 and _rate_is_open(case)):
            continue
        frames = value if name == "num_frames" else _frames_or_none(value, rate)
        yield from _length_problem(case, name, value, frames, rate)
    if request.num_frames is not None and request.seconds is not None and not _rate_is_open(case):
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

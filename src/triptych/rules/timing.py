"""Lengths: seconds, frames, and the lattice that an engine's frame counts lie on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from triptych.rules.spec import Timing

OVER_SECONDS = 0.1
"""An input up to this much over a limit is cut to it, and the cut is listed; containers say 15.008 for 15."""


@lru_cache(maxsize=1024)  # one request asks for the same length ten times, and fractions are slow
def frames_of(seconds: float, fps: float) -> int:
    """The whole number of frames nearest to ``seconds`` (half counts up); exact for decimal seconds."""
    return math.floor(Fraction(str(seconds)) * Fraction(str(fps)) + Fraction(1, 2))


def on_lattice(frames: int, timing: Timing) -> int:
    """The legal count for ``frames``: the nearest, or the next one up, as the engine's rule says."""
    below = (frames - timing.offset) // timing.step * timing.step + timing.offset
    above = below if below == frames else below + timing.step
    if timing.rounding == "up" or below < timing.min_frames:
        return above
    return below if frames - below < above - frames or above > timing.max_frames else above


def longest(timing: Timing) -> int:
    """The highest count on the lattice that may be rendered."""
    return timing.max_frames - (timing.max_frames - timing.offset) % timing.step


def allot(lengths: Sequence[float], fps: float) -> tuple[tuple[int, int], ...]:
    """The frames of each of several pieces in a row: (first, one past the last).

    Every boundary is rounded from its absolute position on the timeline, so that a chain of pieces never drifts
    from its sound, however many there are.

    Args:
        lengths: seconds of each piece.
        fps: frames per second.
    """
    boundaries = [0]
    position = Fraction(0)
    for seconds in lengths:
        position += Fraction(str(seconds))
        boundaries.append(math.floor(position * Fraction(str(fps)) + Fraction(1, 2)))
    return tuple(pairwise(boundaries))

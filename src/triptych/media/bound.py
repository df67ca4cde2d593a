"""How big an input may be before it is decoded, and the refusals that say so.

The bounds here hold whatever an engine allows; the lower of the two wins. They keep a small file that unfolds into
gigabytes (a "bomb") from being decoded at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from triptych.errors import InvalidRequest, Problem
from triptych.rules.media import length_problems, picture_problems
from triptych.rules.spec import MediaLimits
from triptych.rules.timing import OVER_SECONDS


@dataclass(frozen=True, kw_only=True)
class Bound:
    """Largest picture: pixels of either side, and width times height."""

    max_side: int
    max_pixels: int

    def under(self, limits: MediaLimits) -> Bound:
        """The lower of this bound and an engine's own."""
        return Bound(
            max_side=min(self.max_side, limits.max_side or self.max_side),
            max_pixels=min(self.max_pixels, limits.max_pixels or self.max_pixels),
        )


IMAGE_BOUND = Bound(max_side=16_384, max_pixels=50_000_000)
"""A still: every phone and most cameras (50 megapixels)."""

CLIP_BOUND = Bound(max_side=8_192, max_pixels=16_777_216)
"""One frame of a clip: above 5.3K, below 8K."""

MAX_SECONDS = 3_600.0
"""Decoded length of any clip or sound."""

MAX_FRAMES = 216_000
"""Decoded frames of any clip: an hour at 60 frames per second."""
MAX_MOVING_PIXELS = 4_000_000_000
"""Width times height times frames of an animated picture: a small file can hold thousands of large, empty frames."""

SLACK_SECONDS = OVER_SECONDS
"""What may lie over a limit of length without a refusal here; ``rules`` cuts it and lists the cut."""


def unreadable(field: str, message: str, *, fix: str = "", value: Any = None, limit: Any = None) -> InvalidRequest:
    """A refusal: the bytes are not media, are cut short, or are damaged."""
    return refused("media_unreadable", field, message, fix=fix, value=value, limit=limit)


def refused(
    code: str, field: str, message: str, *, fix: str = "", value: Any = None, limit: Any = None
) -> InvalidRequest:
    """A refusal of one input for one reason."""
    return InvalidRequest([Problem(code=code, field=field, message=message, value=value, limit=limit, fix=fix)])


def check_size(width: int, height: int, *, field: str, bound: Bound, limits: MediaLimits, what: str) -> None:
    """Hold a picture's size, as its header gives it, against both bounds.

    Args:
        width, height: in pixels.
        field: the caller's name for the input.
        bound: the bound that always holds.
        limits: the engine's own.
        what: ``picture`` or ``frame``, for the message.

    Raises:
        InvalidRequest: too large (``media_too_large``), or no size at all (``media_unreadable``).
    """
    if width < 1 or height < 1:
        raise unreadable(field, f"the {what} has no size ({width}x{height})")
    lower = bound.under(limits)
    both = MediaLimits(max_side=lower.max_side, max_pixels=lower.max_pixels)
    found = tuple(picture_problems(width, height, both, field=field))
    if found:
        raise InvalidRequest(found)


def check_seconds(seconds: float, *, field: str, limits: MediaLimits, at_least: bool = False) -> None:
    """Hold a length against both bounds.

    Args:
        seconds: of the part that is to be used.
        field: the caller's name for the input.
        limits: the engine's own.
        at_least: True when decoding stopped there, so that the real length is not known.

    Raises:
        InvalidRequest: longer than allowed (``media_too_long``).
    """
    longest = min(MAX_SECONDS, limits.max_seconds or MAX_SECONDS)
    if at_least and seconds > longest + SLACK_SECONDS:
        raise refused(
            "media_too_long",
            field,
            f"more than {longest:g} s, which is the limit",
            fix=f"Use a part of it, of {longest:g} s at most",
            limit=longest,
        )
    found = tuple(length_problems(seconds, MediaLimits(max_seconds=longest), field=field))
    if found:
        raise InvalidRequest(found)

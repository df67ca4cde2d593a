"""Values as callers send them, of any size and sort: which of them arithmetic can use, and how a refusal shows them."""

from __future__ import annotations

import math

from triptych.task import Scalar

_EXACT = 10**21
"""Whole numbers below this are shown digit by digit; those above by their size."""


def finite(value: float) -> bool:
    """Whether arithmetic can use a number: not NaN, not infinite, and not too large for a float."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def shown(value: float) -> str:
    """A number in words for people; never longer than a line, however large the number."""
    if not isinstance(value, int):
        return f"{value:.10g}"
    if abs(value) < _EXACT:
        return str(value)
    return f"{'-' if value < 0 else ''}1e{int(math.log10(abs(value)) + 1e-9)}"


def legible(text: str) -> str:
    """Text that can be encoded: halves of pairs, which no encoding holds, are written out as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def plain(value: Scalar | None) -> Scalar | None:
    """A value as JSON can hold it: NaN, infinities and enormous numbers become words."""
    if isinstance(value, str):
        return legible(value)
    if value is None or isinstance(value, bool):
        return value
    holdable = finite(value) if isinstance(value, float) else abs(value) < _EXACT
    return value if holdable else shown(value)

"""A whole JSON text to values, strictly: no name twice, no NaN, no number of any length, no half characters."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from triptych.wire.place import Fault, PathOfNames, Place, legible

MAX_DIGITS = 400
"""Of a whole number; the largest that has a decimal point has 309."""

_MARK = b"\xef\xbb\xbf"
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


def parse(data: bytes, place: Place) -> Any:
    """The values of a text.

    Args:
        data: UTF-8.
        place: follows it; it may have been followed in part already.

    Raises:
        Fault: it is no JSON, or is refused here.
    """
    if data.startswith(_MARK):
        raise Fault("it begins with a byte order mark, which JSON has not", at=0)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Fault("it is not UTF-8", at=error.start) from error
    place.follow(data, len(data))
    try:
        value = json.loads(text, parse_int=_whole, parse_float=_number, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise Fault(f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}", at=len(text[: error.pos].encode())) from error
    if _HALF.search(data):
        _refuse_halves(value, ())
    return value


def _refuse_halves(value: Any, path: PathOfNames) -> None:
    """Refuse text that no encoding holds: a surrogate without its other half."""
    if isinstance(value, str):
        _refuse_half(value, path)
    elif isinstance(value, dict):
        for name, item in value.items():
            _refuse_half(name, (*path, name))
            _refuse_halves(item, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _refuse_halves(item, (*path, index))


def _refuse_half(text: str, path: PathOfNames) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        half = legible(text[error.start])
        raise Fault(f"{half} is half of a character, and its other half is missing", path=path) from error


def _constant(name: str) -> Any:
    raise Fault(f"{name} is no number in JSON")


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise Fault(f"a number of {len(digits)} digits; the most is {MAX_DIGITS}")
    return int(digits)


def _number(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise Fault(f"{digits[:40]} is larger than any number here")
    return value

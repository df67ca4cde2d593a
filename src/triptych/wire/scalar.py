"""Plain values as they are sent, read as what they are declared to be: JSON's own types, or the text of a form."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from triptych.errors import Problem
from triptych.rules.value import plain, shown
from triptych.wire.body import Upload
from triptych.wire.place import legible

Kind = Literal["text", "whole", "number", "switch", "size"]

MOST_SHOWN_CHARS = 80

_WHOLE = re.compile(r"[+-]?\d{1,400}(?:\.0{0,400})?", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,3})?", re.ASCII)
_SIZE = re.compile(r"(\d{1,6})[xX×](\d{1,6})", re.ASCII)
_SWITCH = {"true": True, "false": False}

WANTED: Mapping[Kind, str] = {
    "text": "text",
    "whole": "a whole number",
    "number": "a number",
    "switch": "true or false",
    "size": "a size such as 1280x720",
}
"""What a value of each kind is, in words."""


def read(kind: Kind, value: object, *, field: str) -> tuple[Any, Problem | None]:
    """A value as its kind, or what is wrong with it.

    Numbers may come as text, as OpenAI's clients send them (``"4"``); text never comes as a number.
    """
    found = _READERS[kind](value)
    if found is not None:
        return found, None
    return None, Problem(
        code="invalid_value",
        field=field,
        message=f"{brief(value)} is not {WANTED[kind]}",
        value=sent(value),
        fix=f"Give {WANTED[kind]}",
    )


def brief(value: object) -> str:
    """A value in a few words, fit for a message."""
    if isinstance(value, str):
        return repr(legible(value[:MOST_SHOWN_CHARS])) + ("…" if len(value) > MOST_SHOWN_CHARS else "")
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return shown(value)
    if isinstance(value, tuple):
        return "x".join(map(str, value))
    if isinstance(value, Upload):
        return "a file"
    return "a list" if isinstance(value, Sequence) else "an object"


def sent(value: object) -> Any:
    """A value as a problem shows it: plain JSON, and short."""
    if isinstance(value, str):
        return legible(value[:MOST_SHOWN_CHARS])
    return plain(value) if isinstance(value, (bool, int, float)) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value.partition(".")[0])
    return None


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return value if isinstance(value, int) or math.isfinite(value) else None
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        number = float(value)
        return number if math.isfinite(number) else None
    return None


def _switch(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    return _SWITCH.get(value.lower()) if isinstance(value, str) else None


def _size(value: object) -> tuple[int, int] | None:
    found = _SIZE.fullmatch(value) if isinstance(value, str) else None
    return (int(found[1]), int(found[2])) if found else None


_READERS: Mapping[Kind, Callable[[object], Any]] = {
    "text": _text,
    "whole": _whole,
    "number": _number,
    "switch": _switch,
    "size": _size,
}

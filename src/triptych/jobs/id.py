"""Ids that sort by the time at which they were made: ULIDs, in lower case."""

from __future__ import annotations

import re
import secrets
import threading

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_CHARS = 10
_RANDOM_CHARS = 16
_RANDOM_BITS = 80

_ULID = re.compile(rf"[0-7][{_ALPHABET}]{{25}}", re.ASCII)

_lock = threading.Lock()
_last_ms = -1
_last_random = 0


def ulid(at_seconds: float) -> str:
    """26 characters: 48 bits of time in milliseconds, then 80 random bits.

    Two of one process and one millisecond, or of a clock that was set back, sort in the order in which they were made.
    """
    global _last_ms, _last_random
    with _lock:
        now_ms = max(int(at_seconds * 1000), 0)
        if now_ms > _last_ms:
            _last_ms, _last_random = now_ms, secrets.randbits(_RANDOM_BITS)
        else:
            # A step of unknown width: who knows one id cannot tell the next.
            _last_random += 1 + secrets.randbits(_RANDOM_BITS // 2)
            if _last_random >> _RANDOM_BITS:
                _last_ms, _last_random = _last_ms + 1, secrets.randbits(_RANDOM_BITS)
        ms, rest = _last_ms, _last_random
    return _spell(ms, _TIME_CHARS) + _spell(rest, _RANDOM_CHARS)


def made_at(text: str) -> float:
    """The time inside an id (with or without its ``video_``), in seconds since 1970.

    Raises:
        ValueError: it is no such id.
    """
    bare = text.rpartition("_")[2]
    if not _ULID.fullmatch(bare):
        raise ValueError(f"no id of this service: {text!r}")
    value = 0
    for char in bare[:_TIME_CHARS]:
        value = value * 32 + _ALPHABET.index(char)
    return value / 1000


def is_id(text: str, *, prefix: str) -> bool:
    """Whether a text has the shape of an id with that prefix (``video_``)."""
    return text.startswith(prefix) and _ULID.fullmatch(text[len(prefix) :]) is not None


def _spell(value: int, length: int) -> str:
    return "".join(_ALPHABET[value >> 5 * place & 31] for place in reversed(range(length)))

"""Who is calling: bearer keys, kept and compared as hashes, each with the name of an owner."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable

from triptych.errors import InvalidRequest, Problem, Unauthorized

NOBODY = ""
"""The owner where no key is needed."""

_NAMED = re.compile(r"(?P<name>[A-Za-z0-9_.@-]+)=(?P<key>.*[^=].*)", re.DOTALL)


class Keys:
    """The keys that open a server; without any, everybody may call.

    Two keys of one name are the same owner's, so that a key can be replaced without losing its jobs.

    Args:
        entries: each ``name=key``, or ``key`` alone, which is then named by the beginning of its hash.

    Raises:
        InvalidRequest: one key stands for two names, or is empty, or cannot be sent in a header.
    """

    def __init__(self, entries: Iterable[str]) -> None:
        self._owners: dict[bytes, str] = {}
        for position, entry in enumerate(entries):
            named = _NAMED.fullmatch(entry)
            key = named["key"] if named else entry
            digest = _digest(key)
            name = named["name"] if named else f"key-{digest.hex()[:12]}"
            if not key or not key.isascii() or not key.isprintable() or " " in key:
                raise _refusal(position, "a key is made of letters, digits and marks, without spaces")
            if self._owners.setdefault(digest, name) != name:
                raise _refusal(position, f"this key has two names, {self._owners[digest]} and {name}")

    def __bool__(self) -> bool:
        """Whether a key is needed."""
        return bool(self._owners)

    def owner(self, authorization: str | None) -> str:
        """The owner that an ``Authorization`` header names.

        Raises:
            Unauthorized: there is no key in it, or none of ours; what was sent is not repeated.
        """
        if not self._owners:
            return NOBODY
        scheme, _, sent = (authorization or "").strip().partition(" ")
        if scheme.lower() != "bearer" or not sent.strip():
            raise Unauthorized("This server needs a key: send 'Authorization: Bearer KEY'.")
        digest, found = _digest(sent.strip()), None
        for known, name in self._owners.items():  # all of them, whichever it is
            if hmac.compare_digest(known, digest):
                found = name
        if found is None:
            raise Unauthorized("The key is not one of this server's.")
        return found


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest()


def _refusal(position: int, message: str) -> InvalidRequest:
    return InvalidRequest([Problem(code="invalid_value", field=f"api_keys[{position}]", message=message)])

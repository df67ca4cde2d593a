"""Where a value stands in a JSON text: its path of names and positions; and what can be refused on the way there."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from triptych.rules import value

PathOfNames = tuple[str | int, ...]

MOST_VALUES = 100_000
"""How many values one text may hold. Small ones take far more room in memory than as text."""

MOST_SHOWN_CHARS = 200

_MARK = re.compile(rb'[{}\[\],:]|"(?:[^"\\]++|\\.)*+"?|NaN|-?Infinity', re.DOTALL)


def written(path: Sequence[str | int]) -> str:
    """A path as people write it: ``references[0].data``; fit for a message."""
    return legible("".join(f"[{name}]" if isinstance(name, int) else f".{name}" for name in path).removeprefix("."))


def legible(text: str) -> str:
    """A caller's word, fit for a message: of bounded length, and of whole characters."""
    return value.legible(text)[:MOST_SHOWN_CHARS]


class Fault(ValueError):
    """What is wrong with a JSON text.

    Attributes:
        path: of the value it is about; empty for the text as a whole.
        at: the byte of the text where it shows, from 0; ``None`` when that helps nobody.
        code: a key of ``errors.PROBLEM_CODES``.
    """

    def __init__(
        self, message: str, *, path: PathOfNames = (), at: int | None = None, code: str = "invalid_body"
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.at = at
        self.code = code


@dataclass
class _Level:
    """One object or list that is open, and where in it we are; ``key`` is ``None`` where a name must come next."""

    key: str | int | None
    names: set[str] = field(default_factory=set)


class Place:
    """Follows a JSON text that grows. Each byte is looked at once, and only when somebody asks.

    Args:
        max_depth: of objects and lists within each other.
    """

    def __init__(self, *, max_depth: int) -> None:
        self._max_depth = max_depth
        self._at = 0
        self._open: list[_Level] = []
        self._values = 0

    def of(self, text: bytearray, starts: int) -> PathOfNames | None:
        """The path of the string whose first byte is at ``starts``; ``None`` when it is a name itself.

        What the text was before ``starts`` must not change after this.

        Raises:
            Fault: before it a name is there twice, or something is too deep, or no number.
        """
        self.follow(text, starts - 1)
        if self._open and self._open[-1].key is None:
            return None
        return self._path()

    def follow(self, text: bytearray | bytes, end: int) -> None:
        """Look at the text up to ``end``. Raises as ``of`` does."""
        begin, self._at = self._at, end
        for found in _MARK.finditer(text[begin:end]):
            self._step(found[0], begin + found.start())

    def _path(self) -> PathOfNames:
        return tuple(level.key for level in self._open if level.key is not None)

    def _step(self, mark: bytes, at: int) -> None:
        top = self._open[-1] if self._open else None
        if mark in (b"{", b"[", b","):
            self._values += 1
            if self._values > MOST_VALUES:
                raise Fault(f"it holds more than {MOST_VALUES} values", at=at)
        if mark in (b"{", b"["):
            if len(self._open) >= self._max_depth:
                raise Fault(f"objects and lists within each other more than {self._max_depth} deep", at=at)
            self._open.append(_Level(0 if mark == b"[" else None))
        elif mark in (b"}", b"]"):
            if top is not None:
                self._open.pop()
        elif mark[:1] in (b"N", b"I", b"-"):
            raise Fault(f"{mark.decode()} is no number in JSON", path=self._path(), at=at)
        elif top is None or mark == b":":
            return  # if it is no JSON, whoever parses it says so
        elif mark == b",":
            top.key = top.key + 1 if isinstance(top.key, int) else None
        elif top.key is None:
            self._name(top, mark, at)

    def _name(self, level: _Level, mark: bytes, at: int) -> None:
        try:
            level.key = str(json.loads(mark))
        except ValueError:
            level.key = mark.decode("utf-8", "replace").strip('"')
        if level.key in level.names:
            message = "it is there twice, and only one of them could be meant"
            raise Fault(message, path=self._path(), at=at, code="conflicting_parameters")
        level.names.add(level.key)

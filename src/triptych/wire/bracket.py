"""Names of a form as nested values: ``a``, ``a[b]``, ``a[]``, ``a[2]``, ``a[][k]``, as OpenAI's clients write them.

- ``a[]`` repeated is a list, in order.
- ``a[][k]`` goes on with the last item of the list, and begins a new one when that item has ``k`` already: items come
  one after another. Some clients send every ``k`` of all items first, then every ``m``: these are the items' in order,
  and where some items lack one, nothing tells which, and the form is refused. So it is where nothing tells the items
  apart (``a[][]``, or ``a[][k][]`` alone, each repeated).
- Numbered items must be 0, 1, 2 … in all; below ``metadata`` numbers are names like any other.
- A name that is there twice is refused, and so is one value that stands beside parts of it (``a`` and ``a[b]``):
  nothing is "the last one wins".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from triptych.errors import Problem
from triptych.wire.body import Upload, Value
from triptych.wire.encoded import VERBATIM_NAMES
from triptych.wire.place import PathOfNames, legible

_NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
_STEP = re.compile(r"\[([^\[\]]*)\]")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,5}", re.ASCII)
_BYTES_SHOWN = re.compile(r"""\s*b(['"]).*\1\s*""", re.DOTALL)

Steps = tuple[str | int | None, ...]
"""The parts of a name: names, numbers, and ``None`` for ``[]``."""


class _Names(dict[str | int, Any]):
    """An object, while its values come in."""


class _List(dict[str | int, Any]):
    """A list, while its items come in: by number."""

    is_appended = False
    """Whether its items came without numbers."""


def nested(items: Iterable[tuple[str, str | Upload]], *, max_depth: int) -> tuple[dict[str, Value], list[Problem]]:
    """Names and values of a form, in order, as one document, and what is wrong with them."""
    form, items = _Form(max_depth), list(items)
    apart = _Apart([_steps(name) or () for name, _ in items])
    for (name, value), steps in zip(items, apart.steps, strict=True):
        if steps in apart.unclear:
            form.refuse_partial(name)
        else:
            form.put(name, steps or None, value)
    values = {str(key): form.plain(value, str(key)) for key, value in form.values.items()}
    return values, form.problems


def path_of(name: str) -> PathOfNames:
    """Where a name points, as far as can be told from it alone; items of a list count as the first."""
    return tuple(0 if step is None else step for step in _steps(name) or (name,))


class _Apart:
    """Members that came grouped by their names (``a[][k]``, ``a[][k]``, ``a[][m]``, ``a[][m]``) get the items' numbers.

    Args:
        names: of the whole form, in order; empty where one is none.

    Attributes:
        steps: the same, numbered.
        unclear: members that some items have, and nothing tells which.
    """

    def __init__(self, names: Sequence[Steps]) -> None:
        self.steps = list(names)
        self.unclear: set[Steps] = set()
        lists: dict[Steps, list[int]] = {}
        for position, steps in enumerate(names):
            if None in steps[:-1]:
                lists.setdefault(steps[: steps.index(None)], []).append(position)
        for positions in lists.values():
            self._look(positions)

    def _look(self, positions: Sequence[int]) -> None:
        """At the members of one list."""
        came = [self.steps[position] for position in positions]
        counts = Counter(came)
        runs = 1 + sum(one != other for one, other in pairwise(came))
        most = max(counts.values())
        if most == 1 or len(counts) == 1 or runs > len(counts):
            return  # one item, or nothing but one member, or items one after another
        if min(counts.values()) < most or any(None in steps[steps.index(None) + 1 :] for steps in counts):
            self.unclear |= counts.keys()
            return
        seen: Counter[Steps] = Counter()
        for position, steps in zip(positions, came, strict=True):
            first = steps.index(None)
            self.steps[position] = (*steps[:first], seen[steps], *steps[first + 1 :])
            seen[steps] += 1


class _Form:
    def __init__(self, max_depth: int) -> None:
        self.values = _Names()
        self.problems: list[Problem] = []
        self._max_depth = max_depth
        self._first: dict[tuple[str | int, ...], str] = {}
        """The name by which each value first came."""

    def refuse_partial(self, name: str) -> None:
        """Note, once for each name, that it is not clear whose it is."""
        if not any(problem.field == legible(name) for problem in self.problems):
            message = "some items of the list have more members than others, and a form does not tell which"
            self._note("invalid_value", name, message, fix="Give each item the same members, or send JSON")

    def put(self, name: str, steps: Steps | None, value: str | Upload) -> None:
        """Put a value in its place, or note why not."""
        if steps is None or len(steps) > self._max_depth:
            message = "it is no name such as a, a[b], a[], a[0] or a[][b]"
            self._note("unknown_parameter", name, message)
        elif isinstance(value, str) and _BYTES_SHOWN.fullmatch(value):
            message = "it is Python's way to show bytes (b'…'), and not the bytes"
            self._note("invalid_value", name, message, fix="Send a file part, or base64 text")
        else:
            self._put(steps, value, name)

    def _put(self, steps: Steps, value: str | Upload, name: str) -> None:
        here: _Names | _List = self.values
        path: tuple[str | int, ...] = ()
        for index, step in enumerate(steps):
            rest = steps[index + 1 :]
            if step is None and rest[:1] == (None,) and here:
                self._refuse_unclear(name)
                return
            key = _key(here, step, rest)
            path = (*path, key)
            if not rest:
                break
            below: _Names | _List = _below(steps[: index + 2])
            there = here.setdefault(key, below)
            if type(there) is not type(below):
                self._refuse_both(name, path)
                return
            if isinstance(there, _List):
                there.is_appended |= rest[0] is None
            self._first.setdefault(path, name)
            here = there
        if path[-1] in here:
            self._refuse_both(name, path)
        else:
            here[path[-1]] = value
            self._first[path] = name

    def plain(self, value: Any, name: str) -> Any:
        """A value with its lists as lists, once all is there."""
        if isinstance(value, _List):
            if any(number not in value for number in range(len(value))):
                missing = next(number for number in range(len(value)) if number not in value)
                message = f"its items are numbered, and there is no {legible(name)}[{missing}]"
                self._note("invalid_value", name, message, fix="Number them from 0, without a gap")
            if value.is_appended and any(map(_is_unclear, value.values())):
                self._refuse_unclear(name)
            return [self.plain(item, f"{name}[{number}]") for number, item in sorted(value.items())]
        if isinstance(value, _Names):
            return {str(key): self.plain(item, f"{name}[{key}]") for key, item in value.items()}
        return value

    def _refuse_both(self, name: str, path: tuple[str | int, ...]) -> None:
        other = self._first[path]
        if other == name:
            message = "it is there more than once, and only one of them could be meant"
            fix = f"Send one, or a list as {legible(name)}[]"
        else:
            message = f"it does not go together with {legible(other)}, which is there too"
            fix = "Send one of them"
        self._note("conflicting_parameters", name, message, fix=fix)

    def _refuse_unclear(self, name: str) -> None:
        message = "nothing tells where one item ends and the next begins"
        self._note("invalid_value", name, message, fix="Number the items ([0], [1] …), or send JSON")

    def _note(self, code: str, name: str, message: str, *, fix: str = "") -> None:
        self.problems.append(Problem(code=code, field=legible(name), message=message, fix=fix))


def _steps(name: str) -> Steps | None:
    """The parts of a name; ``None`` when it is no such name."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    is_verbatim = found[1] in VERBATIM_NAMES
    return (found[1], *(_step(step, is_verbatim) for step in _STEP.findall(found[2])))


def _step(text: str, is_verbatim: bool) -> str | int | None:
    if not text:
        return None
    return int(text) if _NUMBER.fullmatch(text) and not is_verbatim else text


def _below(steps: Sequence[str | int | None]) -> _Names | _List:
    """What holds the last of these steps."""
    return _Names() if isinstance(steps[-1], str) else _List()


def _key(here: _Names | _List, step: str | int | None, rest: Steps) -> str | int:
    """The key of a step; for ``[]`` the last item if what follows still has room in it, else a new one."""
    if step is not None:
        return step
    last = len(here) - 1
    return last if rest and _has_room(here.get(last), rest) else last + 1


def _has_room(item: Any, steps: Steps) -> bool:
    if not isinstance(item, (_Names, _List)):
        return False
    step, rest = steps[0], steps[1:]
    if step is None:
        return isinstance(item, _List)
    return step not in item or (bool(rest) and _has_room(item[step], rest))


def _is_unclear(item: Any) -> bool:
    """Whether an item could as well be several: it has nothing but lists, and one of several values."""
    return (
        isinstance(item, _Names)
        and all(isinstance(value, _List) for value in item.values())
        and any(len(value) > 1 for value in item.values())
    )

"""What is noted while a body is read: problems under the caller's own names, and warnings; bounded, whatever comes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any, TypeGuard

from triptych.errors import InvalidRequest, Problem
from triptych.task import Warned
from triptych.wire.json_body import parse_json_text
from triptych.wire.place import PathOfNames, written
from triptych.wire.scalar import brief, sent

MOST_PROBLEMS = 100
"""So many are told one by one."""

MOST_LOOKED_UP = 20
"""So many unknown names get advice. Looking for the closest one takes time, and somebody may send a million."""

MOST_NAME_CHARS = 60


class Reading:
    """Notes of one body.

    Attributes:
        problems: what is wrong, in the order of the body.
        warnings: what was overridden, and what stood in for what.
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.warnings: list[Warned] = []
        self._looked_up = 0

    def refuse(
        self, path: PathOfNames, message: str, *, code: str = "invalid_value", value: Any = None, fix: str = ""
    ) -> None:
        """Note a problem."""
        self.note(Problem(code=code, field=written(path), message=message, value=sent(value), fix=fix))

    def note(self, *problems: Problem) -> None:
        """Note problems that are told already."""
        for problem in problems:
            if len(self.problems) < MOST_PROBLEMS:
                self.problems.append(problem)
            elif len(self.problems) == MOST_PROBLEMS:
                message = f"more is wrong with it than these {MOST_PROBLEMS} things"
                self.problems.append(Problem(code="invalid_body", field="body", message=message))

    def conflict(self, path: PathOfNames, value: object, other: str, before: object) -> None:
        """Note that one thing was said in two ways that differ."""
        self.refuse(
            path,
            f"{brief(value)} was asked for here, and {brief(before)} in {other}",
            code="conflicting_parameters",
            value=value,
            fix=f"Send it here, or in {other}",
        )

    def warn(self, code: str, path: PathOfNames, message: str) -> None:
        """Note what stops nothing. The codes are explained in ``docs/reference/result.md``."""
        self.warnings.append(Warned(code=code, field=written(path), message=message))

    def closest(self, name: str, known: Iterable[str], otherwise: str) -> str:
        """Advice for a name that is not known: up to three that are like it, else ``otherwise``."""
        if self._looked_up >= MOST_LOOKED_UP or len(name) > MOST_NAME_CHARS:
            return otherwise
        self._looked_up += 1
        there = sorted(known)
        like = difflib.get_close_matches(name, there, n=3)
        like += [one for one in there if name in one.split("_") and one not in like][: 3 - len(like)]
        return f"Did you mean {', '.join(like)}?" if like else otherwise

    def parsed(self, value: object, path: PathOfNames) -> Any:
        """An object or a list that may come as JSON text; ``None`` when that is none, which is noted."""
        if not isinstance(value, str):
            return value
        try:
            return parse_json_text(value, field=written(path))
        except InvalidRequest as refusal:
            self.note(*refusal.problems)
            return None


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """Whether a value is a list, and no text."""
    return isinstance(value, Sequence) and not isinstance(value, str)

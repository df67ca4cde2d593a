from __future__ import annotations

from typing import Any

import pytest

from triptych.wire.scalar import WANTED, Kind, read

WORDS: dict[Kind, list[Any]] = {
    "whole": [True, 4.5, "4.5", "", " 5", "5 ", "0x10", "1_000", "٣", "9" * 500, None, []],
    "number": [True, "8s", "inf", "nan", "Infinity", "", " 5", "0x10", "1e999", "--4", None, {}],
    "switch": [1, 0, "yes", "", "1", None],
    "size": ["1280", "1280 x 720", "x", "-1x5", "1280x720x3", "", 1280, None, "auto"],
    "text": [4, True, []],
}
TAKEN: list[tuple[Kind, Any, Any]] = [
    ("text", "a", "a"),
    ("text", '{"a": 1}', '{"a": 1}'),
    ("whole", 4, 4),
    ("whole", "4", 4),
    ("whole", 4.0, 4),
    ("whole", "4.0", 4),
    ("whole", "-1", -1),
    ("number", 4, 4),
    ("number", "4", 4.0),
    ("number", "4.5", 4.5),
    ("number", ".5", 0.5),
    ("number", "1e2", 100.0),
    ("switch", True, True),
    ("switch", "false", False),
    ("switch", "True", True),
    ("size", "1280x720", (1280, 720)),
    ("size", "1280X720", (1280, 720)),
    ("size", "1280×720", (1280, 720)),
    ("size", "0x0", (0, 0)),
]
REFUSED = [(kind, value) for kind, values in WORDS.items() for value in values]


@pytest.mark.parametrize(("kind", "value", "meant"), TAKEN)
def test_a_value_is_read_as_what_it_is_declared_to_be(kind: Kind, value: Any, meant: Any) -> None:
    found, problem = read(kind, value, field="seconds")
    assert problem is None
    assert (found, type(found)) == (meant, type(meant))


@pytest.mark.parametrize(("kind", "value"), REFUSED)
def test_anything_else_is_refused_under_its_own_name(kind: Kind, value: Any) -> None:
    found, problem = read(kind, value, field="the field")
    assert found is None
    assert problem is not None
    assert (problem.code, problem.field) == ("invalid_value", "the field")
    assert WANTED[kind] in str(problem)
    assert len(str(problem)) < 300

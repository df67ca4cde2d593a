"""Plain values: JSON's own types, or text that is one; nothing is guessed."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triptych.task import Blob
from triptych.wire.body import Upload
from triptych.wire.scalar import WANTED, Kind, brief, read

FILE = Upload(blob=Blob(path="p", sha256="a" * 64, size_bytes=1), how="file")


@pytest.mark.parametrize(
    ("kind", "sent", "value"),
    [
        ("text", "", ""), ("text", '{"a": 1}', '{"a": 1}'), ("text", "12", "12"), ("text", "null", "null"),
        ("whole", 5, 5), ("whole", 5.0, 5), ("whole", "5", 5), ("whole", "5.0", 5), ("whole", "5.", 5),
        ("whole", "-5", -5), ("whole", 10**30, 10**30),
        ("number", 5, 5), ("number", 5.5, 5.5), ("number", "5.5", 5.5), ("number", ".5", 0.5), ("number", "1e2", 100.0),
        ("switch", True, True), ("switch", False, False), ("switch", "true", True), ("switch", "False", False),
        ("size", "1280x720", (1280, 720)), ("size", "1280X720", (1280, 720)), ("size", "0x0", (0, 0)),
    ],
)  # fmt: skip
def test_read(kind: Kind, sent: Any, value: Any) -> None:
    assert read(kind, sent, field="f") == (value, None)


WRONG: Mapping[Kind, tuple[Any, ...]] = {
    "text": (5, True, [], {}, FILE),
    "whole": (5.5, True, "5.5", "", " 5", "5\n", "0x10", "1e3", "٥", "1_0", [5], FILE, math.inf),
    "number": ("8s", "inf", "nan", "", " 5", "0x10", True, [5], {}, FILE, math.nan, "1e999"),
    "switch": (1, 0, "yes", "1", "on", "", [], FILE),
    "size": ("", "1280", "1280x", "1280 x 720", "a" * 10_000, 5, [1280, 720], FILE),
}


@pytest.mark.parametrize(("kind", "sent"), [(kind, sent) for kind, values in WRONG.items() for sent in values])
def test_refused(kind: Kind, sent: Any) -> None:
    value, problem = read(kind, sent, field="f")
    assert value is None
    assert problem is not None
    assert (problem.code, problem.field) == ("invalid_value", "f")
    assert WANTED[kind] in problem.message
    assert len(str(problem)) < 300
    assert json.dumps(problem.as_json(), allow_nan=False)


@given(st.sampled_from(list(WANTED)), st.text() | st.integers() | st.floats() | st.booleans() | st.lists(st.text()))
def test_whatever_comes_is_read_or_refused(kind: Kind, sent: Any) -> None:
    value, problem = read(kind, sent, field="f")
    assert (value is None) is (problem is not None)
    if problem is not None:
        json.dumps(problem.as_json(), allow_nan=False, ensure_ascii=False).encode("utf-8")


def test_in_a_few_words() -> None:
    values: tuple[Any, ...] = ("a", "b" * 100, 5, 2.5, True, None, (1, 2), [1], {}, FILE)
    assert [brief(one) for one in values] == [
        "'a'", f"'{'b' * 80}'…", "5", "2.5", "true", "null", "1x2", "a list", "an object", "a file"
    ]  # fmt: skip

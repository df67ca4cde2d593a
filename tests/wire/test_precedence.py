"""Native names win over OpenAI's, axis by axis, and it is told."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.example import H3_LIKE
from triptych.wire.precedence import OPENAI_SIZES, Said, engine_of, is_sora, seconds_of, size_of
from triptych.wire.reading import Reading


def said(**values: Any) -> dict[str, Said]:
    return {name: Said(path=(name,), value=value, sent=value) for name, value in values.items()}


@pytest.mark.parametrize(
    ("values", "got", "fields", "overridden"),
    [
        ({}, {}, {}, 0),
        ({"size": (704, 512)}, {"width": 704, "height": 512}, {"width": "size", "height": "size"}, 0),
        ({"size": (704, 512), "width": 64}, {"width": 64, "height": 512}, {"width": "width", "height": "size"}, 1),
        ({"size": (704, 512), "height": 64}, {"width": 704, "height": 64}, {"width": "size", "height": "height"}, 1),
        ({"size": (704, 512), "width": 704, "height": 512}, {"width": 704, "height": 512},
         {"width": "width", "height": "height"}, 0),
        ({"width": 64}, {"width": 64}, {"width": "width"}, 0),
    ],
)  # fmt: skip
def test_size(values: dict[str, Any], got: dict[str, Any], fields: dict[str, str], overridden: int) -> None:
    reading = Reading()
    found = size_of(said(**values), reading)
    assert (found.values, found.fields) == (got, fields)
    assert [(one.code, one.field) for one in reading.warnings] == [("overridden", "size")] * overridden


@pytest.mark.parametrize("size", sorted(OPENAI_SIZES))
def test_openai_s_sizes_are_loose_unless_a_side_is_said(size: tuple[int, int]) -> None:
    assert size_of(said(size=size), Reading()).values["loose_size"] is True
    assert "loose_size" not in size_of(said(size=size, width=size[0]), Reading()).values
    assert "loose_size" not in size_of(said(width=size[0], height=size[1]), Reading()).values
    assert "loose_size" not in size_of(said(size=(size[0], size[1] + 1)), Reading()).values


def test_seconds() -> None:
    reading = Reading()
    assert seconds_of({}, reading).values == {}
    assert seconds_of(said(seconds=4), reading).fields == {"seconds": "seconds"}
    assert seconds_of(said(seconds=4, duration=4.0), reading).fields == {"seconds": "duration"}
    assert reading.warnings == []
    assert seconds_of(said(seconds=4, duration=8), reading).values == {"seconds": 8}
    assert [one.message for one in reading.warnings] == ["4 is overridden by duration 8"]


def test_the_engine() -> None:
    reading = Reading()
    for values, engine in (({}, "usual"), ({"model": "other"}, "other"), ({"model": ""}, "")):
        assert engine_of(said(**values), reading, default_engine="usual", spec=None).values == {"engine": engine}
    assert reading.warnings == []
    found = engine_of(said(model="sora-2-pro"), reading, default_engine=None, spec=H3_LIKE)
    assert (found.values, found.fields) == ({"engine": None}, {"engine": "model"})
    assert reading.warnings[0].message == "h3-like stands in for sora-2-pro"
    assert [is_sora(model) for model in ("sora-2", "sora-2-2025-10-06", "sora", 5, None)] == [
        True,
        True,
        False,
        False,
        False,
    ]

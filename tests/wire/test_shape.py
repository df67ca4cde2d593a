"""Schemas say what documents are."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

import pytest

from triptych.wire.job import JobDocument
from triptych.wire.shape import name_of, reference, schemas


class InnerDocument(TypedDict):
    """Inside."""

    size: int


class OuterDocument(TypedDict):
    """Outside."""

    kind: Literal["a", "b"]
    inner: InnerDocument | None
    many: list[InnerDocument]
    named: dict[str, float]
    anything: Any


def test_a_document_is_told_with_all_that_it_holds() -> None:
    found = schemas(OuterDocument)
    assert set(found) == {"Outer", "Inner"}
    assert found["Outer"]["properties"] == {
        "kind": {"enum": ["a", "b"]},
        "inner": {"anyOf": [reference(InnerDocument), {"type": "null"}]},
        "many": {"type": "array", "items": {"$ref": "#/components/schemas/Inner"}},
        "named": {"type": "object", "additionalProperties": {"type": "number"}},
        "anything": {},
    }
    assert found["Outer"]["required"] == ["anything", "inner", "kind", "many", "named"]
    assert found["Outer"]["description"] == "Outside."


def test_a_type_without_a_schema_is_an_error() -> None:
    class WrongDocument(TypedDict):
        items: set[int]

    with pytest.raises(TypeError, match="set"):
        schemas(WrongDocument)


def test_every_key_of_a_job_is_promised() -> None:
    told = schemas(JobDocument)[name_of(JobDocument)]
    assert set(told["required"]) == set(told["properties"]) == set(JobDocument.__annotations__)

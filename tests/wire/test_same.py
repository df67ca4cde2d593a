"""Inputs that say the same, wherever their bytes are."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest

from triptych.task import (
    Blob,
    BlobSource,
    BytesSource,
    DataURLSource,
    Modality,
    PathSource,
    Reference,
    ResultSource,
    Role,
    Source,
    URLSource,
)
from triptych.wire.same import content_of, same_input, same_inputs

DATA = b"some bytes"
URL = "data:image/png;base64," + base64.b64encode(DATA).decode()


def one(field: str = "a", source: Source | None = None, **more: Any) -> Reference:
    return Reference(role=more.pop("role", Role.REFERENCE), source=source or BytesSource(DATA), field=field, **more)


def test_the_same_bytes_are_the_same_however_they_came() -> None:
    digest = hashlib.sha256(DATA).hexdigest()
    kept = BlobSource(Blob(path="x", sha256=digest, size_bytes=10))
    assert {content_of(each) for each in (BytesSource(DATA), DataURLSource(URL), kept)} == {digest}
    assert same_inputs([one("a", kept), one("b")], [one("c", DataURLSource(URL)), one("d", kept)])
    broken = DataURLSource("data:image/png;base64,@")
    assert content_of(broken) == broken


@pytest.mark.parametrize("source", [PathSource("x"), URLSource("https://a.example/x"), ResultSource("x")])
def test_what_is_elsewhere_is_the_same_when_it_is_said_in_the_same_way(source: Source) -> None:
    assert same_input(one("a", source), one("b", source))
    assert not same_input(one("a", source), one("b"))


@pytest.mark.parametrize(
    "more",
    [{"role": Role.FIRST_FRAME}, {"name": "x"}, {"sound": True}, {"start_seconds": 1}, {"seconds": 1}, {"fit": "pad"}],
)
def test_what_is_said_of_them_counts(more: dict[str, Any]) -> None:
    assert not same_input(one(), one(**more))


def test_a_kind_that_is_not_said_is_no_difference() -> None:
    assert same_input(one(), one(modality=Modality.IMAGE))
    assert not same_input(one(modality=Modality.VIDEO), one(modality=Modality.IMAGE))
    assert not same_inputs([one()], [one(), one()])

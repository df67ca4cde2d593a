"""Whole JSON texts, strictly. The refusals of whole bodies are in ``test_json_body``."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triptych.wire.json_text import parse
from triptych.wire.place import Fault, Place


def value_of(text: str) -> Any:
    return parse(text.encode("utf-8", "surrogatepass"), Place(max_depth=9))


@given(st.text('{}[]",:01.eE+- \\un\u00e9', max_size=30))
def test_what_is_taken_is_what_json_loads_says(text: str) -> None:
    try:
        value = value_of(text)
    except Fault:
        return
    assert value == json.loads(text)


@pytest.mark.parametrize(
    ("text", "words", "at"),
    [
        ("", "not JSON: expecting value", 0),
        ('"é" x', "not JSON: extra data", 5),
        ("\ufeff1", "it begins with a byte order mark, which JSON has not", 0),
        ("\ud800", "it is not UTF-8", 0),
        ("1" * 401, "a number of 401 digits; the most is 400", None),
        ("-1e400", "-1e400 is larger than any number here", None),
    ],
)
def test_what_is_refused(text: str, words: str, at: int | None) -> None:
    with pytest.raises(Fault) as caught:
        value_of(text)
    assert (caught.value.message, caught.value.at) == (words, at)


def test_pairs_of_surrogates_are_characters_and_halves_are_not() -> None:
    assert value_of('"\\ud83d\\ude00"') == "\U0001f600"
    assert value_of("1" * 400) == int("1" * 400)
    for text in ('"\\ud83d"', '["\\ude00\\ud83d"]', '{"\\udfff":1}'):
        with pytest.raises(Fault, match="half of a character"):
            value_of(text)

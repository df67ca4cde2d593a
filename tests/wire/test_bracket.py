"""Names with brackets: what nests how, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triptych.wire.bracket import nested, path_of


def read(*items: tuple[str, str]) -> dict[str, Any]:
    values, problems = nested(items, max_depth=32)
    assert problems == []
    return values


def refusals(*items: tuple[str, str]) -> list[tuple[str, str, str]]:
    _, problems = nested(items, max_depth=32)
    return [(problem.code, problem.field, problem.message) for problem in problems]


@pytest.mark.parametrize(
    ("items", "values"),
    [
        ([("a", "1"), ("b", "")], {"a": "1", "b": ""}),
        ([("a[b]", "1"), ("a[c][d]", "2")], {"a": {"b": "1", "c": {"d": "2"}}}),
        ([("a[]", "1")], {"a": ["1"]}),
        ([("a[]", "1"), ("b", "x"), ("a[]", "1")], {"a": ["1", "1"], "b": "x"}),
        ([("a[1]", "y"), ("a[0]", "x")], {"a": ["x", "y"]}),
        (
            [("a[0][url]", "x"), ("a[1][url]", "y"), ("a[0][type]", "t")],
            {"a": [{"url": "x", "type": "t"}, {"url": "y"}]},
        ),
        (
            [("a[][type]", "i"), ("a[][url]", "x"), ("a[][type]", "v"), ("a[][url]", "y")],
            {"a": [{"type": "i", "url": "x"}, {"type": "v", "url": "y"}]},
        ),
        (
            [("a[][url]", "x"), ("a[][role]", "r"), ("a[][url]", "y")],
            {"a": [{"url": "x", "role": "r"}, {"url": "y"}]},
        ),
        (
            [("a[][type]", "i"), ("a[][type]", "v"), ("a[][url]", "x"), ("a[][url]", "y")],
            {"a": [{"type": "i", "url": "x"}, {"type": "v", "url": "y"}]},
        ),
        (
            [("a[][b][c]", "1"), ("a[][b][c]", "2"), ("b", "-"), ("a[][b][d]", "3"), ("a[][b][d]", "4")],
            {"a": [{"b": {"c": "1", "d": "3"}}, {"b": {"c": "2", "d": "4"}}], "b": "-"},
        ),
        (
            [("a[][b][c]", "1"), ("a[][b][d]", "2"), ("a[][b][c]", "3")],
            {"a": [{"b": {"c": "1", "d": "2"}}, {"b": {"c": "3"}}]},
        ),
        ([("a[][i][]", "1"), ("a[][t]", "x"), ("a[][i][]", "2")], {"a": [{"i": ["1", "2"], "t": "x"}]}),
        ([("a[][]", "1")], {"a": [["1"]]}),
        ([("a[0][]", "1"), ("a[0][]", "2"), ("a[1][]", "3")], {"a": [["1", "2"], ["3"]]}),
        ([("metadata[7]", "x"), ("metadata[a b]", "y")], {"metadata": {"7": "x", "a b": "y"}}),
        ([("a[01]", "x")], {"a": {"01": "x"}}),
        ([("prompt", "b'"), ("q", "b'a' and")], {"prompt": "b'", "q": "b'a' and"}),
    ],
)
def test_what_names_mean(items: list[tuple[str, str]], values: dict[str, Any]) -> None:
    assert read(*items) == values


TWICE = "it is there more than once, and only one of them could be meant"


@pytest.mark.parametrize(
    ("items", "code", "field", "words"),
    [
        ([("a", "1"), ("a", "1")], "conflicting_parameters", "a", TWICE),
        ([("a[b]", "1"), ("a[b]", "2")], "conflicting_parameters", "a[b]", TWICE),
        ([("a[0]", "1"), ("a[0]", "2")], "conflicting_parameters", "a[0]", TWICE),
        (
            [("a", "1"), ("a[b]", "1")],
            "conflicting_parameters",
            "a[b]",
            "it does not go together with a, which is there too",
        ),
        ([("a[b]", "1"), ("a", "1")], "conflicting_parameters", "a", "it does not go together with a[b], which"),
        ([("a[]", "1"), ("a[b]", "1")], "conflicting_parameters", "a[b]", "it does not go together with a[], which"),
        ([("a[]", "1"), ("a", "1")], "conflicting_parameters", "a", "it does not go together with a[], which"),
        ([("a[1]", "1")], "invalid_value", "a", "there is no a[0]"),
        ([("a[0]", "1"), ("a[999999]", "1")], "invalid_value", "a", "there is no a[1]"),
        ([("a[][]", "1"), ("a[][]", "2")], "invalid_value", "a[][]", "nothing tells where one item ends"),
        ([("a[][i][]", "1"), ("a[][i][]", "2")], "invalid_value", "a", "nothing tells where one item ends"),
        ([("", "1")], "unknown_parameter", "", "it is no name such as"),
        ([("a[", "1")], "unknown_parameter", "a[", "it is no name such as"),
        ([("a]b", "1")], "unknown_parameter", "a]b", "it is no name such as"),
        ([("[a]", "1")], "unknown_parameter", "[a]", "it is no name such as"),
        ([("a[b]c", "1")], "unknown_parameter", "a[b]c", "it is no name such as"),
        ([("a" + "[b]" * 40, "1")], "unknown_parameter", "a" + "[b]" * 40, "it is no name such as"),
        ([("file", "b'\\x89PNG'")], "invalid_value", "file", "it is Python's way to show bytes"),
        ([("file", 'b"it\'s"')], "invalid_value", "file", "it is Python's way to show bytes"),
    ],
)
def test_what_is_refused(items: list[tuple[str, str]], code: str, field: str, words: str) -> None:
    ((found_code, found_field, message),) = refusals(*items)
    assert (found_code, found_field) == (code, field)
    assert message.startswith(words) or words in message


PARTIAL = ("invalid_value", "some items of the list have more members than others, and a form does not tell which")


@pytest.mark.parametrize(
    ("items", "fields"),
    [
        ([("a[][url]", "x"), ("a[][url]", "y"), ("a[][role]", "r")], ["a[][url]", "a[][role]"]),
        ([("a[][role]", "r"), ("a[][url]", "x"), ("a[][url]", "y")], ["a[][role]", "a[][url]"]),
        (
            [("a[][url]", "x"), ("a[][url]", "y"), ("a[][t][]", "1"), ("a[][t][]", "2")],
            ["a[][url]", "a[][t][]"],
        ),
    ],
)
def test_whose_a_member_is_is_not_guessed(items: list[tuple[str, str]], fields: list[str]) -> None:
    """One client means that the first item has the role, another the last: both send the same."""
    assert [(code, field, message) for code, field, message in refusals(*items)] == [
        (PARTIAL[0], field, PARTIAL[1]) for field in fields
    ]


@given(
    st.lists(st.fixed_dictionaries({"url": st.text("xy", min_size=1), "role": st.text("rs")}), min_size=1, max_size=5)
)
def test_items_come_back_in_whichever_order_their_members_are_sent(items: list[dict[str, str]]) -> None:
    one_by_one = [(f"a[][{name}]", value) for item in items for name, value in item.items()]
    grouped = [(f"a[][{name}]", item[name]) for name in ("role", "url") for item in items]
    assert read(*one_by_one) == read(*grouped) == {"a": items}


@given(st.lists(st.tuples(st.text("ab[]019", max_size=12), st.sampled_from("xyz")), max_size=8))
def test_every_value_is_somewhere_or_there_is_a_problem(items: list[tuple[str, str]]) -> None:
    values, problems = nested(items, max_depth=4)
    if not problems:
        assert sorted(leaves(values)) == sorted(value for _, value in items)


def leaves(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [leaf for item in (value.values() if isinstance(value, dict) else value) for leaf in leaves(item)]


def test_the_path_of_a_name() -> None:
    assert path_of("a[][b][3]") == ("a", 0, "b", 3)
    assert path_of("a[") == ("a[",)

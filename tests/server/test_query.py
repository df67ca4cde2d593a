"""A query is read strictly: nothing in it is passed over."""

from __future__ import annotations

import pytest
from starlette.requests import Request

from triptych.errors import InvalidRequest
from triptych.server import query
from triptych.server.query import Paging


def request(text: str) -> Request:
    return Request({"type": "http", "query_string": text.encode(), "headers": []})


def refused(text: str) -> list[tuple[str, str]]:
    with pytest.raises(InvalidRequest) as refusal:
        query.paging(request(text))
    return [(each.code, each.field) for each in refusal.value.problems]


def test_a_list_has_twenty_and_the_newest_first() -> None:
    assert query.paging(request("")) == Paging(after=None, limit=20, order="desc")
    assert query.paging(request("after=a&limit=100&order=asc")) == Paging(after="a", limit=100, order="asc")


@pytest.mark.parametrize(
    "limit",
    ["0", "101", "-1", "1.5", "ten", "", "1e1", " 5", "+5", "٣", "9" * 5000],
)
def test_a_limit_out_of_range_is_refused(limit: str) -> None:
    assert refused(f"limit={limit.replace(' ', '%20').replace('+', '%2B')}") == [("invalid_value", "limit")]


def test_an_order_is_one_of_two() -> None:
    assert refused("order=up") == [("invalid_value", "order")]


def test_an_unknown_name_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(InvalidRequest) as refusal:
        query.paging(request("limt=3&x=1"))
    assert [(each.code, each.field) for each in refusal.value.problems] == [
        ("unknown_parameter", "limt"),
        ("unknown_parameter", "x"),
    ]
    assert refusal.value.problems[0].fix == "Did you mean limit?"


def test_a_name_twice_with_two_values_is_refused() -> None:
    assert refused("limit=3&limit=4") == [("conflicting_parameters", "limit")]
    assert query.paging(request("limit=3&limit=3")).limit == 3


def test_where_nothing_is_asked_everything_is_refused() -> None:
    with pytest.raises(InvalidRequest) as refusal:
        query.only(request("a=1"))
    assert refusal.value.problems[0].fix == "Leave it out"

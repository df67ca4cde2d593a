"""Urlencoded bodies: decoded as they arrive, and a plus that would damage base64 is refused."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote_plus, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.wire.arrival import URLENCODED, cuts, outcome, read
from triptych.errors import InvalidRequest, TooLarge

DATA = bytes(range(256)) * 200
TEXT = base64.b64encode(DATA).decode()


@pytest.fixture(scope="module")
def spool() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@given(values=st.dictionaries(st.text("abcé&=+% ", min_size=1), st.text(), max_size=5), sizes=cuts)
def test_what_was_encoded_comes_back(spool: Path, values: dict[str, str], sizes: list[int]) -> None:
    values = {name: value for name, value in values.items() if value[:1] != "b"}
    assert outcome(URLENCODED, urlencode(values).encode(), spool, sizes) == (values, [])


@settings(max_examples=50, deadline=None)
@given(
    sizes=cuts,
    length=st.integers(24_570, 24_580) | st.integers(0, 60_000),
    head=st.sampled_from(["", "data:image/png;base64,"]),
)
def test_long_base64_is_decoded_however_it_is_cut(spool: Path, sizes: list[int], length: int, head: str) -> None:
    data = (DATA * 2)[:length]
    text = head + base64.b64encode(data).decode()
    wanted: Any = text
    if len(text) > 32 << 10:
        wanted = ("data_url" if head else "base64", "", "image/png" if head else "", data)
    body = f"references[0][data]={quote_plus(text)}&prompt=a+b".encode()
    assert outcome(URLENCODED, body, spool, sizes) == ({"references": [{"data": wanted}], "prompt": "a b"}, [])


def test_odd_bodies(spool: Path) -> None:
    assert outcome(URLENCODED, b"", spool) == ({}, [])
    assert outcome(URLENCODED, b"a&b=&&c=100%&d=%zz%", spool) == ({"a": "", "b": "", "c": "100%", "d": "%zz%"}, [])
    assert outcome(URLENCODED, b"a=1&a=2", spool)[1][0]["code"] == "conflicting_parameters"


@settings(max_examples=200, deadline=None)
@given(body=st.text("ab[]=&%2B+\x00é", max_size=40).map(str.encode) | st.binary(max_size=40), sizes=cuts)
def test_whatever_comes_it_is_judged_the_same_however_it_is_cut(spool: Path, body: bytes, sizes: list[int]) -> None:
    whole = outcome(URLENCODED, body, spool)
    assert outcome(URLENCODED, body, spool, sizes) == whole
    if isinstance(whole, tuple) and not whole[1]:
        pairs = parse_qsl(body.decode("latin-1"), keep_blank_values=True)
        assert bool(pairs) == bool(whole[0])


@pytest.mark.parametrize(
    ("name", "value"),
    [("image", "data:image/png;base64,ab+/"), ("references[][data]", "ab+/"), ("x", TEXT[:40_000] + "+" + TEXT)],
)
def test_a_plus_in_base64_is_refused_for_it_means_a_space(spool: Path, name: str, value: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        read(URLENCODED, f"prompt=a+b&{name}={value}".encode(), spool)
    (problem,) = caught.value.problems
    assert (problem.code, problem.field, problem.fix) == ("invalid_value", name, "Write it as %2B")
    assert list(spool.iterdir()) == []


def test_limits_hold_while_the_body_arrives(spool: Path) -> None:
    for body, words, limits in (
        (b"a=" + b"x" * 60_000, "more than 50000 bytes.", {"max_body_bytes": 50_000}),
        (b"prompt=" + b"x" * 60_000, "more than 50000 bytes of text", {"max_text_bytes": 50_000}),
        (b"&" * 2000, "more than 1000 parts", {}),
        (b"a[]=1&" * 2000, "more than 1000 parts", {}),
    ):
        with pytest.raises(TooLarge) as caught:
            read(URLENCODED, body, spool, [991] * 60, **limits)
        assert words in caught.value.message
    for body, words in ((b"a" * 4000, "a name of more than 1000 bytes"), (b"%ff=1", "a name that is not UTF-8")):
        with pytest.raises(InvalidRequest) as refused:
            read(URLENCODED, body, spool)
        assert words in refused.value.message

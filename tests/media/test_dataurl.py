"""Base64: what passes, what is refused and how, and that cutting the text changes neither."""

from __future__ import annotations

import base64
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triptych.errors import InvalidRequest
from triptych.media.dataurl import Base64Error, Base64Stream, decode_base64, decode_data_url


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("", b""),
        ("aGVsbG8=", b"hello"),
        (b"aGVsbG8=", b"hello"),
        ("aGVsbG8", b"hello"),
        ("aGVsbG", b"hell"),
        ("aGVsbG8==", b"hello"),
        ("aGVsbG9=", b"hello"),  # trailing bits that are not zero
        (" aGVs\r\n\tbG8=\f\v\n", b"hello"),
        ("aGVsbG = = ", b"hell"),
        ("=", b""),
        ("==", b""),
        ("++//", b"\xfb\xef\xff"),
    ],
)
def test_what_passes(text: str | bytes, data: bytes) -> None:
    assert decode_base64(text, field="payload") == data


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("aG-s", "'-' at character 3 is of the URL-safe alphabet; the standard one has '+' and '/'"),
        ("aG_s", "'_' at character 3 is of the URL-safe alphabet"),
        ("aGV*", "'*' at character 4 is not of the base64 alphabet"),
        ("aGVsbG8%3D", "'%' at character 8 is not of the base64 alphabet"),
        ("aGVs☃", "'\\u2603' at character 5 is not of the base64 alphabet"),
        ("aGVs\udc80", "'\\udc80' at character 5"),
        (b"aGVs\xe9", "byte 0xe9 at character 5"),
        ("aGVs\xa0", "'\\xa0' at character 5"),  # white space, but not ASCII's
        ("aGVsb", "a single character"),
        ("a", "a single character"),
        ("aGVsbG8=aGVs", "data after the padding, 'a' at character 9"),
        ("===", "more than 2 '=' at its end (character 3)"),
        ("aGVsbG8= = =", "more than 2 '='"),
    ],
)
def test_what_is_refused(text: str | bytes, why: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        decode_base64(text, field="artifacts[0].payload")
    assert caught.value.problems[0].code == "invalid_value"
    assert caught.value.message.startswith("artifacts[0].payload: not valid base64 (")
    assert why in caught.value.message


def outcome(pieces: list[str] | list[bytes]) -> bytes | str:
    """What a stream makes of the pieces: the bytes, or the refusal."""
    stream = Base64Stream()
    try:
        return b"".join([*(stream.feed(piece) for piece in pieces), stream.finish()])
    except Base64Error as error:
        return str(error)


def one_shot(text: str | bytes) -> bytes | str:
    try:
        return decode_base64(text, field="f")
    except InvalidRequest as error:
        return error.problems[0].message.removeprefix("not valid base64 (").removesuffix(")")


ALPHABET = "ABCZabcz0189+/" * 3 + "== \n\t-_*é☃"


@given(text=st.text(ALPHABET, max_size=40), cuts=st.lists(st.integers(1, 7), max_size=40))
def test_a_stream_equals_the_one_shot_decoder_however_it_is_cut(text: str, cuts: list[int]) -> None:
    pieces, position = [], 0
    for cut in cuts:
        pieces.append(text[position : position + cut])
        position += cut
    pieces.append(text[position:])
    assert outcome(pieces) == one_shot(text)


@given(data=st.binary(max_size=200), size=st.integers(1, 17), width=st.integers(1, 80), strip=st.booleans())
def test_wrapped_and_unpadded_text_comes_back(data: bytes, size: int, width: int, strip: bool) -> None:
    plain = base64.b64encode(data)
    text = b"\r\n".join(plain[start : start + width] for start in range(0, len(plain), width))
    text = text.rstrip(b"=") if strip else text
    assert decode_base64(text, field="f") == data
    assert decode_base64(text.decode(), field="f") == data
    assert outcome([text[start : start + size] for start in range(0, len(text), size)]) == data


@pytest.mark.parametrize(
    "url",
    [
        "data:image/png;base64,aGVsbG8=",
        "DATA:image/png;BASE64,aGVsbG8=",
        "data:;base64,aGVsbG8",
        "data:audio/wav;rate=8000;base64,aGVs\nbG8",
        "data:image/svg+xml; base64,aGVsbG8=",
    ],
)
def test_data_urls_that_pass(url: str) -> None:
    assert decode_data_url(url, field="f", max_bytes=5) == b"hello"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("data:image/png,aGVsbG8=", "not marked as base64"),
        ("data:base64,aGVsbG8=", "not marked as base64"),
        ("data:image/png;base64;x=1,aGVsbG8=", "not marked as base64"),
        ("data:image/png;base64", "no comma"),
        ("http://x/y,z", "does not begin with 'data:'"),
        ("", "does not begin with 'data:'"),
        ("data:image/png;base64,aGV*", "'*' at character 4"),
        ("data:image/png;base64,aG-s", "URL-safe"),
    ],
)
def test_data_urls_that_are_refused(url: str, words: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        decode_data_url(url, field="image", max_bytes=100)
    assert caught.value.problems[0].code == "invalid_data_url"
    assert words in caught.value.message


def test_the_cap_is_told_from_the_length_before_anything_is_decoded() -> None:
    with pytest.raises(InvalidRequest) as caught:
        decode_data_url("data:;base64," + "*" * 8000, field="image", max_bytes=5999)  # not even base64
    (problem,) = caught.value.problems
    assert (problem.code, problem.value, problem.limit) == ("media_too_large", 6000, 5999)
    assert "6000 bytes; the most is 5999" in problem.message


def test_line_breaks_do_not_count_against_the_cap() -> None:
    data = bytes(range(256)) * 4
    url = "data:;base64," + base64.encodebytes(data).decode() + "\n" * 500
    assert decode_data_url(url, field="f", max_bytes=len(data)) == data
    with pytest.raises(InvalidRequest):
        decode_data_url(url, field="f", max_bytes=len(data) - 1)


def test_short_texts_are_judged_alike_by_the_quick_way_and_the_slow_one() -> None:
    """Every text of up to seven of these signs: the quick way takes nothing that the slow one would not."""
    for length in range(8):
        for signs in itertools.product(b"Az= -", repeat=length):
            text = bytes(signs)
            by_one = outcome([text[at : at + 1] for at in range(length)])
            assert one_shot(text) == by_one
            assert outcome([text]) == by_one


def test_text_that_is_nothing_but_symbols_is_taken_without_a_copy_and_other_text_is_left() -> None:
    stream = Base64Stream()
    assert stream.plain(memoryview(b"aGVsb")) == (b"hel",)
    for other in (b"G8=", b"G8 a", b"G8-", b'G8"', b"G8aGV*"):
        assert stream.plain(other) is None
    assert b"".join((*(stream.plain(b"G8h") or ()), stream.finish())) == b"lo!"

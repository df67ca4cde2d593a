"""JSON bodies: the same as ``json.loads`` for what is legal, strict for the rest, and never held whole."""

from __future__ import annotations

import base64
import json
import re
import tempfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.wire.arrival import JSON, cuts, outcome, plain, read
from triptych.errors import InvalidRequest, TooLarge
from triptych.wire.body import Upload
from triptych.wire.json_body import JsonReader, parse_json_text
from triptych.wire.reader import BodyLimits

DATA = bytes(range(256)) * 200
TEXT = base64.b64encode(DATA).decode()


@pytest.fixture(scope="module")
def spool() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=20
)
documents = st.dictionaries(st.text(), values, max_size=5)


@given(document=documents, sizes=cuts, ascii_only=st.booleans(), indent=st.sampled_from([None, 2]))
def test_short_documents_are_what_json_loads_says(
    spool: Path, document: dict[str, Any], sizes: list[int], ascii_only: bool, indent: int | None
) -> None:
    body = json.dumps(document, ensure_ascii=ascii_only, indent=indent).encode()
    assert outcome(JSON, body, spool, sizes) == (json.loads(body), [])


def escaped(text: str, how: str) -> str:
    """Base64 as encoders of JSON write it: with a slash escaped, or every sign of some kind as its number."""
    if how == "slash":
        return text.replace("/", "\\/")
    if how == "numbers":
        return re.sub(r"[+/=A]", lambda sign: f"\\u{ord(sign[0]):04x}", text)
    if how == "lines":
        return "\\r\\n".join(text[at : at + 76] for at in range(0, len(text), 76))
    return text


@settings(max_examples=40, deadline=None)
@given(
    sizes=cuts,
    before=st.integers(0, 5),
    length=st.integers(33_000, 60_000) | st.integers(24_570, 24_580),
    head=st.sampled_from(["", "data:image/png;base64,", "data:image\\/png;x=y;base64,"]),
    how=st.sampled_from(["", "slash", "numbers", "lines"]),
    strip=st.booleans(),
)
def test_long_base64_is_decoded_however_it_is_cut_and_escaped(
    spool: Path, sizes: list[int], before: int, length: int, head: str, how: str, strip: bool
) -> None:
    data = (DATA * 2)[:length]
    text = base64.b64encode(data).decode()
    written = head + escaped(text.rstrip("=") if strip else text, how)
    body = f'{{"x":"{"y" * before}","references":[{{"type":"image","data":"{written}"}},7]}}'.encode()
    if len(written) <= 32 << 10:
        wanted: Any = json.loads(f'"{written}"')
    else:
        wanted = ("data_url" if head else "base64", "", "image/png" if head else "", data)
    found, problems = outcome(JSON, body, spool, sizes)
    assert problems == []
    assert found == {"x": "y" * before, "references": [{"type": "image", "data": wanted}, 7]}


@settings(max_examples=60, deadline=None)
@given(sizes=cuts, data=st.data())
def test_a_damaged_body_is_judged_the_same_however_it_is_cut(
    spool: Path, sizes: list[int], data: st.DataObject
) -> None:
    body = bytearray(
        f'{{"a":[1,{{"data":"{escaped(TEXT[:40_000], "slash")}"}}],"prompt":"\\u00e9 \\"x\\"","b":2}}', "ascii"
    )
    for _ in range(data.draw(st.integers(1, 2))):
        at = data.draw(st.integers(0, len(body) - 1) | st.sampled_from([0, 5, 10, 12, len(body) - 20, len(body) - 1]))
        wrong = st.sampled_from(
            [b'"', b"\\", b"\\u12", b"\\ud83d", b"\\ude00", b"=", b"\n", b"\xff", "é".encode(), b"}", b"-"]
        )
        body[at : at + data.draw(st.integers(0, 1))] = data.draw(wrong)
    whole = outcome(JSON, bytes(body), spool, max_input_bytes=29_000)
    assert outcome(JSON, bytes(body), spool, sizes, max_input_bytes=29_000) == whole
    assert outcome(JSON, bytes(body), spool, [1] * len(body), max_input_bytes=29_000) == whole
    if isinstance(whole, tuple):
        json.loads(body)  # what is taken is JSON


@settings(max_examples=200, deadline=None)
@given(body=st.binary(max_size=60) | st.text('{}[]",:\\u0dD8123eE+-. \n\tnulltrefas', max_size=40).map(str.encode))
def test_whatever_comes_it_is_read_or_refused(spool: Path, body: bytes) -> None:
    found = outcome(JSON, body, spool)
    try:
        wanted = json.loads(body.decode("utf-8"))
    except ValueError:
        wanted = None
    if isinstance(found, tuple):
        assert found == (wanted, [])
    else:
        assert found["code"] in ("invalid_body", "conflicting_parameters")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "body: it is empty"),
        (b" \n ", "body: it is empty"),
        (b"[1]", "body: an object is wanted, and it begins with '[' at byte 1"),
        (b"  7", "begins with '7' at byte 3"),
        (b"\xef\xbb\xbf{}", "begins with byte 0xef"),
        ('{"a":1}'.encode("utf-16"), "begins with byte 0xff"),
        (b'{"a":1} x', "not JSON: extra data, at byte 9"),
        (b'{"a":1}{"a":1}', "not JSON: extra data, at byte 8"),
        (b'{"a":1,}', "not JSON: "),
        (b'{"a":1', "not JSON: expecting ',' delimiter, at byte 7"),
        (b'{"a":"x', "it ends within a string, after 7 bytes"),
        (b'{"a":NaN}', "a: NaN is no number in JSON, at byte 6"),
        (b'{"a":[0,-Infinity]}', "a[1]: -Infinity is no number in JSON, at byte 9"),
        (b'{"a":1e999}', "1e999 is larger than any number here"),
        (b'{"a":' + b"9" * 5000 + b"}", "a number of 5000 digits; the most is 400"),
        (b'{"a":"\xff"}', "it is not UTF-8, at byte 7"),
        (b'{"a":"\xc3"}', "it is not UTF-8, at byte 7"),
        (b'{"a":["\\ud800"]}', "a[0]: \\ud800 is half of a character"),
        (b'{"\\udc00":1}', "\\udc00 is half of a character"),
        (b'{"a":"\n"}', "not JSON: invalid control character at, at byte 7"),
        (b'{"a":"\\x"}', "not JSON: invalid \\escape"),
        (b'{"a":' + b"[" * 40 + b"]" * 40 + b"}", "more than 32 deep, at byte 37"),
        (b'{"a":' + b"[" * 100_000, "more than 32 deep, at byte 37"),
        (b'{"a":[' + b"0," * 200_000 + b"0]}", "it holds more than 100000 values"),
        (b'{"' + b"a" * 40_000 + b'":1}', "it has a name of more than 32768 bytes"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(spool: Path, body: bytes, words: str) -> None:
    for sizes in ([], [1] * min(len(body), 5000)):
        with pytest.raises(InvalidRequest) as caught:
            read(JSON, body, spool, sizes)
        assert caught.value.problems[0].code == "invalid_body"
        assert words in caught.value.message
    assert list(spool.iterdir()) == []


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b'{"prompt":"a","prompt":"a"}', "prompt"),
        (b'{"prompt":"a","\\u0070rompt":"b"}', "prompt"),
        (b'{"references":[{"url":"x"},{"url":"x","url":"y"}]}', "references[1].url"),
    ],
)
def test_a_name_that_is_there_twice_is_refused_by_name(spool: Path, body: bytes, name: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        read(JSON, body, spool)
    (problem,) = caught.value.problems
    assert (problem.code, problem.field) == ("conflicting_parameters", name)


def test_places_are_those_of_the_body_behind_a_long_string_too(spool: Path) -> None:
    body = f'{{"data":"{TEXT}","x":}}'.encode()
    with pytest.raises(InvalidRequest, match=f"at byte {body.index(b'}') + 1}"):
        read(JSON, body, spool)
    assert list(spool.iterdir()) == []


@pytest.mark.parametrize(
    "text", ["a" * 40_000, "A quiet street. " * 3000, "data:image/png;base64," + TEXT, '\\" \\n' * 9000]
)
def test_a_long_prompt_stays_a_prompt(spool: Path, text: str) -> None:
    body = f'{{"prompt":"{text}","references":[{{"prompt":"{text}"}}]}}'.encode()
    assert outcome(JSON, body, spool, [1000] * 50) == (json.loads(body), [])


def test_metadata_is_verbatim_unless_it_is_a_data_url(spool: Path) -> None:
    document, taken = read(JSON, json.dumps({"metadata": {"a": TEXT, "b": f"DATA:;base64,{TEXT}"}}).encode(), spool)
    assert plain(document.values) == {"metadata": {"a": TEXT, "b": ("data_url", "", "", DATA)}}
    taken.discard()
    assert list(spool.iterdir()) == []


def test_which_values_are_words_can_be_said(tmp_path: Path) -> None:
    taken = JsonReader(spool=tmp_path, limits=BodyLimits(), is_text=lambda path: path == ("a", 1))
    taken.feed(json.dumps({"a": [TEXT, TEXT]}).encode())
    values: Any = taken.finish().values
    upload, text = values["a"]
    assert isinstance(upload, Upload) and text == TEXT


def test_a_long_string_that_is_neither_stays_whole(spool: Path) -> None:
    text = "-*-" * 20_000
    assert outcome(JSON, json.dumps({"data": text}).encode(), spool) == ({"data": text}, [])


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        (TEXT[:40_000] + "*" + TEXT, "invalid_value", "'*' at character 40001 is not of the base64 alphabet"),
        (TEXT[:40_000] + "==" + TEXT, "invalid_value", "data after the padding"),
        (TEXT[:40_001], "invalid_value", "a single character"),
        ("-_" + TEXT, "invalid_value", "'-' at character 1 is of the URL-safe alphabet"),
        ("data:image/png;base64," + TEXT[:40_000] + "*", "invalid_data_url", "'*' at character 40001"),
        ("data:image/png," + TEXT, "invalid_data_url", "not marked as base64"),
        ("data:" + TEXT, "invalid_data_url", "no comma"),
    ],
)
def test_damaged_base64_is_refused_at_its_path(spool: Path, text: str, code: str, words: str) -> None:
    for sizes in ([], [997] * 80):
        with pytest.raises(InvalidRequest) as caught:
            read(JSON, json.dumps({"references": [{"data": text}]}).encode(), spool, sizes)
        (problem,) = caught.value.problems
        assert (problem.code, problem.field) == (code, "references[0].data")
        assert words in problem.message
    assert list(spool.iterdir()) == []


def test_an_input_over_its_limit_is_refused_while_it_arrives(spool: Path) -> None:
    with pytest.raises(InvalidRequest) as caught:
        read(JSON, f'{{"references":[{{"data":"{TEXT}'.encode(), spool, max_input_bytes=50_000)  # it goes on
    (problem,) = caught.value.problems
    assert (problem.code, problem.field, problem.limit) == ("media_too_large", "references[0].data", 50_000)
    assert list(spool.iterdir()) == []


def test_a_body_over_its_limit_is_refused_while_it_arrives(spool: Path) -> None:
    with pytest.raises(TooLarge, match="more than 50000 bytes"):
        read(JSON, f'{{"references":[{{"data":"{TEXT}'.encode(), spool, [999] * 60, max_body_bytes=50_000)
    assert list(spool.iterdir()) == []


def test_words_over_their_limit_are_refused(spool: Path) -> None:
    for body in (b'{"prompt":"' + b"a b " * 30_000, b" " * 100_001, b'{"a":' + b"9" * 100_001, b'{"a":"","' * 20_000):
        with pytest.raises(TooLarge, match="more than 100000 bytes beside its files"):
            read(JSON, body, spool, max_text_bytes=100_000)
    with pytest.raises(InvalidRequest) as caught:
        read(JSON, b'{"references":[{"data":"' + b"*" * 100_001, spool, max_text_bytes=100_000)
    assert (caught.value.problems[0].code, caught.value.problems[0].field) == ("invalid_value", "references[0].data")


def test_files_in_a_body_are_counted(spool: Path) -> None:
    with pytest.raises(TooLarge, match="more than 2 files"):
        read(JSON, json.dumps({"a": [TEXT] * 3}).encode(), spool, max_parts=2)
    assert list(spool.iterdir()) == []


def test_memory_does_not_grow_with_the_body(tmp_path: Path) -> None:
    chunk = TEXT[:65_536].encode()
    taken = JsonReader(spool=tmp_path, limits=BodyLimits())
    taken.feed(b'{"references":[{"data":"')
    tracemalloc.start()
    try:
        for _ in range(1000):
            taken.feed(chunk)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    taken.feed(b'"}]}')
    upload = plain_upload(taken.finish().values)
    assert upload.blob.size_bytes == 1000 * len(chunk) * 3 // 4
    assert peak_bytes < 1_000_000
    taken.discard()
    assert list(tmp_path.iterdir()) == []


def plain_upload(values: Any) -> Upload:
    upload = values["references"][0]["data"]
    assert isinstance(upload, Upload)
    return upload


def test_a_field_of_json_text_is_read_as_strictly() -> None:
    assert parse_json_text('[{"a":1.5}, "\\u00e9"]', field="f") == [{"a": 1.5}, "é"]
    for text, code, field in (
        ("{", "invalid_value", "f"),
        ("", "invalid_value", "f"),
        ('{"a":NaN}', "invalid_value", "f.a"),
        ('{"a":[{"b":1,"b":1}]}', "conflicting_parameters", "f.a[0].b"),
        ("[" * 50, "invalid_value", "f"),
        ("\ud800", "invalid_value", "f"),
        ('"\\ud800"', "invalid_value", "f"),
    ):
        with pytest.raises(InvalidRequest) as caught:
            parse_json_text(text, field=field.partition(".")[0])
        assert (caught.value.problems[0].code, caught.value.problems[0].field) == (code, field)

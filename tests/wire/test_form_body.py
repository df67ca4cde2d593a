"""Multipart bodies: files and long base64 are stored as they arrive; whatever comes is read or refused."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.wire.arrival import MULTIPART, cuts, form, outcome, part, plain, read
from triptych.errors import InvalidRequest, TooLarge
from triptych.wire.reader import BodyLimits, reader

DATA = bytes(range(256)) * 200
TEXT = base64.b64encode(DATA)
OCTETS = "Content-Type: application/octet-stream"


@pytest.fixture(scope="module")
def spool() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def test_what_parts_are(spool: Path) -> None:
    body = form(
        part("prompt", "A café,\r\nat night".encode()),
        part("empty", b""),
        part("image", DATA, "Content-Type: image/png", file="cat.png"),
        part("raw", b"\x00\xff", OCTETS),
        part("none", b"", OCTETS, file=""),
        part("meta", b'{"a":1}', "Content-Type: application/json"),
        part("note", b"x", "Content-Type: text/plain; charset=utf-8"),
        part("metadata[k]", b"v"),
        part("files[]", b"1", file="../../etc/passwd"),
        part("files[]", b"2", file="C:\\x\\y.png"),
        part("nul", b"3", file="a\x07b\x00.png"),
    )
    wanted: dict[str, Any] = {
        "prompt": "A café,\r\nat night",
        "empty": "",
        "image": ("file", "cat.png", "image/png", DATA),
        "raw": ("file", "", "application/octet-stream", b"\x00\xff"),
        "none": ("file", "", "application/octet-stream", b""),
        "meta": '{"a":1}',
        "note": "x",
        "metadata": {"k": "v"},
        "files": [("file", "passwd", "", b"1"), ("file", "y.png", "", b"2")],
        "nul": ("file", "ab.png", "", b"3"),
    }
    assert outcome(MULTIPART, body, spool) == (wanted, [])
    assert outcome(MULTIPART, body, spool, [1] * len(body)) == (wanted, [])


def test_uploads_are_named_by_content_and_private(tmp_path: Path) -> None:
    document, _ = read(MULTIPART, form(part("a", DATA, file="x.png")), tmp_path)
    upload: Any = document.values["a"]
    assert document.is_form
    assert Path(upload.blob.path) == tmp_path / upload.blob.sha256
    assert Path(upload.blob.path).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [upload.blob.sha256]


@settings(max_examples=60, deadline=None)
@given(
    sizes=cuts,
    length=st.integers(24_570, 24_580) | st.integers(0, 60_000),
    head=st.sampled_from([b"", b"data:image/png;base64,"]),
)
def test_long_base64_text_is_decoded_however_it_is_cut(spool: Path, sizes: list[int], length: int, head: bytes) -> None:
    data = (DATA * 2)[:length]
    text = head + base64.b64encode(data)
    body = form(part("references[][data]", text), part("prompt", TEXT))
    wanted: Any = text.decode()
    if len(text) > 32 << 10:
        wanted = ("data_url" if head else "base64", "", "image/png" if head else "", data)
    assert outcome(MULTIPART, body, spool, sizes) == ({"references": [{"data": wanted}], "prompt": TEXT.decode()}, [])


def test_a_data_url_of_many_megabytes_passes(tmp_path: Path) -> None:
    data = DATA * 100
    body = form(part("input_reference[image_url]", b"data:image/png;base64," + base64.b64encode(data)))
    document, taken = read(MULTIPART, body, tmp_path, [65_536] * 200)
    assert plain(document.values) == {"input_reference": {"image_url": ("data_url", "", "image/png", data)}}
    taken.discard()
    assert list(tmp_path.iterdir()) == []


VALID = form(
    part("prompt", b"x"), part("a[]", DATA[:900], OCTETS, file="a.png"), part("a[]", b"data"), part("b", TEXT[:40_000])
)


@settings(max_examples=150, deadline=None)
@given(sizes=cuts, data=st.data())
def test_a_damaged_form_is_judged_the_same_however_it_is_cut(
    spool: Path, sizes: list[int], data: st.DataObject
) -> None:
    body = bytearray(VALID)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, 400) | st.integers(0, len(body) - 1))
        wrong = st.sampled_from([b"\r\n", b"\n", b'"', b"-", b"--b0undary", b";", b"\xff", b"\x00", b":", b"[", b"*"])
        body[at : at + data.draw(st.integers(0, 9))] = data.draw(wrong)
    whole = outcome(MULTIPART, bytes(body), spool)
    assert outcome(MULTIPART, bytes(body), spool, sizes) == whole
    assert outcome(MULTIPART, bytes(body), spool, [1] * 1500) == whole


@settings(max_examples=200, deadline=None)
@given(body=st.binary(max_size=200) | st.text('-b0undary\r\n:;="Contt-Dispsi fmname[]', max_size=200).map(str.encode))
def test_whatever_comes_it_is_read_or_refused(spool: Path, body: bytes) -> None:
    for whole in (
        body,
        b"--b0undary\r\n" + body,
        form(part("a", body)),
        form(part("a", b"x", body.decode("latin-1")[:50])),
    ):
        found = outcome(MULTIPART, whole, spool)
        assert isinstance(found, tuple) or found["code"] in ("invalid_body", "invalid_value")


def test_empty_forms(spool: Path) -> None:
    assert outcome(MULTIPART, b"--b0undary--\r\n", spool) == ({}, [])
    with pytest.raises(InvalidRequest, match="body: it ends after 0 bytes, without its last boundary"):
        read(MULTIPART, b"", spool)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (form(part("a", b"x"))[:-4], "without its last boundary"),
        (b"--other\r\n", "what stands between its parts is not the boundary"),
        (b'{"prompt":"x"}', "what stands between its parts is not the boundary"),
        (form(b"--b0undary\r\n\r\nx\r\n"), "a part does not say its name"),
        (form(b"--b0undary\r\nContent-Disposition: form-data\r\n\r\nx\r\n"), "a part does not say its name"),
        (form(b'--b0undary\r\nContent-Disposition: attachment; name="a"\r\n\r\nx\r\n'), "a part does not say its name"),
        (form(b"--b0undary\r\nContent Disposition: x\r\n\r\nx\r\n"), "the headers of a part cannot be read"),
        (form(part("a", b"x", "X: " + "y" * 9000)), "a part has more than 16 headers, or one of more than 8192 bytes"),
        (form(part("a", b"x", *(f"X{n}: y" for n in range(20)))), "a part has more than 16 headers"),
        (form(part("a" * 1001, b"x")), "a part has a name of 1001 bytes; the most is 1000"),
        (form(part("a", b"eA==", "Content-Transfer-Encoding: base64")), "a part is encoded as 'base64'"),
        (form(part("a", b"x", "Content-Disposition: form-data")), "a part has two headers 'content-disposition'"),
        (form(part("a", b"x")) + form(part("b", b"y")), "there is more after its last boundary"),
        (form(part("a", b"x")) + b"y", "there is more after its last boundary"),
    ],
)
def test_what_is_no_form_is_refused(spool: Path, body: bytes, words: str) -> None:
    for sizes in ([], [1] * len(body)):
        with pytest.raises(InvalidRequest) as caught:
            read(MULTIPART, body, spool, sizes)
        assert (caught.value.problems[0].code, caught.value.problems[0].field) == ("invalid_body", "body")
        assert words in caught.value.message
    assert list(spool.iterdir()) == []


@pytest.mark.parametrize(
    "kind", ["multipart/form-data", "multipart/form-data; boundary=", f"multipart/form-data; boundary={'x' * 300}"]
)
def test_a_boundary_is_needed(tmp_path: Path, kind: str) -> None:
    with pytest.raises(InvalidRequest, match="boundary"):
        reader(kind, spool=tmp_path, limits=BodyLimits())


def test_nothing_is_last_wins(spool: Path) -> None:
    body = form(part("a", b"1", file="x"), part("a", b"2", file="y"), part("b", b"1"), part("b[c]", b"2"))
    document, taken = read(MULTIPART, body, spool)
    assert [(problem.code, problem.field) for problem in document.problems] == [
        ("conflicting_parameters", "a"),
        ("conflicting_parameters", "b[c]"),
    ]
    taken.discard()
    assert list(spool.iterdir()) == []


@pytest.mark.parametrize(
    ("body", "code", "field", "words"),
    [
        (part("a[b]", b"\xff"), "invalid_value", "a[b]", "it is not UTF-8 at byte 1"),
        (part("a", TEXT[:40_000] + b"*"), "invalid_value", "a", "'*' at character 40001"),
        (
            part("a", b"data:image/png;base64," + TEXT[:40_000] + b"*"),
            "invalid_data_url",
            "a",
            "'*' at character 40001",
        ),
        (part("a", b"*" * 100_001), "invalid_value", "a", "it is neither base64 nor a data URL"),
        (part("a", b"b'" + b"\\x00" * 40_000), "invalid_value", "a", "it is Python's way to show bytes"),
        (part("a", DATA, file="x.png"), "media_too_large", "a", "the most is 50000"),
        (part("a[]", TEXT), "media_too_large", "a[]", "the most is 50000"),
    ],
)
def test_a_value_that_cannot_be_read_is_refused_by_its_name(
    spool: Path, body: bytes, code: str, field: str, words: str
) -> None:
    for sizes in ([], [997] * 120):
        with pytest.raises(InvalidRequest) as caught:
            read(
                MULTIPART,
                form(part("prompt", b"x"), body),
                spool,
                sizes,
                max_text_bytes=100_000,
                max_input_bytes=50_000,
            )
        (problem,) = caught.value.problems
        assert (problem.code, problem.field) == (code, field)
        assert words in problem.message
    assert list(spool.iterdir()) == []


def test_limits_hold_while_the_body_arrives(spool: Path) -> None:
    for body, words, limits in (
        (part("a", DATA, file="x"), "more than 50000 bytes.", {"max_body_bytes": 50_000}),
        (part("prompt", TEXT), "more than 50000 bytes of text", {"max_text_bytes": 50_000}),
        (
            part("prompt", b"x" * 30_000) + part("b", b"x" * 30_000) + part("c", b""),
            "more than 50000 bytes of text",
            {"max_text_bytes": 50_000},
        ),
        (part("a[]", b"x") * 6, "more than 5 parts", {"max_parts": 5}),
    ):
        for sizes in ([], [991] * 60):
            with pytest.raises(TooLarge) as caught:
                read(MULTIPART, body, spool, sizes, **limits)  # no end: it is told before
            assert words in caught.value.message
    assert list(spool.iterdir()) == []

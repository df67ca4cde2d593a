"""From a content type to a reader, what is left behind, and the digest of a body."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.wire.arrival import BOUNDARY, JSON, MULTIPART, URLENCODED, form, part, read
from triptych.errors import UnsupportedMediaType
from triptych.wire.reader import BodyLimits, digest, reader

DATA = bytes(range(256)) * 200
TEXT = base64.b64encode(DATA).decode()


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json", b'{"a":"x"}'),
        ("Application/JSON; charset=utf-8", b'{"a":"x"}'),
        ("application/vnd.api+json", b'{"a":"x"}'),
        (MULTIPART, form(part("a", b"x"))),
        (f'Multipart/Form-Data; boundary="{BOUNDARY}"', form(part("a", b"x"))),
        (URLENCODED, b"a=x"),
    ],
)
def test_types_that_are_read(tmp_path: Path, kind: str, body: bytes) -> None:
    document, _ = read(kind, body, tmp_path)
    assert document.values == {"a": "x"}
    assert document.is_form == ("json" not in kind.lower())


@pytest.mark.parametrize("kind", ["", "text/plain", "text/json", "multipart/mixed; boundary=x", "application/xml"])
def test_types_that_are_not(tmp_path: Path, kind: str) -> None:
    with pytest.raises(UnsupportedMediaType, match="send application/json, multipart/form-data"):
        reader(kind, spool=tmp_path, limits=BodyLimits())


BODIES = (
    (JSON, json.dumps({"a": [TEXT, TEXT]}).encode()),
    (MULTIPART, form(part("a[]", DATA, file="x"), part("a[]", TEXT.encode()))),
    (URLENCODED, urlencode({"a[0]": TEXT, "a[1]": "data:;base64," + TEXT}).encode()),
)


@pytest.mark.parametrize(("kind", "body"), BODIES)
def test_a_dropped_client_leaves_nothing_wherever_it_went(tmp_path: Path, kind: str, body: bytes) -> None:
    for length in (0, 1, 100, 40_000, 60_000, 100_000, len(body)):
        taken = reader(kind, spool=tmp_path, limits=BodyLimits())
        taken.feed(body[:length])
        taken.discard()
        taken.discard()
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("kind", "body"), BODIES)
def test_a_file_that_was_there_before_stays(tmp_path: Path, kind: str, body: bytes) -> None:
    _, first = read(kind, body, tmp_path)
    _, second = read(kind, body, tmp_path)
    second.discard()
    (there,) = tmp_path.iterdir()
    assert there.read_bytes() == DATA
    first.discard()  # the second put it there anew, and may be using it
    assert there.read_bytes() == DATA


def test_a_file_that_somebody_else_stored_meanwhile_stays(tmp_path: Path) -> None:
    kind, body = BODIES[0]
    _, first = read(kind, body, tmp_path)
    read(kind, body, tmp_path)
    first.discard()
    (there,) = tmp_path.iterdir()
    assert there.read_bytes() == DATA


def test_the_digest_is_of_what_is_said_not_how(tmp_path: Path) -> None:
    def of(kind: str, body: bytes) -> str:
        return digest(read(kind, body, tmp_path)[0])

    one = form(part("prompt", b"x"), part("image", DATA, file="a.png"))
    other = one.replace(BOUNDARY.encode(), b"another")
    assert of(MULTIPART, one) == of("multipart/form-data; boundary=another", other)
    assert of(MULTIPART, one) == of(JSON, json.dumps({"image": TEXT, "prompt": "x"}, indent=1).encode())
    different = {
        of(MULTIPART, one),
        of(MULTIPART, form(part("prompt", b"x"), part("image", DATA + b".", file="a.png"))),
        of(MULTIPART, form(part("prompt", b"y"), part("image", DATA, file="a.png"))),
        of(JSON, b"{}"),
        of(JSON, b'{"a":1}'),
        of(JSON, b'{"a":true}'),
        of(JSON, b'{"a":"1"}'),
        of(JSON, b'{"a":[1]}'),
        of(JSON, b'{"a":null}'),
    }
    assert len(different) == 9


def test_text_cannot_pass_for_a_file_in_the_digest(tmp_path: Path) -> None:
    document, _ = read(JSON, json.dumps({"a": TEXT}).encode(), tmp_path)
    sha256 = next(tmp_path.iterdir()).name
    for text in (sha256, f"f{sha256}"):
        assert digest(read(JSON, json.dumps({"a": text}).encode(), tmp_path)[0]) != digest(document)

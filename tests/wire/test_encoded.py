"""Which long texts are bytes written as text."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from triptych.errors import InvalidRequest
from triptych.media.spool import Batch
from triptych.wire.encoded import Decoder, is_encoded
from triptych.wire.place import PathOfNames

BASE64 = base64.b64encode(bytes(range(256)) * 100)


@pytest.mark.parametrize(
    ("start", "path", "answer"),
    [
        (BASE64, ("references", 0, "data"), True),
        (BASE64.replace(b"+", b"-"), ("data",), True),  # the wrong alphabet, which is said where it is decoded
        (base64.encodebytes(BASE64), ("data",), True),
        (b"\n".join(BASE64[at : at + 64] for at in range(0, 30_000, 64)), ("data",), True),
        (b"DATA:image/png;base64,xx", ("image",), True),
        (b"data:image/png;base64,xx", ("metadata", "input_reference_video"), True),
        (BASE64, ("metadata", "note"), False),
        (BASE64, ("prompt",), False),
        (b"data:image/png;base64,xx", ("shots", 0, "prompt"), False),
        (b"words without any other mark between them " * 200, ("x",), False),
        (b'{"a":1}' * 1000, ("extra_params",), False),
        (b"https://example.org/" + BASE64, ("url",), False),
        (b" " * 5000, ("x",), False),
    ],
)
def test_what_is_taken_for_base64(start: bytes, path: PathOfNames, answer: bool) -> None:
    assert is_encoded(start, path) is answer


def test_the_type_of_a_data_url_is_noted_and_bounded(tmp_path: Path) -> None:
    batch = Batch(tmp_path, max_bytes=100)
    decoder = Decoder(b"data:" + b"x" * 300 + b";q=1;base64,aGVs", field="f", batch=batch)
    decoder.feed(b"bG8")
    upload = decoder.finish()
    assert (upload.how, upload.media_type, upload.blob.size_bytes) == ("data_url", "x" * 100, 5)
    batch.discard()
    assert list(tmp_path.iterdir()) == []


def test_too_many_bytes_and_bad_text_are_told_in_the_order_in_which_they_come(tmp_path: Path) -> None:
    for text, code in ((b"A" * 16 + b"*", "media_too_large"), (b"A" * 12 + b"*AAAA", "invalid_value")):
        for size in (1, 5, 100):
            batch = Batch(tmp_path, max_bytes=9)
            with pytest.raises(InvalidRequest) as caught:
                feed_all(Decoder(b"", field="f", batch=batch), text, size)
            assert caught.value.problems[0].code == code
            batch.discard()
    assert list(tmp_path.iterdir()) == []


def feed_all(decoder: Decoder, text: bytes, size: int) -> None:
    for at in range(0, len(text), size):
        decoder.feed(text[at : at + size])

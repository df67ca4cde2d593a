"""How a request that comes again is known, and what may stand in small bodies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from starlette.requests import Request

from tests.server.conftest import Client, Place
from tests.server.test_body import END, FORM, part
from triptych.errors import InvalidRequest
from triptych.server.body import Body
from triptych.server.create import once_of, only, text_of, upload_of
from triptych.task import Blob
from triptych.testing.media import picture_bytes, quarters, tone, wav_bytes
from triptych.wire.body import Document, Upload

UPLOAD = Upload(blob=Blob(path="p", sha256="a" * 64, size_bytes=1), how="file", file_name="a.png")


class NoReader:
    """Nothing was stored."""

    def feed(self, chunk: bytes) -> None: ...

    def finish(self) -> Document:
        return Document()

    def discard(self) -> None: ...


def body(values: Mapping[str, Any]) -> Body:
    return Body(document=Document(values=values), _reader=NoReader())


def request(path: str = "/v1/videos", **headers: str) -> Request:
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": path, "headers": sent, "query_string": b"", "server": ("h", 1)}
    return Request({**scope, "scheme": "http", "root_path": ""})


def test_the_same_words_at_two_addresses_are_two_requests() -> None:
    document = Document(values={"prompt": "a"})

    def digest(path: str) -> str:
        return once_of(request(path), document, received_at=1.0).digest

    assert digest("/v1/videos") == digest("/videos") != digest("/v1/videos/sync")
    assert digest("/v1/videos/a/remix") != digest("/v1/videos/b/remix")


@pytest.mark.parametrize(
    ("headers", "key", "retry"),
    [
        ({}, None, False),
        ({"x_stainless_retry_count": "0"}, None, False),
        ({"x_stainless_retry_count": "2"}, None, True),
        ({"x_stainless_retry_count": "-1"}, None, False),
        ({"x_stainless_retry_count": "9" * 5000}, None, True),
        ({"idempotency_key": " k "}, "k", False),
        ({"idempotency_key": " "}, None, False),
    ],
)
def test_what_headers_say_of_it(headers: dict[str, str], key: str | None, retry: bool) -> None:
    once = once_of(request(**headers), Document(), received_at=1.0)
    assert (once.key, once.retry, once.received_at) == (key, retry, 1.0)


def test_a_file_and_a_text_are_told_apart() -> None:
    sent = body({"file": UPLOAD, "name": "Mia"})
    assert (upload_of(sent, "file"), text_of(sent, "name")) == (UPLOAD, "Mia")
    assert text_of(body({}), "name", default="usual") == "usual"


@pytest.mark.parametrize(
    ("read", "value", "code"),
    [
        (upload_of, "x", "invalid_value"),
        (upload_of, None, "missing_required_parameter"),
        (text_of, UPLOAD, "invalid_value"),
        (text_of, "", "missing_required_parameter"),
        (text_of, " ", "invalid_value"),
    ],
)
def test_what_must_be_there_is_asked_for_by_name(read: Callable[[Body, str], object], value: Any, code: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read(body({"it": value}), "it")
    assert [(problem.code, problem.field) for problem in refused.value.problems] == [(code, "it")]


def test_nothing_else_may_stand_there() -> None:
    only(body({"a": "1"}), "a", "b")
    with pytest.raises(InvalidRequest, match="x: there is no such parameter"):
        only(body({"a": "1", "x": "1"}), "a", "b")


def test_what_input_reference_means_is_told_from_the_bytes_of_a_file_or_a_path(place: Place) -> None:
    root = place.data.parent / "root"
    root.mkdir()
    sound, picture = wav_bytes(tone(1.0)), picture_bytes(quarters())
    (root / "a.png").write_bytes(sound)
    (root / "b.wav").write_bytes(picture)

    async def work(client: Client) -> None:
        form = part("purpose", b"user_data") + part("file", sound, file_name="a.png") + END
        stored = (await client("POST", "/v1/files", body=form, headers=FORM)).json()["id"]
        for said, role in (
            ({"file_id": stored}, "reference"),
            (str(root / "a.png"), "reference"),
            (str(root / "b.wav"), "first_frame"),
        ):
            reply = await client("POST", "/v1/videos/plan", document={"prompt": "a", "input_reference": said})
            assert reply.status == 200, reply.body
            assert [slot["role"] for slot in reply.json()["slots"]] == [role]
        missing = await client(
            "POST", "/v1/videos/plan", document={"prompt": "a", "input_reference": {"file_id": "file_none"}}
        )
        assert (missing.status, missing.error["param"]) == (400, "input_reference")

    place.run(work, roots=(str(root),))

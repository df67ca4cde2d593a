"""A stored file: whole, in parts, and not at all when it is there already."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from triptych.errors import Expired
from triptych.server import content
from triptych.testing.asgi import Reply, call

BYTES = bytes(range(256)) * 4000


def asked(
    tmp_path: Path, method: str = "GET", *, media_type: str = "video/mp4", name: str = "a.mp4", **headers: str
) -> Reply:
    path = tmp_path / "content"
    if not path.exists():
        path.write_bytes(BYTES)

    async def route(request: Request) -> Response:
        return content.respond(
            request, path, sha256="ab" * 32, media_type=media_type, file_name=name, max_age_seconds=60
        )

    app = Starlette(routes=[Route("/", route, methods=["GET", "HEAD"])])
    sent = {key.replace("_", "-"): value for key, value in headers.items()}
    return asyncio.run(call(app, method, "/", headers=sent))


TAG = f'"{"ab" * 32}"'


def test_the_whole_file_with_its_hash_as_its_tag(tmp_path: Path) -> None:
    reply = asked(tmp_path)
    assert (reply.status, reply.body) == (200, BYTES)
    assert reply.headers["etag"] == TAG
    assert reply.headers["content-length"] == str(len(BYTES))
    assert reply.headers["content-type"] == "video/mp4"
    assert reply.headers["accept-ranges"] == "bytes"
    assert reply.headers["content-disposition"] == 'inline; filename="a.mp4"'


def test_head_has_the_headers_and_no_body(tmp_path: Path) -> None:
    whole, head = asked(tmp_path), asked(tmp_path, "HEAD")
    assert head.body == b""
    assert head.headers == whole.headers


@pytest.mark.parametrize(
    ("asked_for", "start", "end"), [("bytes=0-0", 0, 1), ("bytes=10-19", 10, 20), ("bytes=-5", -5, None)]
)
def test_a_part(tmp_path: Path, asked_for: str, start: int, end: int | None) -> None:
    reply = asked(tmp_path, range=asked_for)
    assert (reply.status, reply.body) == (206, BYTES[start:end])


def test_a_part_that_is_not_there(tmp_path: Path) -> None:
    reply = asked(tmp_path, range=f"bytes={len(BYTES)}-")
    assert reply.status == 416
    assert reply.headers["content-range"] == f"bytes */{len(BYTES)}"
    assert reply.error["code"] == "range_not_satisfiable"


@pytest.mark.parametrize(
    "wrong",
    ["bytes=b-a", "bytes=5-2", "lines=1-2", "bytes", "bytes=-", "bytes=0-0,", f"bytes=0-{'9' * 5000}", "bytes=²-3"],
)
def test_a_range_that_makes_no_sense_is_none(tmp_path: Path, wrong: str) -> None:
    reply = asked(tmp_path, range=wrong)
    assert (reply.status, reply.body) == (200, BYTES)


def test_too_many_parts_are_none(tmp_path: Path) -> None:
    assert asked(tmp_path, range=f"bytes={','.join(['0-0'] * 200)}").body == BYTES


def test_several_parts_come_in_one_answer(tmp_path: Path) -> None:
    reply = asked(tmp_path, range="bytes=0-1,10-11")
    assert reply.status == 206
    assert reply.headers["content-type"].startswith("multipart/byteranges")


def test_if_range_of_another_file_gives_the_whole(tmp_path: Path) -> None:
    assert asked(tmp_path, range="bytes=0-1", if_range=TAG).status == 206
    assert asked(tmp_path, range="bytes=0-1", if_range='"other"').status == 200


@pytest.mark.parametrize("known", [TAG, f"W/{TAG}", f'"x", {TAG}', "*"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_who_has_it_already_is_sent_nothing(tmp_path: Path, known: str, method: str) -> None:
    reply = asked(tmp_path, method, if_none_match=known)
    assert (reply.status, reply.body, reply.headers["etag"]) == (304, b"", TAG)


def test_who_has_another_is_sent_this(tmp_path: Path) -> None:
    assert asked(tmp_path, if_none_match='"x"').status == 200


@pytest.mark.parametrize("media_type", ["text/html", "image/svg+xml", "application/javascript"])
def test_what_a_browser_could_run_is_a_download(tmp_path: Path, media_type: str) -> None:
    reply = asked(tmp_path, media_type=media_type, name="x.html")
    assert reply.headers["content-type"] == "application/octet-stream"
    assert reply.headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize("name", ['a"; evil="1', "a\r\nx-evil: 1", "../../etc/passwd", "猫.mp4", ""])
def test_a_name_breaks_no_header(tmp_path: Path, name: str) -> None:
    reply = asked(tmp_path, name=name)
    assert reply.status == 200
    assert "x-evil" not in reply.headers
    assert "\n" not in reply.headers["content-disposition"]


def test_a_file_that_is_gone_has_expired(tmp_path: Path) -> None:
    (tmp_path / "content").write_bytes(b"")
    (tmp_path / "content").unlink()
    request = Request({"type": "http", "method": "GET", "headers": []})
    with pytest.raises(Expired):
        content.respond(request, tmp_path / "gone", sha256="", media_type="video/mp4", file_name="a.mp4")

"""Bodies are bounded, and leave nothing behind when nothing comes of them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.server.conftest import Client, Place
from triptych.jobs.content import Folder
from triptych.testing.asgi import Reply
from triptych.testing.media import picture_bytes, quarters

FORM = {"content-type": "multipart/form-data; boundary=b"}


def part(name: str, data: bytes, *, file_name: str = "") -> bytes:
    file = f'; filename="{file_name}"' if file_name else ""
    return f'--b\r\ncontent-disposition: form-data; name="{name}"{file}\r\n\r\n'.encode() + data + b"\r\n"


PICTURE = picture_bytes(quarters())
WITH_PICTURE = part("prompt", b"a boat") + part("input_reference", PICTURE, file_name="../../a.png")
END = b"--b--\r\n"


def left(client: Client) -> list[str]:
    """What is in the content folder."""
    return sorted(path.name for path in Folder(client.data).content.iterdir())


@pytest.mark.parametrize("length", ["1001", "9" * 5000])
def test_a_body_that_says_it_is_too_large_is_not_read(place: Place, length: str) -> None:
    async def work(client: Client) -> Reply:
        # Nothing of it comes: had it been waited for, this would not end.
        headers = {"content-type": "application/json", "content-length": length}
        async with asyncio.timeout(10):
            return await client("POST", "/v1/videos", body=[], headers=headers)

    reply = place.run(work, max_request_body_bytes=1000)
    assert (reply.status, reply.error["code"]) == (413, "too_large")
    assert "1000" in reply.error["message"]


@pytest.mark.parametrize("end", [b"", END])
def test_a_body_that_becomes_too_large_is_413_and_leaves_nothing(place: Place, end: bytes) -> None:
    pieces = [WITH_PICTURE[:500], WITH_PICTURE[500:], *[part("metadata[x]", b"y" * 5000)] * 100, end]

    async def work(client: Client) -> tuple[Reply, list[str], int]:
        reply = await client("POST", "/v1/videos", body=pieces, headers=FORM)
        return reply, left(client), await client.jobs()

    reply, names, jobs = place.run(work, max_request_body_bytes=100_000)
    assert (reply.status, reply.error["code"]) == (413, "too_large")
    assert (names, jobs) == ([], 0)


def test_a_client_that_goes_in_the_middle_leaves_nothing(place: Place) -> None:
    async def work(client: Client) -> tuple[Reply, list[str], int]:
        reply = await client("POST", "/v1/videos", body=[WITH_PICTURE[:-40]], headers=FORM, gone=True)
        return reply, left(client), await client.jobs()

    reply, names, jobs = place.run(work)
    assert (reply.status, names, jobs) == (0, [], 0)


def test_a_body_that_stands_still_is_given_up(place: Place) -> None:
    async def work(client: Client) -> tuple[Reply, list[str]]:
        still = asyncio.Event()
        reply = await client("POST", "/v1/videos", body=[WITH_PICTURE[:600]], headers=FORM, gone=True, gone_when=still)
        return reply, left(client)

    reply, names = place.run(work, body_idle_seconds=0.1)
    assert (reply.status, reply.error["code"], names) == (400, "invalid_body", [])


def test_a_refused_request_keeps_no_upload(place: Place) -> None:
    async def work(client: Client) -> tuple[Reply, list[str]]:
        body = WITH_PICTURE + part("model", b"none") + END
        return await client("POST", "/v1/videos", body=body, headers=FORM), left(client)

    reply, names = place.run(work)
    assert (reply.status, names) == (404, [])


def test_what_a_job_needs_is_kept_under_its_hash_alone(place: Place) -> None:
    async def work(client: Client) -> tuple[Any, list[str]]:
        reply = await client("POST", "/v1/videos", body=WITH_PICTURE + END, headers=FORM)
        assert reply.status == 200, reply.body
        return reply.json(), left(client)

    job, names = place.run(work)
    (reference,) = job["references"]
    assert names == [reference["sha256"]]
    assert (reference["role"], reference["source_field"], reference["bytes"]) == (
        "first_frame",
        "input_reference",
        len(PICTURE),
    )


def test_only_so_many_bodies_are_read_at_once(place: Place) -> None:
    async def work(client: Client) -> None:
        still = asyncio.Event()
        slow = asyncio.ensure_future(
            client(
                "POST",
                "/v1/videos",
                body=[b"{"],
                headers={"content-type": "application/json"},
                gone=True,
                gone_when=still,
            )
        )
        await asyncio.sleep(0)
        waiting = asyncio.ensure_future(client("POST", "/v1/videos", document={"prompt": "a"}))
        done, _ = await asyncio.wait({waiting}, timeout=0.2)
        assert not done
        still.set()
        assert (await slow).status == 0
        assert (await waiting).status == 200

    place.run(work, max_bodies=1)

"""Uploads and characters."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.server.conftest import Client, Place
from tests.server.test_body import END, FORM, PICTURE, left, part
from triptych.testing.media import make_clip


async def upload(client: Client, data: bytes = PICTURE, *, name: str = "a.png", purpose: str = "") -> dict[str, Any]:
    body = part("file", data, file_name=name) + (part("purpose", purpose.encode()) if purpose else b"") + END
    reply = await client("POST", "/v1/files", body=body, headers=FORM)
    assert reply.status == 200, reply.body
    told: dict[str, Any] = reply.json()
    return told


def test_a_file_is_stored_named_and_fetched_again(place: Place) -> None:
    async def work(client: Client) -> None:
        told = await upload(client, name="../../a.png", purpose="vision")
        assert (told["object"], told["bytes"], told["purpose"], told["status"]) == (
            "file",
            len(PICTURE),
            "vision",
            "processed",
        )
        assert told["expires_at"] > told["created_at"]
        assert (await client("GET", f"/v1/files/{told['id']}")).json() == told
        content = await client("GET", f"/v1/files/{told['id']}/content")
        assert (content.status, content.body) == (200, PICTURE)
        assert left(client) == [told["sha256"]]

    place.run(work)


def test_a_file_can_be_named_in_a_request(place: Place) -> None:
    async def work(client: Client) -> None:
        told = await upload(client)
        job = await client.make(input_reference={"file_id": told["id"]})
        (reference,) = job["references"]
        assert (reference["sha256"], reference["role"]) == (told["sha256"], "first_frame")
        assert (await client("DELETE", f"/v1/files/{told['id']}")).json() == {
            "id": told["id"],
            "object": "file",
            "deleted": True,
        }
        assert left(client) == [told["sha256"]]  # the job needs it
        gone = await client("GET", f"/v1/files/{told['id']}")
        assert (gone.status, gone.error["code"]) == (404, "file_not_found")

    place.run(work)


def test_files_are_listed_by_purpose(place: Place) -> None:
    async def work(client: Client) -> None:
        ids = [(await upload(client, purpose=purpose))["id"] for purpose in ("a", "b", "a")]
        page = (await client("GET", "/v1/files?purpose=a&order=asc")).json()
        assert [each["id"] for each in page["data"]] == [ids[0], ids[2]]
        page = (await client("GET", "/v1/files?limit=2")).json()
        assert ([each["id"] for each in page["data"]], page["has_more"]) == ([ids[2], ids[1]], True)

    place.run(work)


@pytest.mark.parametrize(
    ("body", "code", "param"),
    [
        (part("purpose", b"x"), "missing_required_parameter", "file"),
        (part("file", b"text alone"), "invalid_value", "file"),
        (part("file", b"x", file_name="a") + part("porpoise", b"x"), "unknown_parameter", "porpoise"),
    ],
)
def test_what_is_no_upload_is_refused_and_leaves_nothing(place: Place, body: bytes, code: str, param: str) -> None:
    async def work(client: Client) -> None:
        reply = await client("POST", "/v1/files", body=body + END, headers=FORM)
        assert (reply.status, reply.error["code"], reply.error["param"]) == (400, code, param)
        assert left(client) == []

    place.run(work)


def test_a_file_of_one_key_is_not_there_for_another(place: Place) -> None:
    ann, bob = {"authorization": "Bearer a"}, {"authorization": "Bearer b"}

    async def work(client: Client) -> None:
        body = part("file", PICTURE, file_name="a.png") + END
        told = (await client("POST", "/v1/files", body=body, headers={**FORM, **ann})).json()
        for method, tail in (("GET", ""), ("GET", "/content"), ("DELETE", "")):
            assert (await client(method, f"/v1/files/{told['id']}{tail}", headers=bob)).status == 404
        reply = await client(
            "POST", "/v1/videos", document={"prompt": "a", "input_reference": {"file_id": told["id"]}}, headers=bob
        )
        assert reply.status == 400
        assert (await client("GET", "/v1/files", headers=bob)).json()["data"] == []

    place.run(work, api_keys=("ann=a", "bob=b"))


def test_a_character_is_a_named_clip(place: Place, tmp_path: Path) -> None:
    make_clip(tmp_path / "clip.mp4", frames=24)
    clip = part("video", (tmp_path / "clip.mp4").read_bytes(), file_name="c.mp4")

    async def work(client: Client) -> None:
        reply = await client("POST", "/v1/videos/characters", body=part("name", b"Mia") + clip + END, headers=FORM)
        told = reply.json()
        assert (reply.status, told["name"], told["object"]) == (200, "Mia", "character")
        assert {"id", "created_at", "name"} <= set(told)
        assert (await client("GET", f"/v1/videos/characters/{told['id']}")).json() == told
        job = await client.make(reference_videos=[{"file_id": told["id"]}])
        assert job["references"][0]["type"] == "video"
        file = await upload(client)
        other = await client("GET", f"/v1/videos/characters/{file['id']}")
        assert (other.status, other.error["code"]) == (404, "character_not_found")

    place.run(work)


def test_what_is_no_clip_is_no_character(place: Place) -> None:
    async def work(client: Client) -> None:
        body = part("name", b"Mia") + part("video", PICTURE, file_name="c.mp4") + END
        reply = await client("POST", "/v1/videos/characters", body=body, headers=FORM)
        assert (reply.status, reply.error["param"]) == (400, "video")
        assert left(client) == []

    place.run(work)


def test_two_uploads_of_one_content_are_two_files(place: Place) -> None:
    async def work(client: Client) -> None:
        one, two = await asyncio.gather(upload(client), upload(client))
        assert one["id"] != two["id"]
        assert (await client("DELETE", f"/v1/files/{one['id']}")).status == 200
        assert (await client("GET", f"/v1/files/{two['id']}/content")).body == PICTURE

    place.run(work)

"""The app as a whole: what is there, and what is refused in which words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.server.conftest import Client, Place
from triptych.config import Settings
from triptych.errors import InvalidRequest
from triptych.server.app import create_app
from triptych.testing.asgi import Reply


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("PUT", "/v1/videos", "GET, POST"),
        ("DELETE", "/videos", "GET, POST"),
        ("POST", "/v1/videos/video_1", "DELETE, GET"),
        ("POST", "/v1/videos/video_1/content", "GET, HEAD"),
        ("GET", "/v1/videos/video_1/remix", "POST"),
        ("PATCH", "/v1/files", "GET, POST"),
        ("PUT", "/v1/videos/plan", "POST"),
        ("OPTIONS", "/v1/videos/sync", "POST"),
        ("POST", "/v1/models", "GET"),
        ("POST", "/health", "GET"),
    ],
)
def test_a_wrong_method_is_405_with_all_that_there_are(place: Place, method: str, path: str, allow: str) -> None:
    async def work(client: Client) -> Reply:
        return await client(method, path)

    reply = place.run(work)
    assert (reply.status, reply.headers["allow"], reply.error["code"]) == (405, allow, "method_not_allowed")


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/", "/v1/videos/", "/v2/videos", "/v1/videos/a/b/c", "/static/x"])
def test_an_unknown_address_is_404_in_the_one_shape(place: Place, path: str) -> None:
    async def work(client: Client) -> Reply:
        return await client("GET", path)

    reply = place.run(work)
    assert (reply.status, reply.error["code"]) == (404, "not_found")


def test_the_same_routes_are_there_without_v1(place: Place) -> None:
    async def work(client: Client) -> list[int]:
        return [(await client("GET", path)).status for path in ("/videos", "/files", "/models", "/v1/models")]

    assert place.run(work) == [200] * 4


def test_every_caller_needs_a_key_where_there_are_keys_and_sees_their_own(place: Place) -> None:
    ann, bob = {"authorization": "Bearer sk-ann"}, {"authorization": "Bearer sk-bob"}

    async def work(client: Client) -> None:
        assert (await client("GET", "/v1/videos")).status == 401
        made = await client("POST", "/v1/videos", document={"prompt": "a boat"}, headers=ann)
        path = f"/v1/videos/{made.json()['id']}"
        assert (await client("GET", path, headers=ann)).status == 200
        for method, tail in [("GET", ""), ("DELETE", ""), ("POST", "/cancel"), ("GET", "/content"), ("GET", "/events")]:
            reply = await client(method, path + tail, headers=bob)
            assert (reply.status, reply.error["code"]) == (404, "video_not_found"), tail
        assert (await client("GET", "/v1/videos", headers=bob)).json()["data"] == []
        assert (await client("GET", path, headers=ann)).status == 200

    place.run(work, api_keys=("ann=sk-ann", "bob=sk-bob"))


def test_a_page_that_is_allowed_may_call_and_read(place: Place) -> None:
    async def work(client: Client) -> None:
        page = {"origin": "https://app.example"}
        reply = await client("GET", "/v1/videos", headers=page)
        assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, "https://app.example")
        asking = {**page, "access-control-request-method": "POST", "access-control-request-headers": "content-type"}
        assert (await client("OPTIONS", "/v1/videos", headers=asking)).status == 200
        assert (await client("GET", "/v1/videos", headers={"origin": "https://evil.example"})).status == 403

    place.run(work, allowed_origins=("https://app.example",))


def test_the_docs_load_nothing_from_elsewhere(place: Place) -> None:
    async def work(client: Client) -> tuple[Reply, list[Reply]]:
        page = await client("GET", "/docs")
        linked = [word.split('"')[1] for word in page.body.decode().split() if word.startswith(("src=", "href="))]
        return page, [await client("GET", f"/{path}") for path in linked]

    page, linked = place.run(work)
    assert page.status == 200
    assert "https://" not in page.body.decode()
    assert len(linked) >= 3
    assert {reply.status for reply in linked} == {200}


def test_a_key_that_makes_no_sense_is_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest):
        create_app(Settings(data_dir=str(tmp_path), api_keys=("a b",)))


def test_no_answer_of_the_framework_s_own_is_left(place: Place) -> None:
    """Odd requests of all sorts end in the one shape."""
    odd: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", "/v1/videos", {"body": b"", "headers": {"content-type": "application/json"}}),
        ("POST", "/v1/videos", {"body": b"{", "headers": {"content-type": "application/json"}}),
        ("POST", "/v1/videos", {"body": b"[]", "headers": {"content-type": "application/json"}}),
        ("POST", "/v1/videos", {"body": b"\xff", "headers": {"content-type": "application/json"}}),
        ("POST", "/v1/videos", {"body": b"x"}),
        ("POST", "/v1/videos", {"body": b"x", "headers": {"content-type": "text/plain"}}),
        ("POST", "/v1/files", {"body": b"x", "headers": {"content-type": "multipart/form-data"}}),
        ("GET", "/v1/videos?limit=x", {}),
        ("GET", "/v1/videos/%00", {}),
        ("GET", "/v1/models/none", {}),
        ("GET", "/v1/videos/x/content?variant=y", {}),
    ]

    async def work(client: Client) -> list[Reply]:
        return [await client(method, path, **more) for method, path, more in odd]

    for reply in place.run(work):
        assert 400 <= reply.status < 500, reply
        assert reply.status != 422
        assert reply.error["message"]

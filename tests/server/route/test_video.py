"""The routes of videos, with an engine that is ready at once, or never begun."""

from __future__ import annotations

import asyncio
import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.server.conftest import Client, Place
from triptych.jobs.content import Folder
from triptych.rules.spec import RoleRule
from triptych.task import Modality, Role, Task
from triptych.testing.asgi import Reply
from triptych.testing.double import ANYTHING, DoubleEngine
from triptych.testing.media import make_clip


def test_a_job_is_answered_whole_and_says_when_to_ask_again(place: Place) -> None:
    async def work(client: Client) -> tuple[Reply, Reply]:
        made = await client("POST", "/v1/videos", document={"prompt": "a boat", "seconds": "2"})
        return made, await client("GET", f"/v1/videos/{made.json()['id']}")

    for reply in place.run(work):
        job = reply.json()
        assert reply.status == 200
        assert (job["object"], job["status"], job["prompt"], job["seconds"]) == ("video", "queued", "a boat", "2")
        assert (job["queue_position"], job["error"]) == (0, None)
        assert int(reply.headers["openai-poll-after-ms"]) >= 100


def test_a_job_runs_to_its_end_and_its_video_can_be_fetched(place: Place) -> None:
    async def work(client: Client) -> None:
        job = await client.ended((await client.make())["id"])
        assert (job["status"], job["progress"]) == ("completed", 100)
        assert "openai-poll-after-ms" not in (await client("GET", f"/v1/videos/{job['id']}")).headers
        content = await client("GET", f"/v1/videos/{job['id']}/content", headers={"accept": "application/binary"})
        assert (content.status, content.headers["content-type"]) == (200, "video/mp4")
        assert content.headers["etag"] == f'"{job["outputs"][0]["sha256"]}"'
        again = await client(
            "GET", f"/v1/videos/{job['id']}/content?variant=video", headers={"if-none-match": content.headers["etag"]}
        )
        assert again.status == 304

    place.run(work, workers=1)


def test_a_refused_request_leaves_nothing(place: Place) -> None:
    async def work(client: Client) -> None:
        reply = await client("POST", "/v1/videos", document={"prompt": "a boat", "seconds": "0.001", "size": "7x7"})
        assert (reply.status, reply.error["type"]) == (400, "invalid_request_error")
        assert await client.jobs() == 0
        assert client.engine.calls == 0
        assert list(Folder(client.data).content.iterdir()) == []

    place.run(work, workers=1)


def test_an_unknown_model_is_404(place: Place) -> None:
    async def work(client: Client) -> Reply:
        return await client("POST", "/v1/videos", document={"prompt": "a boat", "model": "dubble"})

    reply = place.run(work)
    assert (reply.status, reply.error["code"], reply.error["param"]) == (404, "model_not_found", "model")
    assert "double" in reply.error["message"]


def test_what_is_not_ready_says_so_and_is_not_to_be_asked_at_once(place: Place) -> None:
    async def work(client: Client) -> Reply:
        return await client("GET", f"/v1/videos/{(await client.make())['id']}/content")

    reply = place.run(work)
    assert (reply.status, reply.error["code"]) == (409, "video_not_ready")
    assert reply.headers["x-should-retry"] == "false"


def test_a_failed_job_is_a_200_and_its_content_is_not(place: Place) -> None:
    async def work(client: Client) -> None:
        job = await client.ended((await client.make())["id"])
        assert job["status"] == "failed"
        assert job["error"]["code"] == "input_not_used"
        reply = await client("GET", f"/v1/videos/{job['id']}/content")
        assert (reply.status, reply.error["code"]) == (422, "no_result")

    place.run(work, workers=1, engine=DoubleEngine(fault="nothing"))


@pytest.mark.parametrize("query", ["variant=nothing", "index=x", "index=-1", "quality=high"])
def test_an_unknown_variant_index_or_parameter_is_refused(place: Place, query: str) -> None:
    async def work(client: Client) -> Reply:
        job = await client.ended((await client.make())["id"])
        return await client("GET", f"/v1/videos/{job['id']}/content?{query}")

    reply = place.run(work, workers=1)
    assert reply.status == 400
    assert reply.error["param"] == query.partition("=")[0]


def test_a_list_is_paged_without_loss_in_either_order(place: Place) -> None:
    async def work(client: Client) -> None:
        ids = [(await client.make())["id"] for _ in range(5)]
        for order, expected in (("asc", ids), ("desc", ids[::-1])):
            seen: list[str] = []
            after = ""
            while True:
                page = (await client("GET", f"/v1/videos?limit=2&order={order}{after}")).json()
                assert (page["object"], page["first_id"]) == ("list", page["data"][0]["id"])
                seen += [job["id"] for job in page["data"]]
                if not page["has_more"]:
                    break
                after = f"&after={page['last_id']}"
            assert seen == expected
        refused = await client("GET", "/v1/videos?after=nonsense")
        assert (refused.status, refused.error["param"]) == (400, "after")
        empty = (await client("GET", f"/v1/videos?after={ids[0]}")).json()
        assert (empty["data"], empty["first_id"], empty["last_id"], empty["has_more"]) == ([], None, None, False)

    place.run(work)


def test_a_deleted_job_is_gone(place: Place) -> None:
    async def work(client: Client) -> None:
        job = await client.make()
        reply = await client("DELETE", f"/v1/videos/{job['id']}", headers={"content-type": "application/json"})
        assert reply.json() == {"id": job["id"], "object": "video.deleted", "deleted": True}
        assert (await client("GET", f"/v1/videos/{job['id']}")).status == 404
        assert (await client("DELETE", f"/v1/videos/{job['id']}")).status == 404

    place.run(work)


def test_a_cancelled_job_is_failed_with_that_code(place: Place) -> None:
    async def work(client: Client) -> Any:
        job = await client.make()
        return (await client("POST", f"/v1/videos/{job['id']}/cancel")).json()

    job = place.run(work)
    assert (job["status"], job["error"]["code"]) == ("failed", "cancelled")


def test_a_remix_is_the_same_request_with_other_words(place: Place) -> None:
    async def work(client: Client) -> None:
        job = await client.make(seconds="2")
        remix = (await client("POST", f"/v1/videos/{job['id']}/remix", document={"prompt": "a ship"})).json()
        assert (remix["prompt"], remix["seconds"], remix["remixed_from_video_id"]) == ("a ship", "2", job["id"])
        for document in ({}, {"prompt": ""}, {"prompt": 3}, {"prompt": "x", "size": "1x1"}):
            reply = await client("POST", f"/v1/videos/{job['id']}/remix", document=document)
            assert reply.status == 400, document
        missing = await client("POST", "/v1/videos/video_none/remix", document={"prompt": "x"})
        assert (missing.status, missing.error["code"]) == (404, "video_not_found")
        assert await client.jobs() == 2

    place.run(work)


@pytest.mark.parametrize("path", ["/v1/videos/edits", "/v1/videos/extensions"])
def test_what_the_engine_cannot_do_is_refused_by_name(place: Place, path: str) -> None:
    async def work(client: Client) -> None:
        job = await client.ended((await client.make())["id"])
        reply = await client("POST", path, document={"prompt": "more", "video": {"id": job["id"]}})
        assert (reply.status, reply.error["code"], reply.error["param"]) == (400, "unsupported_role", "video")
        reply = await client("POST", path, document={"prompt": "more"})
        assert (reply.status, reply.error["code"], reply.error["param"]) == (400, "missing_required_parameter", "video")

    place.run(work, workers=1)


def test_a_clip_is_gone_on_from_and_a_task_that_says_otherwise_is_refused(place: Place, tmp_path: Path) -> None:
    roles = {**ANYTHING.roles, Role.INPUT: RoleRule(modalities=frozenset((Modality.VIDEO,)), shown=True)}
    spec = replace(ANYTHING, tasks=ANYTHING.tasks | {Task.EXTEND}, roles=roles)
    clip = base64.b64encode(make_clip(tmp_path / "clip.mp4", frames=24).read_bytes()).decode()
    document = {"prompt": "on", "seconds": "2", "video": f"data:video/mp4;base64,{clip}"}

    async def work() -> None:
        engine = DoubleEngine(spec)
        async with place.open(engine=engine, workers=1) as client:
            edit = await client("POST", "/v1/videos/edits", document=document)
            assert (edit.status, edit.error["code"], edit.error["param"]) == (400, "unsupported_task", "video")
            other = await client("POST", "/v1/videos/extensions", document={**document, "task": "ref2va"})
            assert (other.status, other.error["param"]) == (400, "task")
            assert (engine.calls, await client.jobs()) == (0, 0)
            reply = await client("POST", "/v1/videos/extensions", document={**document, "task": "extend"})
            job = await client.ended(reply.json()["id"])
            assert (job["status"], job["seconds"]) == ("completed", "3")
            assert [one["role"] for one in job["references"]] == ["input"]

    asyncio.run(work())


def test_a_full_queue_is_429_and_says_when_to_come_again(place: Place) -> None:
    async def work(client: Client) -> Reply:
        await client.make()
        return await client("POST", "/v1/videos", document={"prompt": "another"})

    reply = place.run(work, max_queued=1)
    assert (reply.status, reply.error["code"]) == (429, "queue_full")
    assert int(reply.headers["retry-after-ms"]) > 0


def test_the_same_key_is_the_same_job_and_another_request_under_it_a_conflict(place: Place) -> None:
    async def work(client: Client) -> None:
        again = {"idempotency-key": "k1"}
        one = await client("POST", "/v1/videos", document={"prompt": "a"}, headers=again)
        two = await client("POST", "/v1/videos", document={"prompt": "a"}, headers=again)
        assert one.json()["id"] == two.json()["id"]
        other = await client("POST", "/v1/videos", document={"prompt": "b"}, headers=again)
        assert (other.status, other.error["code"], other.headers["x-should-retry"]) == (409, "conflict", "false")
        long = await client("POST", "/v1/videos", document={"prompt": "b"}, headers={"idempotency-key": "k" * 256})
        assert (long.status, long.error["param"]) == (400, "Idempotency-Key")
        assert await client.jobs() == 1

    place.run(work)


def test_a_retry_of_the_sdk_is_the_same_job_and_a_second_request_is_not(place: Place) -> None:
    async def work(client: Client) -> None:
        first = await client.make()
        retry = await client(
            "POST", "/v1/videos", document={"prompt": "a boat"}, headers={"x-stainless-retry-count": "1"}
        )
        assert retry.json()["id"] == first["id"]
        second = await client(
            "POST", "/v1/videos", document={"prompt": "a boat"}, headers={"x-stainless-retry-count": "0"}
        )
        assert second.json()["id"] != first["id"]

    place.run(work)


def test_a_plan_is_told_and_no_job_is_made(place: Place) -> None:
    async def work(client: Client) -> None:
        reply = await client("POST", "/v1/videos/plan", document={"prompt": "a boat", "seconds": "2"})
        told = reply.json()
        assert (reply.status, told["object"], told["engine"], told["settings"]["num_frames"]) == (
            200,
            "video.plan",
            "double",
            48,
        )
        assert (await client("POST", "/v1/videos/plan", document={"prompt": "a", "model": "x"})).status == 404
        assert await client.jobs() == 0

    place.run(work, workers=1)


def test_events_end_with_the_job(place: Place) -> None:
    async def work(client: Client) -> Reply:
        job = await client.make()
        return await client("GET", f"/v1/videos/{job['id']}/events")

    reply = place.run(work, workers=1)
    assert reply.headers["content-type"].startswith("text/event-stream")
    *_, last = reply.body.decode().strip().split("\n\n")
    told = dict(line.split(": ", 1) for line in last.split("\n"))
    assert told["event"] == "completed"
    assert json.loads(told["data"])["progress"] == 100


def test_who_knows_the_end_is_told_not_to_come_again(place: Place) -> None:
    async def work(client: Client) -> Reply:
        job = await client.make()
        path = f"/v1/videos/{job['id']}/events"
        reply = await client("GET", path)
        last = [line for line in reply.body.decode().split("\n") if line.startswith("id: ")][-1]
        return await client("GET", path, headers={"last-event-id": last.removeprefix("id: ")})

    assert place.run(work, workers=1).status == 204


def test_sync_answers_the_video_or_the_job(place: Place) -> None:
    async def work(client: Client) -> None:
        video = await client("POST", "/v1/videos/sync", document={"prompt": "a"})
        assert (video.status, video.headers["content-type"]) == (200, "video/mp4")
        job = await client("POST", "/v1/videos/sync", document={"prompt": "a"}, headers={"accept": "application/json"})
        assert (job.status, job.json()["status"]) == (200, "completed")

    place.run(work, workers=1)


def test_sync_of_a_job_that_fails_is_no_video(place: Place) -> None:
    async def work(client: Client) -> Reply:
        return await client("POST", "/v1/videos/sync", document={"prompt": "a"})

    reply = place.run(work, workers=1, engine=DoubleEngine(fault="nothing"))
    assert (reply.status, reply.error["code"], reply.headers["x-should-retry"]) == (422, "no_result", "false")
    assert reply.error["job_id"].startswith("video_")


def test_sync_that_takes_too_long_names_the_job_and_lets_it_go_on(place: Place) -> None:
    async def work(client: Client) -> None:
        reply = await client("POST", "/v1/videos/sync", document={"prompt": "a"})
        assert (reply.status, reply.error["code"], reply.headers["x-should-retry"]) == (504, "still_running", "false")
        job = (await client("GET", f"/v1/videos/{reply.error['job_id']}")).json()
        assert job["status"] == "queued"

    place.run(work, sync_seconds=0.05)


def test_who_hangs_up_on_sync_has_cancelled(place: Place) -> None:
    async def work(client: Client) -> None:
        gone = asyncio.Event()
        waiting = asyncio.ensure_future(client("POST", "/v1/videos/sync", document={"prompt": "a"}, gone_when=gone))
        async with asyncio.timeout(20):
            while await client.jobs() == 0:
                await asyncio.sleep(0.01)
        gone.set()
        assert (await waiting).status == 0
        (job,) = (await client("GET", "/v1/videos")).json()["data"]
        assert (job["status"], job["error"]["code"]) == ("failed", "cancelled")

    place.run(work)


def test_jobs_outlive_the_server(place: Place) -> None:
    async def make(client: Client) -> Any:
        return (await client.make())["id"]

    async def find(client: Client) -> Any:
        return await client.ended(made)

    made = place.run(make)
    assert place.run(find, workers=1)["status"] == "completed"

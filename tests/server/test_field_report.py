"""What people suffered from with other servers, each as a test by the letter and number of its report.

J is the life of jobs, X is errors that are hidden or mislead, Z is safety and reach.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from tests.server.conftest import Client, Place
from tests.server.test_body import END, FORM, PICTURE, left, part
from triptych.jobs.content import Folder
from triptych.testing.job_double import JobDouble
from triptych.testing.media import picture_bytes, quarters


def test_J01_finished_videos_are_there_after_a_restart(place: Place) -> None:
    async def make(client: Client) -> Any:
        job = await client.ended((await client.make())["id"])
        return job, (await client("GET", f"/v1/videos/{job['id']}/content")).body

    async def find(client: Client) -> Any:
        job = (await client("GET", f"/v1/videos/{before['id']}")).json()
        return job, (await client("GET", f"/v1/videos/{job['id']}/content")).body

    before, video = place.run(make, workers=1)
    assert place.run(find) == (before, video)


def test_J02_record_and_file_expire_together(place: Place) -> None:
    async def work(client: Client) -> None:
        job = await client.ended((await client.make())["id"])
        path = f"/v1/videos/{job['id']}"
        assert job["expires_at"] >= job["completed_at"] + 1
        async with asyncio.timeout(20):
            while (await client("GET", path)).status == 200:
                await asyncio.sleep(0.02)
        assert time.time() >= job["expires_at"]
        for tail in ("", "/content", "/events"):
            gone = await client("GET", path + tail)
            assert (gone.status, gone.error["code"]) == (410, "video_expired"), tail
        await client.app.state.context.service.sweep()
        assert await client.jobs() == 0
        assert (await client("GET", path)).status == 410

    place.run(work, workers=1, keep_seconds=1.2)


def test_J03_two_servers_on_one_folder_know_the_same_jobs(place: Place) -> None:
    async def work(client: Client) -> None:
        async with place.open(workers=0) as other:
            made = await other.make()
            job = await client.ended(made["id"])
            path = f"/v1/videos/{job['id']}"
            assert (await other("GET", path)).json() == job
            assert (await other("GET", f"{path}/content")).status == 200
            assert (await other("DELETE", path)).json()["deleted"] is True
            assert (await client("GET", path)).status == 404

    place.run(work, workers=1)


def test_J04_a_job_that_is_ready_at_once_is_never_left_in_the_queue(place: Place) -> None:
    async def work(client: Client) -> None:
        made = await asyncio.gather(*(client.make() for _ in range(20)))
        ended = await asyncio.gather(*(client.ended(job["id"]) for job in made))
        assert {job["status"] for job in ended} == {"completed"}

    place.run(work, workers=2)


@pytest.mark.parametrize("how", ["delete", "cancel"])
def test_J05_J06_a_job_waits_until_it_is_begun_and_stopping_it_reaches_the_engine(place: Place, how: str) -> None:
    async def work() -> None:
        engine = JobDouble(gate=asyncio.Event())
        async with place.open(engine=engine, workers=1) as client:
            first, second = await client.make(), await client.make()
            async with asyncio.timeout(20):
                while not engine.begun:
                    await asyncio.sleep(0.01)
            waiting = (await client("GET", f"/v1/videos/{second['id']}")).json()
            assert (waiting["status"], waiting["queue_position"], waiting["started_at"]) == ("queued", 0, None)
            path = f"/v1/videos/{first['id']}"
            reply = await (client("DELETE", path) if how == "delete" else client("POST", f"{path}/cancel"))
            assert reply.status == 200
            assert engine.closed  # before the answer, not some time after it
            if how == "cancel":
                assert (reply.json()["status"], reply.json()["error"]["code"]) == ("failed", "cancelled")

    asyncio.run(work())


def test_J08_a_client_that_goes_when_all_was_sent_leaves_a_job_that_runs(place: Place) -> None:
    async def work(client: Client) -> None:
        gone = asyncio.Event()
        gone.set()
        await client("POST", "/v1/videos", document={"prompt": "a boat"}, gone_when=gone)
        (job,) = (await client("GET", "/v1/videos")).json()["data"]
        assert (await client.ended(job["id"]))["status"] == "completed"

    place.run(work, workers=1)


def test_X02_what_is_no_video_is_never_sent_with_200(place: Place) -> None:
    async def work() -> None:
        engine = JobDouble(gate=asyncio.Event())
        async with place.open(engine=engine, workers=1) as client:
            running, queued = await client.make(), await client.make()
            await client("POST", f"/v1/videos/{queued['id']}/cancel")
            for job_id in (running["id"], queued["id"], "video_none"):
                reply = await client("GET", f"/v1/videos/{job_id}/content")
                assert 400 <= reply.status < 500
                assert reply.error["message"]
                assert reply.headers["content-type"] == "application/json"

    asyncio.run(work())


def test_X07_running_out_of_time_is_no_failure_and_no_reason_to_send_again(place: Place) -> None:
    async def work() -> None:
        gate = asyncio.Event()
        async with place.open(engine=JobDouble(gate=gate), workers=1, sync_seconds=0.1) as client:
            reply = await client("POST", "/v1/videos/sync", document={"prompt": "a"})
            assert (reply.status, reply.headers["x-should-retry"]) == (504, "false")
            assert "goes on" in reply.error["message"]
            assert "again" not in reply.error["message"].lower()
            gate.set()
            assert (await client.ended(reply.error["job_id"]))["status"] == "completed"

    asyncio.run(work())


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:1/x.png",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]/x.png",
        "http://2130706433/x.png",
        "http://0177.0.0.1/x.png",
        "https://example.org/x.png",
        "ftp://example.org/x.png",
    ],
)
def test_Z01_no_address_is_fetched_unless_that_is_allowed(place: Place, address: str) -> None:
    async def work(client: Client) -> None:
        reply = await client("POST", "/v1/videos", document={"prompt": "a", "input_reference": address})
        assert (reply.status, reply.error["code"]) == (400, "url_not_allowed")
        assert client.engine.calls == await client.jobs() == 0

    place.run(work)


@pytest.mark.parametrize("path", ["/etc/passwd", "../../etc/passwd", "file:///etc/passwd", "~/.ssh/id_rsa"])
@pytest.mark.parametrize("field", ["input_reference", "reference_images"])
def test_Z02_no_file_of_the_server_is_read_by_any_door(place: Place, path: str, field: str) -> None:
    async def work(client: Client) -> None:
        value: Any = [{"path": path}] if field == "reference_images" else {"path": path}
        reply = await client("POST", "/v1/videos", document={"prompt": "a", field: value})
        assert reply.status == 400
        assert "root:" not in reply.body.decode()
        assert left(client) == []

    place.run(work)


@pytest.mark.parametrize("name", ["../../../../tmp/evil.txt", "..\\\\..\\\\evil", "/etc/cron.d/evil", "a\x00b"])
def test_Z03_a_client_s_file_name_is_never_a_name_on_the_disk(place: Place, name: str) -> None:
    async def work(client: Client) -> None:
        body = part("prompt", b"a") + part("input_reference", PICTURE, file_name=name) + END
        reply = await client("POST", "/v1/videos", body=body, headers=FORM)
        assert reply.status in (200, 400)
        assert all(len(found) == 64 for found in left(client))
        assert list(place.data.parent.rglob("*evil*")) == []

    place.run(work)


def test_Z04_outside_and_absent_read_the_same(place: Place, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "there.png").write_bytes(picture_bytes(quarters()))
    root = tmp_path / "root"
    root.mkdir()

    async def work(client: Client) -> None:
        told = []
        for name in ("there.png", "absent.png"):
            path = str(outside / name)
            reply = await client("POST", "/v1/videos", document={"prompt": "a", "input_reference": {"path": path}})
            assert reply.status == 400
            told.append(reply.body.decode().replace(name, "NAME"))
        assert told[0] == told[1]

    place.run(work, roots=(str(root),))


def test_Z05_Z08_what_is_too_large_is_refused_while_it_comes(place: Place) -> None:
    async def work(client: Client) -> None:
        data = "A" * 400_000
        document = {"prompt": "a", "input_reference": f"data:image/png;base64,{data}"}
        reply = await client("POST", "/v1/videos", document=document)
        assert reply.status in (400, 413)
        assert left(client) == []
        assert list(Folder(client.data).content.glob("incoming-*")) == []

    place.run(work, max_input_bytes=100_000)
    place.run(work, max_request_body_bytes=100_000)


def test_Z11_a_path_of_the_client_s_own_disk_is_refused_with_what_to_do(place: Place) -> None:
    async def work(client: Client) -> None:
        document = {"prompt": "a", "input_reference": {"path": "/home/me/cat.png"}}
        reply = await client("POST", "/v1/videos", document=document)
        assert (reply.status, reply.error["code"]) == (400, "path_not_allowed")
        assert "Send the file itself" in reply.error["message"]

    place.run(work, host="0.0.0.0")

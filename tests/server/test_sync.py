"""Who waits for a job is let go when the server is to stop."""

from __future__ import annotations

import asyncio

from tests.server.conftest import Client, Place


def test_a_server_that_stops_names_the_job_and_lets_it_be(place: Place) -> None:
    async def work(client: Client) -> None:
        waiting = asyncio.ensure_future(client("POST", "/v1/videos/sync", document={"prompt": "a"}))
        async with asyncio.timeout(20):
            while await client.jobs() == 0:
                await asyncio.sleep(0.01)
        client.app.state.context.stopping.set()
        reply = await waiting
        assert (reply.status, reply.error["code"], reply.headers["x-should-retry"]) == (504, "still_running", "false")
        assert reply.error["job_id"] in reply.error["message"]
        (job,) = (await client("GET", "/v1/videos")).json()["data"]
        assert (job["id"], job["status"]) == (reply.error["job_id"], "queued")
        assert (await client("GET", "/ready")).status == 503

    place.run(work)

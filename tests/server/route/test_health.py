"""Alive, ready, counted."""

from __future__ import annotations

import shutil

from tests.server.conftest import Client, Place
from triptych.jobs.content import Folder


def test_it_is_ready_until_its_folder_is_gone(place: Place) -> None:
    async def work(client: Client) -> None:
        ready = await client("GET", "/ready")
        assert (ready.status, ready.json()["status"]) == (200, "ready")
        shutil.rmtree(Folder(client.data).content)
        ready = await client("GET", "/ready")
        assert (ready.status, ready.json()["checks"]["store"]) == (503, False)
        assert (await client("GET", "/health")).json() == {"status": "ok"}
        Folder(client.data).content.mkdir()

    place.run(work)


def test_without_its_engine_it_is_not_ready(place: Place) -> None:
    async def work(client: Client) -> None:
        ready = await client("GET", "/ready")
        assert (ready.status, ready.json()["checks"]["engine"]) == (503, False)

    place.run(work, default_engine="none")


def test_metrics_count_requests_and_jobs(place: Place) -> None:
    async def work(client: Client) -> None:
        await client.make()
        reply = await client("GET", "/metrics")
        assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
        text = reply.body.decode()
        assert 'triptych_http_requests_total{method="POST",route="/videos",status="200"} 1.0' in text
        assert 'triptych_jobs{status="queued"} 1.0' in text

    place.run(work)


def test_metrics_need_the_key_and_health_does_not(place: Place) -> None:
    async def work(client: Client) -> None:
        assert (await client("GET", "/metrics")).status == 401
        assert (await client("GET", "/health")).status == 200
        assert (await client("GET", "/ready")).status == 200

    place.run(work, api_keys=("ann=k",))

"""A stream of events ends with the job, with the server or with the client, and can be taken up again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

from starlette.types import Message

from tests.wire.example import job
from triptych.server import event
from triptych.task import Job, JobError, Status

QUEUED = job()
RUNNING = replace(QUEUED, status=Status.IN_PROGRESS, attempt=1, stage="render", done=1, total=4)
FURTHER = replace(RUNNING, done=2)
DONE = replace(RUNNING, status=Status.COMPLETED, done=4)
FAILED = replace(RUNNING, status=Status.FAILED, error=JobError(code="cancelled", message="Stopped."))


def render(each: Job) -> dict[str, Any]:
    return {"status": each.status.value, "progress": each.percent}


class Changes:
    """Jobs, one after another; then it waits for ever, unless it has ended."""

    def __init__(self, *jobs: Job) -> None:
        self.jobs = jobs
        self.closed = False

    async def watch(self) -> AsyncGenerator[Job, None]:
        try:
            for each in self.jobs:
                yield each
            if not self.jobs[-1].status.ended:
                await asyncio.Event().wait()
        finally:
            self.closed = True


async def stream(
    changes: Changes, *, last_id: str = "", stop_after: int | None = None, gone_after: int | None = None, **more: Any
) -> list[str]:
    """The pieces of a response, until it ends by itself, or is made to end after so many."""
    stopping, gone = asyncio.Event(), asyncio.Event()
    response = event.respond(changes.watch(), render=render, stopping=stopping, last_id=last_id, **more)
    pieces: list[str] = []

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body" and message["body"]:
            pieces.append(message["body"].decode())
            if len(pieces) == stop_after:
                stopping.set()
            if len(pieces) == gone_after:
                gone.set()

    async def receive() -> Message:
        await gone.wait()
        return {"type": "http.disconnect"}

    async with asyncio.timeout(20):
        await response({"type": "http", "method": "GET", "asgi": {"spec_version": "2.3"}}, receive, send)
    return pieces


def told(pieces: list[str]) -> list[tuple[str, Any]]:
    """Name and data of every event."""
    found = []
    for piece in pieces:
        lines = dict(line.split(": ", 1) for line in piece.strip().split("\n"))
        if "event" in lines:
            found.append((lines["event"], json.loads(lines["data"])["progress"]))
    return found


def test_progress_and_last_the_end() -> None:
    changes = Changes(QUEUED, RUNNING, FURTHER, DONE)
    pieces = asyncio.run(stream(changes))
    assert told(pieces) == [("progress", 0), ("progress", 25), ("progress", 50), ("completed", 100)]
    assert changes.closed
    assert all(piece.endswith("\n\n") for piece in pieces)


def test_a_failure_is_an_event_too() -> None:
    assert told(asyncio.run(stream(Changes(RUNNING, FAILED))))[-1][0] == "failed"


def test_who_comes_again_is_not_told_what_is_known() -> None:
    known = event.event_id(RUNNING)
    assert told(asyncio.run(stream(Changes(RUNNING, FURTHER, DONE), last_id=known))) == [
        ("progress", 50),
        ("completed", 100),
    ]


def test_every_change_has_an_id_of_its_own() -> None:
    ids = {event.event_id(each) for each in (QUEUED, RUNNING, FURTHER, DONE, FAILED, replace(RUNNING, attempt=2))}
    assert len(ids) == 6


def test_a_quiet_job_is_kept_alive_with_comments() -> None:
    changes = Changes(RUNNING)
    pieces = asyncio.run(stream(changes, stop_after=5, keep_alive_seconds=0.01))
    assert pieces[2:5] == [": still here\n\n"] * 3


def test_a_server_that_stops_lets_go() -> None:
    changes = Changes(RUNNING)
    assert told(asyncio.run(stream(changes, stop_after=2))) == [("progress", 25)]
    assert changes.closed


def test_a_client_that_goes_leaves_nobody_waiting() -> None:
    changes = Changes(RUNNING)
    asyncio.run(stream(changes, gone_after=2))
    assert changes.closed

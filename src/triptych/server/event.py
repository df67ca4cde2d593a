"""Server-sent events: what a job is, told at each change and last of all when it has ended."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import suppress
from typing import Any

from starlette.responses import StreamingResponse

from triptych.task import Job

KEEP_ALIVE_SECONDS = 15.0
RECONNECT_MS = 1000

Render = Callable[[Job], dict[str, Any]]


def respond(
    jobs: AsyncGenerator[Job, None],
    *,
    render: Render,
    stopping: asyncio.Event,
    last_id: str = "",
    keep_alive_seconds: float = KEEP_ALIVE_SECONDS,
) -> StreamingResponse:
    """A stream of events; it ends with the job, with the server, or with the client.

    Args:
        jobs: the job now, and at each change, until it has ended.
        render: a job as JSON.
        stopping: set when the server is going to stop; the client connects again, to the next one.
        last_id: the id of the event that the client has already (``Last-Event-ID``).
        keep_alive_seconds: how often a comment is sent where nothing happens.
    """
    stream = _stream(jobs, render, stopping, last_id, keep_alive_seconds)
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(stream, media_type="text/event-stream", headers=headers)


def event_id(job: Job) -> str:
    """Names what a job has come to; the same after a restart, so a client that connects again misses nothing."""
    return f"{job.attempt}-{job.status}-{job.done}-{job.total}-{job.stage}"


def encode(job: Job, render: Render) -> bytes:
    """One event. It is called ``progress`` until the job has ended, then ``completed`` or ``failed``."""
    name = str(job.status) if job.status.ended else "progress"
    identity = event_id(job).replace("\n", " ").replace("\0", " ")
    return f"id: {identity}\nevent: {name}\ndata: {json.dumps(render(job), separators=(',', ':'))}\n\n".encode()


async def _stream(
    jobs: AsyncGenerator[Job, None], render: Render, stopping: asyncio.Event, last_id: str, keep_alive_seconds: float
) -> AsyncIterator[bytes]:
    yield f"retry: {RECONNECT_MS}\n\n".encode()
    stop = asyncio.ensure_future(stopping.wait())
    coming: asyncio.Future[Job | None] | None = None
    try:
        while not stop.done():
            coming = coming or asyncio.ensure_future(anext(jobs, None))
            await asyncio.wait((coming, stop), timeout=keep_alive_seconds, return_when=asyncio.FIRST_COMPLETED)
            if not coming.done():
                if not stop.done():
                    yield b": still here\n\n"
                continue
            job, coming = coming.result(), None
            if job is None:
                return
            if job.status.ended or event_id(job) != last_id:
                yield encode(job, render)
    finally:
        stop.cancel()
        if coming is not None:
            coming.cancel()
            with suppress(asyncio.CancelledError):
                await coming
        await jobs.aclose()

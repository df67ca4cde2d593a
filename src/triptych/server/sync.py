"""Waiting for a job with its caller on the line: who hangs up has stopped it."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress

from starlette.requests import ClientDisconnect, Request

from triptych.errors import StillRunning
from triptych.server.context import Context
from triptych.task import Job


async def ended(request: Request, job: Job, context: Context, *, owner: str, seconds: float) -> Job:
    """The job, when it has ended.

    Raises:
        StillRunning: it takes longer than ``seconds``, or the server stops; the job goes on, and can be asked for.
        ClientDisconnect: the client went away; the job is cancelled.
    """
    waiting = asyncio.ensure_future(_last(job, context, owner))
    gone = asyncio.ensure_future(_disconnected(request))
    stop = asyncio.ensure_future(context.stopping.wait())
    try:
        await asyncio.wait((waiting, gone, stop), timeout=seconds or None, return_when=asyncio.FIRST_COMPLETED)
        if waiting.done():
            return waiting.result()
        if gone.done():
            await context.service.cancel(job.id, owner=owner)
            raise ClientDisconnect
        why = "The server is being stopped" if stop.done() else f"It takes longer than {seconds:g} seconds"
        raise StillRunning(f"{why}; the job {job.id} goes on. Ask for it with GET /v1/videos/{job.id}.")
    finally:
        for task in (waiting, gone, stop):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def _last(job: Job, context: Context, owner: str) -> Job:
    async with aclosing(context.service.watch(job.id, owner=owner)) as changes:
        async for each in changes:
            job = each
    return job


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass

"""What the tests of the host share: one open host, and what came of a call."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import psutil

from triptych.process.host import Host, Limits

TARGETS = "triptych.testing.child_target:"
SMALL = Limits(memory_bytes=400 << 20)


def run(body: Callable[[Host], Awaitable[None]], **settings: Any) -> None:
    """Run ``body`` with an open host; the loop's complaints (lost exceptions) fail the test."""
    complaints: list[dict[str, Any]] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        async with Host(**settings) as host:
            await body(host)

    asyncio.run(main())
    assert complaints == []


async def collect(items: AsyncIterator[dict[str, Any]]) -> list[dict[str, Any]]:
    return [item async for item in items]


async def collect_into(seen: list[dict[str, Any]], items: AsyncIterator[dict[str, Any]]) -> None:
    async for item in items:
        seen.append(item)  # noqa: PERF401  (what came before an error is looked at)


async def gone(pid: int, *, within_seconds: float) -> bool:
    """Whether the process ends in time. (One that waits to be reaped by somebody else has ended.)"""
    end = time.monotonic() + within_seconds
    while time.monotonic() < end:
        with contextlib.suppress(psutil.NoSuchProcess):
            if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                await asyncio.sleep(0.01)
                continue
        return True
    return False

"""How long an event loop lets others wait: a task that wants to wake each millisecond, and notes how late it does.

A loop that is held up for a second misses a thousand wakings. All of them count, each with what was left to wait then:
else one long wait would be one in many, and no percentile would show it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

PERIOD_SECONDS = 0.001


class Probe:
    """Watches the loop that it is started in."""

    def __init__(self) -> None:
        self._late: list[float] = []
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to note."""
        self._late = []
        self._task = asyncio.get_running_loop().create_task(self._watch())

    def stop(self) -> list[float]:
        """End it: how late it was each time, in seconds."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        return self._late

    async def _watch(self) -> None:
        while True:
            asked = time.perf_counter()
            await asyncio.sleep(PERIOD_SECONDS)
            self._late += missed(max(0.0, time.perf_counter() - asked - PERIOD_SECONDS))


def missed(late_seconds: float) -> list[float]:
    """How late each waking was that fell into one wait, the first one first."""
    return [late_seconds - PERIOD_SECONDS * number for number in range(int(late_seconds / PERIOD_SECONDS) + 1)]


def percentile(values: Sequence[float], share: float) -> float:
    """The least value that this share of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

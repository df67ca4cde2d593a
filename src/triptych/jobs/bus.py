"""Who wants to hear of a job in this process is woken when something happens to it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator


class Bus:
    """Events by job id, within one event loop. It carries no values: whoever is woken looks for itself."""

    def __init__(self) -> None:
        self._listeners: dict[str, set[asyncio.Event]] = {}

    def publish(self, id: str) -> None:
        """Something happened to a job."""
        for event in self._listeners.get(id, ()):
            event.set()

    @contextlib.contextmanager
    def listen(self, id: str) -> Iterator[asyncio.Event]:
        """An event that is set whenever something happens to the job; the listener clears it."""
        event = asyncio.Event()
        self._listeners.setdefault(id, set()).add(event)
        try:
            yield event
        finally:
            left = self._listeners[id]
            left.discard(event)
            if not left:
                del self._listeners[id]

    def __len__(self) -> int:
        """How many are listening."""
        return sum(len(events) for events in self._listeners.values())


async def heard(event: asyncio.Event, *, seconds: float) -> bool:
    """Wait for an event, and no longer than ``seconds``; clears it. Whether it came."""
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return False
    event.clear()
    return True

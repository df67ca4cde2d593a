"""Listeners are woken, and leave nothing behind."""

from __future__ import annotations

import asyncio

from triptych.jobs.bus import Bus, heard


def test_every_listener_of_a_job_is_woken_and_no_other() -> None:
    async def run() -> None:
        bus = Bus()
        with bus.listen("a") as first, bus.listen("a") as second, bus.listen("b") as other:
            bus.publish("a")
            assert await heard(first, seconds=1) and await heard(second, seconds=1)
            assert not await heard(other, seconds=0.01)
            assert not first.is_set(), "it is cleared, so that the next one is heard too"
            assert len(bus) == 3
        assert len(bus) == 0

    asyncio.run(run())


def test_nobody_need_listen() -> None:
    bus = Bus()
    bus.publish("a")
    assert len(bus) == 0

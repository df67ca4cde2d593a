"""Nobody dials unseen."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from triptych.errors import ChildCrashed
from triptych.process import offline
from triptych.process.host import Host

DIAL = "triptych.testing.child_target:dial"


@pytest.mark.parametrize(
    ("event", "arguments", "found"),
    [
        ("socket.connect", (None, ("192.0.2.1", 80)), "socket.connect ('192.0.2.1', 80)"),
        ("socket.connect", (None, ("2001:db8::1", 80, 0, 0)), "socket.connect ('2001:db8::1', 80, 0, 0)"),
        ("socket.sendto", (None, ("192.0.2.1", 53)), "socket.sendto ('192.0.2.1', 53)"),
        ("socket.getaddrinfo", ("example.org", 80, 0, 0, 0), "socket.getaddrinfo 'example.org'"),
        ("socket.getaddrinfo", (b"example.org", 80, 0, 0, 0), "socket.getaddrinfo b'example.org'"),
        ("socket.connect", (None, ("127.0.0.1", 80)), None),
        ("socket.connect", (None, ("::1", 80, 0, 0)), None),
        ("socket.connect", (None, "/run/a.socket"), None),
        ("socket.sendmsg", (None, None), None),
        ("socket.getaddrinfo", ("localhost", 80, 0, 0, 0), None),
        ("socket.getaddrinfo", (None, 80, 0, 0, 0), None),
        ("socket.bind", (None, ("0.0.0.0", 80)), None),
        ("open", ("example.org", "r", 0), None),
    ],
)
def test_what_leaves_this_machine_is_told_from_what_does_not(
    event: str, arguments: tuple[Any, ...], found: str | None
) -> None:
    assert offline.dialled(event, arguments) == found


async def dial(host: Host, address: tuple[str, int]) -> list[dict[str, Any]]:
    return [item async for item in host.call(DIAL, {"address": address})]


def test_a_child_that_dials_is_ended_even_when_it_would_hide_it() -> None:
    async def run() -> None:
        async with Host(env={offline.VARIABLE: "1"}) as host:
            with pytest.raises(ChildCrashed, match=r"status 97.*network was used: socket.connect \('192.0.2.1', 9\)"):
                await dial(host, ("192.0.2.1", 9))

    asyncio.run(run())


def test_a_child_may_speak_to_this_machine() -> None:
    async def run() -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            async with Host(env={offline.VARIABLE: "1"}) as host:
                assert await dial(host, server.getsockname()) == [{"dialled": list(server.getsockname())}]

    asyncio.run(run())

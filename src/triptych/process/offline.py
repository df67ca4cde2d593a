"""Keeps a process off the network: whoever dials beyond this machine is found out.

Python's own sockets are watched, by an audit hook, which cannot be taken out again or caught by what it watches. A
library in C that opens sockets by itself is not seen.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

VARIABLE = "TRIPTYCH_OFFLINE"
"""Set to 1 for a child process, it ends that process as soon as it dials."""

EXIT_STATUS = 97

_ADDRESS_AT = {"socket.connect": 1, "socket.sendto": 1, "socket.sendmsg": 1, "socket.getaddrinfo": 0}
"""The audit events that name where a socket reaches → which of their arguments does."""
_HERE = frozenset(("localhost", "::1", "::", "0.0.0.0", ""))


def dialled(event: str, arguments: tuple[Any, ...]) -> str | None:
    """What an audit event dials beyond this machine; ``None`` for one that does not."""
    if event not in _ADDRESS_AT:
        return None
    address = arguments[_ADDRESS_AT[event]]
    if event != "socket.getaddrinfo":
        if not isinstance(address, tuple) or not address or not isinstance(address[0], str):
            return None  # a Unix socket, or one that is connected already
        address = address[0]
    host = address.decode("ascii", "replace") if isinstance(address, bytes) else address
    if host is None or host in _HERE or host.startswith("127."):
        return None
    return f"{event} {arguments[_ADDRESS_AT[event]]!r}"


def watch(hear: Callable[[str], None]) -> None:
    """From now on, and for as long as this process lives, ``hear`` is told of each dial before it happens."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event.startswith("socket."):
            found = dialled(event, arguments)
            if found is not None:
                hear(found)

    sys.addaudithook(hook)


def forbid() -> None:
    """End this process, with a last word, when it dials."""
    watch(_end)


def _end(found: str) -> None:
    os.write(2, f"the network was used: {found}\n".encode())
    os._exit(EXIT_STATUS)

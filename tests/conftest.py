"""What holds for every test: a clean environment, no network, no process left behind.

The network guard sees what Python dials in this process. What FFmpeg might dial, or a child process, is shown by tests
that listen on an address of this machine and find that nobody came.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=50, print_blob=True)
settings.register_profile(
    "soak", deadline=None, max_examples=5000, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("soak" if os.environ.get("TRIPTYCH_SOAK") == "1" else "ci")

pytest_plugins = ["pytester"]

LOOPBACK = {"localhost", "::1", "0.0.0.0", ""}


def is_local(address: object) -> bool:
    """Whether a socket address stays on this machine: a Unix socket, or loopback."""
    if isinstance(address, str | bytes):
        return True
    if not isinstance(address, tuple) or not address:
        return False
    host = str(address[0])
    return host in LOOPBACK or host.startswith("127.")


class Dialled(list[object]):
    """The addresses that were dialled in one test, local ones included."""


@pytest.fixture(autouse=True)
def dialled(monkeypatch: pytest.MonkeyPatch) -> Iterator[Dialled]:
    """Every address dialled by the test so far; dialling beyond this machine fails the test."""
    seen = Dialled()
    outside: list[object] = []

    def guard(name: str) -> None:
        original = getattr(socket.socket, name)

        def guarded(self: socket.socket, address: object) -> Any:
            seen.append(address)
            if not is_local(address):
                outside.append(address)
                raise OSError(f"tests do not dial {address!r}")
            return original(self, address)

        monkeypatch.setattr(socket.socket, name, guarded)

    guard("connect")
    guard("connect_ex")
    look_up = socket.getaddrinfo

    def guarded_look_up(host: str | bytes | None, *args: Any, **kwargs: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name is not None and not is_local((name,)):
            outside.append(name)
            raise OSError(f"tests do not look up {name!r}")
        return look_up(host, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)
    yield seen
    assert not outside, f"dialled beyond this machine: {outside}"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the person who runs the tests reaches them."""
    for name in list(os.environ):
        if name.startswith("TRIPTYCH_") and name != "TRIPTYCH_SOAK":
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def no_process_left() -> Iterator[None]:
    """A test ends every process that it started."""
    me = psutil.Process()
    before = {child.pid for child in me.children(recursive=True)}
    yield
    left = [child for child in me.children(recursive=True) if child.pid not in before]
    _, alive = psutil.wait_procs(left, timeout=2)
    names = []
    for child in alive:
        try:
            names.append(f"{child.pid} {' '.join(child.cmdline())}")
            child.kill()
        except psutil.NoSuchProcess:
            continue
    assert not names, f"processes left behind: {names}"


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the repository."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def samples(root: Path) -> Path:
    """The media that ship with the repository."""
    return root / "samples"

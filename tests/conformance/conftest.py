"""Two servers and every client, each started once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.conformance.caller import KINDS, Client, Kind
from tests.conformance.sample import Sample, make_samples
from triptych.testing.server import LiveServer


@pytest.fixture(scope="package")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Sample]:
    """See ``make_samples``."""
    return make_samples(tmp_path_factory.mktemp("samples"))


@pytest.fixture(autouse=True)
def no_process_left() -> None:
    """Servers and clients outlive a test here; each is ended by what started it."""


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server that makes videos."""
    with LiveServer(tmp_path_factory.mktemp("server") / "data") as live:
        yield live


@pytest.fixture(scope="package")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server that takes jobs and leaves them waiting, for what needs no video."""
    with LiveServer(
        tmp_path_factory.mktemp("shelf") / "data",
        arguments=("--workers", "0"),
        environ={"TRIPTYCH_MAX_QUEUED": "5000"},
    ) as live:
        yield live


@pytest.fixture(scope="package")
def started() -> Iterator[Callable[[Kind], Client]]:
    """Starts a client, or gives the one that runs."""
    running: dict[Kind, Client] = {}
    with ExitStack() as stack:

        def start(kind: Kind) -> Client:
            if kind not in running:
                running[kind] = stack.enter_context(Client(kind))
            return running[kind]

        yield start


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def client(request: pytest.FixtureRequest, started: Callable[[Kind], Client]) -> Client:
    """Every client."""
    kind: Any = request.param
    return started(kind)


@pytest.fixture(params=[kind for kind in KINDS if not kind.is_old], ids=lambda kind: kind.name)
def newer_client(request: pytest.FixtureRequest, started: Callable[[Kind], Client]) -> Client:
    """Every client that has edits, extensions and characters."""
    kind: Any = request.param
    return started(kind)


@pytest.fixture(params=[kind for kind in KINDS if kind.language == "python"], ids=lambda kind: kind.name)
def python_client(request: pytest.FixtureRequest, started: Callable[[Kind], Client]) -> Client:
    """Every client in Python: those that poll by themselves."""
    kind: Any = request.param
    return started(kind)

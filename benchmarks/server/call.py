"""Small requests: a job is created, and asked for again and again."""

from __future__ import annotations

import itertools
import shutil
import statistics
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, fields
from pathlib import Path
from random import Random

from benchmarks.server import population
from benchmarks.server.bare import JOB
from benchmarks.server.client import Load, ask, load, request
from benchmarks.server.hosted import Hosted
from benchmarks.server.probe import percentile

CONNECTIONS = 16
ENDS_WITHIN_SECONDS = 120.0
FEW = 10
_CREATE = "/v1/videos"
_STORED = "/v1/stored-videos"


@dataclass(kw_only=True)
class Rounds:
    """The same requests, several times."""

    loads: list[Load] = field(default_factory=list)

    @property
    def rate_hz(self) -> float:
        """Requests a second; median of the rounds."""
        return statistics.median(each.rate_hz for each in self.loads)

    @property
    def best_hz(self) -> float:
        """Requests a second; the best round."""
        return max(each.rate_hz for each in self.loads)

    def waited(self, share: float) -> float:
        """Seconds within which this share of all requests was answered."""
        return percentile([answer.seconds for each in self.loads for answer in each.answers], share)


@dataclass(frozen=True, kw_only=True)
class Calls:
    """Create and retrieve.

    Attributes:
        create, retrieve: at the server.
        bare_create, bare_retrieve: at FastAPI's routes, with nothing behind them.
        plain_create, plain_retrieve: at FastAPI's routes, with the same work behind them.
        stored_create: at a bare route that stores what it makes.
    """

    create: Rounds
    retrieve: Rounds
    bare_create: Rounds
    bare_retrieve: Rounds
    plain_create: Rounds
    plain_retrieve: Rounds
    stored_create: Rounds


@dataclass(frozen=True, kw_only=True)
class Reads:
    """Status reads.

    Attributes:
        few, many: of the same ten jobs, where there are no others, and where there are many.
        spread: of any of the many, a new choice each round.
        jobs: how many that is.
    """

    few: Rounds
    many: Rounds
    spread: Rounds
    jobs: int


def measure_calls(folder: Path, *, requests: int, repeats: int) -> Calls:
    """Create and retrieve, at one server after another, again and again."""
    found = Calls(**{item.name: Rounds() for item in fields(Calls)})
    with ExitStack() as stack:
        server, bare, plain = (
            stack.enter_context(Hosted(app, folder / f"calls-{app}")) for app in ("triptych", "model", "plain")
        )
        first = ask(server.port, next(_creates(1)))
        (bare.folder / JOB).write_bytes(first.body)
        _delete(server, [first.json()["id"]])
        for number in range(repeats + 1):  # the first round warms up
            for one, created, retrieved in (
                (server, found.create, found.retrieve),
                (bare, found.bare_create, found.bare_retrieve),
                (plain, found.plain_create, found.plain_retrieve),
            ):
                made = load(one.port, _creates(requests), connections=CONNECTIONS)
                ids = [answer.json()["id"] for answer in made.answers]
                read = load(one.port, _reads(ids), connections=CONNECTIONS)
                if number:
                    created.loads.append(made)
                    retrieved.loads.append(read)
                if one is not bare:
                    _delete(one, ids)  # so that as many wait in each round
            stored = load(bare.port, _creates(requests, _STORED), connections=CONNECTIONS)
            if number:
                found.stored_create.loads.append(stored)
    return found


def measure_reads(folder: Path, *, jobs: int, requests: int, repeats: int) -> Reads:
    """In turn, where ten finished jobs are, and where many are."""
    found = Reads(few=Rounds(), many=Rounds(), spread=Rounds(), jobs=jobs)
    first = folder / "reads-few"
    id = _finished(first)
    shutil.copytree(first, folder / "reads-many")
    few = population.grow(first, id, to=FEW)
    many = population.grow(folder / "reads-many", id, to=jobs)
    random = Random(1)
    with ExitStack() as stack:
        small, large = (stack.enter_context(Hosted("triptych", folder / name)) for name in ("reads-few", "reads-many"))
        for number in range(repeats + 1):  # the first round warms up
            for server, ids, rounds in (
                (small, few, found.few),
                (large, many[-FEW:], found.many),
                (large, random.sample(many, min(requests, len(many))), found.spread),
            ):
                asked = itertools.islice(itertools.cycle(ids), requests)
                read = load(server.port, _reads(asked), connections=CONNECTIONS)
                if number:
                    rounds.loads.append(read)
    return found


def _finished(folder: Path) -> str:
    """Have one real, short job done there; its id."""
    with Hosted("triptych-working", folder) as server:
        document = {"prompt": "A quiet street", "seconds": "1", "size": "320x192"}
        id = str(ask(server.port, request("POST", _CREATE, document=document)).json()["id"])
        deadline = time.monotonic() + ENDS_WITHIN_SECONDS
        while (job := ask(server.port, request("GET", f"{_CREATE}/{id}")).json())["status"] != "completed":
            if job["status"] == "failed" or time.monotonic() > deadline:
                raise RuntimeError(f"the job has not been done: {job}")
            time.sleep(0.05)
    return id


def _creates(count: int, path: str = _CREATE) -> Iterator[bytes]:
    for number in range(count):
        document = {"prompt": f"A quiet street at dawn, take {number}", "seconds": "4", "size": "1280x720"}
        yield request("POST", path, document=document)


def _reads(ids: Iterable[str]) -> Iterator[bytes]:
    return (request("GET", f"{_CREATE}/{id}") for id in ids)


def _delete(server: Hosted, ids: Iterable[str]) -> None:
    load(server.port, (request("DELETE", f"{_CREATE}/{id}") for id in ids), connections=CONNECTIONS)

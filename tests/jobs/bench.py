"""Services on a folder, and requests for them: what the tests of jobs are made with."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from triptych.engines.registry import Registry
from triptych.jobs.content import Folder
from triptych.jobs.service import Service
from triptych.jobs.store import Once
from triptych.jobs.term import Terms
from triptych.media import fetch
from triptych.run import prepare
from triptych.studio import Studio
from triptych.task import Blob, Job, Modality, Probe, Reference, Request, ResultSource, Role, Source
from triptych.testing.job_double import JobDouble

QUICK = Terms(
    progress_seconds=0.02,
    look_seconds=0.1,
    beat_seconds=0.2,
    lease_seconds=1.0,
    tend_seconds=0.1,
    grace_seconds=0.2,
    sweep_seconds=3600.0,
)
"""Terms for tests: all that waits waits for moments."""


def open_service(data: Path, engine: JobDouble | Registry | None = None, **settings: Any) -> Service:
    """A service with a double for its engine."""
    engine = engine or JobDouble()
    registry = engine if isinstance(engine, Registry) else engine.registry()
    folder = Folder(data.resolve())
    studio = Studio(
        registry=registry,
        policy=fetch.Policy(roots=None, max_bytes=1 << 26),
        spool=folder.content,
        work_dir=folder.work,
    )
    return Service(data, studio, **{"terms": QUICK, **settings})


def ask(prompt: str = "a boat", *sources: Source, **settings: Any) -> Request:
    """A request; each source is a reference called ``references[n]``."""
    references = tuple(
        Reference(role=Role.REFERENCE, source=source, field=f"references[{index}]", modality=_modality(source))
        for index, source in enumerate(sources)
    )
    return Request(prompt=prompt, engine="double", references=references, **settings)


def _modality(source: Source) -> Modality | None:
    if isinstance(source, ResultSource):
        kinds = {"last_frame": Modality.IMAGE, "audio": Modality.AUDIO, "thumbnail": Modality.IMAGE}
        return kinds.get(source.id.partition(".")[2], Modality.VIDEO)
    return None


async def create(service: Service, request: Request | str = "a boat", *, owner: str = "", **said: Any) -> Job:
    """Prepare a request and store it."""
    request = ask(request) if isinstance(request, str) else request
    plan = await prepare(request, service.studio, resolver=service.resolver(owner))
    return await service.create(request, plan, owner=owner, **{"asked": {}, **said})


async def ended(service: Service, job: Job | str, *, owner: str = "", seconds: float = 20.0) -> Job:
    """The job, once it has ended."""
    id = job if isinstance(job, str) else job.id
    async with asyncio.timeout(seconds):
        async for state in service.watch(id, owner=owner):
            last = state
    return last


async def until(condition: Callable[[], bool], *, seconds: float = 20.0) -> None:
    """Wait for a condition."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)


def once(key: str | None = None, digest: str = "d", *, retry: bool = False, at: float = 0.0) -> Once:
    """What tells that a request was sent before."""
    return Once(key=key, digest=digest, retry=retry, received_at=at)


def content(service: Service) -> set[str]:
    """The names in the content folder."""
    return {path.name for path in service.folder.content.iterdir()}


def keep(service: Service, data: bytes) -> Blob:
    """Some bytes, brought in."""
    sha256 = hashlib.sha256(data).hexdigest()
    path = service.folder.content / sha256
    path.write_bytes(data)
    return Blob(path=str(path), sha256=sha256, size_bytes=len(data))


@dataclass(frozen=True)
class Piece:
    """What the stand-in for ``media.derive`` gives."""

    blob: Blob
    probe: Probe
    media_type: str


class Pieces:
    """A stand-in for ``media.derive``: its pieces are the name of the piece and the hash of the video."""

    def __init__(self, folder: Path, probes: Sequence[tuple[str, Probe]] = ()) -> None:
        self._folder = folder
        self._probes = dict(probes)
        self.made: list[str] = []

    async def __call__(self, path: Path, variant: str) -> Piece:
        await asyncio.sleep(0.01)
        self.made.append(variant)
        data = f"{variant} of {hashlib.sha256(path.read_bytes()).hexdigest()}".encode()
        sha256 = hashlib.sha256(data).hexdigest()
        target = self._folder / sha256
        target.write_bytes(data)
        blob = Blob(path=str(target), sha256=sha256, size_bytes=len(data))
        kind = "image/png" if variant != "audio" else "audio/wav"
        still = Probe(modality=Modality.IMAGE, container="png", media_type=kind, width=1280, height=720, frames=1)
        probe = self._probes.get(variant, still)
        return Piece(blob=blob, probe=replace(probe, sha256=sha256, size_bytes=len(data)), media_type=kind)

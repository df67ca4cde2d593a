"""A process that takes and runs jobs until it is done or dies: for tests that kill it.

It writes a line for each thing that it was promised (``created ID``, ``cancelled ID``, ``deleted ID``), at the moment
at which it was promised, so that a test can hold the promises against what is left; and ``deleting ID`` before it asks
for that.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from triptych.engines.registry import Registry
from triptych.errors import InvalidRequest, NotFound, QueueFull
from triptych.jobs.content import Folder
from triptych.jobs.service import Service
from triptych.jobs.store import Once
from triptych.jobs.term import Terms
from triptych.media import fetch
from triptych.run import prepare
from triptych.studio import Studio
from triptych.task import BytesSource, Job, Modality, Reference, Request, ResultSource, Role
from triptych.testing.job_double import JobDouble

STILL = b"P6 2 2 255\n" + bytes(range(12))
"""The smallest picture that can be read."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, and do what it says."""
    parser = argparse.ArgumentParser(prog="python -m triptych.testing.job_process")
    parser.add_argument("data", type=Path)
    parser.add_argument("act", choices=sorted(ACTS))
    parser.add_argument("--kill", default="", help="the transition at which to die, such as f.before")
    parser.add_argument("--kill-at", type=int, default=1, help="how often it is passed, the last time included")
    parser.add_argument("--keep-seconds", type=float, default=3600.0)
    parser.add_argument("--step-seconds", type=float, default=0.05)
    parser.add_argument("--engine", choices=("double", "animatic"), default="double")
    parser.add_argument("--name", default="", help="what prompts and keys begin with")
    options = parser.parse_args(arguments)
    asyncio.run(run(options))
    return 0


async def run(options: argparse.Namespace) -> None:
    """Open the folder, act, and close it."""
    folder = Folder(options.data.resolve())
    studio = Studio(
        registry=_registry(options, folder),
        policy=fetch.Policy(roots=(), max_bytes=1 << 26),
        spool=folder.content,
        work_dir=folder.work,
    )
    terms = Terms(
        keep_seconds=options.keep_seconds,
        progress_seconds=0.02,
        look_seconds=0.1,
        tend_seconds=0.1,
        beat_seconds=0.5,
        lease_seconds=5.0,
        grace_seconds=0.05,
        sweep_seconds=0.2,
    )
    async with Service(options.data, studio, terms=terms, checkpoint=dying(options.kill, options.kill_at)) as service:
        say("open", service.worker)
        await ACTS[options.act](service, options)
    say("closed")


def dying(where: str, passes: int) -> Callable[[str], None]:
    """A checkpoint that kills the process when it is passed for so many times."""
    passed: Counter[str] = Counter()

    def checkpoint(name: str) -> None:
        passed[name] += 1
        if name == where and passed[name] == passes:
            os.kill(os.getpid(), signal.SIGKILL)

    return checkpoint


def say(*words: str) -> None:
    """One line, at once."""
    sys.stdout.write(f"{' '.join(words)}\n")
    sys.stdout.flush()


async def mixed(service: Service, options: argparse.Namespace) -> None:
    """Take every way that a job can go; a job still runs when this ends."""
    first = await make(service, options, f"{options.name} first", shows=BytesSource(STILL))
    await make(service, options, f"{options.name} second", shows=ResultSource(first.id))
    await make(service, options, f"fail {options.name} third")
    waits = await make(service, options, f"{options.name} waits")
    await service.cancel(waits.id, owner="")
    say("cancelled", waits.id)
    gone = await make(service, options, f"{options.name} gone")
    await ended(service, gone)
    say("deleting", gone.id)
    await service.delete(gone.id, owner="")
    say("deleted", gone.id)
    last = await make(service, options, f"{options.name} last")
    while service.get(last.id, owner="").status == "queued":
        await asyncio.sleep(0.01)


async def one(service: Service, options: argparse.Namespace) -> None:
    """Take one job, and see it end."""
    await ended(service, await make(service, options, f"{options.name} only", shows=BytesSource(STILL)))


async def load(service: Service, options: argparse.Namespace) -> None:
    """Take one job after another, until the process is killed."""
    number = 0
    while True:
        number += 1
        try:
            job = await make(service, options, f"{options.name} {number}", key=f"{options.name}-{number}")
            if number % 5 == 0:
                await make(service, options, f"{options.name} after {number}", shows=ResultSource(job.id))
            if number % 7 == 0:
                await service.cancel(job.id, owner="")
                say("cancelled", job.id)
            if number % 11 == 0:
                say("deleting", job.id)
                await service.delete(job.id, owner="")
                say("deleted", job.id)
        except (InvalidRequest, QueueFull, NotFound):
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.05)


async def drain(service: Service, options: argparse.Namespace) -> None:
    """Run what there is, until nothing is left to run."""
    del options
    while (counts := service.counts()).queued or counts.in_progress:
        await asyncio.sleep(0.05)


ACTS = {"mixed": mixed, "one": one, "load": load, "drain": drain}


async def make(
    service: Service,
    options: argparse.Namespace,
    prompt: str,
    *,
    shows: BytesSource | ResultSource | None = None,
    key: str | None = None,
) -> Job:
    """Take one job, and say so once it is promised."""
    references: tuple[Reference, ...] = ()
    if shows is not None:
        kind = Modality.VIDEO if isinstance(shows, ResultSource) else Modality.IMAGE
        references = (Reference(role=Role.REFERENCE, source=shows, field="shown", modality=kind),)
    request = Request(prompt=prompt, engine=options.engine, references=references, seconds=0.5, width=128, height=128)
    plan = await prepare(request, service.studio, resolver=service.resolver(""))
    once = None if key is None else Once(key=key, digest=prompt, retry=False, received_at=0.0)
    job = await service.create(request, plan, owner="", asked={"prompt": prompt}, once=once)
    say("created", job.id)
    return job


async def ended(service: Service, job: Job) -> None:
    """Wait until a job has ended."""
    async for _ in service.watch(job.id, owner=""):
        pass


def _registry(options: argparse.Namespace, folder: Folder) -> Registry:
    if options.engine == "animatic":
        return Registry.installed()

    def note(prompt: str) -> None:
        with (folder.root.parent / "begun.txt").open("a", encoding="utf-8") as file:
            file.write(f"{prompt}\n")

    return JobDouble(steps=3, step_seconds=options.step_seconds, watch=note).registry()


if __name__ == "__main__":
    raise SystemExit(main())

"""What dead processes leave is taken back and cleared away."""

from __future__ import annotations

import asyncio
import fcntl
import os
from dataclasses import replace
from pathlib import Path

from tests.jobs.bench import QUICK, create, ended, open_service, until
from triptych.jobs.content import Folder
from triptych.task import Status
from triptych.testing.job_double import JobDouble


def leave(data: Path, worker: str, folder: str) -> None:
    """What a process leaves that was killed."""
    places = Folder(data)
    places.make()
    (places.work / folder / "run-x").mkdir(parents=True)
    (places.work / folder / "run-x" / "half.mp4").write_bytes(b"half")
    (places.run / f"{worker}.lock").write_text(folder)


def test_folders_and_locks_of_dead_processes_go_and_those_of_living_ones_stay(tmp_path: Path) -> None:
    leave(tmp_path, "worker_dead", "triptych-dead")
    leave(tmp_path, "worker_alive", "triptych-alive")
    (Folder(tmp_path).work / "triptych-nobodys").mkdir()

    async def run() -> None:
        lock = os.open(Folder(tmp_path).run / "worker_alive.lock", os.O_RDWR)
        fcntl.flock(lock, fcntl.LOCK_EX)
        async with open_service(tmp_path) as service:
            await service.sweep()
            assert {path.name for path in service.folder.work.iterdir()} == {"triptych-alive", service.studio.root.name}
            assert not (service.folder.run / "worker_dead.lock").exists()
            assert (service.folder.work / "triptych-alive" / "run-x" / "half.mp4").is_file()
        os.close(lock)

    asyncio.run(run())


def test_half_written_files_go_at_the_start_if_nobody_can_be_writing_them(tmp_path: Path) -> None:
    places = Folder(tmp_path)
    places.make()
    (places.content / "incoming-dead").write_bytes(b"")

    async def run() -> None:
        async with open_service(tmp_path) as first:
            assert list(first.folder.content.iterdir()) == []
            writing = first.folder.content / "incoming-alive"
            writing.write_bytes(b"")
            async with open_service(tmp_path) as second:
                await second.sweep()
                assert writing.exists()

    asyncio.run(run())


def test_expired_jobs_go_by_themselves(tmp_path: Path) -> None:
    async def run() -> None:
        terms = replace(QUICK, keep_seconds=0.2, sweep_seconds=0.1, content_lease_seconds=0.1)
        async with open_service(tmp_path, terms=terms) as service:
            job = await ended(service, await create(service))
            await until(lambda: service._store.get(job.id) is None)
            await until(lambda: not list(service.folder.content.iterdir()))

    asyncio.run(run())


def test_clearing_up_goes_on_after_it_failed_once(tmp_path: Path) -> None:
    async def run() -> None:
        terms = replace(QUICK, keep_seconds=0.2, sweep_seconds=0.1)
        async with open_service(tmp_path, terms=terms) as service:
            work = service.folder.work
            work.chmod(0)
            work.rename(tmp_path / "away")
            await asyncio.sleep(0.3)
            (tmp_path / "away").rename(work)
            work.chmod(0o700)
            job = await ended(service, await create(service))
            await until(lambda: service._store.get(job.id) is None)
            assert job.status is Status.COMPLETED

    asyncio.run(run())


def test_a_job_whose_process_left_no_lock_is_taken_back(tmp_path: Path) -> None:
    async def run() -> None:
        gate = asyncio.Event()
        engine = JobDouble(gate=gate)
        async with open_service(tmp_path, engine) as service:
            job = await create(service)
            await until(lambda: len(engine.begun) == 1)
            (service.folder.run / f"{service.worker}.lock").unlink()
            async with open_service(tmp_path) as other:
                assert (await ended(other, job)).attempt == 2
            gate.set()

    asyncio.run(run())

"""How runs go, and how they end."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from tests.jobs.bench import QUICK, content, create, ended, open_service, until
from triptych.errors import Cancelled, ChildCrashed, InvalidRequest, Problem
from triptych.jobs.bind import UnexpectedError
from triptych.jobs.worker import reason
from triptych.task import Status
from triptych.testing.job_double import JobDouble


def test_as_many_run_at_once_as_may_and_the_rest_in_order(tmp_path: Path) -> None:
    async def run() -> None:
        gate = asyncio.Event()
        engine = JobDouble(gate=gate)
        async with open_service(tmp_path, engine, terms=replace(QUICK, workers=2)) as service:
            jobs = [await create(service, f"{n}") for n in range(5)]
            await until(lambda: len(engine.begun) == 2)
            await asyncio.sleep(0.2)
            assert engine.begun == ["0", "1"]
            states = [service.get(job.id, owner="").status for job in jobs]
            assert states == [Status.IN_PROGRESS] * 2 + [Status.QUEUED] * 3
            gate.set()
            for job in jobs:
                await ended(service, job)
            assert engine.begun == ["0", "1", "2", "3", "4"]

    asyncio.run(run())


def test_an_engine_that_returns_at_once_leaves_no_job_waiting(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path, JobDouble(steps=0)) as service:
            jobs = await asyncio.gather(*(create(service, f"{n}") for n in range(20)))
            for job in jobs:
                assert (await ended(service, job)).status is Status.COMPLETED

    asyncio.run(run())


def test_progress_is_seen_at_once_here_and_written_a_few_times_a_second(tmp_path: Path) -> None:
    async def run() -> None:
        engine = JobDouble(steps=400, step_seconds=0.001)
        terms = replace(QUICK, progress_seconds=0.25)
        async with open_service(tmp_path, engine, terms=terms) as service:
            job = await create(service)
            await until(lambda: service.get(job.id, owner="").done > 5)
            before = service._store.commits
            seen = 0
            async for _ in service.watch(job.id, owner=""):
                seen += 1
            assert seen > 50
            assert service._store.commits - before < 20

    asyncio.run(run())


def test_a_job_whose_lease_was_lost_is_let_go_and_completed_once(tmp_path: Path) -> None:
    async def run() -> None:
        gate = asyncio.Event()
        engine = JobDouble(gate=gate)
        async with open_service(tmp_path, engine) as service:
            job = await create(service)
            await until(lambda: len(engine.begun) == 1)
            db = sqlite3.connect(tmp_path / "jobs.sqlite3")
            db.execute("UPDATE job SET worker = 'worker_nobody'")
            db.commit()
            db.close()
            await until(lambda: len(engine.begun) == 2)
            await until(lambda: len(engine.closed) == 1)
            gate.set()
            done = await ended(service, job)
            assert (done.status, done.attempt) == (Status.COMPLETED, 2)
            assert len(content(service)) == 1

    asyncio.run(run())


def test_a_long_run_keeps_its_lease(tmp_path: Path) -> None:
    async def run() -> None:
        engine = JobDouble(step_seconds=0.8, steps=2)
        terms = replace(QUICK, lease_seconds=0.6, beat_seconds=0.2)
        async with open_service(tmp_path, engine, terms=terms) as service:
            done = await ended(service, await create(service))
            assert (done.status, done.attempt) == (Status.COMPLETED, 1)

    asyncio.run(run())


def test_a_job_of_one_process_is_run_by_another(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path, terms=replace(QUICK, workers=0)) as asks, open_service(tmp_path):
            assert (await ended(asks, await create(asks))).status is Status.COMPLETED

    asyncio.run(run())


@pytest.mark.parametrize(
    ("error", "code", "param", "says"),
    [
        (ChildCrashed("signal 9"), "child_crashed", None, "signal 9"),
        (Cancelled(), "cancelled", None, "stopped on request"),
        (UnexpectedError("lasts 1 s", "references[0]"), "input_failed", "references[0]", "lasts 1 s"),
        (ValueError("/home/secret/key"), "engine_failed", None, "ValueError"),
        (
            InvalidRequest([Problem(code="media_unreadable", field="image", message="damaged")]),
            "media_unreadable",
            "image",
            "image: damaged",
        ),
    ],
)
def test_a_failure_is_told_by_its_code_and_without_secrets(
    error: BaseException, code: str, param: str | None, says: str
) -> None:
    told = reason(error)
    assert (told.code, told.param) == (code, param) and says in told.message and "secret" not in told.message

"""How jobs end before their time, and what is left of them."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.jobs.bench import QUICK, ask, content, create, ended, keep, open_service, until
from triptych.errors import Expired, InvalidRequest, NotFound
from triptych.jobs.content import Folder
from triptych.run import prepare
from triptych.task import Status
from triptych.testing.job_double import JobDouble


def test_pages_are_in_order_and_go_on_behind_what_was_deleted(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path, terms=replace(QUICK, workers=0)) as service:
            ids = [(await create(service, f"{n}")).id for n in range(5)]
            newest = service.page(owner="", limit=2)
            assert [job.id for job in newest.jobs] == [ids[4], ids[3]] and newest.has_more
            await service.delete(ids[3], owner="")
            rest = service.page(owner="", after=ids[3], limit=10)
            assert [job.id for job in rest.jobs] == [ids[2], ids[1], ids[0]] and not rest.has_more
            oldest = service.page(owner="", limit=3, order="asc")
            assert [job.id for job in oldest.jobs] == ids[:3] and oldest.has_more
            with pytest.raises(InvalidRequest, match="no id of a video"):
                service.page(owner="", after="video_1")

    asyncio.run(run())


def test_a_queued_job_is_cancelled_at_once_and_an_ended_one_stays_as_it_is(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path, terms=replace(QUICK, workers=0)) as service:
            job = await service.cancel((await create(service)).id, owner="")
            assert job.status is Status.FAILED and job.error is not None and job.error.code == "cancelled"
            assert await service.cancel(job.id, owner="") == job

    asyncio.run(run())


def test_cancel_reaches_the_engine_here_and_in_another_process(tmp_path: Path) -> None:
    async def run() -> None:
        engine = JobDouble(gate=asyncio.Event())
        async with (
            open_service(tmp_path, engine) as runs,
            open_service(tmp_path, terms=replace(QUICK, workers=0)) as asks,
        ):
            for service in (runs, asks):
                job = await create(service, f"by {service.worker}")
                await until(lambda: len(engine.begun) > len(engine.closed))
                began = time.monotonic()
                stopped = await service.cancel(job.id, owner="")
                assert time.monotonic() - began < 2
                assert stopped.status is Status.FAILED and stopped.error is not None
                assert stopped.error.code == "cancelled"
                assert engine.closed == engine.begun, "its generator was closed before the answer"
            assert list(runs.studio.root.glob("run-*")) == [] and content(runs) == set()

    asyncio.run(run())


def test_deletion_is_final_while_the_job_runs_and_stops_it(tmp_path: Path) -> None:
    async def run() -> None:
        engine = JobDouble(gate=asyncio.Event())
        async with open_service(tmp_path, engine) as service:
            job = await create(service)
            await until(lambda: engine.begun == ["a boat"])
            await service.delete(job.id, owner="")
            assert engine.closed == ["a boat"]
            for _ in range(2):
                with pytest.raises(NotFound):
                    service.get(job.id, owner="")
                with pytest.raises(NotFound):
                    await service.delete(job.id, owner="")
            assert content(service) == set()

    asyncio.run(run())


def test_deletion_wins_every_race_with_completion(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path, JobDouble(steps=1)) as service:
            for number in range(40):
                job = await create(service, f"{number}")
                if number % 2:
                    await until(lambda: service.get(job.id, owner="").status is not Status.QUEUED)  # noqa: B023  (called at once)
                await asyncio.sleep(0.0005 * (number % 7))
                await service.delete(job.id, owner="")
                with pytest.raises(NotFound):
                    service.get(job.id, owner="")
            assert service.page(owner="").jobs == ()
            assert content(service) == set()

    asyncio.run(run())


def test_a_deleted_video_is_gone_at_once_unless_another_job_made_the_same(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path) as service:
            first = await ended(service, await create(service, "same"))
            second = await ended(service, await create(service, "same"))
            assert len(content(service)) == 1
            await service.delete(first.id, owner="")
            assert (await service.piece(second.id, owner="")).path.read_bytes() == b"same\n0\n"
            await service.delete(second.id, owner="")
            assert content(service) == set()

    asyncio.run(run())


def test_record_and_file_expire_together_and_that_is_remembered_for_a_time(tmp_path: Path) -> None:
    now = [time.time()]
    terms = replace(QUICK, keep_seconds=100, tombstone_seconds=1000)

    async def run() -> None:
        async with open_service(tmp_path, terms=terms, clock=lambda: now[0]) as service:
            job = await ended(service, await create(service))
            now[0] += 99
            await service.sweep()
            assert service.get(job.id, owner="").status is Status.COMPLETED
            now[0] += 2
            with pytest.raises(Expired):  # before anybody has swept
                service.get(job.id, owner="")
            assert service.page(owner="").jobs == ()
            await service.sweep()
            assert content(service) == set()
            for act in (service.piece, service.cancel, service.delete):
                with pytest.raises(Expired):
                    await act(job.id, owner="")
            with pytest.raises(NotFound):
                service.get(job.id, owner="somebody else")
            now[0] += 1001
            await service.sweep()
            with pytest.raises(NotFound):
                service.get(job.id, owner="")

    asyncio.run(run())


def test_what_waits_does_not_expire(tmp_path: Path) -> None:
    now = [time.time()]

    async def run() -> None:
        terms = replace(QUICK, workers=0, keep_seconds=1)
        async with open_service(tmp_path, terms=terms, clock=lambda: now[0]) as service:
            job = await create(service)
            now[0] += 1e6
            await service.sweep()
            assert service.get(job.id, owner="").status is Status.QUEUED

    asyncio.run(run())


def test_a_watch_of_another_process_hears_too_and_ends_when_the_job_is_deleted(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path) as runs, open_service(tmp_path, terms=replace(QUICK, workers=0)) as sees:
            job = await create(sees)
            assert (await ended(sees, job)).status is Status.COMPLETED
            assert runs.get(job.id, owner="") == sees.get(job.id, owner="")
        async with open_service(tmp_path, terms=replace(QUICK, workers=0)) as service:
            job = await create(service)
            async with aclosing(service.watch(job.id, owner="")) as watched:
                await anext(watched)
                await service.delete(job.id, owner="")
                with pytest.raises(StopAsyncIteration):
                    await anext(watched)

    asyncio.run(run())


def test_closing_gives_a_running_job_back_uncounted_and_leaves_the_rest_queued(tmp_path: Path) -> None:
    async def first() -> tuple[str, str]:
        engine = JobDouble(gate=asyncio.Event())
        async with open_service(tmp_path, engine) as service:
            running, waiting = await create(service, "running"), await create(service, "waiting")
            await until(lambda: engine.begun == ["running"])
        assert engine.closed == ["running"]
        return running.id, waiting.id

    async def second(running: str, waiting: str) -> None:
        async with open_service(tmp_path, terms=replace(QUICK, workers=0)) as service:
            for id in (running, waiting):
                job = service.get(id, owner="")
                assert (job.status, job.attempt) == (Status.QUEUED, 0)
        async with open_service(tmp_path) as service:
            assert (await ended(service, running)).attempt == 1
            assert (await ended(service, waiting)).status is Status.COMPLETED
        assert {path.name for path in Folder(tmp_path).run.iterdir()} == {"door"}
        assert list(Folder(tmp_path).work.iterdir()) == []

    asyncio.run(second(*asyncio.run(first())))


def test_closing_lets_a_job_finish_that_needs_but_a_moment(tmp_path: Path) -> None:
    async def run() -> str:
        engine = JobDouble(step_seconds=0.05)
        async with open_service(tmp_path, engine, terms=replace(QUICK, grace_seconds=10.0)) as service:
            job = await create(service)
            await until(lambda: engine.begun == ["a boat"])
        return job.id

    async def look(id: str) -> None:
        async with open_service(tmp_path, terms=replace(QUICK, workers=0)) as service:
            assert service.get(id, owner="").status is Status.COMPLETED

    asyncio.run(look(asyncio.run(run())))


def test_uploaded_files_are_kept_listed_and_deleted(tmp_path: Path) -> None:
    now = [time.time()]

    async def run() -> None:
        terms = replace(QUICK, keep_files_seconds=5000, content_lease_seconds=1000)
        async with open_service(tmp_path, terms=terms, clock=lambda: now[0]) as service:
            said = {"owner": "a", "media_type": "image/png", "purpose": "vision"}
            first = await service.add_file(keep(service, b"one"), file_name="one.png", **said)
            second = await service.add_file(keep(service, b"two"), file_name="two.png", **said)
            assert service.file(first.id, owner="a") == first and Path(first.blob.path).read_bytes() == b"one"
            assert [file.id for file in service.files(owner="a").files] == [second.id, first.id]
            assert service.files(owner="a", purpose="character").files == () == service.files(owner="b").files
            with pytest.raises(NotFound):
                service.file(first.id, owner="b")
            with pytest.raises(NotFound):
                await service.delete_file(first.id, owner="b")
            now[0] += 2000  # the lease of the upload is over
            await service.delete_file(first.id, owner="a")
            with pytest.raises(NotFound):
                service.file(first.id, owner="a")
            assert content(service) == {second.blob.sha256}
            now[0] += 4000
            await service.sweep()
            with pytest.raises(Expired):
                service.file(second.id, owner="a")
            assert content(service) == set()

    asyncio.run(run())


def test_who_is_stopped_while_a_job_or_a_file_is_stored_leaves_none(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path, terms=replace(QUICK, workers=0)) as service:
            plan = await prepare(ask(), service.studio)
            for turns in range(4):
                making = asyncio.create_task(service.create(ask(), plan, owner="", asked={}))
                said = {"file_name": "x", "media_type": "image/png", "purpose": ""}
                adding = asyncio.create_task(service.add_file(keep(service, b"x"), owner="", **said))
                for _ in range(turns):
                    await asyncio.sleep(0)
                making.cancel()
                adding.cancel()
                found = await asyncio.gather(making, adding, return_exceptions=True)
                assert all(isinstance(one, asyncio.CancelledError) for one in found)
            assert service.page(owner="").jobs == () and service.files(owner="").files == ()

    asyncio.run(run())

"""Jobs as whoever serves them sees them."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.jobs.bench import QUICK, ask, content, create, ended, open_service
from triptych.errors import InvalidRequest, NotFound, NotReady, QueueFull, StorageFailed
from triptych.jobs.service import Service
from triptych.studio import Studio
from triptych.task import BlobSource, BytesSource, Job, Status
from triptych.testing.job_double import JobDouble
from triptych.testing.media import picture_bytes, quarters

PICTURE = BytesSource(picture_bytes(quarters()))


def test_a_job_goes_from_queued_to_completed_and_its_video_is_kept(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path) as service:
            job = await create(service, ask("a boat", PICTURE), asked={"metadata": {"k": "v"}})
            assert job.status is Status.QUEUED and job.percent == 0 and job.expires_at is None
            done = await ended(service, job)
            assert done.status is Status.COMPLETED and done.percent == 100 and done.attempt == 1
            assert done.asked == {"metadata": {"k": "v"}} and done.result is not None
            assert done.started_at is not None and done.completed_at is not None
            assert done.expires_at == pytest.approx(done.completed_at + QUICK.keep_seconds)
            assert [receipt.slot for receipt in done.result.receipts] == ["reference_images[0]"]
            stored = await service.piece(job.id, owner="")
            assert stored.path.read_bytes() == b"a boat\n0\n" and stored.file_name == f"{job.id}.mp4"
            assert content(service) == {stored.sha256, job.plan.slots[0].blob.sha256}
            assert list(service.studio.root.glob("run-*")) == [], "the work folder of the run is gone"

    asyncio.run(run())


def test_after_a_restart_the_job_is_the_same_and_can_be_asked_again(tmp_path: Path) -> None:
    async def first() -> Job:
        async with open_service(tmp_path / "old") as service:
            return await ended(service, await create(service, ask("a boat", PICTURE)))

    async def second(before: Job) -> None:
        async with open_service(tmp_path / "new") as service:
            job = service.get(before.id, owner="")
            assert job.result is not None and before.result is not None
            (source,) = [one.source for one in job.request.references]
            assert isinstance(source, BlobSource) and source.blob.path.startswith(str(service.folder.content))
            moved = replace(job.result.outputs[0], path=before.result.outputs[0].path)
            assert moved == before.result.outputs[0], "all but the place is as it was"
            again = await ended(service, await create(service, replace(job.request, prompt="a ship"), parent=job.id))
            assert again.status is Status.COMPLETED and again.parent == job.id

    before = asyncio.run(first())
    (tmp_path / "old").rename(tmp_path / "new")
    asyncio.run(second(before))


def test_the_database_holds_no_path(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path) as service:
            await ended(service, await create(service, ask("a boat", PICTURE)))

    asyncio.run(run())
    assert str(tmp_path).encode() not in (tmp_path / "jobs.sqlite3").read_bytes()


def test_a_failed_job_says_why(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path) as service:
            job = await ended(service, await create(service, "fail, please"))
            assert job.status is Status.FAILED and job.error is not None
            assert job.error.code == "engine_failed" and "fail, please" in job.error.message
            assert job.expires_at is not None and content(service) == set()

    asyncio.run(run())


def test_a_caller_sees_only_their_own(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path) as service:
            job = await create(service, owner="a")
            for act in (service.delete, service.cancel, service.piece):
                with pytest.raises(NotFound):
                    await act(job.id, owner="b")
            with pytest.raises(NotFound):
                service.get(job.id, owner="b")
            assert service.page(owner="b").jobs == () and len(service.page(owner="a").jobs) == 1
            async with aclosing(service.watch(job.id, owner="b")) as watched:
                with pytest.raises(NotFound):
                    await anext(watched)

    asyncio.run(run())


def test_the_queue_is_bounded_and_places_in_it_are_known(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path, terms=replace(QUICK, workers=0, max_queued=3)) as service:
            jobs = [await create(service, f"{n}") for n in range(3)]
            assert [service.position(job) for job in jobs] == [0, 1, 2]
            with pytest.raises(QueueFull, match="no more than 3"):
                await create(service, "one more")
            assert service.counts().queued == 3
            cancelled = await service.cancel(jobs[0].id, owner="")
            assert service.position(cancelled) is None and service.position(jobs[2]) == 1
            await create(service, "there is room again")

    asyncio.run(run())


def test_watching_tells_each_change_at_once_and_ends_with_the_job(tmp_path: Path) -> None:
    async def run() -> None:
        gate = asyncio.Event()
        async with open_service(tmp_path, JobDouble(gate=gate), terms=replace(QUICK, look_seconds=30.0)) as service:
            job = await create(service)
            seen: list[Job] = []
            opened = 0.0
            async for state in service.watch(job.id, owner=""):
                seen.append(state)
                if state.done == 1 and not gate.is_set():
                    gate.set()
                    opened = time.monotonic()
            assert time.monotonic() - opened < 0.5
            assert seen[0].status is Status.QUEUED
            assert seen[-1].status is Status.COMPLETED
            done = [state.percent for state in seen]
            assert done == sorted(done) and 50 in done
            assert len(service._bus) == 0

    asyncio.run(run())


def test_a_closed_watch_leaves_nothing_behind(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path, terms=replace(QUICK, workers=0)) as service:
            job = await create(service)
            async with aclosing(service.watch(job.id, owner="")) as watched:
                await anext(watched)
                waiting = asyncio.ensure_future(anext(watched))
                await asyncio.sleep(0)
                assert len(service._bus) == 1
                waiting.cancel()
                await asyncio.gather(waiting, return_exceptions=True)
            assert len(service._bus) == 0

    asyncio.run(run())


def test_what_is_not_ready_says_so(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path, terms=replace(QUICK, workers=0)) as service:
            job = await create(service)
            with pytest.raises(NotReady, match="is queued"):
                await service.piece(job.id, owner="")
            with pytest.raises(InvalidRequest, match="variant"):
                await service.piece(job.id, owner="", variant="poster")

    asyncio.run(run())


def test_a_studio_that_keeps_its_inputs_elsewhere_is_refused(tmp_path: Path) -> None:
    async def run() -> None:
        with pytest.raises(ValueError, match="spool"):
            async with Service(tmp_path / "data", Studio(registry=JobDouble().registry())):
                pass
        assert list((tmp_path / "data" / "run").glob("*.lock")) == []
        (tmp_path / "file").write_text("")
        with pytest.raises(StorageFailed):
            async with open_service(tmp_path / "file"):
                pass

    asyncio.run(run())


def test_a_status_is_read_in_microseconds(tmp_path: Path) -> None:
    async def run() -> float:
        async with open_service(tmp_path, terms=replace(QUICK, workers=0)) as service:
            job = await create(service)
            took = []
            for _ in range(200):
                began = time.perf_counter()
                service.get(job.id, owner="")
                took.append(time.perf_counter() - began)
            return sorted(took)[100]

    assert asyncio.run(run()) < 0.0005

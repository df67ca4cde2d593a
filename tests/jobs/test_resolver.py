"""Results named in requests: found, promised, or refused; and bound when they are there."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.jobs.bench import QUICK, Pieces, ask, content, create, ended, keep, open_service, until
from triptych.errors import InvalidRequest
from triptych.run import prepare
from triptych.task import Blob, Job, Modality, Pending, Probe, ResultSource, Status
from triptych.testing.job_double import JobDouble
from triptych.testing.media import make_clip


def clip(tmp_path: Path) -> Path:
    path = tmp_path / "clip.mp4"
    make_clip(path)
    return path


def test_what_is_there_is_found_and_what_runs_is_promised(tmp_path: Path) -> None:
    async def run() -> None:
        gate = asyncio.Event()
        pieces = Pieces(tmp_path / "data" / "content")
        async with open_service(tmp_path / "data", JobDouble(gate=gate), pieces=pieces) as service:
            job = await create(service)
            resolver = service.resolver("")

            async def resolve(id: str) -> Blob | Pending:
                return await asyncio.to_thread(resolver.resolve, ResultSource(id), field="references[0]")

            promised = await resolve(f"{job.id}.last_frame")
            assert isinstance(promised, Pending) and promised.probe.modality is Modality.IMAGE
            assert isinstance(await resolve(job.id), Pending)
            gate.set()
            await ended(service, job)
            video = await resolve(job.id)
            assert isinstance(video, Blob) and Path(video.path).read_bytes() == b"a boat\n0\n"
            still = await resolve(f"{job.id}.last_frame")
            again = await resolve(f"{job.id}.last_frame")
            assert isinstance(still, Blob) and still == again and pieces.made == ["last_frame"]
            uploaded = await service.add_file(
                keep(service, b"x"), owner="", file_name="x.png", media_type="image/png", purpose="vision"
            )
            assert await resolve(uploaded.id) == uploaded.blob

    asyncio.run(run())


def test_unknown_foreign_and_expired_ids_read_the_same(tmp_path: Path) -> None:
    ahead = [0.0]

    async def run() -> None:
        async with open_service(tmp_path, clock=lambda: time.time() + ahead[0]) as service:
            foreign = await ended(service, await create(service, owner="b"), owner="b")
            uploaded = await service.add_file(
                keep(service, b"x"), owner="b", file_name="x", media_type="image/png", purpose=""
            )
            mine = await ended(service, await create(service))
            ahead[0] = 8 * 86_400
            texts = set()
            ids = (mine.id, foreign.id, uploaded.id, f"{mine.id}.poster", "file_x", "", "../../etc/passwd", "x" * 900)
            for id in ids:
                with pytest.raises(InvalidRequest) as refused:
                    await asyncio.to_thread(service.resolver("").resolve, ResultSource(id), field="f")
                (problem,) = refused.value.problems
                assert problem.code == "media_not_found" and problem.field == "f"
                texts.add(problem.message.replace(repr(id), "ID"))
            assert len({text for text in texts if "x" * 50 not in text}) == 1

    asyncio.run(run())


def test_a_result_of_a_failed_job_is_refused_by_name(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path) as service:
            job = await ended(service, await create(service, "fail it"))
            with pytest.raises(InvalidRequest, match=f"{job.id} failed"):
                await create(service, ask("then", ResultSource(f"{job.id}.last_frame")))

    asyncio.run(run())


def test_a_chain_of_three_waits_and_each_is_given_the_video_before(tmp_path: Path) -> None:
    async def run() -> None:
        gate = asyncio.Event()
        engine = JobDouble(gate=gate)
        async with open_service(tmp_path, engine, terms=replace(QUICK, workers=3)) as service:
            first = await create(service, ask("first", seconds=1.0))
            second = await create(service, ask("second <Video 1>", ResultSource(first.id), seconds=1.0))
            third = await create(service, ask("third <Video 1>", ResultSource(second.id)))
            assert second.waits_for == (first.id,) and third.waits_for == (second.id,)
            await until(lambda: engine.begun == ["first"])
            await asyncio.sleep(0.3)
            assert engine.begun == ["first"], "nothing is begun before what it waits for has ended"
            gate.set()
            for job, before in ((second, first), (third, second)):
                done = await ended(service, job)
                assert done.status is Status.COMPLETED, done.error
                source = service.get(before.id, owner="").result
                assert source is not None and done.result is not None
                assert done.plan.slots[0].blob.sha256 == source.outputs[0].sha256
                assert done.result.receipts[0].source_sha256 == source.outputs[0].sha256
                assert done.plan.labels[0].sha256 == source.outputs[0].sha256
                assert done.waits_for == (before.id,)

    asyncio.run(run())


def test_a_piece_is_made_when_its_video_is_there(tmp_path: Path) -> None:
    async def run() -> None:
        pieces = Pieces(tmp_path / "data" / "content")
        async with open_service(tmp_path / "data", JobDouble(step_seconds=0.2), pieces=pieces) as service:
            first = await create(service, "first")
            second = await create(service, ask("second", ResultSource(f"{first.id}.last_frame")))
            done = await ended(service, second)
            assert done.status is Status.COMPLETED and pieces.made == ["last_frame"]
            data = Path(done.plan.slots[0].blob.path).read_bytes()
            assert data.startswith(b"last_frame of ")

    asyncio.run(run())


@pytest.mark.parametrize("fate", ["fails", "is cancelled", "is deleted"])
def test_what_was_waited_for_does_not_come_and_all_who_wait_fail(tmp_path: Path, fate: str) -> None:
    async def run() -> None:
        gate = asyncio.Event()
        engine = JobDouble(gate=gate)
        async with open_service(tmp_path, engine, terms=replace(QUICK, workers=3)) as service:
            first = await create(service, ask("fail" if fate == "fails" else "first"))
            second = await create(service, ask("second", ResultSource(first.id)))
            third = await create(service, ask("third", ResultSource(f"{second.id}.last_frame")))
            await until(lambda: len(engine.begun) == 1)
            if fate == "fails":
                gate.set()
            elif fate == "is cancelled":
                await service.cancel(first.id, owner="")
            else:
                await service.delete(first.id, owner="")
            for job, source in ((second, first.id), (third, f"{second.id}.last_frame")):
                done = await ended(service, job)
                assert done.error is not None and done.error.code == "input_failed"
                assert done.error.param == "references[0]" and source in done.error.message
            assert len(engine.begun) == 1

    asyncio.run(run())


def test_what_comes_is_not_what_was_promised_and_the_job_fails_by_name(tmp_path: Path) -> None:
    async def run() -> None:
        short = Probe(
            modality=Modality.VIDEO, container="mov", media_type="video/mp4", width=1280, height=720, seconds=1
        )
        async with open_service(tmp_path, JobDouble(step_seconds=0.2, probe=short)) as service:
            first = await create(service, "first")
            done = await ended(service, await create(service, ask("second", ResultSource(first.id))))
            assert done.error is not None and done.error.code == "input_failed"
            assert done.error.param == "references[0]" and "lasts 1.000 s, not 5.000 s" in done.error.message

    asyncio.run(run())


def test_a_job_keeps_what_it_uses_when_its_source_is_deleted(tmp_path: Path) -> None:
    async def run() -> None:
        source = clip(tmp_path)
        terms = replace(QUICK, workers=0, content_lease_seconds=0.0)
        async with open_service(tmp_path / "data", JobDouble(video=source)) as service:
            first = await ended(service, await create(service, "first"))
        async with open_service(tmp_path / "data", terms=terms) as service:
            # Both ways: the bytes were there when it was made, and they came while it waited.
            there = await create(service, ask("second", ResultSource(first.id)))
            await service.delete(first.id, owner="")
            await service.sweep()
            assert content(service) == {there.plan.slots[0].blob.sha256}
        async with open_service(tmp_path / "data") as service:
            assert (await ended(service, there)).status is Status.COMPLETED

    asyncio.run(run())


def test_a_job_keeps_what_came_while_it_waited_when_its_source_is_deleted(tmp_path: Path) -> None:
    async def run() -> None:
        gate = asyncio.Event()
        engine = JobDouble(gate=gate)
        async with open_service(tmp_path, engine, terms=replace(QUICK, content_lease_seconds=0.0)) as service:
            first = await create(service, "first")
            blocker = await create(service, "blocker")
            second = await create(service, ask("second", ResultSource(first.id)))
            await until(lambda: engine.begun == ["first"])
            gate.set()
            await ended(service, first)
            gate.clear()
            await service.delete(first.id, owner="")
            await service.sweep()
            gate.set()
            await ended(service, blocker)
            assert (await ended(service, second)).status is Status.COMPLETED

    asyncio.run(run())


def test_an_input_that_is_gone_when_the_job_is_stored_is_refused(tmp_path: Path) -> None:
    async def run() -> Job | None:
        async with open_service(tmp_path / "data", JobDouble(video=clip(tmp_path))) as service:
            first = await ended(service, await create(service, "first"))
            request = ask("second", ResultSource(first.id))
            plan = await prepare(request, service.studio, resolver=service.resolver(""))
            Path(plan.slots[0].blob.path).unlink()
            with pytest.raises(InvalidRequest, match=r"references\[0\]: its bytes are not here any more"):
                await service.create(request, plan, owner="", asked={})
            assert len(service.page(owner="").jobs) == 1
            return None

    asyncio.run(run())


def test_a_source_that_fails_before_the_job_is_stored_is_refused(tmp_path: Path) -> None:
    async def run() -> None:
        gate = asyncio.Event()
        async with open_service(tmp_path, JobDouble(gate=gate)) as service:
            first = await create(service, "fail first")
            request = ask("second", ResultSource(first.id))
            plan = await prepare(request, service.studio, resolver=service.resolver(""))
            gate.set()
            await ended(service, first)
            with pytest.raises(InvalidRequest, match=f"{first.id} failed"):
                await service.create(request, plan, owner="", asked={})
            await service.delete(first.id, owner="")
            with pytest.raises(InvalidRequest, match="no result"):
                await service.create(request, plan, owner="", asked={})

    asyncio.run(run())


def test_a_source_that_is_completed_before_the_job_is_stored_is_used(tmp_path: Path) -> None:
    async def run() -> None:
        gate = asyncio.Event()
        async with open_service(tmp_path, JobDouble(gate=gate)) as service:
            first = await create(service, "first")
            request = ask("second", ResultSource(first.id))
            plan = await prepare(request, service.studio, resolver=service.resolver(""))
            gate.set()
            await ended(service, first)
            second = await service.create(request, plan, owner="", asked={})
            assert (await ended(service, second)).status is Status.COMPLETED

    asyncio.run(run())

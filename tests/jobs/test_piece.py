"""Pieces of finished jobs: made once, kept, and gone with their job."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.jobs.bench import Pieces, content, create, ended, open_service
from triptych.errors import InvalidRequest, NoResult
from triptych.jobs.pending import NoSoundError
from triptych.task import Modality, Probe
from triptych.testing.job_double import JobDouble


def test_a_piece_is_made_once_however_many_want_it(tmp_path: Path) -> None:
    async def run() -> None:
        pieces = Pieces(tmp_path / "content")
        async with open_service(tmp_path, pieces=pieces) as service:
            job = await ended(service, await create(service))
            wanted = [service.piece(job.id, owner="", variant="thumbnail") for _ in range(5)]
            found = await asyncio.gather(*wanted)
            assert len(set(found)) == 1 and pieces.made == ["thumbnail"]
            assert found[0].file_name == f"{job.id}_thumbnail.png" and found[0].path.is_file()
        async with open_service(tmp_path, pieces=pieces) as service:
            assert await service.piece(job.id, owner="", variant="thumbnail") == found[0]
            assert pieces.made == ["thumbnail"]
            await service.delete(job.id, owner="")
            assert content(service) == set()

    asyncio.run(run())


def test_the_first_to_ask_may_go_away(tmp_path: Path) -> None:
    async def run() -> None:
        pieces = Pieces(tmp_path / "content")
        async with open_service(tmp_path, pieces=pieces) as service:
            job = await ended(service, await create(service))
            first = asyncio.create_task(service.piece(job.id, owner="", variant="audio"))
            second = asyncio.create_task(service.piece(job.id, owner="", variant="audio"))
            await asyncio.sleep(0)
            first.cancel()
            assert (await second).media_type == "audio/wav" and pieces.made == ["audio"]

    asyncio.run(run())


def test_a_piece_whose_file_was_lost_is_made_again(tmp_path: Path) -> None:
    async def run() -> None:
        pieces = Pieces(tmp_path / "content")
        async with open_service(tmp_path, pieces=pieces) as service:
            job = await ended(service, await create(service))
            (await service.piece(job.id, owner="", variant="last_frame")).path.unlink()
            assert (await service.piece(job.id, owner="", variant="last_frame")).path.is_file()
            assert pieces.made == ["last_frame"] * 2

    asyncio.run(run())


def test_pieces_that_cannot_be_are_refused(tmp_path: Path) -> None:
    silent = Probe(modality=Modality.VIDEO, container="mov", media_type="video/mp4", width=64, height=64)

    async def run() -> None:
        async with open_service(tmp_path, JobDouble(probe=silent)) as service:
            job = await ended(service, await create(service))
            with pytest.raises(NoSoundError):
                await service.piece(job.id, owner="", variant="audio")
            with pytest.raises(InvalidRequest, match="index: there is no output 1"):
                await service.piece(job.id, owner="", index=1)
            failed = await ended(service, await create(service, "fail"))
            with pytest.raises(NoResult, match="the double fails"):
                await service.piece(failed.id, owner="")

    asyncio.run(run())

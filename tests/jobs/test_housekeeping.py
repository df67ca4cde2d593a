"""What is removed, and what is not yet."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.jobs.bench import QUICK, ask, content, create, ended, keep, open_service
from triptych.errors import InvalidRequest
from triptych.jobs import housekeeping
from triptych.task import Blob, BytesSource, ResultSource
from triptych.testing.job_double import JobDouble
from triptych.testing.media import make_clip, picture_bytes, quarters


def age(path: Path, seconds: float) -> None:
    stamp = time.time() - seconds
    os.utime(path, (stamp, stamp))


def test_a_file_that_nothing_refers_to_is_swept_when_its_lease_is_over(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path) as service:
            job = await ended(service, await create(service, ask("a boat", BytesSource(picture_bytes(quarters())))))
            needed = content(service)
            old, fresh = keep(service, b"old"), keep(service, b"fresh")
            half, writing = service.folder.content / "incoming-old", service.folder.content / "incoming-new"
            half.write_bytes(b"")
            writing.write_bytes(b"")
            for path in (Path(old.path), half, *(service.folder.content / name for name in needed)):
                age(path, 3700)
            await service.sweep()
            assert content(service) == needed | {fresh.sha256, "incoming-new"}
            assert service.get(job.id, owner="").status == "completed"

    asyncio.run(run())


def test_a_file_that_a_request_is_about_to_use_stays_when_its_job_is_deleted(tmp_path: Path) -> None:
    async def run() -> None:
        clip = tmp_path / "clip.mp4"
        make_clip(clip)
        async with open_service(tmp_path / "data", JobDouble(video=clip)) as service:
            job = await ended(service, await create(service))
            assert job.result is not None
            sha256 = job.result.outputs[0].sha256
            age(service.folder.content / sha256, 0)
            # Somebody's request finds it, and is not stored yet.
            found = await asyncio.to_thread(service.resolver("").resolve, ResultSource(job.id), field="f")
            await service.delete(job.id, owner="")
            assert content(service) == {sha256}
            assert isinstance(found, Blob) and Path(found.path).is_file()
            age(service.folder.content / sha256, 3700)
            await service.sweep()
            assert content(service) == set()

    asyncio.run(run())


def test_a_file_that_became_needed_since_it_was_listed_stays(tmp_path: Path) -> None:
    async def run() -> None:
        terms = replace(QUICK, workers=0)
        async with open_service(tmp_path, terms=terms) as service:
            blob = keep(service, b"x")
            age(Path(blob.path), 3700)
            store = service._store
            names = store._unneeded()
            assert names == [blob.sha256]
            await service.add_file(blob, owner="", file_name="x", media_type="image/png", purpose="")
            removed = await store._writer.do(lambda db: housekeeping.sweep(db, store._bench, names))
            assert removed == 0 and content(service) == {blob.sha256}

    asyncio.run(run())


def test_a_file_whose_bytes_are_gone_is_refused(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path) as service:
            blob = keep(service, b"x")
            Path(blob.path).unlink()
            with pytest.raises(InvalidRequest, match="not here any more"):
                await service.add_file(blob, owner="", file_name="x", media_type="image/png", purpose="")
            assert service.files(owner="").files == ()

    asyncio.run(run())


def test_a_piece_of_a_job_that_is_gone_is_not_remembered(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path) as service:
            await service._store.add_piece("video_gone", "thumbnail", 0, keep(service, b"x"), "image/png")
            assert service._store.piece("video_gone", "thumbnail", 0) is None

    asyncio.run(run())


def test_more_than_one_helping_expires_in_one_go(tmp_path: Path) -> None:
    now = [time.time()]

    async def run() -> None:
        terms = replace(QUICK, workers=0)
        async with open_service(tmp_path, terms=terms, clock=lambda: now[0]) as service:
            job = await create(service)
            await service.cancel(job.id, owner="")
            db = sqlite3.connect(tmp_path / "jobs.sqlite3")
            columns = ", ".join(row[1] for row in db.execute("PRAGMA table_info(job)") if row[1] != "id")
            for number in range(housekeeping.MOST_AT_ONCE + 50):
                db.execute(
                    f"INSERT INTO job (id, {columns}) SELECT ?, {columns} FROM job LIMIT 1", (f"video_{number}",)
                )
            db.commit()
            db.close()
            now[0] += QUICK.keep_seconds + 1
            await service.sweep()
            assert service.counts().failed == 0

    asyncio.run(run())

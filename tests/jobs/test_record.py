"""Jobs as rows and back."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

from tests.jobs.bench import ask, create, ended, open_service
from triptych.jobs.content import Content
from triptych.jobs.record import STATE, bound, read_documents, read_output, write, write_asked, write_result
from triptych.jobs.statement import statements
from triptych.task import Blob, BlobSource, BytesSource, Job, PathSource, ResultSource
from triptych.testing.media import picture_bytes, quarters


def finished(data: Path) -> Job:
    async def run() -> Job:
        async with open_service(data) as service:
            return await ended(
                service, await create(service, ask("a <Picture 1>", BytesSource(picture_bytes(quarters()))))
            )

    return asyncio.run(run())


def test_everything_comes_back_as_it_was_and_elsewhere(tmp_path: Path) -> None:
    job = finished(tmp_path)
    assert job.result is not None
    row = (3, write(job.request), write(job.plan), write_asked({"user": "ä"}), write_result(job.result))
    here = read_documents(row, Content(tmp_path.resolve() / "content"))
    assert (here.revision, here.request, here.plan, here.result) == (3, job.request, job.plan, job.result)
    assert here.asked == {"user": "ä"}
    assert "/" not in "".join(
        str(json.loads(text)).replace("image/png", "").replace("video/mp4", "") for text in row[1:]
    )
    there = read_documents(row, Content(Path("/elsewhere")))
    assert there.plan.slots[0].blob.path == f"/elsewhere/{job.plan.slots[0].blob.sha256}"
    assert there.result is not None and there.result.plan == there.plan


def test_an_output_comes_back(tmp_path: Path) -> None:
    job = finished(tmp_path)
    assert job.result is not None
    (output,) = job.result.outputs
    assert read_output(write(output), Content(tmp_path.resolve() / "content")) == output


def test_inputs_are_bound_to_the_bytes_that_are_used_and_awaited_ones_keep_their_id(tmp_path: Path) -> None:
    job = finished(tmp_path)
    path = bound(ask("a <Picture 1>", PathSource("/home/somebody/cat.png")), job.plan)
    assert path.references[0].source == BlobSource(job.plan.slots[0].blob)
    waiting = Blob(path="", sha256="", size_bytes=0, awaits="video_x")
    plan = replace(job.plan, slots=(replace(job.plan.slots[0], blob=waiting),))
    assert bound(ask("a", ResultSource("video_x")), plan).references[0].source == ResultSource("video_x")


def test_the_columns_are_read_in_the_order_of_the_statement() -> None:
    text = statements("sqlite.sql")["state"]
    listed = text.removeprefix("SELECT").partition("FROM")[0]
    assert tuple(name.strip() for name in listed.split(",")) == STATE

"""What a studio keeps beyond one request: inputs in a folder of somebody else, and results still being made."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from tests.test_studio import artifact, double, request
from triptych.errors import InvalidRequest, NotFound, Problem
from triptych.run import execute, prepare
from triptych.studio import Studio
from triptych.task import (
    Blob,
    BytesSource,
    Modality,
    Pending,
    Probe,
    Reference,
    Request,
    Result,
    ResultSource,
    Role,
    Source,
)
from triptych.testing.double import DoubleEngine
from triptych.testing.media import picture_bytes, quarters


class Shelf:
    """A store of one result."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[tuple[str, str]] = []
        self._kept = folder / "kept"
        self._kept.write_bytes(b"kept bytes")

    def resolve(self, source: ResultSource, *, field: str) -> Blob:
        self.asked.append((source.id, field))
        if source.id != "r1":
            raise InvalidRequest([Problem(code="media_not_found", field=field, message=f"no result {source.id!r}")])
        digest = hashlib.sha256(b"kept bytes").hexdigest()
        return Blob(path=str(self._kept), sha256=digest, size_bytes=10)


def test_stored_results_come_from_whoever_keeps_them(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)

    async def run() -> None:
        async with Studio(registry=double(), resolver=shelf) as studio:
            plan = await prepare(request(ResultSource("r1")), studio)
            assert plan.slots[0].blob.path == str(tmp_path / "kept")
            with pytest.raises(InvalidRequest, match=r"artifacts\[1\]: no result 'r2'"):
                await prepare(request(ResultSource("r1"), ResultSource("r2")), studio)

    asyncio.run(run())
    assert sorted(shelf.asked) == [("r1", "artifacts[0]"), ("r1", "artifacts[0]"), ("r2", "artifacts[1]")]
    assert (tmp_path / "kept").read_bytes() == b"kept bytes"


def test_each_caller_may_have_a_store_of_their_own(tmp_path: Path) -> None:
    """What one may name, another may not; the studio is the same."""
    mine, theirs = Shelf(tmp_path), Shelf(tmp_path)

    async def run() -> None:
        async with Studio(registry=double(), resolver=theirs) as studio:
            await prepare(request(ResultSource("r1")), studio, resolver=mine)

    asyncio.run(run())
    assert mine.asked == [("r1", "artifacts[0]")]
    assert theirs.asked == []


def test_without_a_store_ids_of_results_are_refused() -> None:
    async def run() -> None:
        async with Studio(registry=double()) as studio:
            with pytest.raises(InvalidRequest, match=r"artifacts\[0\]: no store of results here"):
                await prepare(request(ResultSource("r1")), studio)

    asyncio.run(run())


class Promise:
    """A store whose one result is still being made."""

    def __init__(self, modality: Modality) -> None:
        self._probe = Probe(modality=modality, container="png", media_type="image/png", width=64, height=36)

    def resolve(self, source: ResultSource, *, field: str) -> Pending:
        return Pending(id=source.id, probe=self._probe)


def framed(source: Source) -> Request:
    first = Reference(role=Role.FIRST_FRAME, source=source, field="first_frame")
    return Request(prompt="a boat", engine="double", references=(first,))


def test_a_result_that_is_still_being_made_is_planned_by_what_it_will_be() -> None:
    engine = DoubleEngine()

    async def run() -> None:
        async with Studio(registry=engine.registry(), resolver=Promise(Modality.IMAGE)) as studio:
            plan = await prepare(framed(ResultSource("video_1.last_frame")), studio)
            (slot,) = plan.slots
            assert slot.blob == Blob(path="", sha256="", size_bytes=0, awaits="video_1.last_frame")
            assert slot.probe is not None
            assert (slot.probe.width, slot.probe.height) == (64, 36)
            with pytest.raises(NotFound, match="the bytes of first_frame are gone"):
                await anext(execute(plan, studio))

    asyncio.run(run())
    assert engine.calls == 0


def test_a_result_that_will_be_of_another_kind_is_refused_before_it_is_made() -> None:
    async def run() -> None:
        async with Studio(registry=double(), resolver=Promise(Modality.AUDIO)) as studio:
            with pytest.raises(InvalidRequest, match=r"first_frame: video_1 will be an audio, and image is wanted"):
                await prepare(framed(ResultSource("video_1")), studio)

    asyncio.run(run())


def test_an_artifact_that_is_still_being_made_is_planned_too() -> None:
    async def run() -> None:
        async with Studio(registry=double(), resolver=Promise(Modality.AUDIO)) as studio:
            asked = replace(framed(BytesSource(picture_bytes(quarters()))), artifacts=(artifact(ResultSource("r1")),))
            plan = await prepare(asked, studio)
            assert [slot.blob.awaits for slot in plan.slots] == [None, "r1"]
            assert plan.slots[1].probe is None

    asyncio.run(run())


def test_one_file_that_is_still_being_made_is_told_by_what_it_will_be() -> None:
    async def run() -> Probe:
        async with Studio(registry=double(), resolver=Promise(Modality.IMAGE)) as studio:
            return await studio.probe(Reference(role=Role.REFERENCE, source=ResultSource("r1"), field="a"))

    assert asyncio.run(run()).width == 64


def test_inputs_are_kept_where_they_should_be_and_outlive_the_studio(tmp_path: Path) -> None:
    spool, work = tmp_path / "content", tmp_path / "work"
    spool.mkdir()
    work.mkdir()

    async def run() -> str:
        async with Studio(registry=double(), work_dir=work, spool=spool) as studio:
            assert studio.spool == spool
            plan = await prepare(request(BytesSource(b"x")), studio)
            return plan.slots[0].blob.path

    digest = hashlib.sha256(b"x").hexdigest()
    assert asyncio.run(run()) == str(spool / digest)
    assert (spool / digest).read_bytes() == b"x"
    assert list(work.iterdir()) == []


def test_what_a_run_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    async def run() -> None:
        async with Studio(registry=double(), work_dir=tmp_path) as studio:
            plan = await prepare(request(BytesSource(b"x")), studio)
            results = [[each async for each in execute(plan, studio)][-1] for _ in range(2)]
            one, other = (result for result in results if isinstance(result, Result))
            (kept,) = other.outputs
            moved = replace(kept, path=str(tmp_path / "elsewhere" / "video.mp4"))
            Path(moved.path).parent.mkdir()
            Path(moved.path).write_bytes(b"kept")
            studio.discard(one)
            studio.discard(one)  # a second time does no harm
            studio.discard(replace(other, outputs=(moved,)))
            assert [Path(output.path).exists() for output in (*one.outputs, kept, moved)] == [False, True, True]
            assert Path(plan.slots[0].blob.path).exists()

    asyncio.run(run())

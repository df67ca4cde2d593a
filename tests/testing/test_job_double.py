"""The double of the tests of jobs makes what it is asked for."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from triptych.errors import EngineFailed
from triptych.run import execute, prepare
from triptych.studio import Studio
from triptych.task import BytesSource, Event, Reference, Request, Result, Role
from triptych.testing.job_double import JobDouble
from triptych.testing.media import picture_bytes, quarters


def run(engine: JobDouble, prompt: str = "a boat") -> tuple[list[Event], bytes]:
    async def walk() -> tuple[list[Event], bytes]:
        reference = Reference(role=Role.REFERENCE, source=BytesSource(picture_bytes(quarters())), field="image")
        async with Studio(registry=engine.registry()) as studio:
            plan = await prepare(Request(prompt=prompt, engine="double", references=(reference,)), studio)
            events = [event async for event in execute(plan, studio)]
            last = events[-1]
            assert isinstance(last, Result)
            return events, Path(last.outputs[0].path).read_bytes()

    return asyncio.run(walk())


def test_it_reads_what_it_is_given_and_makes_what_it_is_asked(tmp_path: Path) -> None:
    seen: list[str] = []
    events, data = run(JobDouble(steps=3, watch=seen.append))
    assert len(events) == 4 and data == b"a boat\n0\n" and seen == ["a boat"]
    (tmp_path / "real.mp4").write_bytes(b"real")
    assert run(JobDouble(video=tmp_path / "real.mp4"))[1] == b"real"


def test_it_fails_when_it_is_asked_to() -> None:
    engine = JobDouble()
    with pytest.raises(EngineFailed, match="when it is asked to"):
        run(engine, "fail")
    assert engine.closed == engine.begun == ["fail"]

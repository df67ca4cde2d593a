"""The double reads what it is given, and each of its faults is the one it names."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

import pytest

from triptych.engines.base import Context
from triptych.errors import InputNotUsed
from triptych.process.host import Host
from triptych.task import Blob, Made, Plan, Progress, Receipt, Settings, Slot, Task
from triptych.testing.double import ANYTHING, DoubleEngine, Fault


def plan(folder: Path, *texts: str, ignored: tuple[int, ...] = ()) -> Plan:
    slots = []
    for position, text in enumerate(texts):
        path = folder / str(position)
        path.write_text(text)
        blob = Blob(path=str(path), sha256=hashlib.sha256(text.encode()).hexdigest(), size_bytes=len(text))
        slots.append(
            Slot(
                key=f"artifacts[{position}]",
                position=position,
                field=f"artifacts[{position}]",
                role=None,
                modality=None,
                uses=("payload",),
                blob=blob,
                ignored=position in ignored,
            )
        )
    return Plan(
        engine="double",
        task=Task.T2VA,
        prompt="a boat",
        engine_prompt="a boat",
        inputs=tuple(slot.field for slot in slots),
        slots=tuple(slots),
        settings=Settings(width=64, height=48, fps=24, num_frames=12, seed=0),
    )


def run(engine: DoubleEngine, made_of: Plan, workdir: Path) -> tuple[list[Progress], Made]:
    async def walk() -> list[Progress | Made]:
        return [event async for event in engine.run(made_of, Context(workdir=workdir, host=Host()))]

    *progress, made = asyncio.run(walk())
    assert isinstance(made, Made)
    return [one for one in progress if isinstance(one, Progress)], made


def receipts(fault: Fault | None, folder: Path, *texts: str) -> tuple[Receipt, ...]:
    return run(DoubleEngine(fault=fault), plan(folder, *texts), folder)[1].receipts


def test_it_reads_every_input_and_says_so(tmp_path: Path) -> None:
    engine = DoubleEngine(steps=2)
    progress, made = run(engine, plan(tmp_path, "one", "two", ignored=(1,)), tmp_path)
    assert engine.calls == 1
    assert [(one.done, one.total) for one in progress] == [(1, 2), (2, 2)]
    assert [(one.slot, one.source_sha256) for one in made.receipts] == [
        ("artifacts[0]", hashlib.sha256(b"one").hexdigest())
    ]
    assert Path(made.outputs[0].path).parent == tmp_path
    assert (made.outputs[0].probe.width, made.outputs[0].probe.frames) == (64, 12)


def test_each_fault_is_what_its_name_says(tmp_path: Path) -> None:
    good = receipts(None, tmp_path, "one", "two")
    assert receipts("skip", tmp_path, "one", "two") == good[1:]
    assert receipts("double", tmp_path, "one", "two") == (*good, good[0])
    swapped = receipts("swap", tmp_path, "one", "two")
    assert [one.slot for one in swapped] == [one.slot for one in good]
    assert [one.source_sha256 for one in swapped] == [one.source_sha256 for one in reversed(good)]
    assert [one.uses for one in receipts("partial", tmp_path, "one", "two")] == [(), ("payload",)]
    assert receipts("invent", tmp_path, "one", "two")[-1].slot == "elsewhere"
    assert run(DoubleEngine(fault="nothing"), plan(tmp_path, "one"), tmp_path)[1].outputs == ()
    with pytest.raises(InputNotUsed, match="never opened"):
        receipts("unread", tmp_path, "one")


def test_a_registry_of_it_alone() -> None:
    engine = DoubleEngine()
    registry = engine.registry()
    assert registry.names() == ("double",)
    assert registry.engine("double") is engine
    assert registry.spec("double") is ANYTHING

"""An engine that takes anything and makes nothing much: for tests of what surrounds engines.

It reads every slot and writes a receipt where it read it, as a real one does; with a ``fault`` it goes wrong in one of
the ways in which engines lose inputs.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Literal

from triptych.engines.base import Context
from triptych.engines.registry import Registry
from triptych.rules.spec import ArtifactRule, Caps, EngineSpec, RoleRule, Timing
from triptych.task import EngineEvent, Made, Modality, Output, Plan, Probe, Progress, Receipt, Role, Task

Fault = Literal["skip", "double", "swap", "partial", "invent", "unread", "nothing"]

ANYTHING = EngineSpec(
    name="double",
    summary="A double for tests: takes anything, and says what it took.",
    description="It reads every input and makes an empty file.",
    tasks=frozenset((Task.T2VA, Task.FL2VA, Task.REF2VA)),
    roles={
        Role.FIRST_FRAME: RoleRule(modalities=frozenset((Modality.IMAGE,))),
        Role.LAST_FRAME: RoleRule(modalities=frozenset((Modality.IMAGE,))),
        Role.REFERENCE: RoleRule(modalities=frozenset(Modality), most=1000),
        Role.SOUNDTRACK: RoleRule(modalities=frozenset((Modality.AUDIO,)), most=1000),
    },
    caps=Caps(image=1000, video=1000, audio=1000),
    timing=Timing(min_fps=1, max_fps=60),
    artifacts_read=(ArtifactRule(id="double.note", kinds=frozenset(("text",))),),
    default_seed=0,
)


def planned(plan: Plan) -> Probe:
    """What a double's video is: what its plan says, without any sound."""
    return Probe(
        modality=Modality.VIDEO,
        container="mov",
        media_type="video/mp4",
        width=plan.settings.width,
        height=plan.settings.height,
        frames=plan.settings.num_frames,
        fps=plan.settings.fps,
        seconds=plan.settings.seconds,
    )


class DoubleEngine:
    """The double.

    Args:
        spec: what it says it can do.
        fault: how it goes wrong: ``skip`` leaves one input out, ``double`` gives two receipts for one, ``swap`` reads
            two inputs in each other's place, ``partial`` leaves out one use of an input, ``invent`` gives a receipt
            for a slot that is not there, ``unread`` asks for a receipt without reading, ``nothing`` makes no output.
        steps: how many progress events it yields.
    """

    def __init__(self, spec: EngineSpec = ANYTHING, *, fault: Fault | None = None, steps: int = 3) -> None:
        self._spec = spec
        self._fault = fault
        self._steps = steps
        self.calls = 0

    @property
    def spec(self) -> EngineSpec:
        """What it can do."""
        return self._spec

    def registry(self) -> Registry:
        """A registry that holds this engine alone."""
        return Registry({self._spec.name: lambda: self})

    async def run(self, plan: Plan, context: Context) -> AsyncGenerator[EngineEvent, None]:
        """Read every slot, then make an empty file."""
        self.calls += 1
        for step in range(self._steps):
            yield Progress(stage="pretend", done=step + 1, total=self._steps)
            await asyncio.sleep(0)
        receipts = self._spoil([self._consume(plan, index, context) for index in range(len(self._used(plan)))])
        if self._fault == "unread" and plan.slots:
            context.receipt(plan.slots[0], used_sha256="0" * 64, where="nowhere")
        output = context.workdir / "double.mp4"
        output.write_bytes(b"")
        made = Output(
            path=str(output),
            media_type="video/mp4",
            sha256=hashlib.sha256(b"").hexdigest(),
            size_bytes=0,
            probe=planned(plan),
        )
        yield Made(outputs=() if self._fault == "nothing" else (made,), receipts=tuple(receipts))

    @staticmethod
    def _used(plan: Plan) -> tuple[int, ...]:
        return tuple(index for index, slot in enumerate(plan.slots) if not slot.ignored)

    def _consume(self, plan: Plan, index: int, context: Context) -> Receipt:
        used = self._used(plan)
        slot = plan.slots[used[index]]
        read = plan.slots[used[1 - index]] if self._fault == "swap" and len(used) > 1 and index < 2 else slot
        reader = context.open(read)
        digest = hashlib.sha256(reader.read()).hexdigest()
        return replace(context.receipt(read, used_sha256=digest, where="read"), slot=slot.key, uses=slot.uses)

    def _spoil(self, receipts: list[Receipt]) -> list[Receipt]:
        if self._fault == "invent":
            return [
                *receipts,
                Receipt(
                    slot="elsewhere",
                    source_sha256="0" * 64,
                    used_sha256="0" * 64,
                    how="consumed",
                    uses=(),
                    where="nowhere",
                ),
            ]
        if not receipts:
            return receipts
        if self._fault == "skip":
            return receipts[1:]
        if self._fault == "double":
            return [*receipts, receipts[0]]
        if self._fault == "partial":
            return [replace(receipts[0], uses=receipts[0].uses[1:]), *receipts[1:]]
        return receipts

"""An engine for tests of jobs: as quick or as slow as wanted, and what it makes depends on what it is asked."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path

from triptych.engines.base import Context
from triptych.engines.registry import Registry
from triptych.errors import EngineFailed
from triptych.rules.spec import EngineSpec
from triptych.task import EngineEvent, Made, Modality, Output, Plan, Probe, Progress, Receipt
from triptych.testing.double import ANYTHING

FAILS = "fail"
"""A prompt that begins so makes it fail."""


class JobDouble:
    """The double. Its file is the prompt and the seed as bytes, unless it is given a video to pass off as its own.

    Args:
        steps: how many progress events it yields.
        step_seconds: how long each takes.
        gate: while it is there and not set, no job ends.
        video: a real file, for tests of what is made of one.
        probe: what the video is; the plan says it otherwise.
        watch: called with each prompt when it begins.
    """

    def __init__(
        self,
        *,
        spec: EngineSpec = ANYTHING,
        steps: int = 2,
        step_seconds: float = 0.0,
        gate: asyncio.Event | None = None,
        video: Path | None = None,
        probe: Probe | None = None,
        watch: Callable[[str], None] | None = None,
    ) -> None:
        self._spec = spec
        self._steps = steps
        self._step_seconds = step_seconds
        self._gate = gate
        self._video = video
        self._probe = probe
        self._watch = watch
        self.begun: list[str] = []
        self.closed: list[str] = []

    @property
    def spec(self) -> EngineSpec:
        """What it can do."""
        return self._spec

    def registry(self) -> Registry:
        """A registry that holds this engine alone."""
        return Registry({self._spec.name: lambda: self})

    async def run(self, plan: Plan, context: Context) -> AsyncGenerator[EngineEvent, None]:
        """Read every slot, take its time, and make a small file."""
        self.begun.append(plan.prompt)
        if self._watch is not None:
            self._watch(plan.prompt)
        try:
            for step in range(self._steps):
                yield Progress(stage="pretend", done=step, total=self._steps)
                await asyncio.sleep(self._step_seconds)
            if self._gate is not None:
                await self._gate.wait()
            if plan.prompt.startswith(FAILS):
                raise EngineFailed(f"the double fails when it is asked to: {plan.prompt}")
            receipts = tuple(self._consume(plan, index, context) for index in range(len(plan.slots)))
            yield Made(outputs=(self._make(plan, context.workdir),), receipts=receipts)
        finally:
            self.closed.append(plan.prompt)

    @staticmethod
    def _consume(plan: Plan, index: int, context: Context) -> Receipt:
        slot = plan.slots[index]
        digest = hashlib.sha256(context.open(slot).read()).hexdigest()
        return context.receipt(slot, used_sha256=digest, where="read")

    def _make(self, plan: Plan, workdir: Path) -> Output:
        path = workdir / "double.mp4"
        if self._video is None:
            path.write_text(f"{plan.prompt}\n{plan.settings.seed}\n", encoding="utf-8")
        else:
            shutil.copyfile(self._video, path)
        data = path.read_bytes()
        probe = self._probe or Probe(
            modality=Modality.VIDEO,
            container="mov",
            media_type="video/mp4",
            width=plan.settings.width,
            height=plan.settings.height,
            frames=plan.settings.num_frames,
            fps=plan.settings.fps,
            seconds=plan.settings.seconds,
            sample_rate=48_000,
            channels=2,
        )
        sha256 = hashlib.sha256(data).hexdigest()
        return Output(
            path=str(path),
            media_type="video/mp4",
            sha256=sha256,
            size_bytes=len(data),
            probe=replace(probe, sha256=sha256, size_bytes=len(data)),
        )

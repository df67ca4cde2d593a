"""An engine for tests of jobs: as quick or as slow as wanted, and what it makes depends on what it is asked."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path

from triptych.engines.base import Context
from triptych.errors import EngineFailed
from triptych.rules.spec import EngineSpec
from triptych.task import EngineEvent, Made, Output, Plan, Probe, Progress
from triptych.testing.double import ANYTHING, DoubleEngine, planned

FAILS = "fail"
"""A prompt that begins so makes it fail."""


class JobDouble(DoubleEngine):
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
        super().__init__(spec, steps=steps)
        self._step_seconds = step_seconds
        self._gate = gate
        self._video = video
        self._probe = probe
        self._watch = watch
        self.begun: list[str] = []
        self.closed: list[str] = []

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
            receipts = tuple(self._consume(plan, index, context) for index in range(len(self._used(plan))))
            yield Made(outputs=(self._make(plan, context.workdir),), receipts=receipts)
        finally:
            self.closed.append(plan.prompt)

    def _make(self, plan: Plan, workdir: Path) -> Output:
        path = workdir / "double.mp4"
        if self._video is None:
            path.write_text(f"{plan.prompt}\n{plan.settings.seed}\n", encoding="utf-8")
        else:
            shutil.copyfile(self._video, path)
        data = path.read_bytes()
        probe = self._probe or replace(planned(plan), sample_rate=48_000, channels=2)
        sha256 = hashlib.sha256(data).hexdigest()
        return Output(
            path=str(path),
            media_type="video/mp4",
            sha256=sha256,
            size_bytes=len(data),
            probe=replace(probe, sha256=sha256, size_bytes=len(data)),
        )

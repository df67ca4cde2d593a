"""What decoding in a bounded child process costs, against the same decoding in this process."""

from __future__ import annotations

import asyncio
import importlib
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any

from benchmarks import material
from benchmarks.machine import machine_line
from benchmarks.table import table
from triptych.media.fetch import Policy, fetch
from triptych.media.probe import probe
from triptych.process.host import Host, Limits
from triptych.task import Blob, PathSource

REPEATS = 9


class _InProcess(Host):
    """Calls the same target without a child."""

    async def _here(self, target: str, params: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        module, _, name = target.partition(":")
        for item in getattr(importlib.import_module(module), name)(params):
            yield item

    def call(
        self, target: str, params: dict[str, Any], *, limits: Limits | None = None, warm: bool = False
    ) -> AsyncGenerator[dict[str, Any], None]:
        return self._here(target, params)


def run(*, repeats: int = REPEATS) -> str:
    """Measure; Markdown."""
    machine = machine_line()
    with tempfile.TemporaryDirectory(prefix="triptych-bench-") as name:
        rows = asyncio.run(_rows(Path(name), repeats))
    return "\n\n".join(
        (
            machine,
            f"Wall clock of one look at one file, decoded to its end; medians of {repeats}, in turn, in milliseconds."
            " *Cold* starts a process and imports what it needs; *warm* finds one waiting, as files do once as many"
            " have started as are decoded at once; *in process* has no bound on memory or time, and is what a crash"
            " would take down.",
            table(("file", "in process", "warm child", "cold child", "warm − in process", "cold − in process"), rows),
        )
    )


async def _rows(folder: Path, repeats: int) -> list[tuple[str, ...]]:
    files = {
        "JPEG, 12 megapixels": material.photo(folder / "photo.jpg"),
        "clip, 640x360, 5 s, H.264": material.clip(folder / "clip.mp4", seconds=5),
        "sound, 60 s, WAV": material.sound(folder / "sound.wav", seconds=60),
        "JPEG, 640x427": material.SAMPLES / "rocket.jpg",
    }
    (folder / "spool").mkdir()
    policy = Policy(roots=None, max_bytes=1 << 30)
    rows = []
    for name, path in files.items():
        print(f"decode: {name}", file=sys.stderr)
        blob = fetch(PathSource(str(path)), field=name, policy=policy, spool=folder / "spool")
        rows.append(_row(name, await _times(name, blob, repeats)))
    return rows


async def _times(name: str, blob: Blob, repeats: int) -> dict[str, list[float]]:
    """Seconds of each way, by its name."""
    times: dict[str, list[float]] = {"in process": [], "warm": [], "cold": []}
    async with _InProcess() as here, Host() as warm:

        async def look(host: Host) -> None:
            await probe(host, blob, field=name)

        async def cold() -> None:
            async with Host() as fresh:
                await look(fresh)

        await look(here)
        await look(warm)
        for _ in range(repeats):
            times["in process"].append(await _timed(lambda: look(here)))
            times["warm"].append(await _timed(lambda: look(warm)))
            times["cold"].append(await _timed(cold))
    return times


async def _timed(work: Callable[[], Awaitable[None]]) -> float:
    begin = time.perf_counter()
    await work()
    return time.perf_counter() - begin


def _row(name: str, times: dict[str, list[float]]) -> tuple[str, ...]:
    here, warm, cold = (statistics.median(times[way]) * 1000 for way in ("in process", "warm", "cold"))
    return name, *(f"{value:.0f}" for value in (here, warm, cold, warm - here, cold - here))

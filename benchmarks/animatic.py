"""What the preview engine costs beyond encoding: CPU time against encode-only of the same frames, and peak memory.

- Floor: a fresh process that reads the frames and samples from disk (where an earlier render put them, uncompressed)
  and encodes them with the same ``MovieWriter`` settings. Its file must have the same bytes as the render's.
- Render: a fresh process that does what the engine's child process does: read and hash the inputs, decode, lay the
  sound, follow clips, draw, encode.
- Command: all of ``triptych video``: its own start, a look at each input in a bounded child, the render in another,
  and writing the result.
- Check: ``triptych check`` of the same request.

All are whole processes: start and imports count everywhere, and children count with their parents.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import material
from benchmarks.machine import machine_line
from benchmarks.process import ONE_THREAD, Cost, Costs, interleaved, spend
from benchmarks.table import table
from triptych.cli import request
from triptych.cli.parser import build
from triptych.cli.studio import open_studio
from triptych.config import Settings
from triptych.engines.animatic.scene import scene_of
from triptych.run import prepare
from triptych.studio import Studio

REPEATS = 5
SHORT_SECONDS, LONG_SECONDS = 5, 60
MEMORY_AIM = 1.10
SIZE = "1280x720"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One request.

    Attributes:
        name: for people.
        aim: most that a render may cost, as a multiple of the floor.
        inputs: options of the command line.
    """

    name: str
    aim: float
    inputs: tuple[str, ...]

    def arguments(self, seconds: int) -> list[str]:
        """What follows ``triptych video`` or ``triptych check``."""
        return ["a benchmark", *self.inputs, "--size", SIZE, "--seconds", str(seconds), "--seed", "1"]


def run(*, repeats: int = REPEATS) -> str:
    """Measure; Markdown."""
    machine = machine_line()
    with tempfile.TemporaryDirectory(prefix="triptych-bench-") as name:
        return "\n\n".join((machine, *asyncio.run(_sections(Path(name), repeats))))


def cases(folder: Path) -> tuple[Case, ...]:
    """The requests; their media are made in ``folder``."""
    rocket, coffee, cat = (str(material.SAMPLES / name) for name in ("rocket.jpg", "coffee.jpg", "cat.jpg"))
    near = str(material.closer(folder / "near.jpg", material.SAMPLES / "rocket.jpg"))
    clip = material.clip(folder / "clip.mp4", seconds=LONG_SECONDS)
    sound = material.sound(folder / "sound.wav", seconds=LONG_SECONDS)
    part = f"#t=0,{SHORT_SECONDS}"
    return (
        Case(name="one still", aim=2.0, inputs=("--image", rocket)),
        Case(name="three stills", aim=2.0, inputs=("--image", rocket, "--image", coffee, "--image", cat)),
        Case(name="first and last, two scenes", aim=3.0, inputs=("--first-frame", coffee, "--last-frame", cat)),
        Case(name="first and last, one scene", aim=3.0, inputs=("--first-frame", rocket, "--last-frame", near)),
        Case(
            name="still, clip and sound",
            aim=4.0,
            inputs=("--image", rocket, "--clip", f"{clip}{part}", "--voice", f"{sound}{part}"),
        ),
    )


async def _sections(folder: Path, repeats: int) -> list[str]:
    async with open_studio(Settings()) as studio:
        costs: dict[Case, dict[str, Costs]] = {}
        for case in cases(folder):
            print(f"animatic: {case.name}", file=sys.stderr)
            costs[case] = await _measure(case, studio, folder, repeats)
        print("animatic: memory", file=sys.stderr)
        memory = await _memory(studio, folder)
    return [
        f"## CPU time of {SHORT_SECONDS} s at {SIZE}, 24 fps",
        f"Medians of {repeats} runs, in turn with one another, in seconds of CPU (user and system).",
        table(
            ("request", "floor", "render", "render / floor", "least / least", "aim", "", "command / floor"),
            (_cpu_row(case, found) for case, found in costs.items()),
        ),
        "Where a render's time goes (CPU seconds; *draw* is the stage `render` less the floor's encoding):",
        table(
            ("request", "start", "decode", "sound", "motion", "draw", "encode", "sum"),
            (_stage_row(case, found) for case, found in costs.items()),
        ),
        "Checking against running (CPU seconds; both are whole commands):",
        table(
            ("request", "check", "video", "check / video"),
            (_check_row(case, found) for case, found in costs.items()),
        ),
        f"## Peak memory, {SHORT_SECONDS} s against {LONG_SECONDS} s",
        "Three stills, a clip and a sound, both as long as the video. Largest resident size of the rendering process.",
        table(("length", "peak", "CPU"), memory),
    ]


async def _measure(case: Case, studio: Studio, folder: Path, repeats: int) -> dict[str, Costs]:
    arguments = case.arguments(SHORT_SECONDS)
    scene = await _scene(arguments, studio, folder / "scene.json")
    work = [sys.executable, "-m", "benchmarks.work"]
    triptych = [sys.executable, "-m", "triptych"]
    video = ["video", *arguments, "-o", str(folder / "out.mp4"), "--force", "--quiet"]
    spend([*work, "capture", str(scene)], env=ONE_THREAD)
    commands = {
        "floor": [*work, "encode", str(scene)],
        "render": [*work, "render", str(scene)],
        "command": [*triptych, *video],
        "check": [*triptych, "check", *arguments],
    }
    return await asyncio.to_thread(interleaved, commands, repeats=repeats, env=ONE_THREAD)


async def _scene(arguments: Sequence[str], studio: Studio, path: Path) -> Path:
    """Prepare a request and write its scene to ``path``; its private copies last as long as the studio."""
    typed = request.read(build().parse_args(["video", *arguments]), Settings())
    plan = await prepare(typed.request, studio, found=typed.problems)
    path.write_text(json.dumps(scene_of(plan, "").as_json()), encoding="utf-8")
    return path


def _cpu_row(case: Case, found: dict[str, Costs]) -> Sequence[str]:
    floor, render, command = found["floor"], found["render"], found["command"]
    ratio = render.cpu_seconds / floor.cpu_seconds
    return (
        case.name,
        f"{floor.cpu_seconds:.2f}",
        f"{render.cpu_seconds:.2f}",
        f"**{ratio:.2f}**",
        f"{render.least_cpu_seconds / floor.least_cpu_seconds:.2f}",
        f"{case.aim:.1f}",
        "met" if ratio <= case.aim else "**missed**",
        f"{command.cpu_seconds / floor.cpu_seconds:.2f}",
    )


def _check_row(case: Case, found: dict[str, Costs]) -> Sequence[str]:
    check, command = found["check"].cpu_seconds, found["command"].cpu_seconds
    return case.name, f"{check:.2f}", f"{command:.2f}", f"{check / command:.2f}"


def _stage_row(case: Case, found: dict[str, Costs]) -> Sequence[str]:
    said = [json.loads(run.said)["stages"] for run in found["render"].runs]
    stages = {name: statistics.median(one.get(name, 0.0) for one in said) for name in _STAGES}
    encode = min(found["floor"].cpu_seconds - stages["start"], stages["render"])
    shown = (stages["start"], stages["decode"], stages["sound"], stages["motion"], stages["render"] - encode, encode)
    return (case.name, *(f"{seconds:.2f}" for seconds in (*shown, sum(shown))))


_STAGES = ("start", "decode", "sound", "motion", "render")


async def _memory(studio: Studio, folder: Path) -> list[Sequence[str]]:
    peaks = {seconds: await _peak(studio, folder, seconds) for seconds in (SHORT_SECONDS, LONG_SECONDS)}
    sizes = {seconds: json.loads(cost.said)["peak_bytes"] for seconds, cost in peaks.items()}
    ratio = sizes[LONG_SECONDS] / sizes[SHORT_SECONDS]
    verdict = "met" if 2 - MEMORY_AIM <= ratio <= MEMORY_AIM else "**missed**"
    return [
        *(
            (f"{seconds} s", f"{sizes[seconds] / 2**20:.0f} MiB", f"{cost.cpu_seconds:.1f} s")
            for seconds, cost in peaks.items()
        ),
        ("ratio", f"**{ratio:.3f}**", f"aim: equal within 10 %; {verdict}"),
    ]


async def _peak(studio: Studio, folder: Path, seconds: int) -> Cost:
    arguments = _memory_case(folder, seconds).arguments(seconds)
    scene = await _scene(arguments, studio, folder / "scene.json")
    command = [sys.executable, "-m", "benchmarks.work", "render", str(scene)]
    return await asyncio.to_thread(spend, command, env=ONE_THREAD)


def _memory_case(folder: Path, seconds: int) -> Case:
    stills = [str(material.SAMPLES / name) for name in ("rocket.jpg", "coffee.jpg", "cat.jpg")]
    media = ("--clip", f"{folder / 'clip.mp4'}#t=0,{seconds}", "--voice", f"{folder / 'sound.wav'}#t=0,{seconds}")
    return Case(name="memory", aim=MEMORY_AIM, inputs=(*_images(stills), *media))


def _images(paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        yield from ("--image", path)

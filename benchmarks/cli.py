"""How soon the command answers: ``triptych --help`` and ``triptych check`` against an interpreter that does nothing."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.machine import machine_line
from benchmarks.material import SAMPLES
from benchmarks.process import interleaved
from benchmarks.table import table

REPEATS = 15
HELP_AIM_SECONDS = 0.150


def run(*, repeats: int = REPEATS) -> str:
    """Measure; Markdown."""
    machine = machine_line()
    triptych = str(Path(sys.executable).parent / "triptych")
    photo = str(SAMPLES / "rocket.jpg")
    costs = interleaved(
        {
            "`python -c pass`": [sys.executable, "-c", "pass"],
            "`triptych --help`": [triptych, "--help"],
            "`triptych video --help`": [triptych, "video", "--help"],
            "`triptych check` without inputs": [triptych, "check", "a quiet street"],
            "`triptych check … --image photo.jpg`": [triptych, "check", "a quiet street", "--image", photo],
        },
        repeats=repeats,
    )
    floor = costs["`python -c pass`"]
    rows = [
        (
            name,
            f"{found.wall_seconds * 1000:.0f} ms",
            f"{found.least_wall_seconds * 1000:.0f} ms",
            f"{found.wall_seconds / floor.wall_seconds:.1f}",
            f"{found.cpu_seconds * 1000:.0f} ms",
        )
        for name, found in costs.items()
    ]
    help_seconds = costs["`triptych --help`"].wall_seconds
    verdict = "met" if help_seconds < HELP_AIM_SECONDS else "**missed**"
    return "\n\n".join(
        (
            machine,
            f"Wall clock of whole processes; {repeats} runs of each, in turn. `check` with a picture starts a bounded"
            " child process that decodes it.",
            table(("command", "median", "least", "× `python -c pass`", "CPU (median)"), rows),
            f"Aim: `triptych --help` in under {HELP_AIM_SECONDS * 1000:.0f} ms; {verdict}.",
        )
    )

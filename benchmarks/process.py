"""What a process cost, with every process that it started and waited for."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""What the child processes of the package run with; processes that are compared with them do too."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Of one process.

    Attributes:
        cpu_seconds: user and system time, its own and that of its children.
        wall_seconds: from its start to its end.
        said: what it wrote to its standard output.
    """

    cpu_seconds: float
    wall_seconds: float
    said: str


@dataclass
class Costs:
    """Of the same process, several times."""

    runs: list[Cost] = field(default_factory=list)

    @property
    def cpu_seconds(self) -> float:
        """Median."""
        return statistics.median(run.cpu_seconds for run in self.runs)

    @property
    def least_cpu_seconds(self) -> float:
        """The least: what it costs when nothing disturbs."""
        return min(run.cpu_seconds for run in self.runs)

    @property
    def wall_seconds(self) -> float:
        """Median."""
        return statistics.median(run.wall_seconds for run in self.runs)

    @property
    def least_wall_seconds(self) -> float:
        """The least."""
        return min(run.wall_seconds for run in self.runs)


def spend(command: Sequence[str], *, env: Mapping[str, str] | None = None) -> Cost:
    """Run a process to its end, and say what it cost.

    Raises:
        RuntimeError: it failed.
    """
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, env={**os.environ, **(env or {})}) as running:
        said = running.stdout.read() if running.stdout else b""
        _, status, usage = os.wait4(running.pid, 0)
        wall_seconds = time.perf_counter() - begin
        running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {running.returncode}")
    return Cost(
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        wall_seconds=wall_seconds,
        said=said.decode(),
    )


def interleaved(
    commands: Mapping[str, Sequence[str]], *, repeats: int, env: Mapping[str, str] | None = None
) -> dict[str, Costs]:
    """Run several commands in turn, again and again, so that what else the machine does meets them all alike."""
    costs = {name: Costs() for name in commands}
    for _ in range(repeats):
        for name, command in commands.items():
            costs[name].runs.append(spend(command, env=env))
    return costs

"""The parts of the benchmarks that figures depend on: costs are of whole processes, and results keep their places."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import __main__ as runner
from benchmarks.process import Costs, interleaved, spend

BUSY = "import time\nend = time.process_time() + 0.2\nwhile time.process_time() < end: pass\n"


def test_the_cost_of_a_process_holds_that_of_its_children() -> None:
    nested = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BUSY!r}], check=True)"
    assert spend([sys.executable, "-c", nested]).cpu_seconds >= 0.2


def test_the_peak_is_of_the_process_and_not_of_its_parent() -> None:
    hold = "b = bytearray({} << 20); b[::4096] = b'1' * len(b[::4096])"
    script = f"from benchmarks.work import peak_bytes; {hold}; print(peak_bytes())"
    ballast = bytearray(200 << 20)
    ballast[::4096] = b"1" * len(ballast[::4096])
    small, large = (int(spend([sys.executable, "-c", script.format(mib)]).said) for mib in (1, 100))
    assert 95 << 20 < large - small < 110 << 20
    assert large < len(ballast)


def test_a_process_that_fails_is_no_measurement() -> None:
    with pytest.raises(RuntimeError, match="ended with 3"):
        spend([sys.executable, "-c", "raise SystemExit(3)"])


def test_commands_take_turns() -> None:
    costs = interleaved(
        {"one": [sys.executable, "-c", "print(1)"], "two": [sys.executable, "-c", "print(2)"]}, repeats=2
    )
    assert {name: [run.said for run in found.runs] for name, found in costs.items()} == {
        "one": ["1\n", "1\n"],
        "two": ["2\n", "2\n"],
    }
    assert isinstance(costs["one"], Costs)
    assert costs["one"].least_cpu_seconds <= costs["one"].cpu_seconds


def test_one_benchmark_leaves_the_results_of_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "RESULTS", tmp_path / "RESULTS.md")
    runner.keep("decode", "a slow machine\n\n## Details\n\nstale")
    runner.keep("cli", "quick")
    runner.keep("decode", "a quick machine\n\n## Details\n\nnew")
    text = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert text.index("## cli\n\nquick") < text.index("## decode\n\na quick machine\n\n### Details\n\nnew")
    assert "stale" not in text

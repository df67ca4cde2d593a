"""The process that takes jobs says what it was promised, and dies where it is told to."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from triptych.testing.job_process import dying, main


def test_it_says_what_it_was_promised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "data"), "one", "--name", "x"]) == 0
    words = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert words == ["open", "created", "closed"]
    assert (tmp_path / "begun.txt").read_text(encoding="utf-8") == "x only\n"


def test_it_dies_at_the_transition_it_is_told(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "triptych.testing.job_process", str(tmp_path / "data"), "one", "--kill", "f.after"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["open", "created"]


def test_other_transitions_are_passed() -> None:
    checkpoint = dying("a.after", 3)
    for name in ("a.before", "a.after", "b.after", "a.after"):
        checkpoint(name)

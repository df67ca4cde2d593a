"""Whether a process is alive is known at once."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from triptych.jobs.presence import Other, Presence

HOLD = """
import pathlib, sys, time
from triptych.jobs.presence import Presence
presence = Presence(pathlib.Path(sys.argv[1]), "other")
presence.enter()
presence.settle("its-folder")
print("in", flush=True)
time.sleep(60)
"""


def test_a_killed_process_is_known_to_be_dead_at_once(tmp_path: Path) -> None:
    mine = Presence(tmp_path, "mine")
    mine.enter()
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "in\n"
        assert mine.others() == (Other(worker="other", folder="its-folder", alive=True),)
        assert mine.is_alive("other") and mine.is_alive("mine") and not mine.is_alive("nobody")
        other.send_signal(signal.SIGKILL)
        other.wait()
        assert mine.others() == (Other(worker="other", folder="its-folder", alive=False),)
        assert not mine.is_alive("other")
    mine.forget("other")
    assert mine.others() == ()
    mine.leave()
    assert list(tmp_path.iterdir()) == []
    mine.leave()


def test_only_one_at_a_time_is_alone(tmp_path: Path) -> None:
    inside: list[str] = []

    async def enter(name: str) -> None:
        async with Presence(tmp_path, name).alone():
            inside.append(name)
            assert len(inside) == 1
            await asyncio.sleep(0.01)
            inside.remove(name)

    async def run() -> None:
        await asyncio.gather(*(enter(str(number)) for number in range(5)))

    asyncio.run(run())
    assert inside == []


def test_a_name_is_used_once_and_needs_entering(tmp_path: Path) -> None:
    first, second = Presence(tmp_path, "same"), Presence(tmp_path, "same")
    with pytest.raises(RuntimeError, match="not entered"):
        first.settle("x")
    first.enter()
    with pytest.raises(FileExistsError):
        second.enter()
    first.leave()

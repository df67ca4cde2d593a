"""A process that takes jobs is killed anywhere, at any time: no job is lost, stuck or completed twice, no file left."""

from __future__ import annotations

import asyncio
import hashlib
import os
import queue
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.jobs.bench import QUICK, open_service
from triptych.task import Job, Status

INSTANTS = 100 if os.environ.get("TRIPTYCH_SOAK") == "1" else 10
DEADLINE_SECONDS = 60.0

MIXED = "abcdefghk"
"""The transitions that one process passes when it takes every way that a job can go."""


@dataclass(eq=False)
class Acting:
    """A process that takes jobs, and what it was promised."""

    process: subprocess.Popen[str]
    lines: queue.SimpleQueue[str] = field(default_factory=queue.SimpleQueue)
    heard: list[str] = field(default_factory=list)

    def read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.heard.append(line.strip())
            self.lines.put(line)

    def wait_open(self) -> None:
        assert self.lines.get(timeout=DEADLINE_SECONDS).startswith("open"), self.heard

    def end(self) -> int:
        """Wait until it has ended by itself; its exit code."""
        code = self.process.wait(timeout=DEADLINE_SECONDS)
        self.reader.join(timeout=DEADLINE_SECONDS)
        return code

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        assert self.end() == -signal.SIGKILL, self.heard

    def __post_init__(self) -> None:
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def promised(self, word: str) -> list[str]:
        return [line.split()[1] for line in self.heard if line.startswith(f"{word} ")]


@dataclass(eq=False)
class Place:
    """A data folder, the processes on it, and a witness of every completion."""

    data: Path
    acting: list[Acting] = field(default_factory=list)

    def start(self, act: str, *options: str) -> Acting:
        command = [sys.executable, "-m", "triptych.testing.job_process", str(self.data), act, *options]
        acting = Acting(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        self.acting.append(acting)
        return acting

    def run(self, act: str, *options: str) -> int:
        return self.start(act, *options).end()

    def promised(self, word: str) -> set[str]:
        return {id for acting in self.acting for id in acting.promised(word)}

    def watch_completions(self) -> None:
        """Let the database itself count how often each job is completed, whoever does it."""
        with sqlite3.connect(self.data / "jobs.sqlite3") as db:
            db.execute("CREATE TABLE witness (id TEXT)")
            db.execute(
                "CREATE TRIGGER witness_of AFTER UPDATE OF status ON job WHEN new.status = 'completed' "
                "BEGIN INSERT INTO witness VALUES (new.id); END"
            )
        db.close()

    def completions(self) -> Counter[str]:
        with sqlite3.connect(self.data / "jobs.sqlite3") as db:
            found = Counter(id for (id,) in db.execute("SELECT id FROM witness"))
        db.close()
        return found


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path / "data")
    assert place.run("drain") == 0
    place.watch_completions()
    yield place
    for acting in place.acting:
        if acting.process.poll() is None:
            acting.process.kill()
        acting.process.wait()
        acting.reader.join()
        if acting.process.stdout is not None:
            acting.process.stdout.close()


def settle(place: Place) -> dict[str, Job]:
    """Let a fresh process finish what there is, and look at what is left: every job, by id."""
    assert place.run("drain") == 0
    return asyncio.run(look(place))


async def look(place: Place) -> dict[str, Job]:
    found: dict[str, Job] = {}
    async with open_service(place.data, terms=replace(QUICK, workers=0, content_lease_seconds=0.0)) as service:
        await service.sweep()
        after = None
        while True:
            page = service.page(owner="", after=after, limit=100, order="asc")
            found.update({job.id: job for job in page.jobs})
            if not page.has_more:
                break
            after = page.jobs[-1].id
        needed = set()
        for job in found.values():
            assert job.status.ended, f"{job.id} is stuck: {job.status}"
            needed |= {slot.blob.sha256 for slot in job.plan.slots if slot.blob.awaits is None}
            for output in job.result.outputs if job.result else ():
                data = Path(output.path).read_bytes()
                assert hashlib.sha256(data).hexdigest() == output.sha256
                needed.add(output.sha256)
            # What it waited for was its source's video until it was bound, and is its own slot's after it.
        left = {path.name for path in service.folder.content.iterdir()}
        assert left == needed, f"files without a job: {left - needed}; jobs without a file: {needed - left}"
        assert [path.name for path in service.folder.work.iterdir()] == [service.studio.root.name]
        assert {path.name for path in service.folder.run.iterdir()} == {f"{service.worker}.lock", "door"}
    return found


def check(place: Place, found: dict[str, Job]) -> None:
    """What was promised is so, and nothing happened twice."""
    deleted = place.promised("deleted")
    assert place.promised("created") - deleted - set(found) <= place.promised("deleting")
    assert not deleted & set(found)
    for id in place.promised("cancelled") & set(found):
        assert found[id].status.ended
    completed = place.completions()
    assert [id for id, times in completed.items() if times > 1] == []
    for job in found.values():
        assert (completed[job.id] == 1) == (job.status is Status.COMPLETED)
        assert job.attempt <= 2


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("letter", MIXED)
def test_a_process_killed_at_a_transition_loses_nothing(place: Place, letter: str, side: str) -> None:
    assert place.run("mixed", "--kill", f"{letter}.{side}") == -signal.SIGKILL
    found = settle(place)
    check(place, found)
    codes = {job.error.code for job in found.values() if job.error}
    assert codes <= {"engine_failed", "cancelled"}, "a job that was interrupted once is run again"


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_process_killed_while_it_gives_its_job_back(place: Place, side: str) -> None:
    kill = ("--kill", f"i.{side}", "--step-seconds", "0.3")
    assert place.run("mixed", *kill) == -signal.SIGKILL
    found = settle(place)
    check(place, found)
    last = max(found.values(), key=lambda job: job.id)
    # Given back, the attempt does not count; died before that, it does.
    assert (last.status, last.attempt) == (Status.COMPLETED, 1 if side == "after" else 2)


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_process_killed_while_it_takes_jobs_of_a_dead_one_back(place: Place, side: str) -> None:
    assert place.run("mixed", "--kill", "d.after") == -signal.SIGKILL
    assert place.run("drain", "--kill", f"j.{side}") == -signal.SIGKILL
    found = settle(place)
    check(place, found)
    assert {job.status for job in found.values() if not job.error} == {Status.COMPLETED}


@pytest.mark.parametrize("passing", ["l.before", "l.after", "m.before", "m.after"])
def test_a_process_killed_while_jobs_expire(place: Place, passing: str) -> None:
    assert place.run("mixed", "--keep-seconds", "0.2", "--kill", passing, "--kill-at", "2") == -signal.SIGKILL
    found = settle(place)
    left = place.completions()
    assert [id for id, times in left.items() if times > 1] == []
    assert all(job.status.ended for job in found.values())


@pytest.mark.parametrize("passing", ["d.after", "e.before", "e.after", "f.after"])
def test_a_real_render_is_finished_by_the_next_process(place: Place, passing: str) -> None:
    assert place.run("one", "--engine", "animatic", "--kill", passing) == -signal.SIGKILL
    assert place.run("drain", "--engine", "animatic") == 0
    (job,) = asyncio.run(look(place)).values()
    assert job.status is Status.COMPLETED and job.result is not None
    assert job.attempt == (1 if passing == "f.after" else 2), "a finished video is not rendered again"
    assert place.completions() == {job.id: 1}


def test_a_job_that_kills_its_process_twice_is_not_begun_a_third_time(place: Place) -> None:
    for act in ("one", "drain"):
        assert place.run(act, "--kill", "b.after") == -signal.SIGKILL
    (job,) = settle(place).values()
    assert job.status is Status.FAILED and job.error is not None and job.attempt == 2
    assert job.error.code == "interrupted" and "begun 2 times" in job.error.message
    assert not (place.data.parent / "begun.txt").exists(), "each died before the engine was called"


def test_two_processes_under_load_killed_at_random_instants(place: Place) -> None:
    dice = random.Random(2026)
    quick = ("--step-seconds", "0.01")
    running = [place.start("load", *quick, "--name", f"p{number}") for number in range(2)]
    for acting in running:
        acting.wait_open()
    for instant in range(INSTANTS):
        time.sleep(dice.uniform(0.05, 0.8))  # the instant is the point; nothing is waited for
        victim = dice.randrange(2)
        running[victim].kill()
        running[victim] = place.start("load", *quick, "--name", f"q{instant}")
        running[victim].wait_open()
    for acting in running:
        acting.kill()
    found = settle(place)
    check(place, found)
    assert len(place.promised("created")) > INSTANTS, "there was a load"
    assert sum(job.status is Status.COMPLETED for job in found.values()) > INSTANTS


def test_the_other_process_takes_the_jobs_of_a_killed_one_back_at_once(place: Place) -> None:
    other = place.start("load", "--name", "other")
    other.wait_open()
    victim = place.start("mixed", "--kill", "b.after")
    assert victim.end() == -signal.SIGKILL
    died = time.monotonic()
    waited = set(victim.promised("created"))

    async def watch() -> float:
        async with open_service(place.data, terms=replace(QUICK, workers=0, tend_seconds=60.0)) as service:
            async with asyncio.timeout(DEADLINE_SECONDS):
                for id in waited:
                    async for _ in service.watch(id, owner=""):
                        pass
        return time.monotonic() - died

    # Its lease would have lasted for 5 s.
    assert asyncio.run(watch()) < 4.5
    other.kill()
    check(place, settle(place))

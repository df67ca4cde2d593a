"""Each change by itself: guarded, and nothing twice."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.jobs.bench import QUICK, ask
from triptych.errors import Cancelled
from triptych.jobs import transition
from triptych.jobs.content import Content, Folder
from triptych.jobs.record import write
from triptych.jobs.store import Claim, Draft, LostError
from triptych.jobs.transition import SQL, Bench
from triptych.run import compare, prepare
from triptych.studio import Studio
from triptych.task import JobError, Made, Plan, Result
from triptych.testing.job_double import JobDouble

BROKEN = JobError(code="engine_failed", message="it broke")


class Desk:
    """An open database with one job, and a clock that is set by hand."""

    def __init__(self, data: Path) -> None:
        folder = Folder(data)
        folder.make()
        self.now = 1000.0
        self.bench = Bench(content=Content(folder.content), terms=QUICK, clock=lambda: self.now)
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        self.db.executescript(SQL["schema"])
        self.plan: Plan = asyncio.run(self._plan())
        self.work = data / "made.mp4"

    @staticmethod
    async def _plan() -> Plan:
        async with Studio(registry=JobDouble().registry()) as studio:
            return await prepare(ask(), studio)

    def insert(self) -> str:
        draft = Draft(
            owner="",
            kind="video",
            request=ask(),
            plan=self.plan,
            asked={},
            parent=None,
            once=None,
            waits=(),
            contents=(),
        )
        return transition.insert(self.db, self.bench, draft, (write(draft.request), write(draft.plan), "{}"))[0]

    def claim(self, worker: str = "w") -> Claim:
        claim = transition.claim(self.db, self.bench, worker)
        assert claim is not None
        return claim

    def result(self) -> Result:
        output = JobDouble()._make(self.plan, self.work.parent)
        return compare(self.plan, Made(outputs=(output,), receipts=()))

    def status(self, id: str) -> tuple[str, int]:
        found: tuple[str, int] = self.db.execute("SELECT status, attempt FROM job WHERE id = ?", (id,)).fetchone()
        return found


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.db.close()


def test_the_oldest_is_claimed_first_and_none_twice(desk: Desk) -> None:
    ids = [desk.insert() for _ in range(3)]
    assert [desk.claim(f"w{n}").id for n in range(3)] == ids
    assert transition.claim(desk.db, desk.bench, "w") is None


def test_a_zombie_can_neither_complete_nor_fail_nor_give_back(desk: Desk) -> None:
    id = desk.insert()
    zombie = desk.claim("dead")
    assert transition.take_back(desk.db, desk.bench, "dead") == (id,)
    living = desk.claim("dead")  # even under the same name: the attempt is another
    for act in (
        lambda: transition.complete(desk.db, desk.bench, zombie, desk.result()),
        lambda: transition.held(desk.db, zombie),
        lambda: transition.give_back(desk.db, desk.bench, zombie),
    ):
        with pytest.raises(LostError):
            act()
    assert not list(desk.bench.content.names()), "what the zombie made was not moved"
    transition.complete(desk.db, desk.bench, living, desk.result())
    assert desk.status(id) == ("completed", 2)
    with pytest.raises(LostError):
        transition.complete(desk.db, desk.bench, living, desk.result())


def test_a_lease_that_is_over_is_taken_back_and_a_renewed_one_is_not(desk: Desk) -> None:
    desk.insert()
    claim = desk.claim()
    desk.now += QUICK.lease_seconds - 0.1
    assert transition.take_back(desk.db, desk.bench, None) == ()
    lease = {"id": claim.id, "worker": "w", "attempt": 1, "lease_until": desk.now + QUICK.lease_seconds}
    desk.db.execute(SQL["beat"], lease)
    desk.now += QUICK.lease_seconds - 0.1
    assert transition.take_back(desk.db, desk.bench, None) == ()
    desk.now += 0.2
    assert transition.take_back(desk.db, desk.bench, None) == (claim.id,)


def test_a_second_interruption_is_the_last(desk: Desk) -> None:
    id = desk.insert()
    for _ in range(2):
        desk.claim()
        transition.take_back(desk.db, desk.bench, "w")
    assert desk.status(id) == ("failed", 2)
    (error,) = desk.db.execute("SELECT error FROM job").fetchone()
    assert '"interrupted"' in error and "begun 2 times" in error


def test_a_job_given_back_was_not_begun(desk: Desk) -> None:
    id = desk.insert()
    for _ in range(5):
        transition.give_back(desk.db, desk.bench, desk.claim())
        assert desk.status(id) == ("queued", 0)


@pytest.mark.parametrize("how", ["completes", "is given back", "is taken back"])
def test_one_that_is_to_be_stopped_ends_cancelled_however_its_run_ends(desk: Desk, how: str) -> None:
    id = desk.insert()
    claim = desk.claim()
    removal = transition.cancel(desk.db, desk.bench, id, "")
    assert removal is not None and removal.worker == "w"
    if how == "completes":
        with pytest.raises(Cancelled):
            transition.complete(desk.db, desk.bench, claim, desk.result())
        transition.fail(desk.db, desk.bench, id, transition.CANCELLED)
    elif how == "is given back":
        transition.give_back(desk.db, desk.bench, claim)
    else:
        transition.take_back(desk.db, desk.bench, "w")
    assert desk.status(id)[0] == "failed"
    assert '"cancelled"' in desk.db.execute("SELECT error FROM job").fetchone()[0]
    assert not list(desk.bench.content.names())


def test_a_deleted_job_cannot_be_completed_and_leaves_no_row(desk: Desk) -> None:
    id = desk.insert()
    claim = desk.claim()
    assert transition.delete(desk.db, desk.bench, id, "somebody else") is None
    removal = transition.delete(desk.db, desk.bench, id, "")
    assert removal is not None and removal.worker == "w"
    with pytest.raises(LostError):
        transition.complete(desk.db, desk.bench, claim, desk.result())
    for table in ("job", "holding", "piece", "need"):
        assert desk.db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_what_is_made_is_held_with_the_stamp_of_its_file(desk: Desk) -> None:
    desk.insert()
    result = desk.result()
    transition.complete(desk.db, desk.bench, desk.claim(), result)
    (row,) = desk.db.execute("SELECT sha256, made_at FROM holding").fetchall()
    assert row == (result.outputs[0].sha256, desk.bench.content.stamp(result.outputs[0].sha256))


def test_both_sides_of_the_move_are_marked(desk: Desk) -> None:
    seen: list[tuple[str, bool]] = []
    result = desk.result()
    there = desk.bench.content.path(result.outputs[0].sha256)
    bench = replace(desk.bench, checkpoint=lambda name: seen.append((name, there.exists())))
    desk.insert()
    transition.complete(desk.db, bench, desk.claim(), result)
    assert seen == [("e.before", False), ("e.after", True)]

"""What happens to a job, each change as a function over the open transaction of ``writer``.

Nothing here commits, and nothing here waits; a function that raises leaves nothing. ``service`` draws the diagram.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field

from triptych.errors import Cancelled, Conflict, InputFailed, Interrupted, QueueFull
from triptych.jobs.content import Content
from triptych.jobs.id import ulid
from triptych.jobs.pending import failed_source, no_result, refusal
from triptych.jobs.record import read_output, write, write_result
from triptych.jobs.statement import statements
from triptych.jobs.store import Claim, Draft, Freed, LostError, Once, Removal
from triptych.jobs.term import Terms
from triptych.jobs.writer import Checkpoint, pass_by
from triptych.task import JobError, Output, Plan, Request, Result, Status
from triptych.task.piece import source_of

SQL = statements("sqlite.sql")

CANCELLED = JobError(code=Cancelled.code, message="it was stopped on request")


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What every change needs.

    Attributes:
        content: the files.
        terms: the figures.
        clock: seconds since 1970.
        checkpoint: called around what cannot be undone.
    """

    content: Content
    terms: Terms
    clock: Callable[[], float]
    checkpoint: Checkpoint = field(default=pass_by)


def insert(db: sqlite3.Connection, bench: Bench, draft: Draft, documents: tuple[str, str, str]) -> tuple[str, bool]:
    """Store a draft as a queued job, or find the job that it repeats."""
    if draft.once is not None:
        found = repeated(db, draft.once, draft.owner, bench.terms.retry_seconds)
        if found is not None:
            return found, False
    (waiting,) = db.execute(SQL["queued"]).fetchone()
    if waiting >= bench.terms.max_queued:
        raise QueueFull(f"{waiting} jobs wait already, and no more than {bench.terms.max_queued} may; try again later")
    for sha256, named in draft.contents:
        # A sweep holds the write lock too: what is there now stays, as the same commit says that it is needed.
        if not bench.content.has(sha256):
            raise refusal(named, sha256, "its bytes are not here any more", "Send it again")
    now = bench.clock()
    id = f"{draft.kind}_{ulid(now)}"
    met = {piece: _awaited(db, draft.owner, piece, named, now) for piece, named in draft.waits}
    once = draft.once
    db.execute(
        SQL["insert"],
        {
            "id": id,
            "owner": draft.owner,
            "kind": draft.kind,
            "blocked": sum(output is None for output in met.values()),
            "created_at": now,
            "parent": draft.parent,
            "waits_for": json.dumps(list(dict.fromkeys(source_of(piece) for piece in met))),
            "once_key": once and once.key,
            "digest": once and once.digest,
            "retried": int(once is not None and once.retry),
            "request": documents[0],
            "plan": documents[1],
            "asked": documents[2],
        },
    )
    for sha256, _ in draft.contents:
        _hold(db, id, sha256)
    for piece, named in draft.waits:
        text = met[piece]
        row = {"job": id, "piece": piece, "source": source_of(piece), "field": named, "output": text}
        db.execute(SQL["need"], row)
        if text is not None:
            _hold(db, id, read_output(text, bench.content).sha256)
    return id, True


def repeated(db: sqlite3.Connection, once: Once, owner: str, retry_seconds: float) -> str | None:
    """The job that a request repeats, if it repeats one.

    Raises:
        Conflict: its key was used for another request.
    """
    if once.key is not None:
        row = db.execute(SQL["by_key"], {"owner": owner, "key": once.key}).fetchone()
        if row is not None and row[1] != once.digest:
            raise Conflict(f"the idempotency key {once.key!r} was used for another request; use a new one")
        if row is not None:
            return str(row[0])
    same = {"owner": owner, "digest": once.digest}
    if once.retry:
        row = db.execute(SQL["first_of_retry"], {**same, "since": once.received_at - retry_seconds}).fetchone()
    else:
        # It was on its way for so long that its own retry was here first.
        row = db.execute(SQL["overtaken_by_retry"], {**same, "received_at": once.received_at}).fetchone()
    return None if row is None else str(row[0])


def claim(db: sqlite3.Connection, bench: Bench, worker: str) -> Claim | None:
    """Give the oldest job that is ready to a worker."""
    now = bench.clock()
    lease = now + bench.terms.lease_seconds
    row = db.execute(SQL["claim"], {"worker": worker, "now": now, "lease_until": lease}).fetchone()
    return None if row is None else Claim(id=row[0], worker=worker, attempt=row[1])


def bind(db: sqlite3.Connection, bench: Bench, claim: Claim, request: Request, plan: Plan) -> None:
    """Put what was waited for in its place, and forget that it was waited for."""
    held(db, claim)
    for slot in plan.slots:
        if not bench.content.has(slot.blob.sha256):
            raise InputFailed(f"{slot.field}: the bytes of what it waited for are gone")
    db.execute(SQL["rebind"], {"id": claim.id, "request": write(request), "plan": write(plan)})
    db.execute(SQL["let_go_inputs"], {"holder": claim.id})
    for slot in plan.slots:
        _hold(db, claim.id, slot.blob.sha256)
    db.execute(SQL["drop_needs"], {"job": claim.id})


def complete(db: sqlite3.Connection, bench: Bench, claim: Claim, result: Result) -> tuple[str, ...]:
    """Move the outputs where they are kept, and complete the job; gives the jobs that waited for it."""
    if held(db, claim):
        raise Cancelled("it was stopped on request")
    bench.checkpoint("e.before")
    # Under the write lock: no deletion and no sweep comes between the move and the row that refers to it. Should the
    # process die here, the job is begun again, and what was moved is swept when its lease is over.
    for output in result.outputs:
        bench.content.take(output)
    bench.content.settle()
    bench.checkpoint("e.after")
    now = bench.clock()
    row = {"id": claim.id, "now": now, "expires_at": now + bench.terms.keep_seconds, "result": write_result(result)}
    db.execute(SQL["complete"], row)
    for output in result.outputs:
        _hold(db, claim.id, output.sha256, made_at=bench.content.stamp(output.sha256))
    return _meet(db, claim.id, result.outputs[0])


def fail(db: sqlite3.Connection, bench: Bench, id: str, error: JobError) -> tuple[str, ...]:
    """End a job without a result, and with it those that waited for it; gives their ids, its own first."""
    now = bench.clock()
    row = {"id": id, "now": now, "expires_at": now + bench.terms.keep_seconds, "error": write(error)}
    db.execute(SQL["fail"], row)
    db.execute(SQL["drop_needs"], {"job": id})
    return (id, *orphan(db, bench, id, f"failed: {error.message}"))


def orphan(db: sqlite3.Connection, bench: Bench, source: str, fate: str) -> tuple[str, ...]:
    """End the jobs that wait for one that will give nothing; gives their ids."""
    ended: list[str] = []
    for job, piece, named in db.execute(SQL["waiting"], {"source": source}).fetchall():
        if job not in ended:
            message = f"{piece} was needed, and {source} {fate}"
            ended += fail(db, bench, job, JobError(code=InputFailed.code, message=message, param=named))
    return tuple(ended)


def give_back(db: sqlite3.Connection, bench: Bench, claim: Claim) -> None:
    """Put a job back into the queue, as if it had not been begun."""
    if held(db, claim):
        fail(db, bench, claim.id, CANCELLED)
    else:
        db.execute(SQL["give_back"], {"id": claim.id, "uncounted": 1})


def take_back(db: sqlite3.Connection, bench: Bench, worker: str | None) -> tuple[str, ...]:
    """Take back the jobs of a dead worker, and those whose lease is over."""
    touched: list[str] = []
    found = db.execute(SQL["abandoned"], {"worker": worker, "now": bench.clock()}).fetchall()
    for id, attempt, cancel_requested in found:
        if cancel_requested:
            touched += fail(db, bench, id, CANCELLED)
        elif attempt >= bench.terms.max_attempts:
            times = "once" if attempt == 1 else f"{attempt} times"
            message = f"the process that ran it died; it was begun {times}, and is not begun again"
            touched += fail(db, bench, id, JobError(code=Interrupted.code, message=message))
        else:
            db.execute(SQL["give_back"], {"id": id, "uncounted": 0})
            touched.append(id)
    return tuple(touched)


def cancel(db: sqlite3.Connection, bench: Bench, id: str, owner: str) -> Removal | None:
    """Stop a job that waits; ask for one that runs to be stopped; leave one that ended as it is."""
    row = db.execute(SQL["owned"], {"id": id, "owner": owner, "now": bench.clock()}).fetchone()
    if row is None:
        return None
    status, worker = Status(row[0]), row[1]
    if status is Status.QUEUED:
        return Removal(touched=fail(db, bench, id, CANCELLED))
    if status is Status.IN_PROGRESS:
        db.execute(SQL["request_cancel"], {"id": id})
        return Removal(worker=worker, touched=(id,))
    return Removal()


def delete(db: sqlite3.Connection, bench: Bench, id: str, owner: str) -> Removal | None:
    """Remove a job for good."""
    row = db.execute(SQL["owned"], {"id": id, "owner": owner, "now": bench.clock()}).fetchone()
    if row is None:
        return None
    touched = orphan(db, bench, id, "was deleted")
    return Removal(freed=remove(db, id), worker=row[1], touched=(id, *touched))


def remove(db: sqlite3.Connection, id: str) -> tuple[Freed, ...]:
    """Remove a job's rows; gives the files that it needed."""
    for name in ("drop_needs", "drop_pieces"):
        db.execute(SQL[name], {"job": id})
    db.execute(SQL["remove_job"], {"id": id})
    return let_go(db, id)


def let_go(db: sqlite3.Connection, holder: str) -> tuple[Freed, ...]:
    """Forget what somebody needed; gives the files."""
    rows = db.execute(SQL["holdings"], {"holder": holder}).fetchall()
    db.execute(SQL["let_go"], {"holder": holder})
    return tuple(Freed(sha256=sha256, made_at=made_at) for sha256, made_at in rows)


def held(db: sqlite3.Connection, claim: Claim) -> bool:
    """Whether somebody wants a job stopped that is this worker's.

    Raises:
        LostError: it is not.
    """
    row = db.execute(SQL["held"], {"id": claim.id, "worker": claim.worker, "attempt": claim.attempt}).fetchone()
    if row is None:
        raise LostError(claim.id)
    return bool(row[0])


def _meet(db: sqlite3.Connection, source: str, output: Output) -> tuple[str, ...]:
    """Hand a video to those who waited for it. From now on they hold it themselves, whatever becomes of its job."""
    waiting = db.execute(SQL["waiting"], {"source": source}).fetchall()
    db.execute(SQL["meet"], {"source": source, "output": write(output)})
    jobs = dict.fromkeys(job for job, _, _ in waiting)
    for job in jobs:
        _hold(db, job, output.sha256)
        db.execute(SQL["unblock"], {"id": job})
    return tuple(jobs)


def _awaited(db: sqlite3.Connection, owner: str, piece: str, named: str, now: float) -> str | None:
    """The video of a result that is waited for, as text, should it be there by now."""
    row = db.execute(SQL["source"], {"id": source_of(piece), "owner": owner}).fetchone()
    if row is None or (row[1] is not None and row[1] <= now):
        raise no_result(named, piece)
    status, _, error, result = row
    if status == Status.FAILED:
        raise failed_source(named, piece, json.loads(error)["message"])
    return None if result is None else json.dumps(json.loads(result)["outputs"][0])


def _hold(db: sqlite3.Connection, holder: str, sha256: str, *, made_at: float | None = None) -> None:
    db.execute(SQL["hold"], {"holder": holder, "sha256": sha256, "made_at": made_at})

"""A plan with a life of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from triptych.task.plan import Plan
from triptych.task.request import Request
from triptych.task.result import Result


class Status(StrEnum):
    """Where a job is. There are no others: a cancelled job is ``failed``, and its error says ``cancelled``."""

    QUEUED = "queued"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen to it."""
        return self in (Status.COMPLETED, Status.FAILED)


@dataclass(frozen=True, kw_only=True)
class JobError:
    """Why a job failed.

    Attributes:
        code: of ``errors`` (``engine_failed``, ``cancelled``, ``input_failed``, ``interrupted``).
        message: in words, with what to do.
        param: the caller's own name for what it is about, where it is about one thing.
    """

    code: str
    message: str
    param: str | None = None


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job, as it is remembered.

    Attributes:
        id: sorts by the time at which it was made.
        owner: whose it is; empty where nobody has to say who they are.
        kind: what it makes (``video``).
        status: where it is.
        request: as it was asked, every input bound to stored bytes, so that it can be asked again.
        plan: what runs.
        asked: what the surface that took the request wants to tell again (``metadata``, ``user``, sizes as asked).
        created_at, started_at, completed_at, expires_at: seconds since 1970; ``None`` where it has not come to that.
        attempt: how often it was begun.
        stage, done, total: the last progress that was heard; see ``Progress``.
        result: of a completed job.
        error: of a failed job.
        waits_for: ids of jobs whose results it needs.
        cancel_requested: somebody wants it stopped.
        parent: the job that it was made from, by a remix, an edit or an extension.
    """

    id: str
    owner: str
    kind: str
    status: Status
    request: Request
    plan: Plan
    asked: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    created_at: float
    started_at: float | None = None
    completed_at: float | None = None
    expires_at: float | None = None
    attempt: int = 0
    stage: str = ""
    done: int = 0
    total: int = 0
    result: Result | None = None
    error: JobError | None = None
    waits_for: tuple[str, ...] = ()
    cancel_requested: bool = False
    parent: str | None = None

    @property
    def percent(self) -> int:
        """0..100, and 100 only for a completed job."""
        if self.status is Status.COMPLETED:
            return 100
        return min(99, 100 * self.done // self.total) if self.total else 0

"""What a store of jobs does, whichever database is behind it, and the values that go in and out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from triptych.task import Blob, Job, JobError, Output, Plan, Progress, Request, Result

Order = Literal["asc", "desc"]


class LostError(Exception):
    """The job is not this worker's any more: deleted, ended, or given to another."""


@dataclass(frozen=True, kw_only=True)
class Once:
    """What tells that a request was sent before.

    Attributes:
        key: of the caller's choice (``Idempotency-Key``).
        digest: of the request's meaning.
        retry: whether the client says that it sends it again.
        received_at: when its first byte was here, in seconds since 1970.
    """

    key: str | None
    digest: str
    retry: bool
    received_at: float


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A job that is not stored yet.

    Attributes:
        waits: the pieces of results that it waits for, by the caller's own name: (piece, field).
        contents: sha256 of every file that it needs, by the caller's own name.
    """

    owner: str
    kind: str
    request: Request
    plan: Plan
    asked: Mapping[str, Any]
    parent: str | None
    once: Once | None
    waits: tuple[tuple[str, str], ...]
    contents: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """The right to run a job, for as long as the lease is renewed."""

    id: str
    worker: str
    attempt: int


@dataclass(frozen=True, kw_only=True)
class Need:
    """A piece of a result that a job waits for.

    Attributes:
        piece: its id, as the plan says it (``video_….last_frame``).
        field: the caller's own name for it.
        output: the video that it is a piece of, once that is there.
    """

    piece: str
    field: str
    output: Output | None


@dataclass(frozen=True, kw_only=True)
class Page:
    """Some jobs, in order, and whether there are more behind them."""

    jobs: tuple[Job, ...]
    has_more: bool


@dataclass(frozen=True, kw_only=True)
class Counts:
    """How many jobs there are, by status."""

    queued: int = 0
    in_progress: int = 0
    completed: int = 0
    failed: int = 0


@dataclass(frozen=True, kw_only=True)
class Stored:
    """A file that can be sent: where it is, what it is, and what to call it."""

    path: Path
    sha256: str
    media_type: str
    size_bytes: int
    file_name: str


@dataclass(frozen=True, kw_only=True)
class StoredFile:
    """A file that somebody uploaded, to be named in requests.

    Attributes:
        id: ``file_`` and a ULID.
        owner: whose it is.
        file_name: as the caller called it.
        media_type: MIME type.
        purpose: in the caller's words.
        blob: its bytes.
        created_at, expires_at: seconds since 1970; ``expires_at`` is ``None`` where it is kept until deleted.
    """

    id: str
    owner: str
    file_name: str
    media_type: str
    purpose: str
    blob: Blob
    created_at: float
    expires_at: float | None


@dataclass(frozen=True, kw_only=True)
class FilePage:
    """Some files, in order, and whether there are more behind them."""

    files: tuple[StoredFile, ...]
    has_more: bool


@dataclass(frozen=True, kw_only=True)
class Freed:
    """A file that a removed record needed.

    Attributes:
        sha256: which.
        made_at: its time stamp when it was made here; ``None`` for one that was brought in.
    """

    sha256: str
    made_at: float | None


@dataclass(frozen=True, kw_only=True)
class Removal:
    """What a removal was about.

    Attributes:
        freed: files that are perhaps not needed any more.
        worker: of the process that runs the job; ``None`` where it did not run.
        touched: ids of jobs that changed because of it.
    """

    freed: tuple[Freed, ...] = ()
    worker: str | None = None
    touched: tuple[str, ...] = ()


class Store(Protocol):
    """Remembers jobs. Every method that writes is a coroutine and returns once the write is committed.

    Methods that read are quick, may be called in any thread, and see what was committed.
    """

    # Jobs, for whoever asks.
    async def insert(self, draft: Draft) -> tuple[str, bool]:
        """Store a job, or find the one that it repeats: its id, and whether it is new.

        Raises:
            QueueFull: too many wait.
            Conflict: the key was used for another request.
            InvalidRequest: a file that it needs is gone, or a result that it waits for failed.
        """
        ...

    def find(self, once: Once, owner: str) -> str | None:
        """The id of the job that a request repeats. Raises ``Conflict`` as ``insert`` does."""
        ...

    def get(self, id: str) -> Job | None: ...

    def is_gone(self, id: str, owner: str) -> bool:
        """Whether it was here and expired."""
        ...

    def page(self, owner: str, *, after: str | None, limit: int, order: Order) -> Page: ...

    def position(self, id: str) -> int: ...

    def counts(self) -> Counts: ...

    async def cancel(self, id: str, owner: str) -> Removal | None:
        """Ask for a job to be stopped; one that waits is stopped at once. ``None`` when there is no such job."""
        ...

    async def delete(self, id: str, owner: str) -> Removal | None:
        """Remove a job for good. ``None`` when there is no such job."""
        ...

    # Jobs, for whoever runs them.
    def has_ready(self) -> bool: ...

    async def claim(self, worker: str) -> Claim | None: ...

    def needs(self, id: str) -> tuple[Need, ...]: ...

    async def bind(self, claim: Claim, request: Request, plan: Plan) -> None: ...

    def cancel_requested(self, claim: Claim) -> bool:
        """Whether somebody wants it stopped. Raises ``LostError`` when it is not this worker's any more."""
        ...

    async def beat(self, claims: Sequence[Claim]) -> None: ...

    async def progress(self, heard: Sequence[tuple[Claim, Progress]]) -> None: ...

    async def complete(self, claim: Claim, result: Result) -> tuple[str, ...]:
        """Move the outputs where they are kept, and complete the job; ids of the jobs that waited for it.

        Raises:
            LostError: the job is not this worker's any more. Nothing was moved.
            Cancelled: somebody wants it stopped. Nothing was moved.
        """
        ...

    async def fail(self, claim: Claim, error: JobError) -> tuple[str, ...]:
        """End a job without a result; ids of the jobs that failed with it. ``LostError`` as above."""
        ...

    async def give_back(self, claim: Claim) -> None:
        """Put a job back into the queue, as if it had not been begun."""
        ...

    # Housekeeping.
    def workers(self) -> tuple[str, ...]: ...

    def has_overdue(self) -> bool: ...

    async def take_back(self, worker: str | None) -> tuple[str, ...]:
        """Take back the jobs of a dead worker, and those whose lease is over; their ids."""
        ...

    async def expire(self) -> tuple[str, ...]:
        """Remove the records, and the files, of what has been kept for its time; their ids."""
        ...

    async def release(self, freed: Sequence[Freed]) -> None:
        """Remove those of these files that nothing refers to, if their lease is over or nobody took one out."""
        ...

    async def sweep(self) -> int:
        """Remove every file that nothing refers to and whose lease is over; how many."""
        ...

    # Pieces and files.
    def piece(self, job: str, variant: str, number: int) -> tuple[Blob, str] | None: ...

    async def add_piece(self, job: str, variant: str, number: int, blob: Blob, media_type: str) -> None: ...

    async def add_file(
        self, blob: Blob, *, owner: str, file_name: str, media_type: str, purpose: str
    ) -> StoredFile: ...

    def file(self, id: str) -> StoredFile | None: ...

    def files(self, owner: str, *, after: str | None, limit: int, order: Order, purpose: str) -> FilePage: ...

    async def delete_file(self, id: str, owner: str) -> Removal | None: ...

"""How long things are kept, how often things are tried, and how much may wait."""

from __future__ import annotations

from dataclasses import dataclass

HOUR_SECONDS = 3600.0
DAY_SECONDS = 24 * HOUR_SECONDS


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The figures that a service goes by.

    Attributes:
        workers: how many jobs this process runs at once; 0 leaves all of them to other processes.
        max_queued: how many jobs may wait, of all owners and processes together.
        max_attempts: how often a job whose process died is begun, in all.
        keep_seconds: how long a job is kept after it ended.
        keep_files_seconds: how long an uploaded file is kept; ``None`` is until somebody deletes it.
        tombstone_seconds: how long it is remembered that something expired.
        lease_seconds: how long a job is its worker's without a word from it.
        beat_seconds: how often a worker gives word.
        progress_seconds: how often progress is written, at most.
        look_seconds: how often is looked for what other processes did.
        tend_seconds: how often is looked for jobs of dead processes.
        sweep_seconds: how often expired jobs and unneeded files are removed.
        content_lease_seconds: how long a file that nothing refers to is kept.
        retry_seconds: how long after a job was made a retry of its request is still the same job.
        grace_seconds: how long running jobs may go on when the service is closed.
        cancel_seconds: how long a caller who cancels waits, at most, until the job has stopped.
    """

    workers: int = 1
    max_queued: int = 1000
    max_attempts: int = 2
    keep_seconds: float = 7 * DAY_SECONDS
    keep_files_seconds: float | None = None
    tombstone_seconds: float = 30 * DAY_SECONDS
    lease_seconds: float = 15.0
    beat_seconds: float = 3.0
    progress_seconds: float = 0.25
    look_seconds: float = 0.5
    tend_seconds: float = 1.0
    sweep_seconds: float = 60.0
    content_lease_seconds: float = HOUR_SECONDS
    retry_seconds: float = 900.0
    grace_seconds: float = 2.0
    cancel_seconds: float = 5.0

    def __post_init__(self) -> None:
        if self.workers < 0 or self.max_queued < 1 or self.max_attempts < 1:
            raise ValueError("workers must be 0 or more, max_queued and max_attempts 1 or more")
        if self.beat_seconds * 2 > self.lease_seconds:
            raise ValueError(f"a beat each {self.beat_seconds:g} s is too rare for a lease of {self.lease_seconds:g} s")

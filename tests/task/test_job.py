from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.example import H3_LIKE, planned
from triptych.task import Job, JobError, Request, Status

JOB = Job(
    id="video_1",
    owner="",
    kind="video",
    status=Status.IN_PROGRESS,
    request=Request(prompt="a"),
    plan=planned(Request(prompt="a"), H3_LIKE, []),
    created_at=1.0,
)


def test_only_two_words_are_an_end() -> None:
    assert [status.value for status in Status if status.ended] == ["completed", "failed"]


@pytest.mark.parametrize(
    ("done", "total", "percent"), [(0, 0, 0), (0, 10, 0), (5, 10, 50), (10, 10, 99), (999, 1000, 99)]
)
def test_a_job_is_at_100_only_when_it_is_completed(done: int, total: int, percent: int) -> None:
    running = replace(JOB, done=done, total=total)
    assert running.percent == percent
    assert replace(running, status=Status.COMPLETED).percent == 100


def test_a_failed_job_says_why() -> None:
    failed = replace(JOB, status=Status.FAILED, error=JobError(code="cancelled", message="Stopped on request."))
    assert failed.error is not None
    assert (failed.error.code, failed.error.param) == ("cancelled", None)

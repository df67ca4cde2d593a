"""Errors told and raised again. The way through a real child is in ``test_host``."""

from __future__ import annotations

import errno
import json
from typing import Any

import pytest

from triptych.errors import ChildCrashed, EngineFailed, InvalidRequest, LimitExceeded, Problem, TriptychError
from triptych.process import report
from triptych.process.limits import Limits


class Homemade(InvalidRequest):
    """A subclass that the parent does not know."""


def told(error: BaseException, limits: Limits | None = None) -> TriptychError:
    """The error that comes out at the other end of the pipe."""
    passed = json.loads(json.dumps(report.tell(error)))
    with pytest.raises(TriptychError) as caught:
        report.raise_told(passed, target="a:b", limits=limits or Limits())
    return caught.value


def test_an_unknown_subclass_becomes_the_nearest_known_class() -> None:
    problem = Problem(code="invalid_value", field="f", message="m")
    raised = told(Homemade([problem]))
    assert type(raised) is InvalidRequest
    assert raised.problems == (problem,)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(errno.ENOMEM, "no memory"),
        RuntimeError("std::bad_alloc"),
        RuntimeError("Insufficient memory"),
    ],
)
def test_every_way_to_run_out_of_memory(error: Exception) -> None:
    raised = told(error, Limits(memory_bytes=123))
    assert type(raised) is LimitExceeded
    assert raised.message == "a:b needs more memory than its limit of 123 bytes"


def test_without_a_bound_the_machine_has_the_last_word() -> None:
    assert (
        told(MemoryError(), Limits(memory_bytes=None)).message
        == "a:b passed the machine's own bound; memory_bytes sets none"
    )


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_without_room(number: int) -> None:
    raised = told(OSError(number, "No space left on device", "/private/file"))
    assert type(raised) is EngineFailed
    assert raised.message == "there is no room left on the disk for what a:b writes"


def test_a_file_that_grew_too_large() -> None:
    raised = told(OSError(errno.EFBIG, "File too large"), Limits(file_bytes=5))
    assert raised.message == "a:b wrote a file of more than its limit of 5 bytes"


def test_any_other_error_is_a_failure_with_its_traceback_apart() -> None:
    raised = told(KeyError("k"))
    assert type(raised) is EngineFailed
    assert raised.message == "a:b failed: KeyError: 'k'"
    assert isinstance(raised.__cause__, report.ChildDetailError)
    assert "KeyError: 'k'" in raised.__cause__.detail


@pytest.mark.parametrize(
    "nonsense",
    [
        {},
        [],
        None,
        {"detail": "d", "type": "NoSuchError", "message": "m"},
        {"detail": "d", "type": "InvalidRequest", "problems": []},
        {"detail": "d", "type": "InvalidRequest", "problems": [{"code": "no such", "field": "f", "message": "m"}]},
        {"detail": "d", "limit": "no such limit", "no_room": False, "name": "n", "message": "m"},
    ],
)
def test_an_error_that_makes_no_sense_is_a_crash(nonsense: Any) -> None:
    """A decoder that a file has taken over says what it likes; the parent stays on its feet."""
    with pytest.raises(ChildCrashed, match="a:b failed, and what it says of that makes no sense"):
        report.raise_told(nonsense, target="a:b", limits=Limits())

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from triptych import errors
from triptych.errors import (
    PROBLEM_CODES,
    Cancelled,
    EngineFailed,
    InvalidRequest,
    NotFound,
    Problem,
    TriptychError,
    UsageError,
    error_classes,
)

PROBLEM = Problem(code="invalid_value", field="--fps", message="61 is too much", value=61, limit=60, fix="Ask for 24")
BARE = Problem(code="media_empty", field="", message="there are no bytes")


def test_every_class_has_its_place_in_the_table() -> None:
    found = error_classes()
    assert found[0] is TriptychError
    assert len({kind.code for kind in found}) == len(found), "a code means one class"
    for kind in found:
        assert kind.__doc__
        assert kind.__name__ in (errors.__doc__ or "")
        assert 400 <= kind.status < 600
        assert kind.exit_code in (1, 2, 130)
        assert all(found.index(parent) < found.index(kind) for parent in kind.__bases__ if parent in found)
    assert set(found) == {
        one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, TriptychError)
    }


@pytest.mark.parametrize(
    ("kind", "status", "exit_code"),
    [(InvalidRequest, 400, 1), (UsageError, 400, 2), (NotFound, 404, 1), (EngineFailed, 500, 1), (Cancelled, 409, 130)],
)
def test_what_an_error_means_outside(kind: type[TriptychError], status: int, exit_code: int) -> None:
    assert (kind.status, kind.exit_code) == (status, exit_code)


def test_an_error_says_its_meaning_when_nobody_says_more() -> None:
    assert Cancelled().message == "Stopped on request."
    assert NotFound("no video 7").as_json() == {"code": "not_found", "message": "no video 7"}


def test_a_problem_reads_as_a_sentence() -> None:
    assert str(PROBLEM) == "--fps: 61 is too much. Ask for 24."
    assert str(replace(PROBLEM, fix="Did you mean 60?")) == "--fps: 61 is too much. Did you mean 60?"
    assert str(BARE) == "there are no bytes."


def test_a_problem_is_json() -> None:
    assert json.loads(json.dumps(PROBLEM.as_json(), allow_nan=False)) == {
        "code": "invalid_value",
        "field": "--fps",
        "message": "61 is too much",
        "value": 61,
        "limit": 60,
        "fix": "Ask for 24",
    }


def test_a_problem_has_a_known_code() -> None:
    with pytest.raises(ValueError, match="no problem code 'nonsense'; known: "):
        Problem(code="nonsense", field="", message="")
    assert all(code == code.lower() and meaning.endswith(".") for code, meaning in PROBLEM_CODES.items())


def test_a_refusal_carries_every_problem_and_leads_with_the_first() -> None:
    refusal = InvalidRequest(iter([PROBLEM, BARE]))
    assert refusal.problems == (PROBLEM, BARE)
    assert refusal.message == str(refusal) == str(PROBLEM)
    assert refusal.as_json() == {
        "code": "invalid_value",
        "message": str(PROBLEM),
        "param": "--fps",
        "problems": [PROBLEM.as_json(), BARE.as_json()],
    }


def test_a_refusal_without_a_reason_cannot_be() -> None:
    with pytest.raises(ValueError, match="at least one problem"):
        InvalidRequest([])


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (errors.Unauthorized, 401),
        (errors.Forbidden, 403),
        (errors.MethodNotAllowed, 405),
        (errors.NotReady, 409),
        (errors.Conflict, 409),
        (errors.Expired, 410),
        (errors.TooLarge, 413),
        (errors.UnsupportedMediaType, 415),
        (errors.NoResult, 422),
        (errors.QueueFull, 429),
        (errors.EngineUnavailable, 503),
        (errors.StillRunning, 504),
        (errors.StorageFailed, 507),
    ],
)
def test_what_a_server_answers_with(kind: type[TriptychError], status: int) -> None:
    assert kind.status == status
    assert kind.exit_code == 1
    assert kind().message.endswith(".")


def test_how_a_job_can_end_has_words_of_its_own() -> None:
    kinds = (EngineFailed, errors.InputFailed, errors.Interrupted, Cancelled)
    assert [kind.code for kind in kinds] == ["engine_failed", "input_failed", "interrupted", "cancelled"]

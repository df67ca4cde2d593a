"""Every error has the one shape, the status of its class, and the headers that keep the SDK from asking in vain."""

from __future__ import annotations

import asyncio
import errno
import json
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from triptych import errors
from triptych.errors import InvalidRequest, Problem, TriptychError, error_classes
from triptych.server import problem

PROBLEMS = [
    Problem(code="invalid_value", field="size", message="'1x' is no size", value="1x", fix="Say 1280x720"),
    Problem(code="unknown_parameter", field="sise", message="there is no such parameter"),
]


def told(response: JSONResponse) -> dict[str, Any]:
    document = json.loads(bytes(response.body))
    assert set(document) == {"error"}
    error: dict[str, Any] = document["error"]
    return error


def made(kind: type[TriptychError]) -> TriptychError:
    return kind(PROBLEMS) if issubclass(kind, InvalidRequest) else kind("It is so.")


@pytest.mark.parametrize("kind", error_classes())
def test_every_error_has_the_one_shape_and_its_own_status(kind: type[TriptychError]) -> None:
    response = problem.respond(made(kind))
    error = told(response)
    assert response.status_code == kind.status
    assert set(error) - {"problems"} == {"message", "type", "param", "code"}
    assert error["message"]
    assert error["type"].endswith("_error")


def test_a_refusal_tells_all_problems_and_leads_with_the_first() -> None:
    error = told(problem.respond(InvalidRequest(PROBLEMS)))
    assert (error["code"], error["param"]) == ("invalid_value", "size")
    assert error["message"] == "size: '1x' is no size. Say 1280x720."
    assert [each["field"] for each in error["problems"]] == ["size", "sise"]


def test_an_unknown_engine_is_a_model_that_is_not_found() -> None:
    unknown = Problem(code="unknown_engine", field="model", message="no engine is called 'x'")
    response = problem.respond(InvalidRequest([unknown, *PROBLEMS]))
    assert (response.status_code, told(response)["code"]) == (404, "model_not_found")
    assert problem.respond(InvalidRequest([*PROBLEMS, unknown])).status_code == 400


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/videos/{video_id}", "video_not_found"),
        ("/videos/characters/{character_id}", "character_not_found"),
        ("/files/{file_id}", "file_not_found"),
        ("", "not_found"),
    ],
)
def test_what_is_not_found_is_named(path: str, code: str) -> None:
    assert told(problem.respond(errors.NotFound("No."), path=path))["code"] == code


def test_what_is_not_ready_or_expired_is_named_too() -> None:
    path = "/videos/{video_id}/content"
    assert told(problem.respond(errors.NotReady("No."), path=path))["code"] == "video_not_ready"
    assert told(problem.respond(errors.Expired("No."), path=path))["code"] == "video_expired"


@pytest.mark.parametrize(
    "kind", [errors.NotReady, errors.Conflict, errors.StillRunning, errors.EngineFailed, errors.StorageFailed]
)
def test_what_asking_again_does_not_mend_says_so(kind: type[TriptychError]) -> None:
    assert problem.respond(made(kind)).headers["x-should-retry"] == "false"


def test_a_fault_before_there_is_a_job_may_be_tried_again_and_after_that_not() -> None:
    assert "x-should-retry" not in problem.respond(TriptychError("No."), job_id=None).headers
    after = problem.respond(TriptychError("No."), job_id="video_1")
    assert (after.headers["x-should-retry"], told(after)["job_id"]) == ("false", "video_1")


def test_a_full_queue_says_when_to_come_again() -> None:
    response = problem.respond(errors.QueueFull("Full."))
    assert (response.status_code, told(response)["type"]) == (429, "rate_limit_error")
    assert int(response.headers["retry-after-ms"]) == 1000 * int(response.headers["retry-after"])
    assert "x-should-retry" not in response.headers


def test_a_crash_tells_its_id_alone() -> None:
    response = problem.crash(RuntimeError("secret"), request_id="req_1")
    assert response.status_code == 500
    assert "req_1" in told(response)["message"]
    assert b"secret" not in bytes(response.body)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_507(number: int) -> None:
    assert problem.crash(OSError(number, "x", "/srv/secret"), request_id="r").status_code == 507


def request(method: str = "PUT") -> Request:
    return Request({"type": "http", "method": method, "path": "/v1/x", "headers": [], "state": {}, "app": Starlette()})


def test_a_wrong_method_says_which_there_are() -> None:
    response = asyncio.run(problem.on_http(request(), HTTPException(405, headers={"Allow": "GET, DELETE"})))
    assert (response.status_code, response.headers["allow"]) == (405, "GET, DELETE")
    assert "GET, DELETE" in told(response)["message"]


def test_an_unknown_address_has_the_one_shape() -> None:
    response = asyncio.run(problem.on_http(request(), HTTPException(404)))
    assert (response.status_code, told(response)["code"]) == (404, "not_found")


def test_what_is_no_error_of_ours_is_not_taken_for_one() -> None:
    with pytest.raises(ZeroDivisionError):
        asyncio.run(problem.on_error(request(), ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        asyncio.run(problem.on_http(request(), ZeroDivisionError()))

"""Errors as responses: the one place that decides how a refusal or a fault looks to a client.

Every body is ``{"error": {"message", "type", "param", "code"}}``; a refusal has ``problems`` too, and what is about a
job has ``job_id``. The status comes from the error's class, and the SDK's ``x-should-retry`` says what its number does
not: that asking again would change nothing, or would ask for a second job.
"""

from __future__ import annotations

import errno
import logging
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from triptych import errors
from triptych.errors import InvalidRequest, Problem, TriptychError
from triptych.wire.document import plain

log = logging.getLogger(__name__)

TYPES = {
    401: "authentication_error",
    403: "permission_error",
    429: "rate_limit_error",
}
"""``error.type`` by status; else it is the caller's (``invalid_request_error``) or ours (``server_error``)."""

NOUNS = (("/videos/characters", "character"), ("/videos", "video"), ("/files", "file"), ("/models", "model"))
"""What the routes below a path are about."""

OF_A_THING = ("not_found", "not_ready", "expired")
"""Codes that say on the wire what is not there: ``video_not_found``."""

RETRY_AFTER_MS = 2000

ONCE_MORE_CHANGES_NOTHING = (
    errors.NotReady,
    errors.Conflict,
    errors.InputChanged,
    errors.OutputExists,
    errors.StillRunning,
    errors.StorageFailed,
    errors.EngineUnavailable,
    errors.EngineFailed,
    errors.InputNotUsed,
    errors.Cancelled,
)
"""Errors whose status the SDK would ask again for, in vain or to harm."""


def respond(error: TriptychError, *, path: str = "", job_id: str | None = None) -> JSONResponse:
    """An error as a response.

    Args:
        error: it.
        path: of the route, without ``/v1``; it says what ``not_found`` is about.
        job_id: of the job that the request made, if it came that far.
    """
    told = plain(error.as_json())
    status, code = error.status, told["code"]
    if isinstance(error, InvalidRequest) and error.problems[0].code == "unknown_engine":
        status, code = 404, "model_not_found"
    elif code in OF_A_THING:
        noun = next((noun for start, noun in NOUNS if path.startswith(start)), None)
        code = f"{noun}_{code}" if noun else code
    return envelope(
        status,
        message=told["message"],
        code=code,
        param=told.get("param") or None,
        problems=told.get("problems"),
        job_id=job_id,
        headers=_headers(error, job_id),
    )


def envelope(
    status: int,
    *,
    message: str,
    code: str,
    param: str | None = None,
    problems: list[dict[str, Any]] | None = None,
    job_id: str | None = None,
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    """The one shape of an error."""
    kind = TYPES.get(status, "invalid_request_error" if status < 500 else "server_error")
    told: dict[str, Any] = {"message": message, "type": kind, "param": param, "code": code}
    if problems is not None:
        told["problems"] = problems
    if job_id is not None:
        told["job_id"] = job_id
    return JSONResponse({"error": told}, status, headers)


def _headers(error: TriptychError, job_id: str | None) -> dict[str, str]:
    if isinstance(error, errors.QueueFull):
        return {"retry-after-ms": str(RETRY_AFTER_MS), "retry-after": str(-(-RETRY_AFTER_MS // 1000))}
    if isinstance(error, errors.Unauthorized):
        return {"www-authenticate": "Bearer"}
    if job_id is not None or isinstance(error, ONCE_MORE_CHANGES_NOTHING):
        return {"x-should-retry": "false"}
    return {}


def crash(error: Exception, *, request_id: str, job_id: str | None = None) -> JSONResponse:
    """The response to a fault of ours: what it was stays in the log, under the request's id."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return respond(errors.StorageFailed("The server has no room left on its disk."), job_id=job_id)
    message = f"Something broke in the server. Its log says what, under the request id {request_id}."
    headers = {} if job_id is None else {"x-should-retry": "false"}
    return envelope(500, message=message, code="internal_error", job_id=job_id, headers=headers)


async def on_error(request: Request, error: Exception) -> JSONResponse:
    """For a ``TriptychError`` that a route raised."""
    if not isinstance(error, TriptychError):
        raise error
    if error.status >= 500:
        log.error("%s: %s", error.code, error.message, exc_info=error)
    path = getattr(request.scope.get("route"), "path", "")
    return respond(error, path=path, job_id=getattr(request.state, "job_id", None))


async def on_http(request: Request, error: Exception) -> JSONResponse:
    """For what the framework itself refuses: no such path, or not that method."""
    if not isinstance(error, HTTPException):
        raise error
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = _allowed(request) or (error.headers or {}).get("Allow", "")
        response = respond(errors.MethodNotAllowed(f"{request.method[:20]} is not done here; there is {allowed}."))
        response.headers["allow"] = allowed
        return response
    elif error.status_code == HTTPStatus.NOT_FOUND:
        response = respond(errors.NotFound("There is nothing at this address. /docs shows what there is."))
    else:
        response = envelope(error.status_code, message=str(error.detail), code="http_error")
    response.headers.update(dict(error.headers or {}))
    return response


def _allowed(request: Request) -> str:
    """Every method that the address takes. The framework tells those of one route alone.

    An address that is written out (``/videos/plan``) is not taken for an id.
    """
    found = [route for route in request.app.routes if isinstance(route, Route)]
    path = request.scope["path"]
    matching = [route for route in found if route.path_regex.match(path)]
    literal = [route for route in matching if not route.param_convertors]
    methods = {method for route in literal or matching for method in route.methods or ()}
    return ", ".join(sorted(methods))


def invalid(field: str, message: str, *, value: Any = None, limit: Any = None, fix: str = "") -> InvalidRequest:
    """The refusal of one value that a path or a query holds."""
    problem = Problem(code="invalid_value", field=field, message=message, value=value, limit=limit, fix=fix)
    return InvalidRequest([problem])

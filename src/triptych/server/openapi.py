"""The OpenAPI document: addresses from the routes, and what a table here says of each.

Handlers read their requests themselves, so the framework knows neither bodies nor answers; and it answers no request
with a 422 of its own, so none is promised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.routing import BaseRoute

from triptych.errors import PROBLEM_CODES
from triptych.task.piece import PIECES
from triptych.wire.file import (
    CharacterDocument,
    DeletedFileDocument,
    FileDocument,
    FilePageDocument,
    ModelDocument,
    ModelPageDocument,
)
from triptych.wire.job import DeletedDocument, JobDocument, PageDocument
from triptych.wire.schema import clip_schema, remix_schema, video_schema
from triptych.wire.shape import name_of, reference, schemas

JSON, FORM, URLENCODED = "application/json", "multipart/form-data", "application/x-www-form-urlencoded"

TEXT: dict[str, Any] = {"type": "string"}
FILE: dict[str, Any] = {"type": "string", "format": "binary"}

MEDIA = ("video/mp4", "image/png", "image/webp", "image/jpeg", "audio/wav")

STATUSES: Mapping[int, str] = {
    400: "It cannot be done as it was asked; every problem is listed, and nothing was queued.",
    401: "A key is needed, or this one is not known.",
    403: "The request comes from a web page, or by a host name, that may not ask.",
    404: "There is nothing of that id or name.",
    409: "It is not finished yet, or the idempotency key belongs to another request.",
    410: "It was kept for its time, and is gone.",
    413: "The body is larger than it may be.",
    415: "The body is of a type that is not read here.",
    416: "No such part: the file is shorter.",
    422: "The job failed, so there is nothing to fetch.",
    429: "Too many jobs wait. Ask again after the time in retry-after-ms.",
    500: "A fault of the server's; its log has the request id.",
    503: "What the engine needs is not there.",
    504: "It takes longer than a caller may wait; the job goes on, and its id is in the error.",
    507: "The server's disk is full.",
}

ALWAYS = (400, 401, 403, 500)
BODY = (413, 415, 507)


@dataclass(frozen=True, kw_only=True)
class Operation:
    """What a route takes and answers.

    Attributes:
        body: the schema of its body.
        body_types: how it may be encoded.
        answer: the document that it answers, or the media types.
        query: its query parameters.
        headers: its request headers.
        fails: statuses beside ``ALWAYS``.
        example: a body that works.
    """

    body: Mapping[str, Any] | None = None
    body_types: tuple[str, ...] = (JSON, FORM, URLENCODED)
    answer: type | tuple[str, ...] | None = None
    query: Mapping[str, Mapping[str, Any]] | None = None
    headers: Mapping[str, str] | None = None
    fails: tuple[int, ...] = ()
    example: Mapping[str, Any] | None = None


PAGING: Mapping[str, Mapping[str, Any]] = {
    "after": {"schema": TEXT, "description": "The id after which to go on."},
    "limit": {"schema": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}},
    "order": {"schema": {"enum": ["asc", "desc"], "default": "desc"}, "description": "By time of creation."},
}
AGAIN = {"Idempotency-Key": "A request that is sent again under the same key is the same job."}
UPLOAD = {
    "type": "object",
    "properties": {"file": FILE, "purpose": {**TEXT, "default": "user_data"}},
    "required": ["file"],
    "additionalProperties": False,
}
CHARACTER = {
    "type": "object",
    "properties": {"name": {**TEXT, "minLength": 1}, "video": FILE},
    "required": ["name", "video"],
    "additionalProperties": False,
}
VIDEO = {"$ref": "#/components/schemas/VideoRequest"}
CLIP = {"$ref": "#/components/schemas/ClipRequest"}
EXAMPLE = {"prompt": "A quiet street at dusk", "size": "1280x720", "seconds": "4"}
MAKES = (404, 409, 429, 503, *BODY)

OPERATIONS: Mapping[str, Operation] = {
    "create_video": Operation(body=VIDEO, answer=JobDocument, headers=AGAIN, fails=MAKES, example=EXAMPLE),
    "list_videos": Operation(answer=PageDocument, query=PAGING),
    "plan_video": Operation(body=VIDEO, fails=(404, 503, *BODY), example=EXAMPLE),
    "create_video_sync": Operation(
        body=VIDEO, answer=(*MEDIA[:1], JSON), headers=AGAIN, fails=(*MAKES, 422, 504), example=EXAMPLE
    ),
    "edit_video": Operation(body=CLIP, answer=JobDocument, headers=AGAIN, fails=MAKES),
    "extend_video": Operation(body=CLIP, answer=JobDocument, headers=AGAIN, fails=MAKES),
    "retrieve_video": Operation(answer=JobDocument, fails=(404, 410)),
    "delete_video": Operation(answer=DeletedDocument, fails=(404, 410)),
    "download_video_content": Operation(
        answer=MEDIA,
        query={
            "variant": {"schema": {"enum": list(PIECES)}},
            "index": {"schema": {"type": "integer", "minimum": 0, "maximum": 999, "default": 0}},
        },
        headers={"Range": "A part of the file.", "If-None-Match": "The tag of what the caller has already."},
        fails=(404, 409, 410, 416, 422),
    ),
    "remix_video": Operation(
        body=remix_schema(),
        answer=JobDocument,
        headers=AGAIN,
        fails=(*MAKES, 410),
        example={"prompt": "The same at night"},
    ),
    "cancel_video": Operation(answer=JobDocument, fails=(404, 410)),
    "watch_video": Operation(
        answer=("text/event-stream",), headers={"Last-Event-ID": "The last event that came."}, fails=(404, 410)
    ),
    "create_character": Operation(body=CHARACTER, body_types=(FORM, JSON), answer=CharacterDocument, fails=BODY),
    "retrieve_character": Operation(answer=CharacterDocument, fails=(404, 410)),
    "create_file": Operation(body=UPLOAD, body_types=(FORM, JSON), answer=FileDocument, fails=BODY),
    "list_files": Operation(answer=FilePageDocument, query={**PAGING, "purpose": {"schema": TEXT}}),
    "retrieve_file": Operation(answer=FileDocument, fails=(404, 410)),
    "delete_file": Operation(answer=DeletedFileDocument, fails=(404, 410)),
    "download_file": Operation(answer=("application/octet-stream", *MEDIA), fails=(404, 410, 416)),
    "list_models": Operation(answer=ModelPageDocument),
    "retrieve_model": Operation(answer=ModelDocument, fails=(404,)),
    "check_health": Operation(),
    "check_ready": Operation(fails=(503,)),
    "read_metrics": Operation(answer=("text/plain",)),
}
"""Every route, by the name of its function."""

ERROR: dict[str, Any] = {
    "type": "object",
    "title": "Error",
    "description": "The one shape of every error.",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "properties": {
                "message": {**TEXT, "description": "What is wrong, and what to do."},
                "type": {
                    "enum": [
                        "invalid_request_error",
                        "authentication_error",
                        "permission_error",
                        "rate_limit_error",
                        "server_error",
                    ]
                },
                "param": {"anyOf": [TEXT, {"type": "null"}], "description": "The caller's own name for it."},
                "code": {**TEXT, "description": "For programs."},
                "problems": {
                    "type": "array",
                    "description": "Every reason why the request was refused; the first one leads the message.",
                    "items": {
                        "type": "object",
                        "required": ["code", "field", "message"],
                        "properties": {
                            "code": {"enum": sorted(PROBLEM_CODES)},
                            "field": TEXT,
                            "message": TEXT,
                            "value": {},
                            "limit": {},
                            "fix": TEXT,
                        },
                    },
                },
                "job_id": {**TEXT, "description": "The job that the request made, if it came that far."},
            },
        }
    },
}


def document_for(app: FastAPI, routes: Sequence[BaseRoute]) -> Callable[[], dict[str, Any]]:
    """The function that makes an app's document, once.

    Args:
        app: it.
        routes: those that the document tells.
    """

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app, routes)
        return app.openapi_schema

    return openapi


def _document(app: FastAPI, routes: Sequence[BaseRoute]) -> dict[str, Any]:
    found = get_openapi(title=app.title, version=app.version, description=app.description, routes=routes)
    for path in found["paths"].values():
        for told in path.values():
            _complete(told, OPERATIONS[told["operationId"]])
    answers = [operation.answer for operation in OPERATIONS.values() if isinstance(operation.answer, type)]
    found["components"] = {
        "schemas": {**schemas(*answers), "Error": ERROR, "VideoRequest": video_schema(), "ClipRequest": clip_schema()},
        "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
    }
    found["security"] = [{}, {"key": []}]
    return found


def _complete(told: dict[str, Any], operation: Operation) -> None:
    """Say of a route what the framework cannot know."""
    parameters = [one for one in told.get("parameters", ()) if one["in"] == "path"]
    parameters += [{"name": name, "in": "query", **each} for name, each in (operation.query or {}).items()]
    parameters += [
        {"name": name, "in": "header", "schema": TEXT, "description": text}
        for name, text in (operation.headers or {}).items()
    ]
    if parameters:
        told["parameters"] = parameters
    if operation.body is not None:
        content = {kind: {"schema": dict(operation.body)} for kind in operation.body_types}
        if operation.example and JSON in content:
            content[JSON]["example"] = dict(operation.example)
        told["requestBody"] = {"required": True, "content": content}
    failure = {"content": {JSON: {"schema": {"$ref": "#/components/schemas/Error"}}}}
    told["responses"] = {
        "200": _answer(operation),
        **{str(status): {"description": STATUSES[status], **failure} for status in sorted({*ALWAYS, *operation.fails})},
    }


def _answer(operation: Operation) -> dict[str, Any]:
    if isinstance(operation.answer, tuple):
        return {
            "description": "What was asked for.",
            "content": {kind: {"schema": {} if kind == JSON else TEXT} for kind in operation.answer},
        }
    if operation.answer is None:
        return {"description": "Done.", "content": {JSON: {"schema": {"type": "object"}}}}
    return {
        "description": name_of(operation.answer),
        "content": {JSON: {"schema": reference(operation.answer)}},
    }

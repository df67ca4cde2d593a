"""A job as rows, and back. Requests, plans and results are kept as JSON, without any path."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from triptych.jobs.content import Content, with_paths, without_paths
from triptych.task import (
    Adjustment,
    Blob,
    BlobSource,
    Job,
    JobError,
    Output,
    Plan,
    Receipt,
    Request,
    Result,
    Source,
    Status,
    Warned,
)
from triptych.wire.codec import dump, load


@dataclass(frozen=True, kw_only=True)
class Documents:
    """The large part of a job; it changes seldom.

    Attributes:
        revision: tells which state of them it is.
    """

    revision: int
    request: Request
    plan: Plan
    asked: Mapping[str, Any]
    result: Result | None


@dataclass(frozen=True, kw_only=True)
class _Outline:
    """A result without its plan."""

    outputs: tuple[Output, ...]
    receipts: tuple[Receipt, ...]
    adjustments: tuple[Adjustment, ...]
    warnings: tuple[Warned, ...]
    versions: Mapping[str, str]


_OUTLINE = tuple(item.name for item in fields(_Outline))


def write(value: Request | Plan | Output | JobError) -> str:
    """A value as JSON text, without paths."""
    return _text(without_paths(dump(value)))


def write_asked(asked: Mapping[str, Any]) -> str:
    """What the surface wants to tell again, as JSON text."""
    return _text(dict(asked))


def write_result(result: Result) -> str:
    """A result as JSON text; its plan is left out, as the job has it already."""
    outline = _Outline(**{name: getattr(result, name) for name in _OUTLINE})
    return _text(without_paths(dump(outline)))


def read_output(text: str, content: Content) -> Output:
    """An output that ``write`` wrote."""
    return load(Output, with_paths(json.loads(text), content))


def read_documents(row: tuple[Any, ...], content: Content) -> Documents:
    """The columns of the statement ``documents``."""
    revision, request, plan_text, asked, result_text = row
    plan = load(Plan, with_paths(json.loads(plan_text), content))
    return Documents(
        revision=revision,
        request=load(Request, with_paths(json.loads(request), content)),
        plan=plan,
        asked=MappingProxyType(json.loads(asked)),
        result=None if result_text is None else read_result(result_text, plan, content),
    )


def read_result(text: str, plan: Plan, content: Content) -> Result:
    """A result that ``write_result`` wrote, of the job with that plan."""
    outline = load(_Outline, with_paths(json.loads(text), content))
    return Result(plan=plan, **{name: getattr(outline, name) for name in _OUTLINE})


STATE = (
    *("id", "owner", "kind", "status", "attempt", "cancel_requested", "created_at", "started_at", "completed_at"),
    *("expires_at", "stage", "done", "total", "parent", "error", "waits_for", "revision"),
)
"""The columns of the statement ``state``, in order."""


def read_job(row: tuple[Any, ...], documents: Documents) -> Job:
    """The columns of the statement ``state``, and the documents of that revision."""
    state = dict(zip(STATE, row, strict=True))
    del state["revision"]
    error = state.pop("error")
    return Job(
        **{
            **state,
            "status": Status(state["status"]),
            "cancel_requested": bool(state["cancel_requested"]),
            "waits_for": tuple(json.loads(state["waits_for"])),
        },
        request=documents.request,
        plan=documents.plan,
        asked=documents.asked,
        result=documents.result,
        error=None if error is None else load(JobError, json.loads(error)),
    )


def bound(request: Request, plan: Plan) -> Request:
    """A request whose inputs are the very bytes that its plan uses, so that it can be asked again.

    An input that is still being made keeps its id.
    """
    blobs = {slot.position: slot.blob for slot in plan.slots}
    behind = len(request.references)
    return replace(
        request,
        references=tuple(
            replace(one, source=_source(blobs[position], one.source)) for position, one in enumerate(request.references)
        ),
        artifacts=tuple(
            replace(one, source=_source(blobs[position], one.source))
            for position, one in enumerate(request.artifacts, behind)
        ),
    )


def _source(blob: Blob, said: Source) -> Source:
    return said if blob.awaits is not None else BlobSource(blob)


def _text(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))

"""From a request to a job: read, understand, check, and store before anything is scheduled."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from starlette.requests import Request

from triptych import run
from triptych.errors import Expired, InvalidRequest, NotFound, Problem
from triptych.jobs.store import Once
from triptych.server import problem
from triptych.server.body import Body, received
from triptych.server.context import Context, context_of, owner_of
from triptych.task import Blob, Job, Plan, ResultSource, Role, Task
from triptych.task import Request as Asked
from triptych.task.piece import VIDEO_PREFIX
from triptych.wire import video
from triptych.wire.body import Document, Upload
from triptych.wire.kind import kinds_of
from triptych.wire.reader import digest

LONGEST_KEY = 255


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What a body asks for.

    Attributes:
        request: the request.
        problems: what is wrong with the way in which it was said.
        asked: what the job tells again.
        parent: the job that it goes on from.
    """

    request: Asked
    problems: tuple[Problem, ...] = ()
    asked: Mapping[str, Any]
    parent: str | None = None


Read = Callable[[Document, Context, str], Reading]
"""Understands a body, for an owner."""


async def create(request: Request, read: Read) -> Job:
    """Make a job of a request; or find the one that it made when it was sent before.

    Raises:
        InvalidRequest: it cannot run; there is no job, and nothing of the body is kept.
        QueueFull: too many wait.
        Conflict: its ``Idempotency-Key`` was used for something else.
    """
    context, owner, received_at = context_of(request), owner_of(request), time.time()
    async with received(request, context) as body:
        once = once_of(request, body.document, received_at=received_at)
        job = context.service.duplicate(once, owner)
        if job is None:
            reading = read(body.document, context, owner)
            plan = await prepare(reading, context, owner)
            job = await context.service.create(
                reading.request, plan, owner=owner, asked=reading.asked, parent=reading.parent, once=once
            )
        request.state.job_id = job.id
        body.keep()
    return job


async def plan(request: Request, read: Read) -> Plan:
    """What ``create`` would run, without a job; nothing of the body is kept."""
    context, owner = context_of(request), owner_of(request)
    async with received(request, context) as body:
        return await prepare(read(body.document, context, owner), context, owner)


async def prepare(reading: Reading, context: Context, owner: str) -> Plan:
    """Check all of a request, and resolve what is open."""
    resolver = context.service.resolver(owner)
    return await run.prepare(reading.request, context.studio, found=reading.problems, resolver=resolver)


def read_video(document: Document, context: Context, owner: str) -> Reading:
    """The body of ``POST /videos``."""
    return _reading(document, _typed(video.parse, document, context, owner))


def read_remix(parent: str) -> Read:
    """The body of ``POST /videos/{id}/remix``: the same request with another prompt."""

    def read(document: Document, context: Context, owner: str) -> Reading:
        before = context.service.get(parent, owner=owner)
        prompt, problems = video.parse_remix(document)
        run.refuse_if([*document.problems, *problems])
        return Reading(
            request=replace(before.request, prompt=prompt), asked={**before.asked, "warnings": []}, parent=before.id
        )

    return read


def read_clip(task: Task) -> Read:
    """The body of ``/videos/edits`` and ``/videos/extensions``: that of a request, and the ``video`` to work on."""

    def read(document: Document, context: Context, owner: str) -> Reading:
        typed = _typed(video.parse_clip, document, context, owner)
        sources = [one.source for one in typed.request.references if one.role is Role.INPUT]
        videos = [one.id for one in sources if isinstance(one, ResultSource) and one.id.startswith(VIDEO_PREFIX)]
        reading = _reading(document, typed, parent=videos[0] if len(videos) == 1 else None)
        said = reading.request.task
        if said is None:
            # What the address says of the task is about ``video``, should the engine not do it.
            fields = {**reading.request.fields, "task": "video"}
            return replace(reading, request=replace(reading.request, task=task, fields=fields))
        if said is task:
            return reading
        message = f"{said} was asked for, at the address of {task}"
        wrong = Problem(code="conflicting_parameters", field="task", message=message, value=said, fix="Leave it out")
        return replace(reading, problems=(*reading.problems, wrong))

    return read


def _typed(parse: Callable[..., video.Typed], document: Document, context: Context, owner: str) -> video.Typed:
    def blob_of(id: str) -> Blob | None:
        try:
            return context.service.file(id, owner=owner).blob
        except (NotFound, Expired):
            return None

    return parse(
        document,
        default_engine=context.settings.engine,
        registry_specs=context.spec,
        kinds_of=partial(kinds_of, policy=context.studio.policy, blob_of=blob_of),
    )


def _reading(document: Document, typed: video.Typed, *, parent: str | None = None) -> Reading:
    problems = (*document.problems, *typed.problems)
    return Reading(request=typed.request, problems=problems, asked=typed.asked, parent=parent)


def once_of(request: Request, document: Document, *, received_at: float) -> Once:
    """How a request that is sent again is known.

    Raises:
        InvalidRequest: the ``Idempotency-Key`` is too long.
    """
    key = request.headers.get("idempotency-key", "").strip() or None
    if key is not None and len(key) > LONGEST_KEY:
        raise problem.invalid("Idempotency-Key", f"it has {len(key)} characters; the most is {LONGEST_KEY}")
    retries = request.headers.get("x-stainless-retry-count", "0")
    return Once(
        key=key,
        # The same words at two addresses are two requests.
        digest=f"{request.url.path.removeprefix('/v1')} {digest(document)}",
        retry=retries.isdecimal() and bool(retries.strip("0")),
        received_at=received_at,
    )


def upload_of(body: Body, name: str) -> Upload:
    """A file that a body must hold.

    Raises:
        InvalidRequest: it is not there, or is no file.
    """
    found = body.document.values.get(name)
    if isinstance(found, Upload):
        return found
    code = "missing_required_parameter" if found is None else "invalid_value"
    raise InvalidRequest(
        [*body.document.problems, Problem(code=code, field=name, message="a file is needed here", fix="Send a file")]
    )


def text_of(body: Body, name: str, *, default: str | None = None) -> str:
    """A word that a body must hold.

    Raises:
        InvalidRequest: it is not there, or is no text.
    """
    found = body.document.values.get(name, default)
    if isinstance(found, str) and found.strip():
        return found
    code = "missing_required_parameter" if found in (None, "") else "invalid_value"
    raise InvalidRequest([*body.document.problems, Problem(code=code, field=name, message="text is needed here")])


def only(body: Body, *names: str) -> None:
    """Raise ``InvalidRequest`` when a body holds something else than these."""
    problems = [*body.document.problems, *(_unknown(name, names) for name in body.document.values if name not in names)]
    run.refuse_if(problems)


def _unknown(name: str, names: tuple[str, ...]) -> Problem:
    there = ", ".join(names)
    return Problem(code="unknown_parameter", field=name, message="there is no such parameter", fix=f"There is {there}")

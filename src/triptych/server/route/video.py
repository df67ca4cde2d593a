"""``/videos``: jobs, and what they made. What is written out stands before what is an id."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from triptych.errors import NoResult
from triptych.server import content, event, query
from triptych.server.context import context_of, owner_of
from triptych.server.create import create, plan, read_clip, read_remix, read_video
from triptych.server.sync import ended
from triptych.task import Job, Status, Task
from triptych.wire.document import render_plan
from triptych.wire.job import DeletedDocument, JobDocument, PageDocument, render_job

router = APIRouter(prefix="/videos", tags=["videos"])

POLL_AFTER_MS = 1000
"""How soon a client that polls should ask again. The SDK keeps the first value that it is given."""

CONTENT_SECONDS = 3600


@router.post("")
async def create_video(request: Request) -> Response:
    """Create a video: checked whole, stored, and queued."""
    return _job(request, await create(request, read_video))


@router.get("")
async def list_videos(request: Request) -> Response:
    """List jobs, the newest first."""
    asked = query.paging(request)
    context = context_of(request)
    page = context.service.page(owner=owner_of(request), after=asked.after, limit=asked.limit, order=asked.order)
    document: PageDocument = {
        "object": "list",
        "data": [_render(request, job) for job in page.jobs],
        "first_id": page.jobs[0].id if page.jobs else None,
        "last_id": page.jobs[-1].id if page.jobs else None,
        "has_more": page.has_more,
    }
    return JSONResponse(document)


@router.post("/plan")
async def plan_video(request: Request) -> Response:
    """Check a request without making anything: the plan, or every problem."""
    return JSONResponse({"object": "video.plan", **render_plan(await plan(request, read_video))})


@router.post("/sync")
async def create_video_sync(request: Request) -> Response:
    """Create a video and wait for it. Answers the MP4, or the job where ``Accept`` names JSON and no video.

    Whoever hangs up cancels the job. After the setting sync_seconds: 504 with the job's id; the job goes on.
    """
    context, owner = context_of(request), owner_of(request)
    wants_job = _wants_json(request.headers.get("accept", "*/*"))
    job = await create(request, read_video)
    job = await ended(request, job, context, owner=owner, seconds=context.settings.sync_seconds)
    if wants_job:
        return _job(request, job)
    if job.status is Status.FAILED:
        raise NoResult(f"The job {job.id} failed: {job.error.message if job.error else 'no reason is known'}")
    return await _content(request, job.id, "video", 0)


@router.post("/edits")
async def edit_video(request: Request) -> Response:
    """Change a video by a prompt, where the engine can do that."""
    return _job(request, await create(request, read_clip(Task.EDIT)))


@router.post("/extensions")
async def extend_video(request: Request) -> Response:
    """Continue a video from its end, where the engine can do that; the answer is the whole."""
    return _job(request, await create(request, read_clip(Task.EXTEND)))


@router.get("/{video_id}")
async def retrieve_video(request: Request, video_id: str) -> Response:
    """One job, as it is now. A failed one is a 200 too: its error is in it."""
    query.only(request)
    return _job(request, context_of(request).service.get(video_id, owner=owner_of(request)))


@router.delete("/{video_id}")
async def delete_video(request: Request, video_id: str) -> Response:
    """Delete a job and what it made. One that runs is stopped first."""
    query.only(request)
    await context_of(request).service.delete(video_id, owner=owner_of(request))
    document: DeletedDocument = {"id": video_id, "object": "video.deleted", "deleted": True}
    return JSONResponse(document)


@router.head("/{video_id}/content", include_in_schema=False)
@router.get("/{video_id}/content")
async def download_video_content(request: Request, video_id: str) -> Response:
    """What a finished job made: ``video``, ``thumbnail``, ``spritesheet``, ``audio`` or ``last_frame``."""
    asked = query.only(request, "variant", "index")
    index = query.whole(asked, "index", default=0, least=0, most=999)
    return await _content(request, video_id, asked.get("variant") or "video", index)


@router.post("/{video_id}/remix")
async def remix_video(request: Request, video_id: str) -> Response:
    """Make a video again with another prompt."""
    return _job(request, await create(request, read_remix(video_id)))


@router.post("/{video_id}/cancel")
async def cancel_video(request: Request, video_id: str) -> Response:
    """Stop a job. It ends as ``failed`` with the code ``cancelled``; one that has ended already stays as it is."""
    query.only(request)
    return _job(request, await context_of(request).service.cancel(video_id, owner=owner_of(request)))


@router.get("/{video_id}/events")
async def watch_video(request: Request, video_id: str) -> Response:
    """Server-sent events: ``progress`` at each change, and last ``completed`` or ``failed``; each holds the job."""
    query.only(request)
    context, owner = context_of(request), owner_of(request)
    job = context.service.get(video_id, owner=owner)
    last_id = request.headers.get("last-event-id", "")
    if job.status.ended and last_id == event.event_id(job):
        return Response(status_code=204)  # tells an EventSource not to connect again
    return event.respond(
        context.service.watch(video_id, owner=owner),
        render=lambda each: {**_render(request, each)},
        stopping=context.stopping,
        last_id=last_id,
    )


def _render(request: Request, job: Job) -> JobDocument:
    return render_job(job, position=context_of(request).service.position(job))


def _job(request: Request, job: Job) -> JSONResponse:
    request.state.job_id = job.id
    headers = {} if job.status.ended else {"openai-poll-after-ms": str(POLL_AFTER_MS)}
    return JSONResponse(_render(request, job), headers=headers)


async def _content(request: Request, video_id: str, variant: str, index: int) -> Response:
    piece = await context_of(request).service.piece(video_id, owner=owner_of(request), variant=variant, index=index)
    return content.respond(
        request,
        piece.path,
        sha256=piece.sha256,
        media_type=piece.media_type,
        file_name=piece.file_name,
        max_age_seconds=CONTENT_SECONDS,
    )


def _wants_json(accept: str) -> bool:
    kinds = [each.partition(";")[0].strip().lower() for each in accept.split(",")]
    return "application/json" in kinds and not any(kind.startswith("video/") for kind in kinds)

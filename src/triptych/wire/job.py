"""A job as its callers see it: every key of the SDK's ``Video``, what was asked, what became of it, and no paths."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from triptych.task import Job, Modality, Output, Plan, Result, Slot
from triptych.task.piece import piece_id
from triptych.wire.document import plain


class JobErrorDocument(TypedDict):
    """Why a job failed."""

    code: str
    message: str
    param: str | None


class ReferenceDocument(TypedDict):
    """One input: what it is for, what was seen in it, and what became of it."""

    index: int
    type: str
    role: str
    slot: str
    tag: str | None
    name: str | None
    source_field: str
    media_type: str | None
    bytes: int | None
    sha256: str | None
    waits_for: str | None
    how: str | None
    used_sha256: str | None


class WarningDocument(TypedDict):
    """Something that a person would want to know, and that stopped nothing."""

    code: str
    param: str
    message: str


class AdjustmentDocument(TypedDict):
    """Something asked for, or left open, that was changed by a documented rule."""

    param: str
    asked: Any
    got: Any
    reason: str


class OutputDocument(TypedDict):
    """One finished video. ``artifacts`` are ids that another request can name as references."""

    id: str
    index: int
    type: str
    media_type: str
    bytes: int
    sha256: str
    width: int
    height: int
    fps: float
    num_frames: int
    duration_seconds: float
    has_audio: bool
    artifacts: dict[str, str]


class JobDocument(TypedDict):
    """A video job. ``seconds`` and ``size`` are those of the video; ``requested`` has them as they were sent."""

    id: str
    object: Literal["video"]
    model: str
    status: Literal["queued", "in_progress", "completed", "failed"]
    progress: int
    created_at: int
    started_at: int | None
    completed_at: int | None
    expires_at: int | None
    prompt: str | None
    seconds: str
    size: str
    remixed_from_video_id: str | None
    error: JobErrorDocument | None
    task: str
    width: int
    height: int
    fps: float
    num_frames: int
    duration_seconds: float
    has_audio: bool
    seed: int
    n: int
    requested: dict[str, Any]
    references: list[ReferenceDocument]
    warnings: list[WarningDocument]
    adjustments: list[AdjustmentDocument]
    metadata: dict[str, Any]
    user: str | None
    outputs: list[OutputDocument]
    queue_position: int | None
    stage: str | None
    attempt: int


class PageDocument(TypedDict):
    """Some jobs of a list. The next ones come after ``last_id``."""

    object: Literal["list"]
    data: list[JobDocument]
    first_id: str | None
    last_id: str | None
    has_more: bool


class DeletedDocument(TypedDict):
    """What was deleted."""

    id: str
    object: Literal["video.deleted"]
    deleted: Literal[True]


def render_job(job: Job, *, position: int | None = None) -> JobDocument:
    """A job.

    Args:
        job: it.
        position: how many jobs are before it in the queue; ``None`` when it does not wait.
    """
    plan, settings = job.plan, job.plan.settings
    asked = job.asked  # plain JSON already
    return {
        "id": job.id,
        "object": "video",
        "model": plan.engine,
        "status": job.status.value,
        "progress": job.percent,
        "created_at": int(job.created_at),
        "started_at": _whole(job.started_at),
        "completed_at": _whole(job.completed_at),
        "expires_at": _whole(job.expires_at),
        "prompt": plan.prompt or None,
        "seconds": in_text(settings.seconds),
        "size": f"{settings.width}x{settings.height}",
        "remixed_from_video_id": job.parent,
        "error": _error(job),
        "task": plan.task.value,
        "width": settings.width,
        "height": settings.height,
        "fps": settings.fps,
        "num_frames": settings.num_frames,
        "duration_seconds": round(settings.seconds, 6),
        "has_audio": _has_audio(job),
        "seed": settings.seed,
        "n": settings.n,
        "requested": asked.get("requested") or {},
        "references": _references(plan, job.result),
        "warnings": _warnings(plan, job.result, asked.get("warnings") or ()),
        "adjustments": _adjustments(plan, job.result),
        "metadata": asked.get("metadata") or {},
        "user": asked.get("user"),
        "outputs": _outputs(job),
        "queue_position": position,
        "stage": job.stage or None,
        "attempt": job.attempt,
    }


def in_text(seconds: float) -> str:
    """Seconds as the SDK has them: ``5``, ``4.458``; three decimals at most."""
    return f"{seconds:.3f}".rstrip("0").rstrip(".")


def _whole(seconds: float | None) -> int | None:
    return None if seconds is None else int(seconds)


def _error(job: Job) -> JobErrorDocument | None:
    if job.error is None:
        return None
    return {"code": job.error.code, "message": job.error.message, "param": job.error.param}


def _has_audio(job: Job) -> bool:
    if job.result is not None:
        return any(output.probe.has_sound for output in job.result.outputs)
    return job.plan.settings.generate_audio


def _references(plan: Plan, result: Result | None) -> list[ReferenceDocument]:
    receipts = {} if result is None else {receipt.slot: receipt for receipt in result.receipts}
    found: list[ReferenceDocument] = []
    for slot in sorted(plan.slots, key=lambda each: each.position):
        receipt = receipts.get(slot.key)
        waits = slot.blob.awaits is not None
        found.append(
            {
                "index": slot.position,
                "type": "artifact" if slot.modality is None else slot.modality.value,
                "role": "artifact" if slot.role is None else slot.role.value,
                "slot": slot.key,
                "tag": slot.tag,
                "name": slot.name,
                "source_field": slot.field,
                "media_type": _media_type(slot),
                "bytes": None if waits else slot.blob.size_bytes,
                "sha256": None if waits else slot.blob.sha256,
                "waits_for": slot.blob.awaits,
                "how": receipt.how if receipt else None,
                "used_sha256": (receipt.used_sha256 or None) if receipt else None,
            }
        )
    return found


def _media_type(slot: Slot) -> str | None:
    return (slot.probe.media_type or None) if slot.probe else None


def _warnings(plan: Plan, result: Result | None, wire: Any) -> list[WarningDocument]:
    later = plan.warnings if result is None else result.warnings
    told: list[WarningDocument] = [{"code": one.code, "param": one.field, "message": one.message} for one in later]
    said: list[WarningDocument] = [
        {"code": one["code"], "param": one.get("param") or one.get("field", ""), "message": one["message"]}
        for one in wire
    ]
    return said + told


def _adjustments(plan: Plan, result: Result | None) -> list[AdjustmentDocument]:
    made = plan.adjustments if result is None else result.adjustments
    return [
        {"param": one.field, "asked": plain(one.asked), "got": plain(one.got), "reason": one.reason} for one in made
    ]


def _outputs(job: Job) -> list[OutputDocument]:
    outputs = () if job.result is None else job.result.outputs
    return [_output(job, index, output) for index, output in enumerate(outputs)]


def _output(job: Job, index: int, output: Output) -> OutputDocument:
    probe = output.probe
    name = job.id if index == 0 else f"{job.id}.{index}"
    pieces = ("video", "last_frame", "thumbnail", *(("audio",) if probe.has_sound else ()))
    return {
        "id": name,
        "index": index,
        "type": Modality.VIDEO.value,
        "media_type": output.media_type,
        "bytes": output.size_bytes,
        "sha256": output.sha256,
        "width": probe.width,
        "height": probe.height,
        "fps": probe.fps,
        "num_frames": probe.frames,
        "duration_seconds": round(probe.seconds, 6),
        "has_audio": probe.has_sound,
        # Pieces of the first video have ids; those of others are fetched by ?index=.
        "artifacts": {piece: piece_id(job.id, piece) for piece in pieces} if index == 0 else {},
    }

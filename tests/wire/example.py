"""A job with everything in it, for tests of what is shown of jobs."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from triptych.task import (
    Adjustment,
    Blob,
    Job,
    Modality,
    Output,
    Plan,
    Probe,
    Receipt,
    Request,
    Result,
    Role,
    Slot,
    Status,
    Task,
    Warned,
)
from triptych.task.plan import Settings

ID = "video_01jdzzzzzzzzzzzzzzzzzzzzzz"
SECRET_PATH = "/srv/data/content/"

PICTURE = Probe(modality=Modality.IMAGE, container="png", media_type="image/png", width=64, height=48)


def plan(*slots: Slot) -> Plan:
    """107 frames at 24 per second, 1280x720."""
    return Plan(
        engine="animatic",
        task=Task.REF2VA,
        prompt="a boat",
        engine_prompt="a boat",
        inputs=tuple(slot.field for slot in slots),
        slots=slots,
        settings=Settings(width=1280, height=720, fps=24, num_frames=107, seed=7),
        adjustments=(Adjustment(field="size", asked="1280x704", got=(1280, 720), reason="the nearest"),),
        warnings=(Warned(code="unnamed_reference", field="reference_images[0]", message="no tag names it"),),
    )


def slot(position: int = 0, *, awaits: str | None = None) -> Slot:
    """A reference picture."""
    sha256 = "" if awaits else f"{position:064x}"
    return Slot(
        key=f"reference_images[{position}]",
        position=position,
        field=f"reference_images[{position}]",
        role=Role.REFERENCE,
        modality=Modality.IMAGE,
        uses=("picture",),
        blob=Blob(
            path="" if awaits else SECRET_PATH + sha256, sha256=sha256, size_bytes=0 if awaits else 10, awaits=awaits
        ),
        probe=PICTURE,
        tag=f"<Picture {position + 1}>",
    )


def job(*slots: Slot) -> Job:
    """One that waits."""
    asked = {
        "requested": {"size": "1280x704", "seconds": "4.5"},
        "metadata": {"project": "boats"},
        "user": "ann",
        "warnings": [{"code": "override", "param": "size", "message": "width and height win"}],
    }
    return Job(
        id=ID,
        owner="",
        kind="video",
        status=Status.QUEUED,
        request=Request(prompt="a boat"),
        plan=plan(*slots),
        asked=MappingProxyType(asked),
        created_at=1000.75,
    )


def completed(*slots: Slot, channels: int = 2) -> Job:
    """One that is done."""
    before = job(*slots)
    probe = Probe(
        modality=Modality.VIDEO,
        container="mov",
        media_type="video/mp4",
        width=1280,
        height=720,
        frames=107,
        fps=24,
        seconds=107 / 24,
        channels=channels,
    )
    output = Output(path=SECRET_PATH + "ff", media_type="video/mp4", sha256="f" * 64, size_bytes=99, probe=probe)
    receipts = tuple(
        Receipt(
            slot=each.key,
            source_sha256=each.blob.sha256,
            used_sha256="e" * 64,
            how="consumed",
            uses=each.uses,
            where="shot 1",
        )
        for each in slots
    )
    result = Result(
        plan=before.plan,
        outputs=(output,),
        receipts=receipts,
        adjustments=before.plan.adjustments,
        warnings=before.plan.warnings,
        versions={},
    )
    return replace(
        before,
        status=Status.COMPLETED,
        result=result,
        started_at=1001.0,
        completed_at=1002.9,
        expires_at=9000.2,
        attempt=1,
        done=4,
        total=4,
    )

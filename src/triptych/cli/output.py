"""Plans and results in words, for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from triptych.rules.media import megabytes
from triptych.task import Modality, Plan, Slot


def table(rows: Iterable[Sequence[str]], *, indent: str = "  ") -> Iterator[str]:
    """Rows as aligned columns."""
    listed = [tuple(row) for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(*listed, strict=True)] if listed else []
    for row in listed:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        yield f"{indent}{'  '.join(cells)}".rstrip()


def plan_lines(plan: Plan) -> Iterator[str]:
    """A plan: what it makes, what becomes of each input, and what else there is to know."""
    settings = plan.settings
    yield (
        f"{plan.engine} {plan.task}: {settings.width}x{settings.height}, {settings.num_frames} frames"
        f" at {settings.fps:g} a second = {settings.seconds:.3f} s, seed {settings.seed}"
    )
    if plan.engine_prompt != plan.prompt:
        yield f"prompt for the engine: {plan.engine_prompt}"
    if plan.slots:
        yield "inputs:"
        yield from table((slot.tag or "", slot.field, seen(slot), goes_to(slot)) for slot in plan.slots)
    if plan.spoken:
        yield "spoken:"
        yield from table((f'"{line.text}"', f"{line.seconds:.2f} s") for line in plan.spoken)
    yield from _adjusted((item.field, item.asked, item.got, item.reason) for item in plan.adjustments)
    yield from plan_warnings(plan)


def plan_warnings(plan: Plan) -> Iterator[str]:
    """A line for each warning."""
    return (f"note: {warning.field}: {warning.message}" for warning in plan.warnings)


def _adjusted(items: Iterable[tuple[str, Any, Any, str]]) -> Iterator[str]:
    lines = [
        f"  {field}: {reason}"
        if got is None
        else f"  {field}: {'' if asked is None else f'{asked} → '}{got} ({reason})"
        for field, asked, got, reason in items
    ]
    if lines:
        yield "adjusted:"
        yield from lines


def seen(slot: Slot) -> str:
    """What an input is, in a few words."""
    probe = slot.probe
    if probe is None:
        return f"{slot.kind} of {megabytes(slot.blob.size_bytes)}"
    if probe.modality is Modality.IMAGE:
        return f"{probe.container} {probe.width}x{probe.height}"
    if probe.modality is Modality.VIDEO:
        sound = f", {probe.audio_codec}" if probe.has_sound else ""
        return f"{probe.video_codec or probe.container} {probe.width}x{probe.height}, {probe.seconds:.2f} s{sound}"
    return f"{probe.audio_codec or probe.container} {probe.sample_rate} Hz, {probe.seconds:.2f} s"


def goes_to(slot: Slot) -> str:
    """Where an input goes."""
    uses = " and ".join(slot.uses)
    part = f", {slot.start_seconds:g} to {slot.start_seconds + slot.seconds:g} s" if slot.seconds else ""
    fit = f", {slot.fit.fit}" if slot.fit else ""
    return f"→ {slot.key} ({'passed over' if slot.ignored else uses}{part}{fit})"


def result_lines(document: dict[str, Any], video: Path, frames: Path | None = None) -> Iterator[str]:
    """A finished video: where it is, and what became of each input. What the plan warned of has been said."""
    output = document["outputs"][0]
    probe = output["probe"]
    yield (
        f"{video}: {probe['width']}x{probe['height']}, {probe['frames']} frames, {probe['seconds']:.3f} s,"
        f" {megabytes(output['size_bytes'])}, seed {document['seed']}"
    )
    if document["receipts"]:
        yield "used:"
        yield from table(
            (receipt["field"], f"sha256 {receipt['source_sha256'][:12]}", receipt["where"])
            for receipt in document["receipts"]
        )
    yield from _adjusted(
        (item["field"], item["asked"], item["got"], item["reason"]) for item in document["adjustments"]
    )
    for warning in document["warnings"][len(document["plan"]["warnings"]) :]:
        yield f"note: {warning['field']}: {warning['message']}"
    if frames is not None:
        yield f"frames: {frames}"
    yield f"all of it: {video.with_suffix('.json')}"

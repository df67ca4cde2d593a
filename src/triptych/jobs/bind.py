"""Puts the bytes of a result that was waited for where the plan keeps their place, if they are what it counted on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from triptych.errors import InputFailed
from triptych.task import Blob, Label, Modality, Plan, Probe, Slot

LENGTH_FRAMES = 2
"""By how many frames a result may be shorter or longer than its plan said."""
_SOUND_SECONDS = 0.1


class UnexpectedError(InputFailed):
    """What was waited for came, and is not what its plan said.

    Attributes:
        field: the caller's own name for the input.
    """

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """A piece of a result that is there now.

    Attributes:
        blob: its bytes.
        probe: what is in them.
    """

    blob: Blob
    probe: Probe


def awaited(plan: Plan) -> tuple[Slot, ...]:
    """The slots whose bytes are still being made."""
    return tuple(slot for slot in plan.slots if slot.blob.awaits is not None)


def bind(plan: Plan, arrivals: Mapping[str, Arrival]) -> Plan:
    """The plan with every place filled.

    Args:
        plan: it.
        arrivals: what came, by the id of the piece.

    Raises:
        UnexpectedError: something is of another kind, size or length than the plan counted on.
    """
    slots = tuple(_fill(slot, arrivals) for slot in plan.slots)
    came = {slot.tag: slot.blob.sha256 for slot in slots if slot.tag is not None}
    return replace(plan, slots=slots, labels=tuple(_relabel(label, came) for label in plan.labels))


def _relabel(label: Label, came: Mapping[str, str]) -> Label:
    return replace(label, sha256=came.get(label.tag, label.sha256))


def _fill(slot: Slot, arrivals: Mapping[str, Arrival]) -> Slot:
    if slot.blob.awaits is None:
        return slot
    arrival = arrivals[slot.blob.awaits]
    if slot.probe is None:
        return replace(slot, blob=arrival.blob)
    reason = _difference(slot, slot.probe, arrival.probe)
    if reason:
        raise UnexpectedError(f"{slot.blob.awaits} came, and {reason}", slot.field)
    probe = replace(arrival.probe, sha256=arrival.blob.sha256, size_bytes=arrival.blob.size_bytes)
    # A frame less than was expected: the part that is used ends where the clip does.
    seconds = slot.seconds
    if probe.modality is not Modality.IMAGE:
        seconds = min(seconds, max(0.0, probe.seconds - slot.start_seconds))
    return replace(slot, blob=arrival.blob, probe=probe, seconds=seconds)


def _difference(slot: Slot, said: Probe, found: Probe) -> str:
    """What is not as it should be; empty when nothing is."""
    if found.modality is not said.modality:
        return f"is {found.modality}, not {said.modality}"
    if (found.width, found.height) != (said.width, said.height):
        return f"is {found.width}x{found.height}, not {said.width}x{said.height}"
    slack = LENGTH_FRAMES / said.fps if said.fps else _SOUND_SECONDS
    if abs(found.seconds - said.seconds) > slack + 1e-6:
        return f"lasts {found.seconds:.3f} s, not {said.seconds:.3f} s"
    if "sound" in slot.uses and not found.has_sound:
        return "has no sound"
    return ""

"""What only all inputs of a request together say: which clip a sound belongs to, and what was said twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from triptych.task import Modality, Reference, Role
from triptych.wire.place import PathOfNames, written
from triptych.wire.precedence import Said
from triptych.wire.reading import Reading
from triptych.wire.reference import Inputs
from triptych.wire.same import same_input

FRAMES = (Role.FIRST_FRAME, Role.LAST_FRAME)
VIDEO_KEY, AUDIO_KEY = "metadata.input_reference_video", "metadata.input_reference_audio"


def combined(inputs: Inputs, said: Mapping[str, Said]) -> tuple[Reference, ...]:
    """The inputs, with what only all of them together say. Problems and warnings go to the inputs' own notes.

    Args:
        inputs: as they were read.
        said: the settings; ``soundtrack`` and ``start_time_seconds`` are about inputs.
    """
    reading = inputs.reading
    found = _once(inputs)
    _assumed(inputs, found)
    found = [_soundtrack(inputs, one, found) for one in found]
    found = _own_sound(reading, said.get("soundtrack"), inputs, found)
    return tuple(_start(reading, said.get("start_time_seconds"), inputs, found))


def _once(inputs: Inputs) -> list[Reference]:
    """One input for each frame: told twice in the same way it is one, in two ways it is refused."""
    kept: dict[str, Reference] = {}
    frames: dict[Role, Reference] = {}
    for one in inputs.found:
        twin = frames.get(one.role)
        if twin is None or one.field in inputs.assumed or twin.field in inputs.assumed:
            kept[one.field] = one
            if one.role in FRAMES:
                frames[one.role] = one
        elif same_input(one, twin):
            inputs.reading.warn("said_twice", (one.field,), f"says the same as {twin.field}")
        else:
            inputs.reading.refuse(
                (one.field,),
                f"is one {one.role}, and {twin.field} is another",
                code="conflicting_parameters",
                fix="Send one of them; pictures that are no frames go in reference_images",
            )
    return list(kept.values())


def _assumed(inputs: Inputs, found: Sequence[Reference]) -> None:
    """``image_reference`` is the first frame when it is alone; beside others its sender must say what it is."""
    others = [one for one in found if one.role is not Role.INPUT]
    for one in others if len(others) > 1 else ():
        if one.field in inputs.assumed:
            named = ", ".join(other.field for other in others if other is not one)
            inputs.reading.refuse(
                (one.field,),
                f"is the first frame when it is alone; beside {named[:200]} it does not say what it is for",
                code="role_required",
                fix="Send it as first_frame, or in reference_images",
            )


def _kind(inputs: Inputs, one: Reference) -> Modality | None:
    """What an input is, as far as can be told."""
    if one.modality is not None:
        return one.modality
    kinds = inputs.kinds_of(one.source)
    return next(iter(kinds)) if len(kinds) == 1 else None


def _may_be_clip(inputs: Inputs, one: Reference) -> bool:
    return one.role is Role.REFERENCE and _kind(inputs, one) in (Modality.VIDEO, None)


def _soundtrack(inputs: Inputs, one: Reference, given: Sequence[Reference]) -> Reference:
    """A soundtrack, with the clip that it belongs to."""
    if one.field == AUDIO_KEY and any(each.field == VIDEO_KEY for each in given):
        return replace(one, role=Role.SOUNDTRACK, soundtrack_of=VIDEO_KEY)
    if one.role is not Role.SOUNDTRACK:
        return one
    if one.soundtrack_of is None:
        clips = [each for each in given if _may_be_clip(inputs, each)]
        if len(clips) == 1:
            return replace(one, soundtrack_of=clips[0].field)
        message = f"there are {len(clips)} clips, and it does not say to which it belongs"
    else:
        named = [each.field for each in given if each.name == one.soundtrack_of]
        named = named or [field for field in (inputs.field_of(one.soundtrack_of),) if field is not None]
        if len(named) == 1:
            return replace(one, soundtrack_of=named[0])
        message = f"{len(named) or 'no'} inputs are called {one.soundtrack_of[:80]!r}"
    fix = 'Give the clip a name, and say "soundtrack_of": that name' if given[1:] else "Send the clip too"
    inputs.reading.refuse((one.field,), message, code="reference_required", fix=fix)
    return one


def _own_sound(reading: Reading, wanted: Said | None, inputs: Inputs, found: Sequence[Reference]) -> list[Reference]:
    """``soundtrack: true`` for the whole request: the clips' own sound is used."""
    if wanted is None or not wanted.value:
        return list(found)
    clips = [one.field for one in found if _may_be_clip(inputs, one)]
    if not clips:
        reading.refuse(wanted.path, "there is no clip whose sound could be used", value=True, fix="Leave it out")
    return [replace(one, sound=True) if one.field in clips else one for one in found]


def _start(reading: Reading, start: Said | None, inputs: Inputs, found: Sequence[Reference]) -> list[Reference]:
    """``start_time_seconds`` for the whole request: where its only clip or sound begins."""
    if start is None:
        return list(found)
    moving = [one for one in found if _kind(inputs, one) in (Modality.VIDEO, Modality.AUDIO)]
    if len(moving) != 1:
        message = f"there are {len(moving)} clips and sounds, and it can be meant for one only"
        fix = "Say start_time_seconds with each in references" if moving else "Leave it out"
        reading.refuse(start.path, message, value=start.value, fix=fix)
    elif moving[0].start_seconds not in (None, start.value):
        reading.conflict(start.path, start.value, _where(moving[0]), moving[0].start_seconds)
    else:
        return [replace(one, start_seconds=start.value) if one is moving[0] else one for one in found]
    return list(found)


def _where(one: Reference) -> str:
    path: PathOfNames = (one.field,)
    return written(path)

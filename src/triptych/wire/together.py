"""What only all inputs of a request together say: which clip a sound belongs to, and what was said twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from triptych.task import Modality, Reference, Role, Warned
from triptych.wire.reference import Reading


def combined(reading: Reading, take: Callable[[str], tuple[str, Any]], warnings: list[Warned]) -> tuple[Reference, ...]:
    """The inputs, with what only all of them together say.

    Args:
        reading: what was read of them; problems are added to it.
        take: the caller's own word for a setting, and its value.
        warnings: are added to.
    """
    found = _once(reading, warnings)
    found = _images_alone(reading, found)
    found = [_soundtrack(reading, take, one, found) for one in found]
    called, wanted = take("soundtrack")
    if wanted and not any(one.sound for one in found):
        reading.refuse((called,), "there is no clip whose sound could be used", fix="Leave it out")
    called, start = take("start_time_seconds")
    if start is not None:
        # What is not known to be a picture may be a clip; the rules look at it again.
        frames = (Role.FIRST_FRAME, Role.LAST_FRAME)
        moving = [one for one in found if one.modality is not Modality.IMAGE and one.role not in frames]
        if len(moving) == 1:
            found = [replace(one, start_seconds=start) if one is moving[0] else one for one in found]
        else:
            message = f"there are {len(moving)} clips and sounds, and it can be meant for one only"
            reading.refuse((called,), message, fix="Say it with each in references")
    return tuple(found)


def _once(reading: Reading, warnings: list[Warned]) -> list[Reference]:
    """One input for each frame: told twice in the same way it is one, in two ways it is refused."""
    kept: list[Reference] = []
    for one in reading.references:
        twin = next((other for other in kept if _same_slot(one, other)), None)
        if twin is None:
            kept.append(one)
        elif one.source == twin.source:
            message = f"says the same as {twin.field}"
            warnings.append(Warned(code="said_twice", field=one.field, message=message))
        else:
            reading.refuse(
                (one.field,),
                f"is one {one.role}, and {twin.field} is another",
                code="conflicting_parameters",
                fix="Send one of them"
                + (
                    ", or send pictures as reference_images, or as first_frame and last_frame"
                    if one.field.startswith("input_reference")
                    else ""
                ),
            )
    return kept


def _images_alone(reading: Reading, given: Sequence[Reference]) -> list[Reference]:
    """``image_reference`` is the first frame when it is alone; beside others its sender must say what it is."""
    for one in given:
        if one.field.split("[")[0].rpartition(".")[2] == "image_reference" and len(given) > 1:
            reading.refuse(
                (one.field,),
                "is the first frame when it is alone; beside other inputs it does not say what it is for",
                code="role_required",
                fix="Send it as first_frame, or in reference_images",
            )
    return list(given)


def _soundtrack(
    reading: Reading, take: Callable[[str], tuple[str, Any]], one: Reference, given: Sequence[Reference]
) -> Reference:
    """A clip whose sound is wanted; a soundtrack, with the clip that it belongs to."""
    clips = [each for each in given if each.role is Role.REFERENCE and each.modality in (Modality.VIDEO, None)]
    if take("soundtrack")[1] and one in clips:
        return replace(one, sound=True)
    if one.field == "metadata.input_reference_audio" and any(
        each.field == "metadata.input_reference_video" for each in clips
    ):
        return replace(one, role=Role.SOUNDTRACK, soundtrack_of="metadata.input_reference_video")
    if one.role is not Role.SOUNDTRACK or one.soundtrack_of in {each.field for each in clips}:
        return one
    named = [each for each in clips if one.soundtrack_of is not None and each.name == one.soundtrack_of]
    if one.soundtrack_of is None and len(clips) == 1:
        named = clips
    if len(named) == 1:
        return replace(one, soundtrack_of=named[0].field)
    message = (
        f"there are {len(clips)} clips, and it does not say to which it belongs"
        if one.soundtrack_of is None
        else f"no clip is called {one.soundtrack_of[:80]!r}"
    )
    reading.refuse((one.field,), message, fix='Give the clip a name, and say "soundtrack_of": that name')
    return one


def _same_slot(one: Reference, other: Reference) -> bool:
    """Whether two inputs want the one place of a frame, under two names or in one list."""
    frames = (Role.FIRST_FRAME, Role.LAST_FRAME)
    return one.role is other.role and one.role in frames

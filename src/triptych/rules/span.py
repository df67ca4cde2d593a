"""Do the clips, the sound and the spoken words fit into the video's length? Nothing is cut unasked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from triptych.errors import Problem
from triptych.rules.case import Case
from triptych.rules.length import Length, length_of
from triptych.rules.spec import Speech
from triptych.rules.tags import without_escapes
from triptych.rules.timing import OVER_SECONDS, longest
from triptych.rules.value import legible, plain
from triptych.task import Modality, Request, Role, Tags

# A straight mark behind a digit is one of inches or of minutes, and opens nothing.
_QUOTED = re.compile(r"(?<!\d)\"([^\"]*)\"|“([^“”]*)”|„([^„“”]*)[“”]|«([^«»]*)»")


def quoted(prompt: str) -> tuple[str, ...]:
    """The words that a prompt puts in double quotes (straight, curly, low or angle), in order."""
    found = ("".join(match.groups(default="")).strip() for match in _QUOTED.finditer(prompt))
    return tuple(line for line in found if line)


def lines_of(request: Request) -> tuple[str, ...]:
    """The lines that a request quotes, as they are to be said: without the backslashes that escape tags."""
    lines = quoted(request.prompt)
    return lines if request.tags is Tags.VERBATIM else tuple(without_escapes(line) for line in lines)


def speech_end(speech: Speech, lines: tuple[float, ...]) -> float:
    """When the last spoken line is over, in seconds; 0 without lines."""
    return speech.start_seconds + sum(lines) + speech.gap_seconds * (len(lines) - 1) if lines else 0.0


def needed_seconds(case: Case) -> float:
    """How long a video must be to hold all its clips, sound and lines."""
    return max(
        _held(case, Modality.VIDEO)[0],
        _held(case, Modality.AUDIO)[0],
        speech_end(case.spec.speech, case.spoken_seconds),
    )


def final_length(case: Case) -> Length:
    """The video's length, with the inputs held where the engine stretches."""
    return length_of(case, needed_seconds(case))


def _held(case: Case, modality: Modality) -> tuple[float, list[str]]:
    """The seconds that references of one kind take on the timeline, and which they are."""
    parts = [
        (case.used_seconds(i), one.field) for i, one in case.in_role(Role.REFERENCE) if case.modality(i) is modality
    ]
    if not parts or case.spec.timing.inputs == "free":
        return 0.0, []
    if case.spec.timing.inputs == "each":
        longest = max(parts)
        return longest[0], [longest[1]]
    return sum(seconds for seconds, _ in parts), [field for _, field in parts]


def span_rule(case: Case) -> Iterator[Problem]:
    """Clips or sound that last longer than what is made anew; a soundtrack that outlasts its clip."""
    video_seconds = final_length(case).new_seconds
    for modality, what in ((Modality.VIDEO, "clips"), (Modality.AUDIO, "sound")):
        seconds, fields = _held(case, modality)
        if seconds > video_seconds + OVER_SECONDS:
            part = case.part(video_seconds) if len(fields) == 1 else "shorter parts of them"
            yield Problem(
                code="media_too_long",
                field=fields[-1],
                value=plain(round(seconds, 3)),
                limit=round(video_seconds, 3),
                message=f"{seconds:.3f} s of {what} ({', '.join(fields)}), and the video lasts {video_seconds:.3f} s",
                fix=f"Ask for {seconds:.3f} s or more, or use {part}",
            )
    by_field = {one.field: i for i, one in enumerate(case.request.references)}
    for position, reference in case.in_role(Role.SOUNDTRACK):
        owner = by_field.get(reference.soundtrack_of or "")
        if owner is None or not {owner, position} <= case.probes.keys():
            continue
        if case.modality(owner) is not Modality.VIDEO:
            continue  # refused as a soundtrack of what is no clip
        clip_seconds, seconds = case.used_seconds(owner), case.used_seconds(position)
        if seconds > clip_seconds + OVER_SECONDS:
            yield Problem(
                code="media_too_long",
                field=reference.field,
                value=round(seconds, 3),
                limit=round(clip_seconds, 3),
                message=f"{seconds:.3f} s of sound for {reference.soundtrack_of}, which lasts {clip_seconds:.3f} s",
                fix=f"Use a part of it, such as {case.part(clip_seconds)}",
            )


def frames_rule(case: Case) -> Iterator[Problem]:
    """Fewer frames than there is to see: each pinned frame needs one, and what an engine shows in turn does too."""
    pinned = (*case.in_role(Role.FIRST_FRAME), *case.in_role(Role.LAST_FRAME))
    seen, clips = [one.field for _, one in pinned], list[str]()
    if case.continued is not None:
        seen.insert(0, case.request.references[case.continued].field)
    if case.spec.shows_every_input:
        references = case.in_role(Role.REFERENCE)
        seen += [one.field for position, one in references if case.modality(position) is Modality.IMAGE]
        clips = [one.field for position, one in references if case.modality(position) is Modality.VIDEO]
    needed = max(len(seen), 1) + 1 if clips else len(seen)  # motion shows only from one frame to another
    frames = final_length(case).new_frames
    if 0 < frames < needed:
        name = "num_frames" if case.request.num_frames is not None else "seconds"
        yield Problem(
            code="duration_not_supported",
            field=case.request.called(name),
            message=f"{', '.join([*seen, *clips])} cannot all be seen in {frames} frame{'s' if frames > 1 else ''}",
            value=frames,
            limit=needed,
            fix=f"Ask for {needed} frames or more, or leave some of them out",
        )


def whole_rule(case: Case) -> Iterator[Problem]:
    """A clip that is shown first, and that is too long to be gone on from by so much."""
    length, most = final_length(case), longest(case.spec.timing)
    if case.continued is None or length.new_frames > most >= 0 or length.num_frames <= most:
        return
    yield Problem(
        code="duration_not_supported",
        field=case.request.references[case.continued].field,
        message=f"its {length.shown_frames} frames and {length.new_frames} new ones are {length.num_frames}, and "
        f"{case.spec.name} makes {most} at most",
        value=length.num_frames,
        limit=most,
        fix="Use a shorter part of it, or ask for less",
    )


def speech_rule(case: Case) -> Iterator[Problem]:
    """Words that must be spoken, and cannot be."""
    request, speech = case.request, case.spec.speech
    field, lines = request.called("require_speech"), quoted(case.words)
    if request.require_speech and not speech.speaks:
        yield Problem(
            code="unsupported_parameter",
            field=field,
            message=f"{case.spec.name} does not speak quoted words",
            value=True,
            fix="Leave it out",
        )
    elif request.require_speech and not lines:
        yield Problem(
            code="nothing_to_speak",
            field=field,
            message="the prompt has no words in double quotes",
            value=True,
            fix='Quote the line to speak, as in: she says "hello"',
        )
    elif request.require_speech and not speech.available:
        yield Problem(
            code="speech_unavailable",
            field=field,
            value=[legible(line) for line in lines],
            fix=f"Install one: {speech.install}",
            message=f"no voice is installed to speak {_shown(lines)}",
        )
    elif request.require_speech and case.spoken_seconds and min(case.spoken_seconds) <= 0:
        mute = tuple(line for line, seconds in zip(lines, case.spoken_seconds, strict=True) if seconds <= 0)
        yield Problem(
            code="nothing_to_speak",
            field=field,
            value=[legible(line) for line in mute],
            fix="Use words that can be pronounced",
            message=f"the voice can pronounce nothing of {_shown(mute)}",
        )


def lines_rule(case: Case) -> Iterator[Problem]:
    """Quoted lines that are too long, too many, or together longer than the video."""
    speech, field = case.spec.speech, case.request.called("prompt")
    if not speech.speaks:
        return
    lines, most = quoted(case.words), speech.max_lines
    if most is not None and len(lines) > most:
        yield Problem(
            code="speech_too_long",
            field=field,
            value=len(lines),
            limit=most,
            message=f"{len(lines)} quoted lines, and {case.spec.name} speaks {most} at most",
            fix="Quote fewer lines",
        )
    longest = speech.max_line_chars
    for line in lines:
        if longest is not None and len(line) > longest:
            yield Problem(
                code="speech_too_long",
                field=field,
                value=len(line),
                limit=longest,
                message=f"{_shown((line,))} has {len(line)} characters, and a spoken line has {longest} at most",
                fix="Quote it as two lines",
            )
    end, video_seconds = speech_end(speech, case.spoken_seconds), final_length(case).new_seconds
    if end > video_seconds + OVER_SECONDS:
        yield Problem(
            code="speech_too_long",
            field=field,
            value=round(end, 3),
            limit=round(video_seconds, 3),
            message=f"the quoted words are over at {end:.3f} s, and the video at {video_seconds:.3f} s",
            fix=f"Ask for {end:.3f} s or more, or quote fewer words",
        )


def _shown(lines: tuple[str, ...]) -> str:
    return ", ".join(f'"{legible(line if len(line) <= 60 else line[:57] + "...")}"' for line in lines)

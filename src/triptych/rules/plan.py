"""A legal request, resolved: where each input goes, and what every setting is in the end."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from triptych.errors import InvalidRequest
from triptych.rules import tags
from triptych.rules.case import Case
from triptych.rules.check import problems
from triptych.rules.geometry import fit_plan
from triptych.rules.naming import reader
from triptych.rules.setting import task_of
from triptych.rules.size import Size, size_of
from triptych.rules.span import final_length, lines_of
from triptych.rules.spec import USES, EngineSpec
from triptych.rules.timing import OVER_SECONDS
from triptych.task import (
    Adjustment,
    Blob,
    FitPlan,
    Label,
    Modality,
    Plan,
    Probe,
    Reference,
    Request,
    Role,
    Settings,
    Slot,
    Spoken,
    Warned,
)

LISTS = {Modality.IMAGE: "reference_images", Modality.VIDEO: "reference_videos", Modality.AUDIO: "reference_audio"}
"""How a reference of each kind is called in a slot's key."""


def plan(
    request: Request,
    spec: EngineSpec,
    probes: Sequence[Probe],
    blobs: Sequence[Blob],
    *,
    seed: int,
    spoken_seconds: Sequence[float] = (),
) -> Plan:
    """Judge everything again, now that the bytes were seen, and resolve what is left open.

    Args:
        request: as the caller said it.
        spec: of the engine.
        probes: what was seen of each of ``request.references``, in order.
        blobs: the bytes of each of ``request.inputs``, in order.
        seed: used when the request states none and the engine has no default.
        spoken_seconds: how long each quoted line takes to say; empty when no voice is here.

    Raises:
        InvalidRequest: with every problem.
    """
    case = Case(request=request, spec=spec, probes=dict(enumerate(probes)), spoken_seconds=tuple(spoken_seconds))
    found = problems(case)
    if found:
        raise InvalidRequest(found)
    size, length = size_of(case), final_length(case)
    slots = tuple(_slots(case, blobs, size, new_seconds=length.new_seconds))
    labels = tuple(_label(case, one, blobs[one.position]) for one in case.numbered)
    return Plan(
        engine=spec.name,
        task=task_of(case),
        prompt=request.prompt,
        engine_prompt=_engine_prompt(case, labels),
        inputs=tuple(one.field for one in request.inputs),
        slots=slots,
        settings=Settings(
            width=size.width,
            height=size.height,
            fps=length.fps,
            num_frames=length.num_frames,
            seed=next(value for value in (request.seed, spec.default_seed, seed) if value is not None),
            n=request.n,
            generate_audio=spec.sound != "never" if request.generate_audio is None else request.generate_audio,
            require_speech=request.require_speech,
            options={name: request.options.get(name, option.default) for name, option in spec.options.items()},
        ),
        spoken=tuple(
            Spoken(text=line, seconds=seconds)
            for line, seconds in zip(lines_of(request), spoken_seconds, strict=False)
            if seconds > 0
        ),
        labels=labels,
        adjustments=(*size.adjustments, *length.adjustments, *_adjustments(case, slots, size)),
        warnings=tuple(_warnings(case)),
    )


def _engine_prompt(case: Case, labels: Sequence[Label]) -> str:
    if case.request.tags == "verbatim":
        return case.request.prompt
    spell = {one.position: label.engine_tag for one, label in zip(case.numbered, labels, strict=True)}
    return tags.render(case.request.prompt, case.numbered, spell)


def _label(case: Case, one: tags.Numbered, blob: Blob) -> Label:
    return Label(
        tag=one.tag,
        engine_tag=case.spec.tags.spell(one.modality, one.number),
        field=one.reference.field,
        sha256=blob.sha256,
        name=one.reference.name,
    )


def _slots(case: Case, blobs: Sequence[Blob], size: Size, *, new_seconds: float) -> Iterator[Slot]:
    """One slot for each input, in the caller's order."""
    keys, parts = _keys(case), _parts(case, new_seconds)
    numbered = {one.position: one for one in case.numbered}
    by_field = {reference.field: keys[i] for i, reference in enumerate(case.request.references)}
    for position, reference in enumerate(case.request.references):
        probe, rule = case.probes[position], case.spec.roles[reference.role]
        start, seconds = parts[position]
        tagged = numbered.get(position)
        yield Slot(
            key=keys[position],
            position=position,
            field=reference.field,
            role=reference.role,
            modality=probe.modality,
            uses=(
                *rule.uses.get(probe.modality, USES[probe.modality]),
                *(("sound",) if _heard(case, position) else ()),
            ),
            blob=blobs[position],
            probe=probe,
            fit=_fit(case, position, size),
            start_seconds=start,
            seconds=seconds,
            name=reference.name,
            tag=tagged.tag if tagged else None,
            soundtrack_of=by_field.get(reference.soundtrack_of) if reference.soundtrack_of else None,
        )
    for index, artifact in enumerate(case.request.artifacts):
        position = len(case.request.references) + index
        yield Slot(
            key=f"artifacts[{index}]",
            position=position,
            field=artifact.field,
            role=None,
            modality=None,
            uses=("payload",),
            blob=blobs[position],
            ignored=reader(artifact, case.spec.artifacts_read) is None,
            id=artifact.id,
            kind=artifact.kind,
            meta=artifact.meta,
        )


def _heard(case: Case, position: int) -> bool:
    """Whether a clip's own sound is used: as asked, and always of one that is shown whole."""
    reference = case.request.references[position]
    shown = case.spec.roles[reference.role].shown and case.probes[position].modality is Modality.VIDEO
    return reference.sound or (shown and case.probes[position].has_sound and case.spec.sound != "never")


def _keys(case: Case) -> list[str]:
    """The canonical key of each reference."""
    keys: list[str] = []
    counts: dict[str, int] = {}
    for position, reference in enumerate(case.request.references):
        if reference.role is Role.REFERENCE:
            stem, single = LISTS[case.probes[position].modality], False
        else:
            stem, single = str(reference.role), case.spec.roles[reference.role].most == 1
        index = counts.get(stem, 0)
        counts[stem] = index + 1
        keys.append(stem if single else f"{stem}[{index}]")
    return keys


def _parts(case: Case, video_seconds: float) -> list[tuple[float, float]]:
    """The part of each input that is used, start and length; what is a hair over a limit, alone or together, is cut."""
    parts = [_part(case, position, video_seconds) for position in range(len(case.request.references))]
    for group, limit in _shared_limits(case, parts, video_seconds):
        over = sum(parts[position][1] for position in group) - limit
        if 1e-6 < over <= OVER_SECONDS + 1e-6:
            last = next((i for i in reversed(group) if parts[i][1] > 2 * over), max(group, key=lambda i: parts[i][1]))
            start, seconds = parts[last]
            parts[last] = start, math.floor((seconds - over) * 1e6) / 1e6
    return parts


def _shared_limits(
    case: Case, parts: Sequence[tuple[float, float]], video_seconds: float
) -> Iterator[tuple[list[int], float]]:
    """Inputs that share one limit of length, as positions, and that limit in seconds."""
    timeline = case.spec.timing.inputs == "together"
    for modality in (Modality.VIDEO, Modality.AUDIO):
        held = [position for position, probe in case.probes.items() if probe.modality is modality]
        total = case.spec.limits_of(modality).total_seconds
        if held and total is not None:
            yield held, total
        references = [position for position in held if case.request.references[position].role is Role.REFERENCE]
        if references and timeline:
            yield references, video_seconds
    owners = {one.field: position for position, one in enumerate(case.request.references)}
    for position, one in case.in_role(Role.SOUNDTRACK):
        yield [position], parts[owners[one.soundtrack_of or ""]][1]


def _part(case: Case, position: int, video_seconds: float) -> tuple[float, float]:
    reference, probe = case.request.references[position], case.probes[position]
    if probe.modality is Modality.IMAGE:
        return 0.0, 0.0
    most = [case.spec.limits_of(probe.modality).max_seconds]
    if case.spec.timing.inputs != "free" and position != case.continued:
        most.append(video_seconds)
    return reference.start_seconds or 0.0, case.kept_seconds(position, *most)


def _fit(case: Case, position: int, size: Size) -> FitPlan | None:
    if not case.fitted(position):
        return None
    reference, probe = case.request.references[position], case.probes[position]
    fit = reference.fit or case.request.fit or case.spec.default_fit
    return fit_plan((probe.width, probe.height), (size.width, size.height), fit)


def _adjustments(case: Case, slots: Sequence[Slot], size: Size) -> Iterator[Adjustment]:
    """What was done to the inputs: cuts to shape and to length, and what the decoder put right."""
    for slot in slots:
        if slot.probe is None:
            continue
        reference = case.request.references[slot.position]
        source = f"{slot.probe.width}x{slot.probe.height}"
        if slot.fit is not None and slot.fit.cut_fraction > 0:
            yield Adjustment(
                field=slot.field,
                asked=source,
                got=_shown_box(slot.fit),
                reason=f"fit crop: {slot.fit.cut_fraction:.1%} of the picture is outside the frame",
            )
        elif slot.fit is not None and slot.fit.inside[2:] != (size.width, size.height):
            yield Adjustment(
                field=slot.field,
                asked=source,
                got=f"{slot.fit.inside[2]}x{slot.fit.inside[3]}",
                reason="fit pad: the picture is whole, with bars beside it",
            )
        asked = _asked_seconds(case, slot.position)
        if slot.modality is not Modality.IMAGE and slot.seconds < asked - 1e-6:
            yield Adjustment(
                field=slot.field,
                asked=round(asked, 6),
                got=slot.seconds,
                reason=f"{asked - slot.seconds:.3f} s over the limit is cut from the end",
            )
        if reference.start_seconds is not None or reference.seconds is not None:
            yield Adjustment(
                field=slot.field,
                asked=round(slot.probe.seconds, 6),
                got=slot.seconds,
                reason=f"the part from {slot.start_seconds:g} s that was asked for"
                + _past_the_end(reference, slot.probe),
            )
        for note in slot.probe.notes:
            yield Adjustment(field=slot.field, asked=None, got=None, reason=note)


def _past_the_end(reference: Reference, probe: Probe) -> str:
    over = (reference.start_seconds or 0.0) + (reference.seconds or 0.0) - probe.seconds
    return f"; the last {over:.3f} s of it are past the file's end" if over > 1e-6 else ""


def _asked_seconds(case: Case, position: int) -> float:
    reference, probe = case.request.references[position], case.probes[position]
    return min(case.used_seconds(position), probe.seconds - (reference.start_seconds or 0.0))


def _shown_box(fit: FitPlan) -> str:
    left, top, width, height = (round(value) for value in fit.box)
    return f"{width}x{height} from {left},{top}"


def _warnings(case: Case) -> Iterator[Warned]:
    """What a person would want to know, and that stops nothing."""
    yield from _tag_warnings(case)
    soundtracked = {one.soundtrack_of for _, one in case.in_role(Role.SOUNDTRACK)}
    for position, reference in enumerate(case.request.references):
        probe = case.probes[position]
        silent = not _heard(case, position) and reference.field not in soundtracked
        if probe.modality is Modality.VIDEO and probe.has_sound and silent:
            yield Warned(
                code="sound_not_used",
                field=reference.field,
                message="the clip has sound, which is not used because nobody asked for it",
            )
    if case.fit_is_idle:
        yield Warned(
            code="fit_not_used",
            field=case.request.called("fit"),
            message=f"fit {case.request.fit} changes nothing: there is no picture that it is for",
        )
    yield from _speech_warnings(case)
    for artifact in case.request.artifacts:
        if reader(artifact, case.spec.artifacts_read) is None:
            yield Warned(
                code="artifact_ignored", field=artifact.field, message=f"{case.spec.name} does not read {artifact.id}"
            )
    yield from _length_warnings(case)


def _tag_warnings(case: Case) -> Iterator[Warned]:
    if case.request.tags == "verbatim":
        return
    named = tags.cited(case.request.prompt, case.numbered)
    for one in case.numbered:
        if one.position not in named:
            hint = f"{one.tag} or @{one.reference.name}" if one.reference.name else one.tag
            yield Warned(
                code="uncited_reference",
                field=one.reference.field,
                message=f"the prompt does not name it; it is {hint}",
            )
    known = tags.Known(case.numbered)
    for tag in tags.find(case.request.prompt):
        if tag.name is not None and not tag.escaped and known.is_words(tag):
            yield Warned(
                code="words_not_tag",
                field=case.request.called("prompt"),
                message=f"{tag.text} is taken as words: no reference has a name",
            )


def _speech_warnings(case: Case) -> Iterator[Warned]:
    speech, field = case.spec.speech, case.request.called("prompt")
    if not speech.speaks:
        return
    for index, line in enumerate(lines_of(case.request)):
        if not speech.available:
            yield Warned(
                code="line_not_spoken",
                field=field,
                message=f'"{line}" is not spoken: no voice is installed. Install one: {speech.install}',
            )
        elif index < len(case.spoken_seconds) and case.spoken_seconds[index] <= 0:
            yield Warned(
                code="line_not_spoken", field=field, message=f'"{line}" is not spoken: nothing in it can be pronounced'
            )


def _length_warnings(case: Case) -> Iterator[Warned]:
    trained, length = case.spec.timing.trained_seconds, final_length(case)
    seconds = length.num_frames / length.fps
    if trained is not None and not trained[0] <= seconds <= trained[1]:
        yield Warned(
            code="outside_trained_range",
            field=case.request.called("seconds"),
            message=f"{seconds:.3f} s is outside the {trained[0]:g} to {trained[1]:g} s that the model was trained on",
        )

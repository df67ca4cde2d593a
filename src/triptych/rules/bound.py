"""How much of it? The part of each input that is used, its bounds, the totals, and its shape."""

from __future__ import annotations

from collections.abc import Iterator

from triptych.errors import Problem
from triptych.rules import media
from triptych.rules.case import Case, sensible_part
from triptych.rules.geometry import fit_differs, is_legal
from triptych.rules.role import PLURAL
from triptych.rules.size import size_of
from triptych.rules.timing import OVER_SECONDS
from triptych.rules.value import plain, shown
from triptych.task import Fit, Modality, Probe, Reference


def window_rule(case: Case) -> Iterator[Problem]:
    """Parts (``start_seconds``, ``seconds``) that make no sense, or lie outside the file."""
    for position, reference in enumerate(case.request.references):
        found = part_problem(reference, case.modality(position), case.probes.get(position), example=case.part(2))
        if found is not None:
            yield found


def part_problem(
    reference: Reference, modality: Modality | None, probe: Probe | None, *, example: str
) -> Problem | None:
    """What is wrong with the part of a file that was asked for, as far as is known; ``None`` when nothing is.

    Args:
        reference: what the caller said.
        modality: what the file is, if that is known.
        probe: what was seen in it, if it was looked at.
        example: how the caller would write another part.
    """
    start, seconds, fix = (
        reference.start_seconds,
        reference.seconds,
        f"Ask for a part inside the file, such as {example}",
    )
    if start is None and seconds is None:
        return None
    if not sensible_part(reference):
        length = "all" if seconds is None else shown(seconds)
        message = f"a part of {length} s from {shown(start or 0)} s is no stretch of time"
    elif modality is Modality.IMAGE:
        message, fix = "a still has no length, and a part of it in seconds was asked for", "Leave the part out"
    elif probe is not None and round(probe.seconds - (start or 0.0), 6) <= 0:
        message = f"the part begins at {start:g} s, and the file ends at {probe.seconds:.3f} s"
    elif probe is not None and (end := (start or 0.0) + (seconds or 0.0)) > probe.seconds + OVER_SECONDS:
        message = f"the part ends at {end:g} s, and the file at {probe.seconds:.3f} s"
    else:
        return None
    value = [plain(start), plain(seconds)]
    return Problem(code="invalid_value", field=reference.field, message=message, value=value, fix=fix)


def bounds_rule(case: Case) -> Iterator[Problem]:
    """Each file's bytes, pixels, shape, length and format; totals per kind and in all."""
    totals = dict.fromkeys(Modality, (0.0, 0, ""))
    every_byte = 0
    for position, reference in enumerate(case.request.references):
        probe = case.probes.get(position)
        if probe is None:
            continue
        limits, field = case.spec.limits_of(probe.modality), reference.field
        yield from media.bytes_problems(probe.size_bytes, limits, field=field)
        if limits.containers is not None and probe.container not in limits.containers:
            listed = ", ".join(sorted(limits.containers))
            yield Problem(
                code="media_not_supported",
                field=field,
                value=probe.container,
                limit=listed,
                message=f"{probe.container} is not a format that {case.spec.name} takes",
                fix=f"It takes {listed}",
            )
        if probe.modality is not Modality.AUDIO:
            yield from media.picture_problems(probe.width, probe.height, limits, field=field)
        if probe.modality is not Modality.IMAGE and sensible_part(reference):
            yield from media.length_problems(case.used_seconds(position), limits, field=field)
        if probe.modality is Modality.VIDEO:
            yield from media.frames_problems(probe.frames, limits, field=field)
        seconds, size, _ = totals[probe.modality]
        totals[probe.modality] = (seconds + case.used_seconds(position), size + probe.size_bytes, field)
        every_byte += probe.size_bytes
    yield from _total_problems(case, totals, every_byte)


def _total_problems(case: Case, totals: dict[Modality, tuple[float, int, str]], every_byte: int) -> Iterator[Problem]:
    for modality, (seconds, size, field) in totals.items():
        limits = case.spec.limits_of(modality)
        if limits.total_seconds is not None and seconds > limits.total_seconds + OVER_SECONDS:
            yield Problem(
                code="media_too_long",
                field=field,
                value=round(seconds, 3),
                limit=limits.total_seconds,
                message=f"{seconds:.3f} s of {PLURAL[modality]} in all, over the limit of {limits.total_seconds:g} s",
                fix="Use shorter parts",
            )
        if limits.total_bytes is not None and size > limits.total_bytes:
            yield _bytes_total(field, size, limits.total_bytes, PLURAL[modality])
    if case.spec.max_total_bytes is not None and every_byte > case.spec.max_total_bytes:
        yield _bytes_total(case.request.references[-1].field, every_byte, case.spec.max_total_bytes, "inputs")


def _bytes_total(field: str, size: int, limit: int, what: str) -> Problem:
    return Problem(
        code="media_too_large",
        field=field,
        value=size,
        limit=limit,
        fix="Use smaller files",
        message=f"{media.megabytes(size)} of {what} in all, over the limit of {media.megabytes(limit)}",
    )


def fit_rule(case: Case) -> Iterator[Problem]:
    """A fit for what is not fitted; with fit ``refuse``, a picture whose shape is not the frame's."""
    yield from _fit_of_nothing(case)
    size = size_of(case)
    if not is_legal((size.width, size.height), case.spec.geometry):
        return  # the size itself is refused elsewhere
    for position, reference in enumerate(case.request.references):
        probe = case.probes.get(position)
        if probe is None or not case.fitted(position):
            continue
        fit = reference.fit or case.request.fit or case.spec.default_fit
        if fit is Fit.REFUSE and fit_differs((probe.width, probe.height), (size.width, size.height)):
            yield Problem(
                code="fit_refused",
                field=reference.field,
                value=f"{probe.width}x{probe.height}",
                limit=f"{size.width}x{size.height}",
                message=f"is {probe.width}x{probe.height}, and the frame is {size.width}x{size.height}",
                fix="Use fit crop or pad, or ask for a size of its shape",
            )


def _fit_of_nothing(case: Case) -> Iterator[Problem]:
    """A fit that was stated, of one input or of all, and that the pictures to be shown would not get."""
    yield from _fit_of_clips_alone(case)
    for position, reference in enumerate(case.request.references):
        modality, rule = case.modality(position), case.spec.roles.get(reference.role)
        if reference.fit is None or rule is None or (rule.fitted and modality in (Modality.IMAGE, None)):
            continue
        if rule.shown and modality in (Modality.VIDEO, None):
            continue
        what = PLURAL[modality] if rule.fitted and modality is not None else reference.role
        yield Problem(
            code="unsupported_parameter",
            field=reference.field,
            value=reference.fit,
            message=f"fit {reference.fit} was asked for, and {case.spec.name} fits no {what} to the frame",
            fix="Leave the fit out",
        )


def _fit_of_clips_alone(case: Case) -> Iterator[Problem]:
    """A fit other than the usual one for a request whose only pictures are clips that are not fitted."""
    fit, references = case.request.fit, case.request.references
    if not case.fit_is_idle or fit is case.spec.default_fit or not case.kinds_known:
        return
    if Modality.IMAGE in case.modalities:
        return  # the clips are then not shown as they are, and the plan notes a fit that nothing uses
    clips = [one.field for position, one in enumerate(references) if case.modality(position) is Modality.VIDEO]
    if clips:
        yield Problem(
            code="unsupported_parameter",
            field=case.request.called("fit"),
            value=fit,
            limit=case.spec.default_fit,
            message=f"fit {fit} was asked for, and {case.spec.name} fits no clips to the frame ({', '.join(clips)})",
            fix="Leave the fit out, or give a picture",
        )

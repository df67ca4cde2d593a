"""Rules for the words and the plain settings of a request: prompt, task, count, seed, options."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Iterator, Mapping

from triptych.errors import Problem
from triptych.rules.case import Case
from triptych.rules.spec import Option
from triptych.rules.value import legible, plain, shown
from triptych.task import Role, Scalar, Task

MAX_SEED = 2**63 - 1
DEFAULT_PROMPT_FIX = "Say in a few words what the video shows"


def closest(name: str, known: Iterable[str]) -> str:
    """Advice for a name that is not known: the nearest one, or all there are."""
    known = sorted(known)
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        return f"Did you mean {near[0]}?"
    return f"There is {', '.join(known)}" if known else "There are none"


_NUMBERS: Mapping[str, tuple[tuple[type, ...], str]] = {
    **dict.fromkeys(("width", "height", "short_edge", "num_frames", "seed", "n"), ((int,), "a whole number")),
    **dict.fromkeys(("seconds", "fps"), ((int, float), "a number")),
}


def number_problems(case: Case) -> Iterator[Problem]:
    """Settings of a kind that no other rule could judge: half a frame, a number that is text, ``True`` for 1."""
    for name, (kinds, what) in _NUMBERS.items():
        value = getattr(case.request, name)
        if value is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
            yield Problem(
                code="invalid_value",
                field=case.request.called(name),
                message=f"{value!r} is not {what}",
                value=legible(str(value)),
                fix=f"Give {what}",
            )


def prompt_rule(case: Case) -> Iterator[Problem]:
    """An empty prompt where words are needed; one that is too long, or holds what no text holds."""
    prompt, field = case.request.prompt, case.request.called("prompt")
    if case.spec.prompt_required and not prompt.strip():
        yield Problem(
            code="missing_required_parameter", field=field, message="the prompt is empty", fix=DEFAULT_PROMPT_FIX
        )
    if len(prompt) > case.spec.max_prompt_chars:
        yield Problem(
            code="invalid_value",
            field=field,
            message=f"{len(prompt):,} characters, over the limit of {case.spec.max_prompt_chars:,}",
            value=len(prompt),
            limit=case.spec.max_prompt_chars,
            fix="Shorten it",
        )
    if "\0" in prompt or any("\ud800" <= character <= "\udfff" for character in prompt):
        yield Problem(
            code="invalid_value",
            field=field,
            message="holds a character that no text can hold (NUL or half of a pair)",
            fix="Send it as UTF-8 text",
        )


def task_of(case: Case) -> Task:
    """The task that the roles say: a clip to go on from, else references, else frames, else text alone."""
    if case.request.task is not None:
        return case.request.task
    if Task.EXTEND in case.spec.tasks and case.continued is not None:
        return Task.EXTEND
    roles = {reference.role for reference in case.request.references}
    if roles & {Role.REFERENCE, Role.SOUNDTRACK}:
        return Task.REF2VA
    return Task.FL2VA if roles & {Role.FIRST_FRAME, Role.LAST_FRAME} else Task.T2VA


_WORK_ON: Mapping[Task, str] = {Task.EXTEND: "to go on from", Task.EDIT: "to change"}
"""Tasks that work on an input, and what they do with it."""


def task_rule(case: Case) -> Iterator[Problem]:
    """A task that the engine does not do, or that the inputs contradict."""
    task, request, field = task_of(case), case.request, case.request.called("task")
    given = [one.field for one in request.references if one.role is Role.INPUT]
    if task not in case.spec.tasks:
        if given and Role.INPUT not in case.spec.roles and task in _WORK_ON:
            return  # ``role_rule`` says it
        done = ", ".join(sorted(case.spec.tasks))
        yield Problem(
            code="unsupported_task",
            field=field,
            message=f"{case.spec.name} does not do {task}",
            value=task,
            limit=done,
            fix=f"It does {done}",
        )
        return
    if request.task is None:
        return
    has_frame = any(one.role in (Role.FIRST_FRAME, Role.LAST_FRAME) for one in request.references)
    has_reference = any(one.role is Role.REFERENCE for one in request.references)
    if task is Task.T2VA and request.references:
        named = ", ".join(one.field for one in request.references)
        yield Problem(
            code="conflicting_parameters",
            field=field,
            message=f"t2va is video from text alone, and the request has {named}",
            value=task,
            fix="Leave the task out, or leave those out",
        )
    if task in _WORK_ON and not given:
        yield Problem(
            code="reference_required",
            field=field,
            message=f"{task} needs the clip {_WORK_ON[task]}",
            value=task,
            fix="Add it as input",
        )
    if task in (Task.FL2VA, Task.REF2VA) and given:
        yield Problem(
            code="conflicting_parameters",
            field=field,
            message=f"{task} begins anew, and the request has {', '.join(given)} to work on",
            value=task,
            fix="Leave the task out, or leave that out",
        )
    if task is Task.FL2VA and not has_frame:
        yield Problem(
            code="reference_required",
            field=field,
            message="fl2va needs a first frame, a last frame, or both",
            value=task,
            fix="Add one, or leave the task out",
        )
    if task is Task.FL2VA and has_reference:
        named = ", ".join(one.field for one in request.references if one.role is Role.REFERENCE)
        yield Problem(
            code="conflicting_parameters",
            field=field,
            message=f"fl2va has frames only, and the request has {named}",
            value=task,
            fix="Leave the task out, or leave those out",
        )
    if task is Task.REF2VA and not has_reference and case.spec.references_required:
        yield Problem(
            code="reference_required",
            field=field,
            message="ref2va needs at least one reference",
            value=task,
            fix="Add an image, a clip or a voice, or leave the task out",
        )


def count_rule(case: Case) -> Iterator[Problem]:
    """``n`` and ``seed`` out of range."""
    request, most = case.request, case.spec.max_outputs
    if not 1 <= request.n <= most:
        yield Problem(
            code="unsupported_parameter" if request.n > 1 else "invalid_value",
            field=request.called("n"),
            message=f"{shown(request.n)} videos, and {case.spec.name} makes {most} at a time",
            value=plain(request.n),
            limit=[1, most],
            fix=f"Ask for {most}" + ("" if most > 1 else ", or send the request again"),
        )
    if request.seed is not None and not 0 <= request.seed <= MAX_SEED:
        yield Problem(
            code="invalid_value",
            field=request.called("seed"),
            message=f"{shown(request.seed)} is outside 0 to {MAX_SEED}",
            value=plain(request.seed),
            limit=[0, MAX_SEED],
            fix="Use a whole number in that range",
        )


def audio_rule(case: Case) -> Iterator[Problem]:
    """Sound that the engine cannot make, or cannot leave out."""
    wanted, way = case.request.generate_audio, case.spec.sound
    if wanted is None or way == "choice" or wanted is (way == "always"):
        return
    made = "always have sound" if way == "always" else "never have sound"
    yield Problem(
        code="unsupported_parameter",
        field=case.request.called("generate_audio"),
        message=f"{case.spec.name}'s videos {made}",
        value=wanted,
        limit=not wanted,
        fix="Leave it out" + (", and take the sound away afterwards" if way == "always" else ""),
    )


def option_rule(case: Case) -> Iterator[Problem]:
    """Options that the engine does not have, or with values that it does not take."""
    for name, value in case.request.options.items():
        field = case.request.fields.get(f"options.{name}", name)
        option = case.spec.options.get(name)
        if option is None:
            yield Problem(
                code="unknown_parameter",
                field=field,
                message=f"{case.spec.name} has no option {name!r}",
                value=plain(value),
                limit=sorted(case.spec.options),
                fix=closest(name, case.spec.options),
            )
        elif (wrong := _wrong(option, value)) is not None:
            limit = list(option.choices) if option.choices else [option.minimum, option.maximum]
            yield Problem(
                code="invalid_value",
                field=field,
                message=f"{value if isinstance(value, bool) else _quoted(value)} is not {wrong}",
                value=plain(value),
                limit=limit,
                fix=f"{option.help or name} (default {option.default!r})",
            )


def _quoted(value: str | float) -> str:
    return repr(value) if isinstance(value, str) else shown(value)


def _wrong(option: Option, value: Scalar) -> str | None:
    """What ``value`` should have been; ``None`` when it is right."""
    numbers = (int, float) if option.kind is float else (option.kind,)
    if not isinstance(value, numbers) or (isinstance(value, bool) and option.kind is not bool):
        return {bool: "true or false", int: "a whole number", float: "a number", str: "text"}[option.kind]
    if option.choices is not None and value not in option.choices:
        return "one of " + ", ".join(str(choice) for choice in option.choices)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        low = -math.inf if option.minimum is None else option.minimum
        high = math.inf if option.maximum is None else option.maximum
        if not low <= value <= high or value in (math.inf, -math.inf):
            return f"a number from {low:g} to {high:g}"
    return None

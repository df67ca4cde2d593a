"""What was typed, as a ``Request``; every value that cannot be read is a problem, and they are gathered."""

from __future__ import annotations

import argparse
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeVar

from triptych.cli.parser import Given
from triptych.config import Settings
from triptych.errors import EngineUnavailable, InvalidRequest, Problem
from triptych.media.path import without_secrets
from triptych.task import (
    DataURLSource,
    Fit,
    Modality,
    PathSource,
    Reference,
    Request,
    Role,
    Scalar,
    Source,
    Tags,
    Task,
    URLSource,
)

Word = TypeVar("Word", bound=StrEnum)
Value = TypeVar("Value")


class Meaning(NamedTuple):
    """What one input option says of its file."""

    role: Role
    modality: Modality | None
    sound: bool = False


MEANINGS: dict[str, Meaning] = {
    "--first-frame": Meaning(Role.FIRST_FRAME, Modality.IMAGE),
    "--last-frame": Meaning(Role.LAST_FRAME, Modality.IMAGE),
    "--extend": Meaning(Role.INPUT, Modality.VIDEO),
    "--image": Meaning(Role.REFERENCE, Modality.IMAGE),
    "--clip": Meaning(Role.REFERENCE, Modality.VIDEO),
    "--sounded-clip": Meaning(Role.REFERENCE, Modality.VIDEO, sound=True),
    "--soundtrack": Meaning(Role.SOUNDTRACK, Modality.AUDIO),
    "--voice": Meaning(Role.REFERENCE, Modality.AUDIO),
    "--ref": Meaning(Role.REFERENCE, None),
}
PART = "#t={start},{end}"
"""How a part of a file is written."""

FIELDS = {
    "prompt": "PROMPT",
    "width": "--size",
    "height": "--size",
    "aspect_ratio": "--aspect",
    "short_edge": "--short-edge",
    "seconds": "--seconds",
    "num_frames": "--frames",
    "fps": "--fps",
    "seed": "--seed",
    "fit": "--fit",
    "engine": "--engine",
    "task": "--task",
    "tags": "--tags",
    "require_speech": "--require-speech",
    "part": PART,
}
"""The setting's name → what it is called on the command line; of ``part``, how it is written."""

_FRAGMENT = re.compile(r"#([A-Za-z]+=[^#/]*)$", re.DOTALL)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


class Typed(NamedTuple):
    """A request as typed, and what could not be read of it."""

    request: Request
    problems: tuple[Problem, ...]


def read(arguments: argparse.Namespace, settings: Settings) -> Typed:
    """The request that a command line asks for."""
    problems: list[Problem] = []
    size = _value(arguments.size, "--size", _size, "a size such as 1280x720", problems)
    engine = settings.engine if arguments.engine is None else arguments.engine
    options = _options(arguments.option, _kinds(engine) if arguments.option else {}, problems)
    named = {} if arguments.engine is not None else {"engine": "engine (from the settings)"}
    request = Request(
        prompt=arguments.prompt,
        references=_references(arguments.inputs, problems),
        engine=engine,
        task=_word(arguments.task, "--task", Task, problems),
        width=size[0] if size else None,
        height=size[1] if size else None,
        aspect_ratio=arguments.aspect,
        short_edge=_value(arguments.short_edge, "--short-edge", int, "a whole number of pixels", problems),
        seconds=_value(arguments.seconds, "--seconds", float, "a number of seconds", problems),
        num_frames=_value(arguments.frames, "--frames", int, "a whole number of frames", problems),
        fps=_value(arguments.fps, "--fps", float, "a number of frames a second", problems),
        seed=_value(arguments.seed, "--seed", int, "a whole number", problems),
        fit=_word(arguments.fit, "--fit", Fit, problems),
        tags=_word(arguments.tags, "--tags", Tags, problems) or Tags.READ,
        require_speech=arguments.require_speech,
        options=options,
        fields={**FIELDS, **named, **{f"options.{name}": f"--option {name}" for name in options}},
    )
    return Typed(request, tuple(problems))


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,6})[xX×](\d{1,6})", text.strip())
    if found is None:
        raise ValueError(text)
    return int(found[1]), int(found[2])


def _value(
    text: str | None, flag: str, read: Callable[[str], Value], what: str, problems: list[Problem]
) -> Value | None:
    if text is None:
        return None
    try:
        return read(text)
    except ValueError:
        problems.append(_unreadable(flag, text, what))
        return None


def _unreadable(flag: str, text: str, what: str) -> Problem:
    return Problem(code="invalid_value", field=flag, message=f"{text!r} is not {what}", value=text, fix=f"Give {what}")


def _word(text: str | None, flag: str, words: type[Word], problems: list[Problem]) -> Word | None:
    return _value(text, flag, words, "one of " + ", ".join(words), problems)


def _kinds(engine: str) -> Mapping[str, type]:
    """The kind of each option of an engine; none when there is no such engine, which is told elsewhere."""
    from triptych.engines.registry import Registry

    try:
        spec = Registry.installed().spec(engine)
    except (InvalidRequest, EngineUnavailable):
        return {}
    return {name: option.kind for name, option in spec.options.items()}


def _options(typed: Sequence[str], kinds: Mapping[str, type], problems: list[Problem]) -> dict[str, Scalar]:
    """``NAME=VALUE`` pairs. Text stays as typed where the engine wants text; else what reads as a number is one."""
    options: dict[str, Scalar] = {}
    for text in typed:
        name, equals, value = text.partition("=")
        if not equals or not name:
            problems.append(_unreadable("--option", text, "NAME=VALUE"))
        elif name in options:
            problems.append(
                Problem(code="conflicting_parameters", field=f"--option {name}", message="is given twice", value=text)
            )
        else:
            options[name] = value if kinds.get(name) is str else scalar(value)
    return options


def scalar(text: str) -> Scalar:
    """``true``/``false``, a whole number, a number, else the text itself."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _references(inputs: Sequence[Given], problems: list[Problem]) -> tuple[Reference, ...]:
    """Each input option as a reference, in the order typed; a soundtrack belongs to the clip before it."""
    counts = Counter(given.flag for given in inputs)
    numbers: Counter[str] = Counter()
    references: list[Reference] = []
    clip: str | None = None
    for given in inputs:
        numbers[given.flag] += 1
        name, value = _name(given, problems)
        meaning = MEANINGS[given.flag]
        shown = shorten(value) if name is None else f"{name}={shorten(value)}"
        field = f"{given.flag} {numbers[given.flag]} ({shown})" if counts[given.flag] > 1 else f"{given.flag} {shown}"
        reference = _reference(meaning, field, name, value, problems, soundtrack_of=clip)
        references.append(reference)
        if reference.role is Role.REFERENCE and reference.modality in (Modality.VIDEO, None):
            clip = field
    return tuple(references)


def shorten(value: str) -> str:
    """A file as typed, fit for a message: no password of an address, a data URL cut, the end of a long path."""
    if value[:5].lower() == "data:":
        return value[:24] + "…"
    if _SCHEME.match(value):
        value = without_secrets(value)
    return value if len(value) <= 80 else "…" + value[-79:]


def _name(given: Given, problems: list[Problem]) -> tuple[str | None, str]:
    if given.flag != "--ref":
        return None, given.value
    name, equals, value = given.value.partition("=")
    if not equals:
        problems.append(_unreadable("--ref", given.value, "NAME=FILE"))
        return None, given.value
    return name, value


def _reference(
    meaning: Meaning,
    field: str,
    name: str | None,
    value: str,
    problems: list[Problem],
    *,
    soundtrack_of: str | None,
) -> Reference:
    path, asked = fragment(value, field, problems)
    start, seconds = _value(asked.get("t"), field, window, "a part such as #t=2,7", problems) or (None, None)
    return Reference(
        role=meaning.role,
        source=source(path, _value(asked.get("fps"), field, _rate, "a frame rate such as #fps=12", problems)),
        field=field,
        modality=meaning.modality,
        name=name,
        sound=meaning.sound,
        soundtrack_of=soundtrack_of if meaning.role is Role.SOUNDTRACK else None,
        fit=_word(asked.get("fit"), field, Fit, problems),
        start_seconds=start,
        seconds=seconds,
    )


def read_file(typed: str) -> tuple[Reference, tuple[Problem, ...]]:
    """One file to look at, as typed, for no engine; and what could not be read of it."""
    problems: list[Problem] = []
    reference = _reference(
        Meaning(Role.INPUT, None), shorten(typed) or "FILE", None, typed, problems, soundtrack_of=None
    )
    if reference.fit is not None:
        message = "how it meets a frame (#fit) says nothing here: there is no frame"
        problems.append(
            Problem(code="unsupported_parameter", field=reference.field, message=message, value=str(reference.fit))
        )
    return reference, tuple(problems)


def fragment(value: str, field: str, problems: list[Problem]) -> tuple[str, dict[str, str]]:
    """A typed file and what stands behind its ``#``; a file whose own name ends so is taken as it is."""
    found = _FRAGMENT.search(value)
    if found is None or value[:5].lower() == "data:" or os.path.lexists(value):
        return value, {}
    asked: dict[str, str] = {}
    for part in found[1].split("&"):
        key, _, text = part.partition("=")
        if key not in ("t", "fit", "fps"):
            problems.append(_unreadable(field, part, "one of t=FROM,TO, fit=HOW, fps=N"))
        elif key in asked:
            message = f"#{key} is given twice"
            problems.append(Problem(code="conflicting_parameters", field=field, message=message, value=found[1]))
        else:
            asked[key] = text
    return value[: found.start()], asked


def window(text: str) -> tuple[float | None, float | None]:
    """``2,7`` (from, to) as start and length in seconds; ``2`` and ``2,`` are from there to the end."""
    start_text, _, end_text = text.partition(",")
    start = float(start_text) if start_text else 0.0
    if not end_text:
        return start, None
    end = float(end_text)
    if not end > start >= 0:
        raise ValueError(text)
    return start, end - start


def _rate(text: str) -> float:
    rate = float(text)
    if not 0 < rate <= 1000:
        raise ValueError(text)
    return rate


def source(path: str, frame_rate: float | None) -> Source:
    """A typed file as a source: a data URL, an address, or a path."""
    if path[:5].lower() == "data:":
        return DataURLSource(path)
    if _SCHEME.match(path):
        return URLSource(path)
    return PathSource(path, frame_rate=frame_rate)

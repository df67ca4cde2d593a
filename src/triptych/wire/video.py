"""The body of a request for a video, in any of the vocabularies that there are, as one ``Request``.

Nothing is raised here: every problem is gathered, under the caller's own name, and told together with those that the
rules find.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from triptych.errors import InvalidRequest, Problem
from triptych.media.dataurl import decode_data_url
from triptych.rules.spec import EngineSpec, Option
from triptych.task import (
    Fit,
    Modality,
    Request,
    Role,
    Scalar,
    Tags,
    Task,
    Warned,
)
from triptych.wire import scalar
from triptych.wire.body import Document, Upload
from triptych.wire.field import ALIASES, INPUTS, NESTED, NEUTRAL, OPTIONS, REFUSED, SETTINGS, Input, known
from triptych.wire.json_body import parse_json_text
from triptych.wire.reference import Reading
from triptych.wire.scalar import Kind
from triptych.wire.together import combined

OPENAI_SIZES = frozenset(((1280, 720), (720, 1280), (1792, 1024), (1024, 1792)))
"""The sizes that OpenAI's clients know. Each stands for the engine's nearest of the same orientation."""

SORA = "sora-2"
"""Models of OpenAI's begin so; the default engine stands in for them, with a warning."""

LIFTED = {
    "input_reference_video": Input(role=Role.REFERENCE, modality=Modality.VIDEO),
    "input_reference_audio": Input(role=Role.REFERENCE, modality=Modality.AUDIO),
}
"""Keys of ``metadata`` that are inputs."""

_WORDS: Mapping[str, type[Task] | type[Fit] | type[Tags]] = {"task": Task, "fit": Fit, "tags": Tags}
_KINDS: Mapping[type, Kind] = {int: "whole", float: "number", bool: "switch", str: "text"}
_INSTEAD = {
    True: "Files go in input_reference, first_frame, last_frame, reference_images, reference_videos, reference_audio",
    False: "GET /v1/models says what each engine takes",
}
MAX_NESTED = 3
"""How deep objects of settings may stand within each other."""

_PART = "start_time_seconds {start} and seconds {end}"


@dataclass(frozen=True, kw_only=True)
class Typed:
    """A request as it was sent, and what could not be read of it.

    Attributes:
        request: it.
        problems: each under the caller's own name.
        warnings: what was overridden, and what stood in for what.
        asked: plain JSON that a job tells again: ``requested``, ``metadata``, ``user``, ``warnings``.
    """

    request: Request
    problems: tuple[Problem, ...]
    warnings: tuple[Warned, ...]
    asked: Mapping[str, Any]


@dataclass(kw_only=True)
class _Parser:
    spec: EngineSpec | None
    default_engine: str | None
    reading: Reading = field(default_factory=Reading)
    warnings: list[Warned] = field(default_factory=list)
    said: dict[str, tuple[str, Any]] = field(default_factory=dict)
    options: dict[str, Scalar] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    metadata: dict[str, str] = field(default_factory=dict)

    def walk(self, values: Mapping[str, Any], path: tuple[str, ...] = ()) -> None:
        """Every name of a body, in order."""
        for name, value in values.items():
            here = (*path, name)
            if value is None:
                continue
            if name in NESTED and len(path) < MAX_NESTED:
                self._nested(name, value, path)
            elif name == "metadata":
                self._metadata(value, ".".join(here))
            elif ALIASES.get(name, name) in SETTINGS:
                self._setting(ALIASES.get(name, name), value, ".".join(here))
            elif name in INPUTS:
                self._input(name, value, here)
            elif self.spec is not None and name in self.spec.options:
                self._option(name, self.spec.options[name], value, ".".join(here))
            else:
                self._other(name, value, ".".join(here))

    def _nested(self, name: str, value: Any, path: tuple[str, ...]) -> None:
        if isinstance(value, str):
            try:
                value = parse_json_text(value, field=".".join((*path, name)))
            except InvalidRequest as refusal:
                self.reading.problems += refusal.problems
                return
        if isinstance(value, Mapping):
            self.walk(value, (*path, name))
        else:
            self.reading.refuse((*path, name), f"{_brief(value)} is no object of settings", fix="Send an object")

    def _setting(self, name: str, value: Any, called: str) -> None:
        if (name == "aspect_ratio" and value == "auto") or (name == "size" and value == "auto"):
            return
        read, problem = scalar.read(SETTINGS[name].kind, value, field=called)
        if problem is not None:
            self.reading.problems.append(problem)
            return
        self._say(name, called, read)

    def _say(self, name: str, called: str, read: Any) -> None:
        """Note a setting; what says something else than before is refused, naming both."""
        if name in self.said:
            other, before = self.said[name]
            if before != read:
                self.reading.refuse(
                    (called,),
                    f"{_brief(read)} was asked for here, and {_brief(before)} in {other}",
                    code="conflicting_parameters",
                    fix="Send one of them",
                )
            return
        self.said[name] = (called, read)

    def _input(self, name: str, value: Any, path: tuple[str, ...]) -> None:
        if name == "soundtrack" and (isinstance(value, bool) or value in ("true", "false")):
            self._say("soundtrack", ".".join(path), value in (True, "true"))
            return
        self.reading.read(value, INPUTS[name], path)

    def _option(self, name: str, option: Option, value: Any, called: str) -> None:
        read, problem = scalar.read(_KINDS[option.kind], value, field=called)
        if problem is not None:
            self.reading.problems.append(problem)
        elif name in self.options and self.options[name] != read:
            self.reading.refuse(
                (called,),
                f"{_brief(read)} was asked for here, and {_brief(self.options[name])} in {self.names[name]}",
                code="conflicting_parameters",
            )
        else:
            self.options[name] = read
            self.names[name] = called

    def _other(self, name: str, value: Any, called: str) -> None:
        """A name that nothing here goes by."""
        shown = value if isinstance(value, (str, int, float, bool)) else None
        if name in REFUSED:
            if not any(value is neutral or value == neutral for neutral in NEUTRAL):
                self.reading.refuse(
                    (called,), REFUSED[name], code="unsupported_parameter", value=_short(shown), fix="Leave it out"
                )
        elif name in OPTIONS:
            engine = self.spec.name if self.spec else "the engine"
            self.reading.refuse(
                (called,),
                f"{engine} has no use for it",
                code="unsupported_parameter",
                value=_short(shown),
                fix="Leave it out",
            )
        else:
            there = [*known(), *(self.spec.options if self.spec else ())]
            near = difflib.get_close_matches(name, there, n=1)
            self.reading.refuse(
                (called,),
                "there is no such parameter",
                code="unknown_parameter",
                value=_short(shown),
                fix=f"Did you mean {near[0]}?" if near else _INSTEAD[isinstance(value, Upload)],
            )

    def _metadata(self, value: Any, called: str) -> None:
        if isinstance(value, str):
            try:
                value = parse_json_text(value, field=called)
            except InvalidRequest as refusal:
                self.reading.problems += refusal.problems
                return
        if not isinstance(value, Mapping):
            self.reading.refuse((called,), f"{_brief(value)} is no object of words", fix="Send an object")
            return
        for name, item in value.items():
            path = ("metadata", name)
            if isinstance(item, Upload) and name not in LIFTED and item.how == "file":
                fix = f"Files go in metadata as {' or '.join(LIFTED)}"
                self.reading.refuse(path, "a file is no text", code="unsupported_parameter", fix=fix)
            elif isinstance(item, Upload):
                self.metadata[name] = f"sha256:{item.blob.sha256}"
            elif isinstance(item, str):
                self.metadata[name] = _told(item) if name in LIFTED else item
            else:
                self.reading.refuse(path, f"{_brief(item)} is not text, and metadata holds text only")
                continue
            if name in LIFTED:
                self.reading.read(item, LIFTED[name], path)

    # What takes more than one name to work out.

    def take(self, name: str) -> tuple[str, Any]:
        """The caller's own word for a setting, and its value; ``None`` where it was not said."""
        return self.said.get(name, (name, None))

    def engine(self) -> tuple[str | None, str]:
        """The engine, and what the caller calls it."""
        called, model = self.take("model")
        if isinstance(model, str) and model.startswith(SORA):
            self.warnings.append(
                Warned(code="model_stands_in", field=called, message=f"{self.default_engine} stands in for {model}")
            )
            model = None
        return (self.default_engine if model is None else model), called

    def size(self) -> dict[str, Any]:
        """Width and height, each from the more exact of its two names."""
        called, size = self.take("size")
        found: dict[str, Any] = {}
        for index, side in enumerate(("width", "height")):
            name, value = self.take(side)
            if value is not None:
                found[side], self.names[side] = value, name
                if size is not None and size[index] != value:
                    self._overridden(called, f"{size[0]}x{size[1]}", name, value)
            elif size is not None:
                found[side], self.names[side] = size[index], called
        exact = self.take("width")[1] is not None or self.take("height")[1] is not None
        if size in OPENAI_SIZES and not exact:
            found["loose_size"] = True
        return found

    def seconds(self) -> float | None:
        """The length, from the more exact of its two names."""
        called, seconds = self.take("seconds")
        name, duration = self.take("duration")
        if duration is None:
            self.names["seconds"] = called
            return seconds  # type: ignore[no-any-return]  # read as a number
        self.names["seconds"] = name
        if seconds is not None and seconds != duration:
            self._overridden(called, seconds, name, duration)
        return duration  # type: ignore[no-any-return]  # read as a number

    def _overridden(self, called: str, value: object, by: str, other: object) -> None:
        message = f"{value} is overridden by {by} {other}"
        self.warnings.append(Warned(code="overridden", field=called, message=message))

    def word(self, name: str) -> Any:
        """A setting that is one of a few words."""
        called, value = self.take(name)
        if value is None:
            return None
        words = _WORDS[name]
        if value in [word.value for word in words]:
            return words(value)
        listed = ", ".join(word.value for word in words)
        self.reading.refuse((called,), f"{value[:40]!r} is not one of {listed}", value=value[:40], fix=f"Say {listed}")
        return None


def parse(
    document: Document,
    *,
    default_engine: str | None,
    registry_specs: Callable[[str | None], EngineSpec | None],
) -> Typed:
    """The request that a body asks for.

    Args:
        document: the body, read to its end.
        default_engine: where the body names none.
        registry_specs: the spec of an engine's name; ``None`` when there is none of that name.
    """
    model = _model(document.values)
    named = model if model is not None and not model.startswith(SORA) else default_engine
    parser = _Parser(spec=registry_specs(named), default_engine=default_engine)
    parser.walk(document.values)
    engine, parser.names["engine"] = parser.engine()
    plain = {
        setting.sets: parser.take(name)[1]
        for name, setting in SETTINGS.items()
        if setting.sets is not None and name not in _WORDS and parser.take(name)[1] is not None
    }
    for name, setting in SETTINGS.items():
        if setting.sets is not None:
            parser.names[setting.sets] = parser.take(name)[0]
    words = {name: value for name in _WORDS if (value := parser.word(name)) is not None}
    called, shape = parser.take("aspect_ratio")
    parser.names["aspect_ratio"] = called
    request = Request(
        **{"prompt": "", **plain, **words, **parser.size()},
        engine=engine,
        seconds=parser.seconds(),
        aspect_ratio=shape,
        references=combined(parser.reading, parser.take, parser.warnings),
        options=MappingProxyType(dict(parser.options)),
        fields=MappingProxyType(
            {**parser.names, **{f"options.{name}": parser.names[name] for name in parser.options}, "part": _PART}
        ),
    )
    return Typed(
        request=request,
        problems=tuple(parser.reading.problems),
        warnings=tuple(parser.warnings),
        asked={
            "requested": {called: _plain(value) for called, value in _said(parser)},
            "metadata": parser.metadata,
            "user": parser.take("user")[1],
            "warnings": [{"code": one.code, "param": one.field, "message": one.message} for one in parser.warnings],
        },
    )


def _model(values: Mapping[str, Any], depth: int = 0) -> str | None:
    """The engine that a body names, at the top or in an object of settings."""
    model = values.get("model")
    if isinstance(model, str):
        return model
    for name in NESTED:
        inner = values.get(name)
        if isinstance(inner, Mapping) and depth < MAX_NESTED and (found := _model(inner, depth + 1)) is not None:
            return found
    return None


def _said(parser: _Parser) -> Iterator[tuple[str, Any]]:
    """Every plain setting as it was sent, but for the words of the prompt, which the job has anyway."""
    for name, (called, value) in parser.said.items():
        if name not in ("prompt", "user"):
            yield called, value
    for name, value in parser.options.items():
        yield parser.names[name], value


def _plain(value: Any) -> Any:
    return f"{value[0]}x{value[1]}" if isinstance(value, tuple) else value


def _told(text: str) -> str:
    """A value of ``metadata`` as it is told again: a ``data:`` URL by its digest."""
    if text[:5].lower() != "data:":
        return text
    try:
        return f"sha256:{hashlib.sha256(decode_data_url(text, field='', max_bytes=1 << 30)).hexdigest()}"
    except InvalidRequest:
        return "data:…"


def _brief(value: object) -> str:
    if isinstance(value, tuple):
        return str(_plain(value))
    if isinstance(value, (str, int, float, bool)):
        return repr(value)[:80]
    return "a file" if isinstance(value, Upload) else "a list" if isinstance(value, Sequence) else "an object"


def _short(value: object) -> object:
    return value[:80] if isinstance(value, str) else value

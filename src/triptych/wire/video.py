"""The body of a request for a video, in any of the vocabularies that there are, as one ``Request``.

Nothing is raised here: every problem is gathered, under the caller's own name, and told together with those that the
rules find.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from triptych.errors import InvalidRequest, Problem
from triptych.media.dataurl import decode_data_url
from triptych.rules.setting import closest
from triptych.rules.spec import EngineSpec
from triptych.task import Modality, Request, Source, Warned
from triptych.wire import precedence, scalar
from triptych.wire.body import Document, Upload
from triptych.wire.field import (
    ALIASES,
    CLIP,
    INPUTS,
    LIFTED,
    NESTED,
    OPTION_ALIASES,
    OPTIONS,
    REFUSED,
    SETTINGS,
    Input,
    asks_nothing,
    known,
)
from triptych.wire.kind import kinds_of as kinds_at_hand
from triptych.wire.place import PathOfNames, written
from triptych.wire.precedence import Said
from triptych.wire.reading import Reading
from triptych.wire.reference import Inputs
from triptych.wire.scalar import Kind, brief
from triptych.wire.together import combined

_KINDS: Mapping[type, Kind] = {int: "whole", float: "number", bool: "switch", str: "text"}
_FILES_GO = "Files go in input_reference, first_frame, last_frame, reference_images, reference_videos, reference_audio"
_MODELS_SAY = "GET /v1/models says what each engine takes"
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


def parse(
    document: Document,
    *,
    default_engine: str | None,
    registry_specs: Callable[[str | None], EngineSpec | None],
    kinds_of: Callable[[Source], frozenset[Modality]] = kinds_at_hand,
) -> Typed:
    """The request that a body asks for.

    Args:
        document: the body, read to its end. Its own problems are not told again.
        default_engine: where the body names none.
        registry_specs: the spec of an engine's name; ``None`` when there is none of that name.
        kinds_of: what an input may be, as far as can be told before it is brought in; it must not wait. By default
            from the bytes that came with the body, and from ids of videos; a path, or the id of a file, stays open.
    """
    return _parse(document, INPUTS, default_engine, registry_specs, kinds_of)


def parse_clip(
    document: Document,
    *,
    default_engine: str | None,
    registry_specs: Callable[[str | None], EngineSpec | None],
    kinds_of: Callable[[Source], frozenset[Modality]] = kinds_at_hand,
) -> Typed:
    """The body of an edit or of an extension: that of a request, and ``video``, the clip to work on (role ``input``).

    Args are those of ``parse``.
    """
    typed = _parse(document, {**INPUTS, CLIP.name: CLIP}, default_engine, registry_specs, kinds_of)
    if document.values.get(CLIP.name) is not None:
        return typed
    missing = Problem(
        code="missing_required_parameter",
        field=CLIP.name,
        message="the video to work on is needed here",
        fix='Send a file, or {"id": …} of a finished video',
    )
    return replace(typed, problems=(*typed.problems, missing))


def parse_remix(document: Document) -> tuple[str, tuple[Problem, ...]]:
    """The words of a remix, which take the place of the earlier ones; and what is wrong with its body."""
    reading = Reading()
    for name, value in document.values.items():
        if name != "prompt" and value is not None:
            fix = "There is prompt; all else is that of the video that is made again"
            reading.refuse((name,), "a remix has no such parameter", code="unknown_parameter", fix=fix)
    prompt = document.values.get("prompt")
    if isinstance(prompt, str) and prompt.strip():
        return prompt, tuple(reading.problems)
    empty = prompt is None or isinstance(prompt, str)
    reading.refuse(
        ("prompt",),
        "a remix needs the words that take the place of the earlier ones" if empty else f"{brief(prompt)} is not text",
        code="missing_required_parameter" if empty else "invalid_value",
        fix="Send prompt as text",
    )
    return "", tuple(reading.problems)


def _parse(
    document: Document,
    names: Mapping[str, Input],
    default_engine: str | None,
    registry_specs: Callable[[str | None], EngineSpec | None],
    kinds_of: Callable[[Source], frozenset[Modality]],
) -> Typed:
    reading = Reading()
    entries = list(_entries(document.values, reading))
    model = next((value for path, value in entries if path[-1] == "model"), None)
    named = model if isinstance(model, str) and not precedence.is_sora(model) else default_engine
    spec = registry_specs(named)
    parser = _Parser(reading, names, spec, kinds_of)
    for path, value in entries:
        parser.take(path, value)
    parser.take_words()
    said = parser.said
    engine = precedence.engine_of(said, reading, default_engine=default_engine, spec=spec)
    size, seconds = precedence.size_of(said, reading), precedence.seconds_of(said, reading)
    plain = {row.sets: said[name].value for name, row in SETTINGS.items() if row.sets is not None and name in said}
    fields = {row.sets: said[name].called for name, row in SETTINGS.items() if row.sets is not None and name in said}
    request = Request(
        **{"prompt": "", **plain, **engine.values, **size.values, **seconds.values},
        references=combined(parser.inputs, said),
        options=MappingProxyType({name: one.value for name, one in parser.options.items()}),
        fields=MappingProxyType(
            {
                **fields,
                **engine.fields,
                **size.fields,
                **seconds.fields,
                **{f"options.{name}": one.called for name, one in parser.options.items()},
                "part": _PART,
            }
        ),
    )
    return Typed(
        request=request,
        problems=tuple(reading.problems),
        warnings=tuple(reading.warnings),
        asked={
            "requested": {one.called: one.sent for one in parser.requested()},
            "metadata": parser.metadata,
            "user": said["user"].value if "user" in said else None,
            "warnings": [{"code": one.code, "param": one.field, "message": one.message} for one in reading.warnings],
        },
    )


def _entries(values: Mapping[str, Any], reading: Reading) -> Iterator[tuple[PathOfNames, Any]]:
    """Every name of a body that has a value, in order, those of nested objects too."""
    for name, value in values.items():
        if name not in NESTED:
            if value is not None:
                yield (name,), value
            continue
        inner = reading.parsed(value, (name,))
        if isinstance(inner, Mapping):
            yield from (((name, key), item) for key, item in inner.items() if item is not None)
        elif inner is not None:
            reading.refuse((name,), f"{brief(inner)} is no object of settings", value=inner, fix="Send an object")


class _Parser:
    def __init__(
        self,
        reading: Reading,
        names: Mapping[str, Input],
        spec: EngineSpec | None,
        kinds_of: Callable[[Source], frozenset[Modality]],
    ) -> None:
        self.reading = reading
        self.inputs = Inputs(reading, kinds_of)
        self.said: dict[str, Said] = {}
        self.options: dict[str, Said] = {}
        self.metadata: dict[str, str] = {}
        self._names = names
        self._spec = spec
        self._engine_options = spec.options if spec else {}

    def take(self, path: PathOfNames, value: Any) -> None:
        """One name of the body, with its value."""
        name = str(path[-1])
        setting = ALIASES.get(name, name)
        option = name if name in self._engine_options else OPTION_ALIASES.get(name, name)
        if name == "metadata" and len(path) == 1:
            self._metadata(value)
        elif name == "soundtrack" and (isinstance(value, bool) or value in ("true", "false")):
            self._say(self.said, name, Said(path=path, value=value in (True, "true"), sent=value))
        elif setting in SETTINGS:
            self._setting(setting, path, value)
        elif name in self._names:
            self.inputs.read(value, self._names[name], path)
        elif option in self._engine_options:
            self._read(self.options, option, _KINDS[self._engine_options[option].kind], path, value)
        else:
            self._useless(name, option, path, value)

    def take_words(self) -> None:
        """Text that stood among the inputs is the prompt."""
        for path, text in self.inputs.words:
            self._read(self.said, "prompt", "text", path, text)

    def requested(self) -> Iterator[Said]:
        """Every setting and option, but for the words of the prompt, which the job has anyway."""
        yield from (one for name, one in self.said.items() if name not in ("prompt", "user"))
        yield from self.options.values()

    def _setting(self, name: str, path: PathOfNames, value: Any) -> None:
        setting = SETTINGS[name]
        if isinstance(value, str) and value in setting.idle:
            return
        if setting.words and isinstance(value, str) and value not in setting.words:
            listed = ", ".join(setting.words)
            self.reading.refuse(path, f"{brief(value)} is not one of {listed}", value=value, fix="Say one of them")
            return
        self._read(self.said, name, setting.kind, path, value)

    def _read(self, into: dict[str, Said], name: str, kind: Kind, path: PathOfNames, value: Any) -> None:
        read, problem = scalar.read(kind, value, field=written(path))
        if problem is not None:
            self.reading.note(problem)
        else:
            self._say(into, name, Said(path=path, value=read, sent=value))

    def _say(self, into: dict[str, Said], name: str, said: Said) -> None:
        """What two names of one thing say must be the same."""
        before = into.setdefault(name, said)
        if before.value != said.value:
            self.reading.conflict(said.path, said.value, before.called, before.value)

    def _useless(self, name: str, option: str, path: PathOfNames, value: Any) -> None:
        """A name that nothing here goes by, or that this engine has no use for."""
        if name in REFUSED:
            row = REFUSED[name]
            if not asks_nothing(value, row.neutral):
                self.reading.refuse(path, row.why, code="unsupported_parameter", value=value, fix=row.fix)
        elif option in OPTIONS:
            if self._spec is not None and not asks_nothing(value, OPTIONS[option]):
                message = f"{self._spec.name} has no use for it"
                fix = f"Leave it out. {closest(option, self._engine_options)}"
                self.reading.refuse(path, message, code="unsupported_parameter", value=value, fix=fix)
        else:
            there = [*known(), *self._names, *self._engine_options]
            otherwise = _FILES_GO if isinstance(value, Upload) else _MODELS_SAY
            fix = self.reading.closest(name, set(there), otherwise)
            self.reading.refuse(path, "there is no such parameter", code="unknown_parameter", value=value, fix=fix)

    def _metadata(self, value: Any) -> None:
        """Words that are kept as they are; two of the names are inputs as well."""
        inner = self.reading.parsed(value, ("metadata",))
        if not isinstance(inner, Mapping):
            if inner is not None:
                self.reading.refuse(("metadata",), f"{brief(inner)} is no object of words", fix="Send an object")
            return
        for name, item in inner.items():
            path = ("metadata", name)
            if isinstance(item, str):
                self.metadata[name] = _told(item)
            elif isinstance(item, Upload) and (name in LIFTED or item.how == "data_url"):
                self.metadata[name] = f"sha256:{item.blob.sha256}"
            else:
                message = f"{brief(item)} is not text, and metadata holds text only"
                self.reading.refuse(path, message, value=item, fix="Send it as text, or leave it out")
                continue
            if name in LIFTED:
                self.inputs.read_one(item, LIFTED[name], path)


def _told(text: str) -> str:
    """A value of ``metadata`` as it is told again: word for word, but a ``data:`` URL by the digest of its bytes."""
    if text[:5].lower() != "data:":
        return text
    try:
        return f"sha256:{hashlib.sha256(decode_data_url(text, field='', max_bytes=len(text))).hexdigest()}"
    except InvalidRequest:
        return text

"""Which of two spellings counts: the native one over OpenAI's, axis by axis. Each override is told as a warning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from triptych.rules.spec import EngineSpec
from triptych.wire.place import PathOfNames, written
from triptych.wire.reading import Reading
from triptych.wire.scalar import brief

OPENAI_SIZES = frozenset(((1280, 720), (720, 1280), (1792, 1024), (1024, 1792)))
"""The sizes that OpenAI's clients know. Each stands for the engine's nearest of the same orientation."""

SORA = "sora-2"
"""Models of OpenAI's begin so; the default engine stands in for them, with a warning."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """A setting as it was sent.

    Attributes:
        path: to where it stands in the body.
        value: read as what it is declared to be.
        sent: the value as it was sent.
    """

    path: PathOfNames
    value: Any
    sent: Any

    @property
    def called(self) -> str:
        """The caller's own word for it."""
        return written(self.path)


@dataclass(frozen=True, kw_only=True)
class Resolved:
    """What several settings say together: parts of a ``Request``, and the caller's own word for each."""

    values: Mapping[str, Any]
    fields: Mapping[str, str]


def is_sora(model: object) -> bool:
    """Whether a model is one of OpenAI's."""
    return isinstance(model, str) and model.startswith(SORA)


def size_of(said: Mapping[str, Said], reading: Reading) -> Resolved:
    """Width and height, each from the more exact of its two names.

    One side alone keeps the other of ``size``, and then the size is exact, also where it is one of OpenAI's.
    """
    size = said.get("size")
    values: dict[str, Any] = {}
    fields: dict[str, str] = {}
    for index, side in enumerate(("width", "height")):
        native = said.get(side)
        if native is not None:
            values[side], fields[side] = native.value, native.called
            if size is not None and size.value[index] != native.value:
                reading.warn("overridden", size.path, f"{brief(size.value)} is overridden by {_told(native)}")
        elif size is not None:
            values[side], fields[side] = size.value[index], size.called
    if size is not None and size.value in OPENAI_SIZES and not {"width", "height"} & said.keys():
        values["loose_size"] = True
    return Resolved(values=values, fields=fields)


def seconds_of(said: Mapping[str, Said], reading: Reading) -> Resolved:
    """The length, from the more exact of its two names. The rules hold ``num_frames`` against it."""
    seconds, duration = said.get("seconds"), said.get("duration")
    if seconds is not None and duration is not None and seconds.value != duration.value:
        reading.warn("overridden", seconds.path, f"{brief(seconds.value)} is overridden by {_told(duration)}")
    chosen = duration or seconds
    if chosen is None:
        return Resolved(values={}, fields={})
    return Resolved(values={"seconds": chosen.value}, fields={"seconds": chosen.called})


def engine_of(
    said: Mapping[str, Said], reading: Reading, *, default_engine: str | None, spec: EngineSpec | None
) -> Resolved:
    """The engine: the default one where none is named, and where one of OpenAI's is."""
    model = said.get("model")
    if model is None:
        return Resolved(values={"engine": default_engine}, fields={"engine": "model"})
    if not is_sora(model.value):
        return Resolved(values={"engine": model.value}, fields={"engine": model.called})
    name = default_engine or (spec.name if spec else "the default engine")
    reading.warn("model_stands_in", model.path, f"{name} stands in for {model.value[:80]}")
    return Resolved(values={"engine": default_engine}, fields={"engine": model.called})


def _told(one: Said) -> str:
    return f"{one.called} {brief(one.value)}"

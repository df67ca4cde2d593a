"""Requests for videos, as bodies: read, and what came of them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.rules.example import H3_LIKE, clip, image, planned, sound
from tests.wire.arrival import JSON, URLENCODED, read
from triptych.engines.animatic.spec import animatic_spec
from triptych.errors import Problem
from triptych.rules.check import check
from triptych.rules.spec import EngineSpec
from triptych.task import Modality, Plan, Probe, Reference
from triptych.testing.media import picture_bytes, quarters, tone, wav_bytes
from triptych.wire.body import Document
from triptych.wire.video import Typed, parse

SPECS: Mapping[str, EngineSpec] = {spec.name: spec for spec in (H3_LIKE, animatic_spec())}

ID = "video_01jdzzzzzzzzzzzzzzzzzzzzzz"
FILE_ID = "file_01jdzzzzzzzzzzzzzzzzzzzzzz"


def spec_of(name: str | None) -> EngineSpec | None:
    return SPECS.get(name or "h3-like")


def typed(values: Mapping[str, Any], *, engine: str | None = "h3-like", **more: Any) -> Typed:
    """A body's values, as a request; there is always a prompt."""
    return parse(Document(values={"prompt": "a boat", **values}), default_engine=engine, registry_specs=spec_of, **more)


def sent(values: Mapping[str, Any], *, as_form: bool = False) -> Typed:
    """The same, through the bytes of a body."""
    whole = {"prompt": "a boat", **values}
    with tempfile.TemporaryDirectory() as spool:
        kind, body = (URLENCODED, urlencode(whole)) if as_form else (JSON, json.dumps(whole))
        document, _ = read(kind, body.encode(), Path(spool))
        return parse(document, default_engine="h3-like", registry_specs=spec_of)


def problems_of(one: Typed) -> tuple[Problem, ...]:
    """Everything that is wrong with a request, and that needs no byte of an input."""
    spec = spec_of(one.request.engine)
    return (*one.problems, *(() if spec is None else check(one.request, spec)))


def told(one: Typed) -> list[tuple[str, str]]:
    """Code and field of each problem."""
    return [(problem.code, problem.field) for problem in problems_of(one)]


def plan_of(one: Typed) -> Plan:
    """The plan of a request whose inputs are what they were said to be; pictures where nothing was said."""
    spec = spec_of(one.request.engine)
    assert spec is not None
    assert problems_of(one) == ()
    return planned(one.request, spec, [_look(reference) for reference in one.request.references])


def inputs_of(one: Typed) -> list[str]:
    """Each input in one line: role, kind, field."""
    return [f"{each.role} {each.modality or '?'} {each.field}" for each in one.request.references]


def warnings_of(one: Typed) -> list[tuple[str, str]]:
    """Code and field of each warning."""
    return [(warning.code, warning.field) for warning in one.warnings]


def pairs(rows: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """Rows of a table, as tuples."""
    return [tuple(row) for row in rows]


def png() -> bytes:
    """A small picture."""
    return picture_bytes(quarters())


def wav() -> bytes:
    """A short sound."""
    return wav_bytes(tone(0.1))


def _look(reference: Reference) -> Probe:
    looks: Mapping[Modality, Callable[[], Probe]] = {Modality.IMAGE: image, Modality.VIDEO: clip, Modality.AUDIO: sound}
    return looks[reference.modality or Modality.IMAGE]()

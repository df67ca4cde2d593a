"""Whatever a body holds: every input in it is in the request once, or is named in a problem; every name counts."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.example import H3_LIKE
from tests.wire.asking import typed
from triptych.task import BlobSource, BytesSource, PathSource, ResultSource, URLSource
from triptych.task.source import Blob
from triptych.wire.body import Upload
from triptych.wire.field import (
    ALIASES,
    INPUTS,
    LIFTED,
    NESTED,
    OPTION_ALIASES,
    OPTIONS,
    REFUSED,
    ROLES,
    SETTINGS,
    TYPES,
)
from triptych.wire.scalar import Kind
from triptych.wire.video import Typed


def mark(number: int) -> str:
    """A word that stands in a body once, and by which an input is found again. It is base64 too."""
    return f"mark{number:04d}"


def place(word: str, way: str) -> Any:
    """A mark as an input, said in one of the ways."""
    made: Mapping[str, Any] = {
        "path": word,
        "address": f"https://a.example/{word}",
        "id": {"file_id": word},
        "object": {"path": word},
        "image": {"image_url": f"https://a.example/{word}"},
        "deep": {"type": "video_url", "video_url": {"url": f"https://a.example/{word}"}},
        "file": Upload(blob=Blob(path=f"/nowhere/{word}", sha256=word, size_bytes=1), how="file"),
    }
    return made[way]


WAYS = ("path", "address", "id", "object", "image", "deep", "file")
SAID = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from([*ROLES, "hero"]),
        "type": st.sampled_from([*TYPES, "text"]),
        "frame_index": st.sampled_from([0, -1, 3]),
        "name": st.sampled_from(["anna", "ben"]),
        "soundtrack": st.booleans(),
        "soundtrack_of": st.sampled_from(["anna", "references[0]"]),
        "seconds": st.sampled_from([1, "2", "x"]),
        "colour": st.just("red"),
    },
)


@st.composite
def bodies(draw: st.DrawFn) -> tuple[dict[str, Any], int]:
    """A body, and how many marks are in it."""
    count = 0

    def one() -> Any:
        nonlocal count
        value = place(mark(count), draw(st.sampled_from(WAYS)))
        count += 1
        return {**value, **draw(SAID)} if isinstance(value, dict) else value

    body: dict[str, Any] = {}
    inner: dict[str, Any] = {}
    for name in draw(st.lists(st.sampled_from(sorted(INPUTS)), unique=True, max_size=5)):
        made = [one() for _ in range(draw(st.integers(1, 3)))]
        value = made if len(made) > 1 or draw(st.booleans()) else made[0]
        (inner if draw(st.booleans()) else body)[name] = value
    if inner:
        body["extra_params"] = inner
    if draw(st.booleans()):
        body["metadata"] = {name: mark(count + index) for index, name in enumerate(LIFTED)}
        count += len(LIFTED)
    if draw(st.booleans()):
        body["start_time_seconds"] = draw(st.integers(0, 3))
    if draw(st.booleans()):
        body.setdefault("soundtrack", True)
    return body, count


def marks_in(one: Typed) -> Counter[str]:
    """How often each mark is among the inputs of a request."""
    found: Counter[str] = Counter()
    for reference in one.request.references:
        source = reference.source
        if isinstance(source, PathSource):
            found[source.path] += 1
        elif isinstance(source, URLSource):
            found[source.url.rpartition("/")[2]] += 1
        elif isinstance(source, ResultSource):
            found[source.id] += 1
        elif isinstance(source, BlobSource):
            found[source.blob.sha256] += 1
        elif isinstance(source, BytesSource):
            found[base64.b64encode(source.data).decode()] += 1
    return found


def marked(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Each mark of a body, with the path of where it stands."""
    if isinstance(value, Upload):
        yield value.blob.sha256, path
    elif isinstance(value, str) and "mark" in value:
        yield value.rpartition("/")[2], path
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from marked(item, f"{path}[{index}]")
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from marked(item, f"{path}.{name}".removeprefix("."))


@settings(max_examples=400, deadline=None)
@given(bodies())
def test_every_input_is_in_the_request_once_or_named_in_a_problem(made: tuple[dict[str, Any], int]) -> None:
    body, count = made
    one = typed(body)
    found = marks_in(one)
    assert set(found.values()) <= {1}
    where = dict(marked(body))
    assert len(where) == count
    named = [problem.field for problem in one.problems]
    lost = [word for word, path in where.items() if word not in found and not any(_names(f, path) for f in named)]
    assert lost == []
    fields = [reference.field for reference in one.request.references]
    assert len(set(fields)) == len(fields)


def _names(field: str, path: str) -> bool:
    """Whether a problem's field is an input, something said of it, or the list that it is in."""
    item = _PLACE.sub("", path)
    return item == field or field.startswith(f"{item}.") or item.startswith((f"{field}.", f"{field}["))


_PLACE = re.compile(r"(?:\.(?:image_url|video_url|url|path|file_id))+$")

VALUES: Mapping[Kind, Any] = {"text": "16:9", "whole": 64, "number": 5, "switch": True, "size": "704x512"}
WORDS = {"task": "t2va", "fit": "pad", "tags": "verbatim", "model": "animatic"}


@pytest.mark.parametrize("name", [*SETTINGS, *ALIASES])
@pytest.mark.parametrize("within", [None, *NESTED])
def test_every_setting_reaches_the_request_or_is_told_again(name: str, within: str | None) -> None:
    setting = ALIASES.get(name, name)
    value = WORDS.get(setting, VALUES[SETTINGS[setting].kind])
    body = (
        {"reference_audio": "s.wav", name: value}
        if within is None
        else {"reference_audio": "s.wav", within: {name: value}}
    )
    if setting == "prompt" and within is not None:
        body["prompt"] = value
    one, plain = typed(body), typed({"reference_audio": "s.wav"})
    called = name if within is None else f"{within}.{name}"
    assert one.problems == ()
    assert (one.request, one.asked["user"]) != (plain.request, None)
    assert one.request != plain.request or one.asked["user"] == value
    if setting not in ("prompt", "user"):
        assert one.asked["requested"] == {called: value}


@pytest.mark.parametrize("name", [*OPTIONS, *OPTION_ALIASES])
def test_every_option_reaches_the_engine_or_is_refused_by_name(name: str) -> None:
    option = OPTION_ALIASES.get(name, name)
    one = typed({name: 5})
    if option in H3_LIKE.options:
        assert (one.problems, dict(one.request.options)) == ((), {option: 5})
        assert one.request.fields[f"options.{option}"] == name
    else:
        assert [(each.code, each.field) for each in one.problems] == [("unsupported_parameter", name)]


@pytest.mark.parametrize("name", list(REFUSED))
@pytest.mark.parametrize("value", ["x", 7, True, {"a": 1}, ["x"]])
def test_every_name_that_cannot_be_honoured_is_refused_by_name(name: str, value: Any) -> None:
    (problem,) = typed({name: value}).problems
    assert (problem.code, problem.field) == ("unsupported_parameter", name)
    assert problem.fix
    assert typed({name: None}).problems == typed({name: False}).problems == ()


@pytest.mark.parametrize("name", list(INPUTS))
def test_every_name_of_an_input_makes_one(name: str) -> None:
    clip = {"path": "a.mp4", "type": "video", "role": "reference"}
    said: Any = (
        {"path": "a"} if INPUTS[name].role or INPUTS[name].unsaid != "refused" else {"path": "a", "role": "reference"}
    )
    body = {name: said, **({"references": [clip]} if name == "soundtrack" else {})}
    one = typed(body)
    assert one.problems == ()
    assert [each.field for each in one.request.references if each.field.startswith(name)] == [name]

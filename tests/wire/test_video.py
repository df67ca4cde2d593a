"""A body, in any vocabulary, becomes one request; nothing in it is read and forgotten."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.example import ANYTHING, H3_LIKE
from triptych.errors import Problem
from triptych.rules.check import check
from triptych.rules.spec import EngineSpec, Option
from triptych.task import Blob, Role
from triptych.wire.body import Document, Upload
from triptych.wire.field import INPUTS, SETTINGS
from triptych.wire.video import Typed, parse

CASES = tomllib.loads((Path(__file__).parent / "video_cases.toml").read_text(encoding="utf-8"))["case"]
OPTIONS = {
    "level": Option(kind=int, default=1, minimum=0, maximum=9),
    "mode": Option(kind=str, default="a", choices=("a", "b")),
}


def read(body: Mapping[str, Any], *, form: bool = False, spec: EngineSpec = ANYTHING) -> Typed:
    with_options = replace(spec, options=OPTIONS)
    return parse(
        Document(values=body, is_form=form),
        default_engine="double",
        registry_specs=lambda name: with_options if name in (None, "double") else None,
    )


def told(problems: tuple[Problem, ...]) -> list[list[str]]:
    return [[problem.code, problem.field] for problem in problems]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_body_means_what_its_sender_meant_or_is_refused_by_name(case: dict[str, Any]) -> None:
    typed = read(json.loads(case["body"]), form=case.get("form", False))
    assert told(typed.problems) == case.get("problems", []), [str(problem) for problem in typed.problems]
    assert [[one.code, one.field] for one in typed.warnings] == case.get("warnings", [])
    assert [[str(one.role), one.field] for one in typed.request.references] == case.get("references", [])
    for name, value in case.get("request", {}).items():
        found = getattr(typed.request, name)
        if value is False and name not in ("loose_size", "generate_audio"):
            assert found is None
        else:
            assert found == value, name
    if "metadata" in case:
        assert typed.asked["metadata"] == case["metadata"]
    assert json.dumps(typed.asked, allow_nan=False)
    assert all(str(problem) for problem in typed.problems)


def test_there_are_enough_cases() -> None:
    said = ("problems", "warnings", "references", "request", "metadata")
    assert sum(4 + sum(len(case.get(each, ())) for each in said) for case in CASES) >= 170


LEGAL: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"input_reference": "a.png"}, []),
    ({"metadata": {"input_reference_video": "frames"}}, []),
    ({"metadata": {"input_reference_video": "frames", "input_reference_audio": "a.wav"}}, []),
    ({"input_reference": "a.png", "metadata": {"input_reference_video": "f"}}, ["unsupported_combination"]),
    (
        {"input_reference": "a.png", "metadata": {"input_reference_audio": "a.wav"}},
        ["audio_alone", "unsupported_combination"],
    ),
    (
        {"input_reference": "a.png", "metadata": {"input_reference_video": "f", "input_reference_audio": "a.wav"}},
        ["unsupported_combination"],
    ),
    ({"metadata": {"input_reference_audio": "a.wav"}}, ["audio_alone"]),
]


@pytest.mark.parametrize(("body", "codes"), LEGAL, ids=lambda value: str(value)[:60])
def test_which_inputs_may_stand_together(body: dict[str, Any], codes: list[str]) -> None:
    typed = read({"prompt": "a", **body}, spec=H3_LIKE)
    assert typed.problems == ()
    supplied = {"input_reference"} & set(body) | {f"metadata.{name}" for name in body.get("metadata", {})}
    assert {one.field for one in typed.request.references} == supplied
    found = check(typed.request, H3_LIKE)
    assert {problem.code for problem in found} == set(codes)
    for problem in found:
        if problem.code == "unsupported_combination":
            assert all(name in str(problem) for name in ("input_reference", "metadata."))


def test_refusals_of_the_rules_speak_in_the_senders_words() -> None:
    typed = read({"prompt": "a", "size": "1281x720", "duration": -1, "extra_params": {"seed": -1}})
    assert {problem.field for problem in check(typed.request, ANYTHING)} == {"size", "duration", "extra_params.seed"}


def test_a_file_under_a_name_that_takes_none_is_refused() -> None:
    upload = Upload(blob=Blob(path="/x", sha256="ab", size_bytes=1), how="file")
    body = {"prompt": "a", "foto": upload, "metadata": {"note": upload}, "seed": upload, "size": upload}
    assert told(read(body, form=True).problems) == [
        ["unknown_parameter", "foto"],
        ["unsupported_parameter", "metadata.note"],
        ["invalid_value", "seed"],
        ["invalid_value", "size"],
    ]


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_every_setting_is_read_or_refused(name: str) -> None:
    values = {"text": "16:9", "whole": 7, "number": 7.5, "switch": True, "size": "64x36"}
    words = {"task": "t2va", "fit": "pad", "tags": "verbatim"}
    value = words.get(name, values[SETTINGS[name].kind])
    typed = read({"prompt": "a", name: value})
    usual = read({"prompt": "a"})
    seen = (typed.request, typed.asked["user"], typed.problems)
    assert seen != (usual.request, usual.asked["user"], usual.problems)


inputs = st.dictionaries(
    st.sampled_from(sorted(set(INPUTS) - {"soundtrack"})),
    st.recursive(
        st.sampled_from(["a.png", "https://example.org/a.mp4", ""])
        | st.fixed_dictionaries(
            {},
            optional={
                "url": st.just("https://a/b"),
                "path": st.just("c"),
                "role": st.sampled_from(["reference", "first_frame", "hero"]),
                "type": st.sampled_from(["image", "video", "audio"]),
            },
        ),
        lambda inner: st.lists(inner, min_size=1, max_size=3),
        max_leaves=4,
    ),
    max_size=4,
)


def leaves(value: Any, path: str) -> list[str]:
    if isinstance(value, list):
        return [leaf for index, item in enumerate(value) for leaf in leaves(item, f"{path}[{index}]")]
    return [path]


@given(inputs)
@settings(max_examples=200)
def test_every_input_is_in_the_request_once_or_named(body: dict[str, Any]) -> None:
    typed = read({"prompt": "a", **body})
    fields = [one.field for one in typed.request.references]
    assert len(set(fields)) == len(fields)
    named = " ".join(str(problem) for problem in typed.problems) + " ".join(one.field for one in typed.warnings)
    for name, value in body.items():
        for leaf in leaves(value, name):
            assert leaf in fields or leaf in named


def test_a_soundtrack_is_the_only_clips() -> None:
    typed = read({"prompt": "a", "reference_videos": ["c.mp4"], "soundtrack": {"path": "s.wav"}})
    assert typed.problems == ()
    assert [(one.role, one.soundtrack_of) for one in typed.request.references] == [
        (Role.REFERENCE, None),
        (Role.SOUNDTRACK, "reference_videos[0]"),
    ]

"""Values as JSON: whole, safe to print, and without a private path."""

from __future__ import annotations

import json
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from triptych.engines.registry import Registry
from triptych.errors import InvalidRequest, NotFound, Problem
from triptych.task import (
    Adjustment,
    Blob,
    Fit,
    FitPlan,
    Label,
    Modality,
    Output,
    Plan,
    Probe,
    Receipt,
    Result,
    Role,
    Settings,
    Slot,
    Task,
    Warned,
)
from triptych.wire.document import as_text, plain, render_error, render_plan, render_result, render_spec

PROBE = Probe(modality=Modality.IMAGE, container="png", media_type="image/png", width=90, height=60, frames=1)
SLOT = Slot(
    key="reference_images[0]",
    position=0,
    field="--image cat.png",
    role=Role.REFERENCE,
    modality=Modality.IMAGE,
    uses=("picture",),
    blob=Blob(path="/private/spool/abc", sha256="a" * 64, size_bytes=12),
    probe=PROBE,
    fit=FitPlan(fit=Fit.CROP, box=(2.8e-14, 4.6875, 89.99999999999999, 50.625), inside=(0, 0, 64, 36)),
    tag="<Picture 1>",
)
PLAN = Plan(
    engine="double",
    task=Task.REF2VA,
    prompt="Image 1",
    engine_prompt="<Picture 1>",
    inputs=("--image cat.png",),
    slots=(SLOT,),
    settings=Settings(width=64, height=36, fps=24, num_frames=10, seed=3, options=MappingProxyType({"gain": 0.5})),
    labels=(Label(tag="<Picture 1>", engine_tag="<Picture 1>", field="--image cat.png", sha256="a" * 64),),
    adjustments=(Adjustment(field="--seconds", asked=0.4, got=0.416, reason="whole frames"),),
    warnings=(Warned(code="c", field="--image cat.png", message="of the plan"),),
)
RESULT = Result(
    plan=PLAN,
    outputs=(Output(path="/private/run/x.mp4", media_type="video/mp4", sha256="b" * 64, size_bytes=99, probe=PROBE),),
    receipts=(
        Receipt(
            slot="reference_images[0]",
            source_sha256="a" * 64,
            used_sha256="c" * 64,
            how="consumed",
            uses=("picture",),
            where="shot 1",
        ),
    ),
    adjustments=PLAN.adjustments,
    warnings=(*PLAN.warnings, Warned(code="d", field="sound", message="of the run")),
    versions=MappingProxyType({"triptych": "0"}),
)


def walk(value: Any) -> list[str]:
    """Every text in a document."""
    if isinstance(value, dict):
        return [*value, *(text for item in value.values() for text in walk(item))]
    if isinstance(value, list):
        return [text for item in value for text in walk(item)]
    return [value] if isinstance(value, str) else []


def test_a_plan_holds_each_setting_and_each_slot() -> None:
    document = render_plan(PLAN)
    assert json.loads(as_text(document)) == document
    assert document["settings"] == {
        "width": 64,
        "height": 36,
        "fps": 24,
        "num_frames": 10,
        "seed": 3,
        "n": 1,
        "generate_audio": True,
        "require_speech": False,
        "options": {"gain": 0.5},
        "seconds": 0.416667,
    }
    (slot,) = document["slots"]
    assert (slot["field"], slot["role"], slot["tag"], slot["sha256"]) == (SLOT.field, "reference", SLOT.tag, "a" * 64)
    assert slot["fit"] == {
        "fit": "crop",
        "box": [0.0, 4.6875, 90.0, 50.625],
        "inside": [0, 0, 64, 36],
        "cut_fraction": 0.0,
    }
    assert slot["probe"] == PROBE.as_json()
    assert document["labels"][0]["tag"] == "<Picture 1>"
    assert document["adjustments"] == [{"field": "--seconds", "asked": 0.4, "got": 0.416, "reason": "whole frames"}]


def test_a_result_names_what_became_of_each_input_and_no_private_file() -> None:
    document = render_result(RESULT, written={"/private/run/x.mp4": Path("/home/me/out.mp4")})
    assert document["outputs"][0]["path"] == "out.mp4"
    assert document["receipts"] == [
        {
            "field": "--image cat.png",
            "role": "reference",
            "slot": "reference_images[0]",
            "source_sha256": "a" * 64,
            "used_sha256": "c" * 64,
            "how": "consumed",
            "uses": ["picture"],
            "where": "shot 1",
        }
    ]
    assert [warning["message"] for warning in document["warnings"]] == ["of the plan", "of the run"]
    assert (document["seed"], document["versions"]) == (3, {"triptych": "0"})
    assert [text for text in walk(document) if "/private" in text or "/home" in text] == []


def test_a_spec_is_plain_whatever_is_in_it() -> None:
    document = render_spec(Registry.installed().spec("animatic"))
    assert json.loads(as_text(document)) == document
    assert document["tasks"] == sorted(document["tasks"])
    assert document["roles"]["first_frame"]["modalities"] == ["image"]
    assert document["options"]["motion_gain"]["kind"] == "float"


def test_pairs_as_keys_are_sizes() -> None:
    assert plain({(1280, 720): (1344, 768)}) == {"1280x720": [1344, 768]}


def test_what_json_lacks_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="JSON has no bytes"):
        plain({"a": b"x"})


def test_an_error_has_one_shape_and_numbers_that_json_has() -> None:
    problems = [
        Problem(code="duration_not_supported", field="--seconds", message="is no length", value=float("nan")),
        Problem(code="invalid_value", field="--fps", message="is endless", value=float("inf"), limit=[0, float("inf")]),
    ]
    error = json.loads(as_text(render_error(InvalidRequest(problems))))["error"]
    assert (error["code"], error["param"], error["message"]) == (
        "duration_not_supported",
        "--seconds",
        "--seconds: is no length.",
    )
    assert [one["value"] for one in error["problems"]] == ["nan", "inf"]
    assert error["problems"][1]["limit"] == [0, "inf"]
    assert render_error(NotFound("gone")) == {"error": {"code": "not_found", "message": "gone"}}


@pytest.mark.parametrize("ascii_only", [False, True])
def test_text_comes_back_as_it_was_whatever_is_in_it(ascii_only: bool) -> None:
    wild = 'ä 語 😀 \x1b[31m \x7f \x9b31m \u2028 \u202e gnp.exe \ud800 \udcff " \\ \n'
    text = as_text({"t": wild}, ascii_only=ascii_only)
    assert json.loads(text) == {"t": wild}
    assert not [char for char in text if char in "\x1b\x7f\x9b\u2028\u202e\ud800\udcff"]
    assert ("ä 語 😀" in text) is not ascii_only
    assert text.isascii() is ascii_only
    text.encode()


def test_a_number_that_json_lacks_never_gets_out() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_text({"a": float("nan")})

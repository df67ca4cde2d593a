"""The table of sizes, seconds, precedence, metadata and legality (video_table.toml), row by row."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.wire.asking import inputs_of, pairs, plan_of, problems_of, sent, told, typed, warnings_of

TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_name("video_table.toml").read_text(encoding="utf-8"))
EXPECTED = ("size", "frames", "seed", "task", "inputs", "warnings", "problems", "says", "metadata")

both = pytest.mark.parametrize("as_form", [False, True], ids=["json", "form"])


@both
@pytest.mark.parametrize(("asked", "got"), TABLE["sizes"])
def test_size(asked: str, got: str, as_form: bool) -> None:
    one = sent({"size": asked}, as_form=as_form)
    plan = plan_of(one)
    assert f"{plan.settings.width}x{plan.settings.height}" == got
    assert one.asked["requested"].get("size") == (None if asked == "auto" else asked)
    changed = [(each.field, each.got) for each in plan.adjustments if each.field == "size"]
    asked_plainly = asked.lower().replace("×", "x").lstrip("0")
    assert changed == ([] if asked_plainly in (got, "auto") else [("size", got)])


@both
@pytest.mark.parametrize(("asked", "code"), TABLE["refused_sizes"])
def test_refused_size(asked: str, code: str, as_form: bool) -> None:
    assert told(sent({"size": asked}, as_form=as_form)) == [(code, "size")]


@both
@pytest.mark.parametrize("name", ["seconds", "duration"])
@pytest.mark.parametrize(("asked", "frames"), TABLE["seconds"])
def test_seconds(asked: str, frames: int, name: str, as_form: bool) -> None:
    one = sent({name: asked}, as_form=as_form)
    assert plan_of(one).settings.num_frames == frames
    assert one.asked["requested"] == {name: asked}


@both
@pytest.mark.parametrize("name", ["seconds", "duration"])
@pytest.mark.parametrize(("asked", "code"), TABLE["refused_seconds"])
def test_refused_seconds(asked: str, code: str, name: str, as_form: bool) -> None:
    assert told(sent({name: asked}, as_form=as_form)) == [(code, name)]


@pytest.mark.parametrize("row", TABLE["case"], ids=lambda row: str(row["name"]))
def test_case(row: Mapping[str, Any]) -> None:
    assert set(row) <= {"name", "body", *EXPECTED}
    one = typed(json.loads(row["body"]))
    assert told(one) == pairs(row.get("problems", []))
    text = "\n".join(map(str, problems_of(one)))
    assert [words for words in row.get("says", []) if words not in text] == []
    if "inputs" in row:
        assert inputs_of(one) == row["inputs"]
    if "warnings" in row:
        assert warnings_of(one) == pairs(row["warnings"])
    if "metadata" in row:
        assert one.asked["metadata"] == row["metadata"]
    if "problems" in row:
        return
    plan = plan_of(one)
    settings = plan.settings
    seen = {"size": f"{settings.width}x{settings.height}", "frames": settings.num_frames, "seed": settings.seed}
    seen["task"] = plan.task
    assert {key: value for key, value in seen.items() if key in row} == {key: row[key] for key in seen if key in row}
    assert [slot.field for slot in sorted(plan.slots, key=lambda slot: slot.position)] == [
        reference.field for reference in one.request.references
    ]


def test_the_table_is_as_large_as_it_should_be() -> None:
    short = 2 * (len(TABLE["sizes"]) + len(TABLE["refused_sizes"]))
    short += 4 * (len(TABLE["seconds"]) + len(TABLE["refused_seconds"]))
    whole = sum(
        len(row[key]) if isinstance(row[key], list) else 1 for row in TABLE["case"] for key in EXPECTED & row.keys()
    )
    assert short >= 170
    assert whole >= 100
    assert len({row["name"] for row in TABLE["case"]}) == len(TABLE["case"])

"""The page about the result file names every key that a result has, and its example has no other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
    Spoken,
    Task,
    Warned,
)
from triptych.wire.document import render_result

OPEN = {"options", "meta", "versions"}
"""Keys whose own content differs from engine to engine."""


def a_result() -> Result:
    """A result with one of everything."""
    probe = Probe(modality=Modality.IMAGE, container="png", media_type="image/png")
    fit = FitPlan(fit=Fit.CROP, box=(0, 0, 2, 2), inside=(0, 0, 2, 2))
    slot = Slot(
        key="first_frame",
        position=0,
        field="a.png",
        role=Role.FIRST_FRAME,
        modality=Modality.IMAGE,
        uses=("picture",),
        blob=Blob(path="a", sha256="0" * 64, size_bytes=1),
        probe=probe,
        fit=fit,
    )
    plan = Plan(
        engine="animatic",
        task=Task.FL2VA,
        prompt="a",
        engine_prompt="a",
        inputs=("a.png",),
        slots=(slot,),
        settings=Settings(width=2, height=2, fps=24, num_frames=1, seed=0),
        spoken=(Spoken(text="a"),),
        labels=(Label(tag="a", engine_tag="a", field="a", sha256="a"),),
        adjustments=(Adjustment(field="a", asked=1, got=2, reason="a"),),
        warnings=(Warned(code="a", field="a", message="a"),),
    )
    return Result(
        plan=plan,
        outputs=(Output(path="a.mp4", media_type="video/mp4", sha256="a", size_bytes=1, probe=probe),),
        receipts=(
            Receipt(
                slot="first_frame", source_sha256="a", used_sha256="a", how="consumed", uses=("picture",), where="a"
            ),
        ),
        adjustments=plan.adjustments,
        warnings=plan.warnings,
        versions={},
    )


def keys(value: Any) -> Iterator[str]:
    """Every key in a JSON value, however deep."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key not in OPEN:
                yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


def test_every_key_is_named_and_the_example_has_no_other(root: Path) -> None:
    page = (root / "docs" / "reference" / "result.md").read_text(encoding="utf-8")
    real = set(keys(render_result(a_result(), written={"a.mp4": Path("a.mp4")})))
    assert sorted(key for key in real if f"`{key}`" not in page) == []
    example = json.loads(re.findall(r"```json\n(.*?)```", page, re.DOTALL)[0])
    assert sorted(set(keys(example)) - real) == []
    assert {"plan", "slots", "receipts", "labels", "adjustments"} <= set(keys(example))

"""How an engine is told."""

from __future__ import annotations

import json

from triptych.engines.animatic.spec import animatic_spec
from triptych.wire.file import ModelDocument, render_model


def test_an_engine_is_told_with_its_spec() -> None:
    told = render_model("animatic", spec=animatic_spec(), unavailable=None, default=True)
    assert set(told) == set(ModelDocument.__annotations__)
    assert (told["id"], told["object"], told["default"]) == ("animatic", "model", True)
    spec = json.loads(json.dumps(told["spec"]))
    assert spec["name"] == "animatic"
    assert spec["caps"]["image"] == 9


def test_one_that_cannot_be_loaded_has_a_reason() -> None:
    told = render_model("x", spec=None, unavailable="no torch", default=False)
    assert (told["spec"], told["unavailable"]) == (None, "no torch")

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from triptych.task import Artifact, BytesSource, Fit, Reference, Request, Role, Tags, Task

ONE = Reference(role=Role.REFERENCE, source=BytesSource(b""), field="a")
TWO = Reference(role=Role.FIRST_FRAME, source=BytesSource(b""), field="b")
NOTE = Artifact(id="x", kind="y", source=BytesSource(b""), field="artifacts[0]")


def test_a_setting_is_called_what_the_caller_called_it() -> None:
    request = Request(fields={"width": "--size", "options.camera": "--option camera"})
    assert request.called("width") == "--size"
    assert request.called("height") == "height"


def test_inputs_are_references_then_artifacts_each_in_order() -> None:
    request = Request(references=(TWO, ONE), artifacts=(NOTE,))
    assert request.inputs == (TWO, ONE, NOTE)
    assert Request().inputs == ()


def test_a_request_does_not_change_and_nothing_is_assumed() -> None:
    request = Request()
    with pytest.raises(FrozenInstanceError):
        request.prompt = "x"  # type: ignore[misc]  # that is the point
    with pytest.raises(TypeError):
        request.options["a"] = 1  # type: ignore[index]  # that is the point
    assert request.seed is None
    assert (request.n, request.tags, request.require_speech, request.ignore_artifacts) == (1, Tags.READ, False, False)


def test_a_word_given_as_text_is_that_word_or_none_at_all() -> None:
    words: dict[str, Any] = {"task": "fl2va", "fit": "refuse", "tags": "verbatim"}
    request = Request(**words)
    assert request.task is Task.FL2VA
    assert request.fit is Fit.REFUSE
    assert request.tags is Tags.VERBATIM
    for name in words:
        with pytest.raises(ValueError, match="'style' is not a valid"):
            Request(**{**words, name: "style"})

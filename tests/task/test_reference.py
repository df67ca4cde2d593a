from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from triptych.task import BytesSource, Fit, Modality, Reference, Role


def test_nothing_is_assumed_of_a_reference() -> None:
    one = Reference(role=Role.REFERENCE, source=BytesSource(b""), field="--image a.png")
    assert (one.modality, one.name, one.sound, one.soundtrack_of, one.fit) == (None, None, False, None, None)
    assert (one.start_seconds, one.seconds) == (None, None)


def test_a_reference_does_not_change() -> None:
    one = Reference(role=Role.REFERENCE, source=BytesSource(b""), field="a")
    with pytest.raises(FrozenInstanceError):
        one.role = Role.VOICE  # type: ignore[misc]  # that is the point


def test_a_role_must_be_said() -> None:
    with pytest.raises(TypeError, match="role"):
        Reference(source=BytesSource(b""), field="a")  # type: ignore[call-arg]  # that is the point


def test_a_word_given_as_text_is_that_word_or_none_at_all() -> None:
    """Rules ask what a role *is*: one that only reads like it would be counted by none of them."""
    words: dict[str, Any] = {"role": "first_frame", "modality": "image", "fit": "pad"}
    one = Reference(source=BytesSource(b""), field="a", **words)
    assert one.role is Role.FIRST_FRAME
    assert one.modality is Modality.IMAGE
    assert one.fit is Fit.PAD
    for name in words:
        with pytest.raises(ValueError, match="'style' is not a valid"):
            Reference(source=BytesSource(b""), field="a", **{**words, name: "style"})

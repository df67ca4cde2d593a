from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from triptych.task import BytesSource, Reference, Role


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

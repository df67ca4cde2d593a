from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from triptych.task import Artifact, BytesSource


def test_an_artifact_does_not_change_and_its_empty_meta_neither() -> None:
    one = Artifact(id="talk.reply", kind="tokens", source=BytesSource(b""), field="artifacts[0]")
    with pytest.raises(FrozenInstanceError):
        one.id = "other"  # type: ignore[misc]  # that is the point
    with pytest.raises(TypeError):
        one.meta["turn"] = 1  # type: ignore[index]  # that is the point

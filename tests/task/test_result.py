from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from triptych.task import Made, Modality, Output, Probe

OUTPUT = Output(
    path="out.mp4",
    media_type="video/mp4",
    sha256="0" * 64,
    size_bytes=1,
    probe=Probe(modality=Modality.VIDEO, container="mov", media_type="video/mp4"),
)


def test_what_was_made_does_not_change() -> None:
    made = Made(outputs=(OUTPUT,), receipts=())
    assert (made.adjustments, made.warnings, dict(made.versions)) == ((), (), {})
    with pytest.raises(FrozenInstanceError):
        made.outputs = ()  # type: ignore[misc]  # that is the point
    with pytest.raises(TypeError):
        made.versions["x"] = "1"  # type: ignore[index]  # that is the point

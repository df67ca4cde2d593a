from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from triptych.task import Receipt


def test_a_receipt_says_everything_and_does_not_change() -> None:
    receipt = Receipt(
        slot="first_frame", source_sha256="a", used_sha256="b", how="consumed", uses=("picture",), where="frame 0"
    )
    with pytest.raises(FrozenInstanceError):
        receipt.how = "ignored"  # type: ignore[misc]  # that is the point
    with pytest.raises(TypeError, match="used_sha256"):
        Receipt(slot="x", source_sha256="a", how="sent", uses=(), where="")  # type: ignore[call-arg]  # that too

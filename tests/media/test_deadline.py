"""A deadline is one span for all steps, and over when it is over."""

from __future__ import annotations

import pytest

from triptych.media.deadline import Deadline


def test_what_is_left_shrinks_until_nothing_is(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("triptych.media.deadline.time.monotonic", lambda: now)
    span = Deadline(2.5)
    assert span.left() == 2.5
    now = 102.0
    assert span.left() == 0.5
    now = 102.5
    with pytest.raises(TimeoutError, match=r"it takes longer than the 2.5 s that it may"):
        span.left()

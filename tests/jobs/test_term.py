"""Figures that cannot work are refused."""

from __future__ import annotations

import pytest

from triptych.jobs.term import Terms


def test_the_defaults_are_the_documented_ones() -> None:
    terms = Terms()
    assert (terms.keep_seconds, terms.lease_seconds, terms.beat_seconds) == (7 * 86_400, 15, 3)
    assert (terms.max_attempts, terms.content_lease_seconds, terms.retry_seconds) == (2, 3600, 900)


@pytest.mark.parametrize("wrong", [{"workers": -1}, {"max_queued": 0}, {"max_attempts": 0}, {"beat_seconds": 10.0}])
def test_terms_that_cannot_work_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        Terms(**wrong)  # type: ignore[arg-type]  # whole numbers where they must be

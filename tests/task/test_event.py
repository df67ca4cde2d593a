from __future__ import annotations

import pytest

from triptych.task import Progress


@pytest.mark.parametrize(("done", "total", "fraction"), [(0, 4, 0.0), (1, 4, 0.25), (4, 4, 1.0), (0, 0, 0.0)])
def test_how_far_a_run_is(done: int, total: int, fraction: float) -> None:
    assert Progress(stage="render", done=done, total=total).fraction == fraction

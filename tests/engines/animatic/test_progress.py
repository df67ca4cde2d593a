"""Progress never falls and ends full."""

from __future__ import annotations

from pathlib import Path

from tests.engines.animatic.plan_builder import Job, photo, tone
from triptych.engines.animatic.progress import Meter
from triptych.engines.animatic.scene import scene_of


def test_every_stage_counts_up_to_the_total(tmp_path: Path) -> None:
    job = Job(tmp_path, num_frames=30)
    job.picture(photo((64, 36))).clip([photo((64, 36))] * 12).sound(tone(0.5))
    meter = Meter(scene_of(job.plan(), str(tmp_path)))
    told = [meter.decoded(), meter.mixed(), meter.mixed(), meter.followed(0.2), meter.followed(9.0)]
    told += [meter.drawn(number + 1) for number in range(30)]
    done = [each["done"] for each in told]
    assert done == sorted(done)
    assert {each["total"] for each in told} == {1 + 12 + 30}
    assert done[-1] == 43
    assert [each["stage"] for each in told[:5]] == ["decode", "sound", "sound", "motion", "motion"]

"""The child's whole job, run here: what it tells, and what it leaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.engines.animatic.plan_builder import Job, photo, tone
from triptych.engines.animatic.render import render
from triptych.engines.animatic.scene import VIDEO_NAME, scene_of
from triptych.errors import InputChanged


def run(job: Job) -> list[dict[str, Any]]:
    folder = job.folder / "scratch"
    folder.mkdir(exist_ok=True)
    return list(render(scene_of(job.plan(), str(folder)).as_json()))


def test_it_tells_its_stages_in_order_and_ends_with_a_report(tmp_path: Path) -> None:
    job = Job(tmp_path, size=(64, 64), num_frames=12)
    told = run(job.picture(photo((64, 64))).clip([photo((64, 64))] * 12).sound(tone(0.5)))
    stages = [each["stage"] for each in told[:-1]]
    assert list(dict.fromkeys(stages)) == ["decode", "sound", "motion", "render"]
    done = [each["done"] for each in told[:-1]]
    assert done == sorted(done)
    assert done[-1] == told[-2]["total"]
    made = told[-1]["made"]
    assert (made["frames"], made["samples"]) == (12, 24_000)
    assert {"triptych", "av", "ffmpeg", "opencv", "numpy", "encoder"} <= set(made["versions"])
    assert "2 threads" in made["versions"]["encoder"]


def test_stopping_in_the_middle_closes_everything_and_leaves_no_video(tmp_path: Path) -> None:
    job = Job(tmp_path, size=(64, 64), num_frames=48).picture(photo((64, 64)))
    folder = tmp_path / "scratch"
    folder.mkdir()
    items = render(scene_of(job.plan(), str(folder)).as_json())
    while next(items)["stage"] != "render":
        pass
    items.close()  # type: ignore[attr-defined]  # a generator, typed by what callers may rely on
    assert [path.name for path in folder.iterdir() if path.suffix != ".scratch"] == []


def test_a_changed_input_is_noticed_before_it_is_decoded(tmp_path: Path) -> None:
    job = Job(tmp_path, size=(64, 64), num_frames=4).picture(photo((64, 64)))
    Path(job.slots[0].blob.path).write_bytes(b"something else")
    with pytest.raises(InputChanged, match=r"--reference_images\[0\]"):
        run(job)
    assert not (tmp_path / "scratch" / VIDEO_NAME).exists()

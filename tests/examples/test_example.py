"""The examples work, and the engine among them keeps the contract of engines."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from examples.my_engine import Slides
from triptych.engines.base import Engine
from triptych.task import Fit, PathSource, Reference, Request, Role
from triptych.testing.engine_contract import EngineContract

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, check=False, cwd=ROOT, text=True, timeout=120
    )


def test_first_video_makes_a_video_and_says_what_became_of_the_picture(tmp_path: Path) -> None:
    out = tmp_path / "rocket.mp4"
    done = run("examples/first_video.py", "samples/rocket.jpg", str(out), "0.5")
    assert done.returncode == 0, done.stderr
    assert out.read_bytes()[4:8] == b"ftyp"
    assert done.stdout.startswith("reference_images[0]: picture, ")
    assert "100%" in done.stderr


def test_first_video_says_every_problem(tmp_path: Path) -> None:
    done = run("examples/first_video.py", "samples/racket.jpg", str(tmp_path / "out.mp4"), "0.01")
    assert done.returncode == 1
    length, missing = done.stderr.splitlines()
    assert length.startswith("seconds: 0.01 s is outside")
    assert missing.startswith("picture racket.jpg: ")
    assert list(tmp_path.iterdir()) == []


def test_read_result_finds_a_file_by_its_bytes(tmp_path: Path) -> None:
    out, copy = tmp_path / "cat.mp4", tmp_path / "renamed.bin"
    copy.write_bytes((SAMPLES / "cat.jpg").read_bytes())
    arguments = [
        "a cat",
        "--image",
        "samples/cat.jpg",
        "--size",
        "160x90",
        "--seconds",
        "0.5",
        "--quiet",
        "-o",
        str(out),
    ]
    made = run("-m", "triptych", "video", *arguments)
    assert made.returncode == 0, made.stderr
    done = run("examples/read_result.py", str(out.with_suffix(".json")), str(copy), "samples/voice.wav")
    assert done.returncode == 0, done.stderr
    used, unused = done.stdout.splitlines()
    assert used == f"{copy}: consumed (picture): shot 1, frames 0-11"
    assert unused == "samples/voice.wav: was not part of it"


def slide(name: str, fit: Fit | None = None) -> Reference:
    return Reference(role=Role.REFERENCE, source=PathSource(str(SAMPLES / name)), field=f"slide {name}", fit=fit)


class TestSlides(EngineContract):
    def engine(self) -> Engine:
        return Slides()

    def requests(self) -> Sequence[Request]:
        one, two = slide("cat.jpg", Fit.PAD), slide("coffee.jpg")
        return [
            Request(prompt="one slide", references=(two,), width=160, height=90, num_frames=20),
            Request(prompt="two slides", references=(one, two), width=160, height=90, num_frames=20),
        ]


def test_first_video_says_how_it_is_called() -> None:
    done = run("examples/first_video.py")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: ")
    assert "Traceback" not in done.stderr

"""``triptych check``: the plan, or all that stands against it; nothing runs, nothing is written."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from triptych.cli.parser import VIDEO_EXAMPLES
from triptych.testing.double import DoubleEngine


def test_it_prints_the_plan_and_starts_no_engine(cli: Cli, here: Path, double: DoubleEngine) -> None:
    done = cli("check", "Image 1 at dawn", "--clip", "clip.mp4#t=0,0.5", "--image", "cat.png", "--voice", "hum.wav")
    assert (done.code, double.calls) == (0, 0)
    lines = done.out.splitlines()
    assert lines[0].startswith("double ref2va: 1280x720, 120 frames at 24 a second = 5.000 s")
    assert lines[1] == "prompt for the engine: <Picture 1> at dawn"
    assert [" ".join(line.split("→")[0].split()) for line in lines[3:6]] == [
        "<Video 1> --clip clip.mp4#t=0,0.5 h264 96x64, 1.00 s, aac",
        "<Picture 1> --image cat.png png 96x64",
        "<Audio 1> --voice hum.wav pcm_s16le 48000 Hz, 0.50 s",
    ]
    assert done.err == ""
    assert sorted(path.name for path in here.iterdir()) == ["cat.png", "clip.mp4", "hum.wav"]


def test_as_json_it_is_the_plan_in_the_callers_order(cli: Cli, here: Path, double: DoubleEngine) -> None:
    document = cli("check", "x", "--voice", "hum.wav", "--image", "cat.png", "--ref", "me=cat.png", "--json").json()
    assert [slot["field"] for slot in document["slots"]] == [
        "--voice hum.wav",
        "--image cat.png",
        "--ref me=cat.png",
    ]
    assert {label["tag"]: label["field"] for label in document["labels"]}["<Picture 2>"] == "--ref me=cat.png"
    assert document["engine"] == "double"


def test_every_problem_is_told_in_the_callers_words(cli: Cli, here: Path, double: DoubleEngine) -> None:
    done = cli("check", "see Image 3", "--size", "1281x721", "--seed=-1", "--fps", "99", "--image", "no.png")
    assert [line.split(":")[0] for line in done.problems()] == ["PROMPT", "--size", "--fps", "--seed", "--image no.png"]
    assert double.calls == 0


def test_as_json_a_refusal_is_on_standard_output_whole(cli: Cli, here: Path, double: DoubleEngine) -> None:
    done = cli("check", "", "--size", "1281x721", "--seconds", "nan", "--json")
    error = done.json()["error"]
    assert (done.code, done.err) == (1, "")
    assert [problem["field"] for problem in error["problems"]] == ["PROMPT", "--size", "--seconds"]
    assert error["param"] == "PROMPT"


def test_the_output_is_looked_at_only_when_it_is_named(cli: Cli, here: Path, double: DoubleEngine) -> None:
    for name in ("out.mp4", "named.json"):
        (here / name).write_text("old")
    assert cli("check", "a boat").code == 0
    done = cli("check", "a boat", "-o", "named.mp4", "--frames-out", "cat.png")
    assert [line.split(":")[0] for line in done.problems()] == ["-o named.mp4", "--frames-out cat.png"]
    assert cli("check", "a boat", "-o", "named.mp4", "--force").code == 0
    assert (here / "named.json").read_text() == "old"


def test_quiet_leaves_the_exit_code(cli: Cli, here: Path, double: DoubleEngine) -> None:
    good = cli("check", "a boat", "--quiet")
    assert (good.code, good.out, good.err) == (0, "", "")
    assert cli("check", "", "--quiet").code == 1


def test_names_of_every_kind_arrive_and_steer_no_terminal(cli: Cli, here: Path, double: DoubleEngine) -> None:
    names = ["-dash.png", "a b ü.png", "two\nlines.png", "\x1b[31m.png", "a=b.png", "h#t=1,2", "語.png"]
    for name in names:
        (here / name).write_bytes((here / "cat.png").read_bytes())
    inputs = [f"--image={name}" for name in names]
    done = cli("check", "all \x1b]0;owned\x07 of them", *inputs)
    assert done.code == 0
    assert "\x1b" not in done.out
    assert "--image 3 (two\\nlines.png)" in done.out
    assert "--image 4 (\\x1b[31m.png)" in done.out
    document = cli("check", "all", *inputs, "--json").json()
    assert [slot["field"].split(" ", 2)[2] for slot in document["slots"]] == [f"({name})" for name in names]
    refused = cli("check", "all", "--image", "no\x1b[31m.png")
    assert "\x1b" not in refused.err
    assert "no\\x1b[31m.png" in refused.err


def test_a_very_long_prompt_is_refused_with_the_limit(cli: Cli, here: Path, double: DoubleEngine) -> None:
    (said,) = cli("check", "x" * 100_000).problems()
    assert said.startswith("PROMPT: ")
    assert "20000" in said.replace(",", "").replace("\u202f", "")
    assert len(said) < 400


def test_an_engine_that_is_not_there_is_told_with_what_was_meant(cli: Cli) -> None:
    assert cli("check", "x", "--engine", "animatik").problems() == [
        "--engine: no engine is called 'animatik'. Did you mean animatic?"
    ]


@pytest.mark.parametrize("line", [line.strip() for line in VIDEO_EXAMPLES.splitlines() if "triptych video" in line])
def test_each_example_of_the_help_is_legal(cli: Cli, here: Path, line: str) -> None:
    for name, like in (
        ("street", "cat.png"),
        ("a", "cat.png"),
        ("b", "cat.png"),
        ("walk", "clip.mp4"),
        ("pan", "clip.mp4"),
        ("hum", "hum.wav"),
    ):
        suffix = {"cat.png": ".jpg"}.get(like, Path(like).suffix)
        (here / f"{name}{suffix}").write_bytes((here / like).read_bytes())
    _, command, *typed = shlex.split(line)
    assert command == "video"
    done = cli("check", *typed)
    assert done.code == 0, done.err

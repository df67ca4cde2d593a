"""What can be typed, and how what is not understood is answered."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from triptych.cli.parser import INPUT_OPTIONS, Given, build

COMMANDS = ("video", "check", "engines", "probe")


def given(*typed: str) -> list[Given]:
    found: list[Given] = build().parse_args(["video", "a boat", *typed]).inputs
    return found


def test_inputs_keep_their_order_across_kinds() -> None:
    typed = ["--clip", "a", "--image", "b", "--voice", "c", "--image", "d", "--ref", "n=e", "--first-frame=f"]
    assert [(one.flag, one.value) for one in given(*typed)] == [
        ("--clip", "a"),
        ("--image", "b"),
        ("--voice", "c"),
        ("--image", "d"),
        ("--ref", "n=e"),
        ("--first-frame", "f"),
    ]


def test_two_command_lines_do_not_share_inputs() -> None:
    parser = build()
    parser.parse_args(["video", "a", "--image", "one"])
    assert parser.parse_args(["video", "a"]).inputs == []


@pytest.mark.parametrize("typed", [("p", "--image", "i"), ("--image", "i", "p"), ("--quiet", "p", "--image", "i")])
def test_the_prompt_may_stand_anywhere(typed: tuple[str, ...]) -> None:
    arguments = build().parse_args(["video", *typed])
    assert (arguments.prompt, arguments.inputs) == ("p", [Given(flag="--image", value="i")])


def test_check_takes_what_video_takes() -> None:
    parser = build()
    typed = ["a boat", *(word for flag, _, _ in INPUT_OPTIONS for word in (flag, "x=y"))]
    typed += ["--size", "1x1", "-o", "x.mp4", "--force", "--frames-out", "d", "--quiet", "--json", "--option", "a=b"]
    video, check = (vars(parser.parse_args([command, *typed])) for command in ("video", "check"))
    video.pop("run")
    check.pop("run")
    assert video == check


@pytest.mark.parametrize("flag", ["--size", "--seconds", "--frames", "--fps", "--seed", "--fit", "--engine", "--task"])
def test_a_setting_is_given_once(cli: Cli, flag: str) -> None:
    done = cli("check", "x", flag, "1", flag, "2")
    assert (done.code, done.err.splitlines()[0]) == (2, f"triptych check: {flag} is given twice")


def test_the_version(cli: Cli) -> None:
    done = cli("--version")
    assert done.code == 0
    assert done.out.startswith("triptych 0.")


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help(cli: Cli, command: str) -> None:
    done = cli(command, "--help")
    assert done.code == 0
    assert done.out.startswith(f"usage: triptych {command} ")
    if command in ("video", "check"):
        assert all(flag in done.out for flag, _, _ in INPUT_OPTIONS)


def test_help_says_what_the_built_in_engine_is_not(cli: Cli) -> None:
    assert "It is not a generative\nmodel" in cli("video", "--help").out


def run_python(root: Path, code: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, env=environment
    ).stdout


def test_help_loads_nothing_heavy(root: Path) -> None:
    code = (
        "import sys\nfrom triptych.cli.main import main\n"
        "try: main(['video', '--help'])\nexcept SystemExit: pass\n"
        "heavy = {'numpy', 'cv2', 'av', 'PIL', 'tqdm', 'asyncio', 'ssl', 'importlib.metadata', 'triptych.run'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    assert run_python(root, code).splitlines()[-1] == "[]"


def test_check_loads_no_media_library(root: Path) -> None:
    code = (
        "import sys\nfrom triptych.cli.main import main\nassert main(['check', 'a boat']) == 0\n"
        "print(sorted({'numpy', 'cv2', 'av', 'PIL', 'tqdm'} & set(sys.modules)))"
    )
    assert run_python(root, code).splitlines()[-1] == "[]"

"""``triptych video``: made, kept with its result file, and stopped at any time without a trace."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import json
import os
import pty
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import psutil
import pytest

from tests.cli import conftest
from tests.cli.conftest import Cli
from triptych.engines.base import Context
from triptych.media.folder import FrameFolderWriter
from triptych.task import EngineEvent, Plan, Progress
from triptych.testing.double import DoubleEngine

SMALL = ("--size", "160x96", "--seconds", "0.5")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_video_of_everything_with_its_result_file_and_frames_that_go_back_in(cli: Cli, here: Path) -> None:
    done = cli(
        *("video", "Video 1 moves @me to Audio 1", *SMALL, "-o", "a.mp4", "--frames-out", "frames", "--seed", "3"),
        *("--first-frame", "cat.png", "--last-frame", "cat.png", "--clip", "clip.mp4#t=0,0.25"),
        *("--soundtrack", "hum.wav#t=0,0.25", "--sounded-clip", "clip.mp4#t=0.5,0.75", "--image", "cat.png#fit=pad"),
        *("--ref", "me=cat.png", "--voice", "hum.wav"),
    )
    assert done.code == 0, done.err
    document = json.loads((here / "a.json").read_text(encoding="utf-8"))
    assert document["outputs"][0]["sha256"] == hashlib.sha256((here / "a.mp4").read_bytes()).hexdigest()
    assert document["outputs"][0]["path"] == "a.mp4"
    assert [receipt["field"] for receipt in document["receipts"]] == [
        "--first-frame cat.png",
        "--last-frame cat.png",
        "--clip clip.mp4#t=0,0.25",
        "--soundtrack hum.wav#t=0,0.25",
        "--sounded-clip clip.mp4#t=0.5,0.75",
        "--image cat.png#fit=pad",
        "--ref me=cat.png",
        "--voice hum.wav",
    ]
    cat = hashlib.sha256((here / "cat.png").read_bytes()).hexdigest()
    assert [receipt["source_sha256"] == cat for receipt in document["receipts"]] == [
        *(True, True, False, False, False, True, True, False)
    ]
    assert document["seed"] == 3
    assert {label["field"]: label["tag"] for label in document["labels"]}["--ref me=cat.png"] == "<Picture 2>"
    assert document["versions"]
    assert done.out.startswith("a.mp4: 160x96, 12 frames, 0.500 s, ")
    assert done.out.splitlines()[-2:] == ["frames: frames", "all of it: a.json"]
    assert "render: " in done.err
    assert "(100%)" in done.err
    assert names(here / "frames") == [f"frame_{number:06d}.ppm" for number in range(12)]
    assert names(here) == ["a.json", "a.mp4", "cat.png", "clip.mp4", "frames", "hum.wav"]

    again = cli(
        "video", "Video 1", "--size", "160x96", "--seconds", "1", "--clip", "frames#fps=12", "-o", "b.mp4", "--json"
    )
    assert again.code == 0, again.out
    slot = again.json()["plan"]["slots"][0]
    assert (slot["field"], slot["probe"]["container"], slot["probe"]["frames"]) == (
        "--clip frames#fps=12",
        "frames",
        12,
    )
    assert (slot["seconds"], again.err) == (1.0, "")
    assert again.json() == json.loads((here / "b.json").read_text(encoding="utf-8"))


def test_nothing_is_replaced_unless_asked(cli: Cli, here: Path, double: DoubleEngine) -> None:
    assert cli("video", "a boat").code == 0
    before = (here / "out.json").read_bytes()
    done = cli("video", "another boat")
    assert done.problems() == ["-o out.mp4: out.mp4 and out.json exist. Use --force to replace them."]
    assert (here / "out.json").read_bytes() == before
    assert double.calls == 1
    assert cli("video", "another boat", "--force").code == 0
    assert json.loads((here / "out.json").read_text())["plan"]["prompt"] == "another boat"


def test_quiet_says_nothing_and_does_the_same(cli: Cli, here: Path, double: DoubleEngine) -> None:
    done = cli("video", "Image 9", "--tags", "verbatim", "--image", "cat.png", "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert (here / "out.mp4").exists()


def test_an_input_is_never_replaced(cli: Cli, here: Path, double: DoubleEngine) -> None:
    before = (here / "clip.mp4").read_bytes()
    done = cli("video", "x", "--clip", "clip.mp4#t=0,0.5", "-o", "clip.mp4", "--force")
    assert done.problems()[0].startswith("-o clip.mp4: clip.mp4 is an input, --clip clip.mp4#t=0,0.5, and would be")
    assert (here / "clip.mp4").read_bytes() == before


def test_all_problems_of_inputs_and_of_the_output_come_together(cli: Cli, here: Path, double: DoubleEngine) -> None:
    done = cli("video", "", "--seconds", "x", "--image", "no.png", "-o", "no/a.mp4", "--frames-out", "cat.png")
    assert [line.split(":")[0] for line in done.problems()] == [
        *("--seconds", "-o no/a.mp4", "--frames-out cat.png", "PROMPT", "--image no.png")
    ]
    assert double.calls == 0


@pytest.mark.parametrize("fault", ["skip", "nothing"])
def test_an_engine_that_loses_an_input_leaves_no_file(
    cli: Cli, here: Path, double: DoubleEngine, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setattr(double, "_fault", fault)
    before = names(here)
    done = cli("video", "x", "--image", "cat.png")
    assert done.code == 1
    assert done.err.splitlines()[-1].startswith("triptych: double ")
    assert names(here) == before


class Slow(DoubleEngine):
    """Takes its time, and says when it was stopped."""

    stopped = False

    async def run(self, plan: Plan, context: Context) -> AsyncGenerator[EngineEvent, None]:
        yield Progress(stage="pretend", done=0, total=1)
        try:
            await asyncio.sleep(3600)
        finally:
            self.stopped = True


def test_a_run_that_takes_longer_than_the_settings_allow_is_stopped(
    cli: Cli, here: Path, double: DoubleEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow()
    monkeypatch.setattr(conftest, "ENGINE", slow)
    monkeypatch.setenv("TRIPTYCH_RENDER_SECONDS", "0.05")
    done = cli("video", "x", "--quiet")
    assert (done.code, done.err) == (
        1,
        "triptych: double took longer than the 0.05 s that render_seconds allows; nothing was written\n",
    )
    assert slow.stopped
    assert "out.mp4" not in names(here)


def test_a_signal_after_the_files_are_there_takes_nothing_back(
    cli: Cli, here: Path, double: DoubleEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    from triptych.cli.destination import Destination

    real = Destination.keep

    def keep(self: Destination, *arguments: object) -> None:
        real(self, *arguments)  # type: ignore[arg-type]  # handed on as they came
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Destination, "keep", keep)
    done = cli("video", "a boat")
    assert done.code == 0
    assert done.out.startswith("out.mp4: ")
    assert {"out.mp4", "out.json"} <= set(names(here))


def test_a_disk_that_is_full_at_the_end_is_told_in_one_line(
    cli: Cli, here: Path, double: DoubleEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    def full(source: Path, target: Path) -> None:
        Path(target).write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device", str(source))

    monkeypatch.setattr(shutil, "copyfile", full)
    before = names(here)
    done = cli("video", "a boat", "--quiet")
    assert (done.code, done.out, done.err) == (
        1,
        "",
        "triptych: the result could not be written: there is no room left on the disk. Nothing was kept of it\n",
    )
    assert names(here) == before


# In a process of its own, as a person meets it.


@pytest.fixture
def place(tmp_path: Path, files: Path) -> Iterator[Path]:
    """A folder with the files; afterwards nothing but them is in it, and the working folder is empty."""
    folder, work = tmp_path / "place", tmp_path / "work"
    folder.mkdir()
    work.mkdir()
    for file in files.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    yield folder
    assert names(folder) == names(files)
    assert names(work) == []


def start(root: Path, place: Path, *typed: str, **options: object) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(root / "src"), "TRIPTYCH_WORK_DIR": str(place.parent / "work")}
    command = [sys.executable, "-m", "triptych", *typed]
    return subprocess.Popen(command, cwd=place, env=environment, start_new_session=True, **options)  # type: ignore[call-overload, no-any-return]  # the options are Popen's own


LONG = ("video", "Image 1", "--image", "cat.png", "--size", "640x360", "--seconds", "60", "-o", "a.mp4")


def take_terminal() -> None:
    """In the child: the terminal at its standard input is its own, so that Ctrl-C reaches it."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def read_until(terminal: int, words: bytes, seconds: float = 30) -> bytes:
    seen = b""
    until = time.monotonic() + seconds
    while words not in seen:
        assert time.monotonic() < until, seen
        ready, _, _ = select.select([terminal], [], [], 0.1)
        if ready:
            seen += os.read(terminal, 1 << 16)
    return seen


def rest(terminal: int) -> bytes:
    seen = b""
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:  # everybody who could write to it is gone
            return seen
        if not piece:
            return seen
        seen += piece


@pytest.mark.parametrize("moment", [b"reading 1 input", b"render "])
def test_ctrl_c_on_a_terminal_stops_it_without_a_trace(root: Path, place: Path, moment: bytes) -> None:
    """While a child looks at the inputs, and while one renders."""
    main, side = pty.openpty()
    process = start(root, place, *LONG, stdin=side, stdout=side, stderr=side, preexec_fn=take_terminal)
    os.close(side)
    seen = read_until(main, moment)
    children = psutil.Process(process.pid).children(recursive=True)
    os.write(main, b"\x03\x03")
    seen += rest(main)
    assert process.wait(30) == 130
    os.close(main)
    assert seen.endswith(b"triptych: Stopped. Nothing was written.\r\n")
    assert b"Traceback" not in seen
    assert psutil.wait_procs(children, timeout=5)[1] == []


@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_stops_it_without_a_trace(root: Path, place: Path, name: signal.Signals) -> None:
    with start(root, place, *LONG, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        for line in process.stderr:
            if line.startswith(b"render: "):
                break
        children = psutil.Process(process.pid).children(recursive=True)
        assert children
        process.send_signal(name)
        rest_of_it = process.stderr.read()
        assert process.wait(30) == 130
        assert rest_of_it.endswith(b"triptych: Stopped. Nothing was written.\n")
        assert process.stdout.read() == b""
    assert psutil.wait_procs(children, timeout=5)[1] == []


def small_files() -> None:
    """In the child: no file may grow over 20 kB, as on a disk that is full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


def test_a_file_that_may_not_grow_is_told_in_one_line(root: Path, place: Path) -> None:
    (place / "cat.png").write_bytes((place / "cat.png").read_bytes() + bytes(30_000))
    typed = ("check", "x", "--image", "cat.png")
    with start(root, place, *typed, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=small_files) as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (1, b"", b"triptych: the file is larger than files may be here\n")


def test_the_frames_of_a_folder_may_be_mixed_with_no_video(cli: Cli, here: Path, double: DoubleEngine) -> None:
    from triptych.testing.media import numbered

    writer = FrameFolderWriter(here / "frames")
    for number in range(3):
        writer.write(numbered(number))
    (here / "frames" / "a.mp4").write_bytes(b"x")
    (said,) = cli("video", "x", "--clip", "frames").problems()
    assert said.startswith("--clip frames: 'a.mp4' is not a numbered frame")

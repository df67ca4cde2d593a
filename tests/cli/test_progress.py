"""How far it is: lines in a file, a bar on a terminal, nothing when nobody wants it."""

from __future__ import annotations

import os
import pty
import sys
from collections.abc import Callable

import pytest

from triptych.cli.progress import Meter
from triptych.task import BytesSource, Modality, Progress, Reference, Request, Role

PICTURE = Reference(role=Role.FIRST_FRAME, source=BytesSource(b""), field="first", modality=Modality.IMAGE)


def run(meter: Meter, total: int = 50, stage: str = "render") -> None:
    with meter:
        meter.begin(Request(references=(PICTURE, PICTURE)))
        meter.say(["a word that stays"])
        for done in range(1, total + 1):
            meter.show(Progress(stage="decode" if done < 5 else stage, done=done, total=total))
        meter.note("writing")


def test_elsewhere_there_is_a_line_for_each_stage_and_tenth_and_the_last(capsys: pytest.CaptureFixture[str]) -> None:
    run(Meter())
    out, err = capsys.readouterr()
    assert out == ""
    first, *lines = err.splitlines()
    assert first == "a word that stays"
    assert lines[0] == "decode: 1/50 (2%)"
    assert lines[1] == "render: 5/50 (10%)"
    assert lines[-1] == "render: 50/50 (100%)"
    assert 10 <= len(lines) <= 13
    assert "\r" not in err


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    run(Meter(quiet=True))
    assert capsys.readouterr() == ("", "")


def on_terminal(monkeypatch: pytest.MonkeyPatch, work: Callable[[], None], size: tuple[int, int] = (80, 24)) -> str:
    """What a terminal gets to see."""
    main, side = pty.openpty()
    with os.fdopen(side, "w") as stream, monkeypatch.context() as patch:
        if size != (0, 0):
            set_size(side, size)
        patch.setattr(sys, "stderr", stream)
        work()
    seen = b""
    while True:
        try:
            piece = os.read(main, 1 << 16)
        except OSError:  # the other end is closed, and everything is read
            break
        if not piece:
            break
        seen += piece
    os.close(main)
    return seen.decode()


def set_size(terminal: int, size: tuple[int, int]) -> None:
    import fcntl
    import struct
    import termios

    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))


@pytest.mark.parametrize("size", [(80, 24), (0, 0)])
def test_on_a_terminal_a_bar_is_drawn_and_taken_away(monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]) -> None:
    seen = on_terminal(monkeypatch, lambda: run(Meter()), size)
    assert seen.startswith("reading 2 inputs …\r")
    assert "a word that stays\r\n" in seen
    assert "decode" in seen
    assert "%|" in seen
    assert "writing …\r" in seen
    assert shown(seen) == ["a word that stays"]


def shown(text: str) -> list[str]:
    """The lines that are left to see, after everything that was overwritten."""
    lines: list[list[str]] = [[]]
    column = 0
    for char in text:
        if char == "\n":
            lines.append([])
        elif char == "\r":
            column = 0
        else:
            line = lines[-1]
            line.extend(" " * (column + 1 - len(line)))
            line[column] = char
            column += 1
    return [line for line in ("".join(chars).rstrip() for chars in lines) if line]


def test_the_name_of_a_stage_steers_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = on_terminal(monkeypatch, lambda: run(Meter(), stage="\x1b]0;owned\x07"))
    assert "\x1b]0;" not in seen
    assert "\\x1b]0;owned\\x07" in seen


def test_when_the_terminal_goes_away_the_work_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    main, side = pty.openpty()
    stream = os.fdopen(side, "w")
    monkeypatch.setattr(sys, "stderr", stream)
    meter = Meter()
    with meter:
        meter.note("reading")
        os.close(main)
        for done in range(1, 300):
            meter.show(Progress(stage=f"render {done}", done=done, total=300))
        meter.note("writing")
    with pytest.raises(OSError, match="Input/output error"):
        stream.close()


def test_when_the_reader_of_the_lines_goes_away_the_work_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        os.close(reading)
        run(Meter())

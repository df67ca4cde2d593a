"""Words from anywhere reach the terminal as words."""

from __future__ import annotations

import errno
import io
import os
import sys
from pathlib import Path

import pytest

from triptych.cli import screen


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ä 語 😀 \N{NO-BREAK SPACE}", "plain ä 語 😀 \N{NO-BREAK SPACE}"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("two\nlines\r\tand tabs\0", "two\\nlines\\r\\tand tabs\\x00"),
        ("\x7f \x9b31m", "\\x7f \\x9b31m"),
        ("gpj\u202egnp", "gpj\\u202egnp"),
        ("\u2066a\u2069 \u2028", "\\u2066a\\u2069 \\u2028"),
        (os.fsdecode(b"raw\xff"), "raw\\xff"),
        ("half \ud83d", "half \\ud83d"),
    ],
)
def test_what_would_steer_a_terminal_is_spelled_out(text: str, shown: str) -> None:
    assert screen.printable(text) == shown


def test_lines_go_where_they_belong(capsys: pytest.CaptureFixture[str]) -> None:
    screen.show(["an \x1b answer", "of two lines"])
    screen.tell(["a \x1b word"])
    out, err = capsys.readouterr()
    assert (out, err) == ("an \\x1b answer\nof two lines\n", "a \\x1b word\n")


def stream(encoding: str) -> tuple[io.TextIOWrapper, io.BytesIO]:
    raw = io.BytesIO()
    return io.TextIOWrapper(raw, encoding=encoding), raw


def test_characters_that_a_stream_lacks_are_spelled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    out, raw = stream("ascii")
    monkeypatch.setattr(sys, "stdout", out)
    screen.prepare()
    screen.show(["→ ä"])
    screen.show_json({"a": "ä 😀"})
    assert raw.getvalue() == b'\\u2192 \\xe4\n{\n  "a": "\\u00e4 \\ud83d\\ude00"\n}\n'


def test_json_is_written_as_it_reads_where_that_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    out, raw = stream("UTF8")
    monkeypatch.setattr(sys, "stdout", out)
    screen.show_json({"a": "ä\ud800"})
    assert raw.getvalue().decode() == '{\n  "a": "ä\\ud800"\n}\n'


def pipe(monkeypatch: pytest.MonkeyPatch, name: str) -> int:
    """Put a pipe in place of a stream; its reading end."""
    reading, writing = os.pipe()
    monkeypatch.setattr(sys, name, os.fdopen(writing, "w"))
    return reading


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_a_reader_that_goes_away_stops_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    os.close(pipe(monkeypatch, name))
    for _ in range(3):
        screen.show(["x" * 100_000])
        screen.tell(["x" * 100_000])
    screen.close()
    getattr(sys, name).close()


def test_an_answer_that_cannot_be_written_is_an_error_and_a_word_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("w") as out, Path("/dev/full").open("w") as err:
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        screen.tell(["nobody can be told"])
        with pytest.raises(OSError, match="No space"):
            screen.show(["an answer"])
        with pytest.raises(OSError, match="No space"):
            screen.close()


def test_streams_that_were_closed_from_the_start_take_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    screen.prepare()
    screen.show(["a"])
    screen.show_json({})
    screen.tell(["b"])
    screen.close()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/a/b"), "there is no room left on the disk: /a/b"),
        (OSError(errno.EDQUOT, "Quota"), "there is no room left on the disk"),
        (OSError(errno.EFBIG, "File too large"), "the file is larger than files may be here"),
        (PermissionError(errno.EACCES, "Permission denied", "x"), "Permission denied: x"),
        (OSError("in its own words"), "in its own words"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_what_the_system_said_in_words(error: OSError, words: str) -> None:
    assert screen.in_words(error) == words

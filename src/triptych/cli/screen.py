"""What a person reads: lines on the two streams, safe to show, whoever wrote the words in them.

File names, prompts and messages can hold anything. What would steer a terminal, turn the direction of writing or break
a line is shown as an escape. Whoever reads may go away at any time; the work goes on without them.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO

_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """The text in one line that a terminal only shows: escapes and bytes that are no text are spelled out."""
    return _STEERING.sub(lambda found: _escaped(found[0]), text)


def _escaped(char: str) -> str:
    if "\udc80" <= char <= "\udcff":  # how Python holds a byte of a file name that is not UTF-8
        return f"\\x{ord(char) - 0xDC00:02x}"
    return ascii(char)[1:-1]


def prepare() -> None:
    """Let both streams take every character: what their encoding lacks is shown as an escape."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def show(lines: Iterable[str]) -> None:
    """Lines of the answer, on standard output."""
    _write(sys.stdout, "".join(f"{printable(line)}\n" for line in lines))


def show_json(document: Any) -> None:
    """The answer as JSON, on standard output."""
    from triptych.wire.document import as_text

    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    _write(sys.stdout, as_text(document, ascii_only=encoding.lower().replace("-", "") != "utf8") + "\n")


def tell(lines: Iterable[str]) -> None:
    """Lines about the work, on standard error. There is nowhere to say that they cannot be written."""
    try:
        _write(sys.stderr, "".join(f"{printable(line)}\n" for line in lines))
    except OSError:
        _abandon(sys.stderr)


def close() -> None:
    """Write out what still waits.

    Raises:
        OSError: the answer cannot be written, for another reason than that nobody reads it any more.
    """
    try:
        _write(sys.stdout, "")
    except OSError:
        _abandon(sys.stdout)
        raise


def in_words(error: OSError) -> str:
    """What the system said no to, and where."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        why = "there is no room left on the disk"
    elif error.errno == errno.EFBIG:
        why = "the file is larger than files may be here"
    else:
        why = error.strerror or str(error) or type(error).__name__
    return why if error.filename is None else f"{why}: {error.filename}"


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:  # the program was started with that stream closed
        return
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _abandon(stream)


def _abandon(stream: TextIO | None) -> None:
    """Nobody reads it any more: what is still written to it goes nowhere, and the interpreter's end is quiet."""
    if stream is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)

"""How far it is: a bar on a terminal, plain lines elsewhere. Always on the error stream."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from triptych.cli import screen
from triptych.task import Progress, Request

if TYPE_CHECKING:
    from tqdm import tqdm

LINE_STEP = 0.1
"""Without a terminal, a line for each tenth of the way."""

BAR = "{desc:<8} {percentage:3.0f}%|{bar}| {elapsed} so far, {remaining} to go"


USUAL_SIZE = (80, 24)
"""Columns and rows of a terminal that does not know its own, such as a serial line."""


class Meter:
    """Shows progress until it is closed. When nobody can read it any more, it falls silent, and the work goes on.

    Args:
        quiet: show nothing.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._bar: tqdm[Any] | None = None
        self._note = ""
        self._told = -1.0
        self._stage = ""

    def __enter__(self) -> Meter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._wipe()
        self._close()

    def begin(self, request: Request) -> None:
        """The inputs are being read."""
        count = len(request.inputs)
        if count:
            self.note(f"reading {count} input{'s' if count > 1 else ''}")

    def note(self, text: str) -> None:
        """What is going on, on a terminal, until there is more to say."""
        if self._terminal and not self._quiet:
            self._wipe()
            self._close()
            self._note = f"{text} …"
            self._write(self._note)

    def say(self, lines: Iterable[str]) -> None:
        """Lines that stay."""
        if not self._quiet:
            self._wipe()
            screen.tell(lines)

    def show(self, progress: Progress) -> None:
        """How far it is now."""
        if self._quiet:
            return
        self._wipe()
        if self._terminal:
            self._draw(progress)
        elif (
            progress.stage != self._stage
            or progress.fraction >= self._told + LINE_STEP
            or progress.done == progress.total
        ):
            self._stage, self._told = progress.stage, progress.fraction
            screen.tell([f"{progress.stage}: {progress.done}/{progress.total} ({progress.fraction:.0%})"])

    def _draw(self, progress: Progress) -> None:
        try:
            if self._bar is None:
                from tqdm import tqdm

                columns, rows = (None, None) if _knows_its_size() else USUAL_SIZE
                self._bar = tqdm(
                    total=progress.total,
                    file=sys.stderr,
                    leave=False,
                    bar_format=BAR,
                    dynamic_ncols=columns is None,
                    ncols=columns,
                    nrows=rows,
                )
            self._bar.set_description_str(screen.printable(progress.stage), refresh=progress.stage != self._stage)
            self._stage = progress.stage
            self._bar.update(progress.done - self._bar.n)
        except OSError:
            self._quiet = True

    def _close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            try:
                self._bar.close()
            except OSError:
                self._quiet = True
            self._bar = None

    def _wipe(self) -> None:
        """Take the note away."""
        if self._note:
            self._write(f"\r{' ' * len(self._note)}\r")
            self._note = ""

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:
            self._quiet = True


def _knows_its_size() -> bool:
    try:
        return 0 not in os.get_terminal_size(sys.stderr.fileno())
    except OSError:
        return False

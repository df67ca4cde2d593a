"""What was really read and used of each input, noted where it happens."""

from __future__ import annotations

import hashlib
from contextlib import ExitStack
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from types import TracebackType
from typing import Any

from triptych.engines.animatic.scene import Input
from triptych.errors import InputChanged
from triptych.media.encode import RATE_HZ

_USES = ("picture", "motion", "sound")


@dataclass
class _Entry:
    """Notes on one input."""

    source: Input
    source_sha256: str
    used: Any = field(default_factory=hashlib.sha256)
    uses: set[str] = field(default_factory=set)
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    samples: tuple[int, int] | None = None


class Ledger:
    """Opens the inputs and keeps the notes. A context manager: leaving it closes the files.

    Attributes:
        origin: the frame of the video that whoever draws calls 0.
    """

    def __init__(self) -> None:
        self.origin = 0
        self._entries: dict[str, _Entry] = {}
        self._files: dict[str, BufferedReader] = {}  # open to the end: a clip is read more than once
        self._stack = ExitStack()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def open(self, wanted: Input) -> BufferedReader:
        """The input's file, at its beginning; hashed through the handle that is then decoded.

        Raises:
            InputChanged: its bytes are not those that were checked.
        """
        if wanted.key not in self._files:
            file = self._files[wanted.key] = self._opened(wanted.path)
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            if digest != wanted.sha256:
                raise InputChanged(
                    f"{wanted.field}: the file is no longer the one that was checked "
                    f"(sha256 {digest[:12]} instead of {wanted.sha256[:12]}); send it again"
                )
            self._entries[wanted.key] = _Entry(wanted, digest)
        self._files[wanted.key].seek(0)
        return self._files[wanted.key]

    def _opened(self, path: str) -> BufferedReader:
        return self._stack.enter_context(Path(path).open("rb"))

    def consume(self, key: str, data: Any) -> None:
        """Pixels or samples (anything with a buffer) went in."""
        self._entries[key].used.update(data)

    def shown(self, key: str, frame: int, what: str) -> None:
        """``frame`` was drawn from the input, ``what`` being its use there (``shot 2``, ``camera``)."""
        frame += self.origin
        entry = self._entries[key]
        if what == "camera":
            entry.uses.add("motion")
        elif entry.source.is_still:
            # A clip that stands in for a picture nobody gave is still there for its motion; ``where`` tells the rest.
            entry.uses.add("picture")
        first, last = entry.places.get(what, (frame, frame))
        entry.places[what] = (min(first, frame), max(last, frame))

    def heard(self, key: str, start: int, count: int) -> None:
        """Samples from ``start`` on hold the input's sound."""
        entry = self._entries[key]
        entry.uses.add("sound")
        first, end = entry.samples or (start, start)
        entry.samples = (min(first, start), max(end, start + count))

    def report(self) -> list[dict[str, Any]]:
        """One note per input that was opened, as plain JSON."""
        return [
            {
                "slot": key,
                "source_sha256": entry.source_sha256,
                "used_sha256": entry.used.hexdigest(),
                "uses": [use for use in _USES if use in entry.uses],
                "where": "; ".join(_wheres(entry)),
            }
            for key, entry in self._entries.items()
        ]


def _wheres(entry: _Entry) -> list[str]:
    """The places in the result's words."""
    found = []
    for what, (first, last) in entry.places.items():
        span = f"frame {first}" if first == last else f"frames {first}-{last}"
        found.append({"camera": f"camera of {span}", "pinned": span}.get(what, f"{what}, {span}"))
    if entry.samples is not None:
        start, end = (count / RATE_HZ for count in entry.samples)
        found.append(f"sound at {start:.3f}-{end:.3f} s")
    return found

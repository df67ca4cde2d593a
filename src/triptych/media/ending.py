"""How a file ends, where its own framing tells: whole, unfinished, or cut inside a piece.

FFmpeg shortens what a header states to what is there, or adds up the pieces that it finds; so a missing end has to be
looked for here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO, Literal

_BOXES_MOST = 200_000


@dataclass(frozen=True, kw_only=True)
class MovEnding:
    """The outermost boxes of an MP4 or MOV.

    Attributes:
        fragmented: its media come in pieces, and the beginning does not know how many.
        closed: an index of the pieces stands behind them, so that all are there.
        cut: the file ends inside a box.
    """

    fragmented: bool
    closed: bool
    cut: bool


def mov_ending(file: BinaryIO) -> MovEnding:
    """Walk the outermost boxes to the end. Leaves the position as it was."""
    position = file.tell()
    whole = file.seek(0, 2)
    at, kinds, cut = 0, set(), False
    for _ in range(_BOXES_MOST):
        file.seek(at)
        head = file.read(16)
        if len(head) < 8:
            cut = bool(head)
            break
        size, kind = int.from_bytes(head[:4], "big"), head[4:8]
        if size == 1 and len(head) == 16:
            size = int.from_bytes(head[8:], "big")
        kinds.add(kind)
        if size < 8:  # to the end of the file (0), or no box at all
            break
        at += size
        cut = at > whole
        if cut:
            break
    file.seek(position)
    return MovEnding(fragmented=b"moof" in kinds, closed=b"mfra" in kinds and not cut, cut=cut)


def ogg_ending(file: BinaryIO) -> Literal["marked", "unmarked", "cut"]:
    """How an Ogg file ends: with a page that says so, with one that does not, or inside a page."""
    position = file.tell()
    size = file.seek(0, 2)
    file.seek(max(0, size - (1 << 17)))  # a page has at most 65,307 bytes
    tail = file.read()
    file.seek(position)
    start = tail.rfind(b"OggS")
    page = tail[start:] if start >= 0 else b""
    segments = page[27 : 27 + page[26]] if len(page) > 27 else b""
    if len(page) < 28 or len(segments) < page[26] or len(page) < 27 + len(segments) + sum(segments):
        return "cut"
    return "marked" if page[5] & 4 else "unmarked"


def caf_share(file: BinaryIO) -> float | None:
    """How much of a CAF's sound is there, 0..1; ``None`` where its header does not know. The position stays."""
    position = file.tell()
    whole = file.seek(0, 2)
    at, share = 8, None
    while at + 12 <= whole:
        file.seek(at)
        head = file.read(12)
        size = int.from_bytes(head[4:], "big", signed=True)
        if head[:4] == b"data":
            share = None if size <= 0 else min(1.0, (whole - at - 12) / size)
            break
        if size < 0:
            break
        at += 12 + size
    file.seek(position)
    return share

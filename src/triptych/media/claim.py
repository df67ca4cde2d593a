"""How long a container says it is, where that is worth believing.

FFmpeg fills in a guess where a file says nothing (bytes divided by bit rate). Only lengths that a header really states
are compared with what can be decoded; a file that says nothing cannot be caught lying.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import BinaryIO, Literal

from av.container import InputContainer
from av.stream import Stream

NO_LENGTH = "states no length, so a missing end would not show"
"""The note on a file that cannot be caught being cut short."""

_STREAMING_BYTES = 1_900_000_000
"""A WAV data size from here up, in a smaller file, is what writers put that do not know the length yet."""


@dataclass(frozen=True, kw_only=True)
class WavSize:
    """What a WAV file says of its samples, and what is there.

    Attributes:
        claimed_bytes: of samples, by the header.
        present_bytes: from the first sample to the end of the file.
        streaming: the header was written before the length was known.
        empty: the header says none, and rightly so.
    """

    claimed_bytes: int
    present_bytes: int
    streaming: bool
    empty: bool


def stream_seconds(container: InputContainer, stream: Stream, file: BinaryIO) -> float | None:
    """Seconds that the container states for one stream; ``None`` where it states nothing."""
    name = container.format.name.split(",")[0]
    if name == "matroska":
        return _tagged_seconds(stream)
    if name in ("ogg", "aac", "amr", "mpegts") or (name == "mp3" and not _has_xing(file)):
        return None
    if name == "flac" and not _flac_samples(file):
        return None
    if name == "wav":
        size = wav_size(file)
        rate = stream.codec_context.bit_rate if size is not None else 0
        return None if size is None or size.streaming or not rate else size.claimed_bytes * 8 / rate
    if stream.duration is None or stream.time_base is None:
        return None
    return float(stream.duration * stream.time_base) or None


def container_seconds(container: InputContainer) -> float | None:
    """Seconds that the container as a whole states: the end of its longest stream. Only Matroska is asked."""
    if container.format.name.split(",")[0] != "matroska" or not container.duration:
        return None
    return float(container.duration / 1e6)


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


def wav_size(file: BinaryIO) -> WavSize | None:
    """Walk the chunks of a WAV file to its samples; ``None`` when there are none. Leaves the position as it was."""
    position = file.tell()
    try:
        return _walk_wav(file)
    finally:
        file.seek(position)


def _walk_wav(file: BinaryIO) -> WavSize | None:
    whole = file.seek(0, 2)
    file.seek(0)
    head = file.read(12)
    if len(head) < 12 or head[8:12] != b"WAVE":
        return None
    order = ">" if head[:4] == b"RIFX" else "<"
    stated: int = struct.unpack(order + "I", head[4:8])[0]
    long_size = 0
    while len(chunk := file.read(8)) == 8:
        name, size = chunk[:4], int(struct.unpack(order + "I", chunk[4:])[0])
        if name == b"ds64":
            body = file.read(size)
            long_size = int(struct.unpack_from("<Q", body, 8)[0]) if len(body) >= 16 else 0
            file.seek(size & 1, 1)
            continue
        if name == b"data":
            present = whole - file.tell()
            if size == 0xFFFFFFFF and long_size:
                size = long_size
            empty = size == 0 and (present == 0 or stated + 8 == whole)
            streaming = (size == 0 and not empty) or (size >= _STREAMING_BYTES and size > present)
            return WavSize(claimed_bytes=size, present_bytes=present, streaming=streaming, empty=empty)
        file.seek(size + (size & 1), 1)
    return None


def _tagged_seconds(stream: Stream) -> float | None:
    """Matroska's per-track length, which FFmpeg and mkvmerge write as a tag (``00:00:02.000000000``)."""
    match = re.fullmatch(r"(\d+):(\d\d):(\d\d(?:\.\d+)?)", stream.metadata.get("DURATION", ""))
    if match is None:
        return None
    return int(match[1]) * 3600 + int(match[2]) * 60 + float(match[3])


def _has_xing(file: BinaryIO) -> bool:
    """Whether the first MP3 frame is the one that states the number of frames."""
    position = file.tell()
    file.seek(0)
    head = file.read(10)
    skip = 0
    if head[:3] == b"ID3" and len(head) == 10:
        skip = 10 + (head[6] << 21 | head[7] << 14 | head[8] << 7 | head[9])
    file.seek(skip)
    start = file.read(4096)
    file.seek(position)
    return any(mark in start for mark in (b"Xing", b"Info", b"VBRI"))


def _flac_samples(file: BinaryIO) -> int:
    """Samples that FLAC's first block states; 0 when its writer did not know."""
    position = file.tell()
    file.seek(0)
    head = file.read(1 << 16)
    file.seek(position)
    start = head.find(b"fLaC")
    block = head[start + 8 : start + 26]
    return int.from_bytes(block[13:18], "big") & 0xFFFFFFFFF if start >= 0 and len(block) == 18 else 0

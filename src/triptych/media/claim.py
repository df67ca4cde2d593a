"""How long a container says it is, where that is worth believing.

FFmpeg fills in a guess where a file says nothing (bytes divided by bit rate). Only lengths that a header really states
are compared with what can be decoded; a file that says nothing cannot be caught lying.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import BinaryIO

from av.container import InputContainer
from av.stream import Stream

from triptych.media.ending import caf_share, mov_ending
from triptych.media.mpeg import mpeg_audio_pace

NO_LENGTH = "states no length, so a missing end would not show"
"""The note on a file that cannot be caught being cut short."""

_HEADER_BYTES = 64

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
        packed_seconds: of samples that are compressed, by the header; ``None`` for plain ones.
    """

    claimed_bytes: int
    present_bytes: int
    streaming: bool
    empty: bool
    packed_seconds: float | None = None


def stream_seconds(container: InputContainer, stream: Stream, file: BinaryIO) -> float | None:
    """Seconds that the container states for one stream; ``None`` where it states nothing."""
    name = container.format.name.split(",")[0]
    if name == "matroska":
        return _tagged_seconds(stream)
    if name in ("ogg", "aac", "amr", "mpegts"):
        return None
    if name == "mp3":
        return _counted_seconds(file)
    if name == "flac" and not _flac_samples(file):
        return None
    if name == "wav":
        size = wav_size(file)
        if size is not None and not size.streaming and size.packed_seconds:
            return size.packed_seconds
        rate = stream.codec_context.bit_rate if size is not None else 0
        return None if size is None or size.streaming or not rate else size.claimed_bytes * 8 / rate
    if name == "mov" and (ending := mov_ending(file)).fragmented and not ending.closed:
        return None
    if stream.duration is None or stream.time_base is None:
        return None
    if name == "avi" and stream.frames:  # the duration is brought down to the bytes that are there
        return float(stream.frames * stream.time_base)
    seconds = float(stream.duration * stream.time_base)
    if name == "caf":
        share = caf_share(file)
        return seconds / share if share else None
    return seconds or None


def container_seconds(container: InputContainer) -> float | None:
    """Seconds that the container as a whole states: the end of its longest stream. Only Matroska is asked."""
    if container.format.name.split(",")[0] != "matroska" or not container.duration:
        return None
    return float(container.duration / 1e6)


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
    long_size = samples = 0
    layout = b""
    while len(chunk := file.read(8)) == 8:
        name, size = chunk[:4], int(struct.unpack(order + "I", chunk[4:])[0])
        body = file.read(min(size, _HEADER_BYTES)) if name in (b"ds64", b"fmt ", b"fact") else b""
        if name == b"ds64" and len(body) >= 16:
            long_size = int(struct.unpack_from("<Q", body, 8)[0])
        elif name == b"fmt ":
            layout = body
        elif name == b"fact" and len(body) >= 4:
            samples = int(struct.unpack_from(order + "I", body)[0])
        elif name == b"data":
            present = whole - file.tell()
            if size == 0xFFFFFFFF and long_size:
                size = long_size
            empty = size == 0 and (present == 0 or stated + 8 == whole)
            streaming = (size == 0 and not empty) or (size >= _STREAMING_BYTES and size > present)
            return WavSize(
                claimed_bytes=size,
                present_bytes=present,
                streaming=streaming,
                empty=empty,
                packed_seconds=_packed_seconds(layout, order, samples, size),
            )
        file.seek(size + (size & 1) - len(body), 1)
    return None


_PLAIN_TAGS = frozenset((0x0001, 0x0003, 0x0006, 0x0007, 0xFFFE))
"""WAV formats of which each sample takes the same bytes: PCM, float, A-law, mu-law, and the long form of those."""

_BLOCK_TAGS = frozenset((0x0002, 0x0011, 0x0031))
"""Those that come in blocks of one size, each of a stated number of samples: ADPCM (Microsoft, IMA), GSM 6.10."""


def _packed_seconds(layout: bytes, order: str, samples: int, data_bytes: int) -> float | None:
    """Seconds of compressed samples: by their blocks, where a block says how many it holds.

    Others are reckoned by the stated number or by the stated bytes a second, whichever is less. Old writers count the
    samples of all channels together, and a mean of bytes a second may be off.
    """
    if len(layout) < 16:
        return None
    tag, _, hz, rate_bytes, block_bytes = struct.unpack_from(order + "HHIIH", layout)
    if tag in _PLAIN_TAGS:
        return None
    if tag in _BLOCK_TAGS and len(layout) >= 20 and hz and block_bytes:
        in_block: int = struct.unpack_from(order + "H", layout, 18)[0]
        return data_bytes / block_bytes * in_block / hz or None
    said = [samples / hz if hz else 0.0, data_bytes / rate_bytes if rate_bytes else 0.0]
    return min((seconds for seconds in said if seconds), default=None)


def _tagged_seconds(stream: Stream) -> float | None:
    """Matroska's per-track length, a tag (``00:00:02.000000000``): mkvmerge's is the length, FFmpeg's is the end."""
    match = re.fullmatch(r"(\d+):(\d\d):(\d\d(?:\.\d+)?)", stream.metadata.get("DURATION", ""))
    if match is None:
        return None
    seconds = int(match[1]) * 3600 + int(match[2]) * 60 + float(match[3])
    if "_STATISTICS_TAGS" in stream.metadata or stream.start_time is None or stream.time_base is None:
        return seconds
    return max(0.0, seconds - max(0.0, float(stream.start_time * stream.time_base))) or None


def _counted_seconds(file: BinaryIO) -> float | None:
    """Seconds of an MP3 by the number of frames that its first one states; ``None`` when it states none.

    FFmpeg drops that number for a guess when anything stands behind the sound (a large tag, padding).
    """
    position = file.tell()
    file.seek(0)
    skip = 0
    while (head := file.read(10))[:3] == b"ID3" and len(head) == 10:  # a second tag may stand behind the first
        skip += 10 + (head[6] << 21 | head[7] << 14 | head[8] << 7 | head[9]) + (10 if head[5] & 0x10 else 0)
        file.seek(skip)
    file.seek(skip)
    start = file.read(1 << 16).lstrip(b"\0")[:4096]
    file.seek(position)
    pace = mpeg_audio_pace(start)
    frames, spare = _frames_stated(start)
    return None if pace is None or not frames else max(0.0, (frames * pace[0] - spare) / pace[1]) or None


def _frames_stated(start: bytes) -> tuple[int, int]:
    """Frames that an MP3's first one counts (0 for no count), and samples of them that are an encoder's padding."""
    if 0 < (at := start.find(b"VBRI")) <= len(start) - 18:
        return int.from_bytes(start[at + 14 : at + 18], "big"), 0
    at = max(start.find(b"Xing"), start.find(b"Info"))
    if at < 0 or len(start) < at + 12 or not start[at + 7] & 1:
        return 0, 0
    padding = int.from_bytes(start[at + 141 : at + 144], "big") if start[at + 7] & 15 == 15 else 0
    return int.from_bytes(start[at + 8 : at + 12], "big"), (padding >> 12) + (padding & 0xFFF)


def _flac_samples(file: BinaryIO) -> int:
    """Samples that FLAC's first block states; 0 when its writer did not know."""
    position = file.tell()
    file.seek(0)
    head = file.read(1 << 16)
    file.seek(position)
    start = head.find(b"fLaC")
    block = head[start + 8 : start + 26]
    return int.from_bytes(block[13:18], "big") & 0xFFFFFFFFF if start >= 0 and len(block) == 18 else 0

"""MPEG framing, for sound and transport streams that have no header of their own: real frames in a row, or nothing."""

from __future__ import annotations

from collections.abc import Callable

_Measure = Callable[[bytes, int], int]

_MPEG1, _MPEG2, _MPEG25 = 3, 2, 0
_LAYER1, _LAYER2, _LAYER3 = 3, 2, 1

# kbit/s by index 1..14 (ISO 11172-3 table 3-B.2, ISO 13818-3 for the lower rates)
_BITRATES: dict[tuple[bool, int], tuple[int, ...]] = {
    (True, _LAYER1): (32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (True, _LAYER2): (32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (True, _LAYER3): (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (False, _LAYER1): (32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (False, _LAYER2): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (False, _LAYER3): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_HZ = {_MPEG1: (44100, 48000, 32000), _MPEG2: (22050, 24000, 16000), _MPEG25: (11025, 12000, 8000)}

_FRAMES_WANTED = 3
_TRANSPORT_BYTES = (188, 192, 204)
_TRANSPORT_SYNC = 0x47


def mpeg_audio_frames(head: bytes, size_bytes: int) -> bool:
    """Whether ``head`` begins with MPEG audio (MP3, MP2, MP1): whole frames in a row, not one lucky sync word."""
    return _in_a_row(head, size_bytes, _mpeg_audio_length, _mpeg_audio_kind)


def adts_frames(head: bytes, size_bytes: int) -> bool:
    """Whether ``head`` begins with AAC in ADTS frames."""
    return _in_a_row(head, size_bytes, _adts_length, _adts_kind)


def transport_packets(head: bytes) -> bool:
    """Whether ``head`` begins with an MPEG transport stream; of packets with a time code in front (M2TS) too."""
    for size in _TRANSPORT_BYTES:
        first = 4 if size == 192 else 0
        starts = range(first, min(len(head), first + 5 * size), size)
        if len(starts) >= 2 and all(head[start] == _TRANSPORT_SYNC for start in starts):
            return True
    return False


def mpeg_audio_pace(head: bytes) -> tuple[int, int] | None:
    """Samples a frame, and samples a second, of the MPEG audio frame that ``head`` begins with; ``None`` for none."""
    if len(head) < 4 or not _mpeg_audio_length(head, 0):
        return None
    version, layer = head[1] >> 3 & 3, head[1] >> 1 & 3
    return _samples(version, layer), _HZ[version][head[2] >> 2 & 3]


def _in_a_row(head: bytes, size_bytes: int, length_of: _Measure, kind_of: _Measure) -> bool:
    position = 0
    kind = kind_of(head, 0)
    for count in range(_FRAMES_WANTED):
        if position >= size_bytes:
            return count > 0
        if len(head) < position + 7:
            return count > 1
        length = length_of(head, position)
        if not length or kind_of(head, position) != kind:
            # One frame and then a trailing tag is a very short file; anything else is chance.
            return count > 0 and head[position : position + 3] in (b"TAG", b"APE")
        position += length
    return True


def _mpeg_audio_length(head: bytes, at: int) -> int:
    """Bytes of the frame at ``at``; 0 when there is no valid header."""
    if head[at] != 0xFF or head[at + 1] & 0xE0 != 0xE0:
        return 0
    version, layer = head[at + 1] >> 3 & 3, head[at + 1] >> 1 & 3
    bitrate, rate, padding = head[at + 2] >> 4, head[at + 2] >> 2 & 3, head[at + 2] >> 1 & 1
    if version == 1 or layer == 0 or bitrate in (0, 15) or rate == 3 or head[at + 3] & 3 == 2:
        return 0
    bits = _BITRATES[version == _MPEG1, layer][bitrate - 1] * 1000
    hz = _HZ[version][rate]
    if layer == _LAYER1:
        return (12 * bits // hz + padding) * 4
    return _samples(version, layer) // 8 * bits // hz + padding


def _samples(version: int, layer: int) -> int:
    """Samples of a frame."""
    if layer == _LAYER1:
        return 384
    return 576 if layer == _LAYER3 and version != _MPEG1 else 1152


def _mpeg_audio_kind(head: bytes, at: int) -> int:
    """What may not change between frames: version, layer, sample rate."""
    return (head[at + 1] & 0x1E) << 8 | head[at + 2] & 0x0C if len(head) > at + 2 else -1


def _adts_length(head: bytes, at: int) -> int:
    if head[at] != 0xFF or head[at + 1] & 0xF6 != 0xF0 or head[at + 2] >> 2 & 15 > 12:
        return 0
    length = (head[at + 3] & 3) << 11 | head[at + 4] << 3 | head[at + 5] >> 5
    return length if length > 7 else 0


def _adts_kind(head: bytes, at: int) -> int:
    return (head[at + 1] & 0x0E) << 8 | head[at + 2] & 0xFC if len(head) > at + 2 else -1

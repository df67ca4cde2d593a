"""What a file is, told from its first bytes and from nothing else: no name, no header of a request, no probing.

The answer names the one reader and, for FFmpeg, the one demuxer that will be forced, so that nothing is ever opened by
guess. Lists that point at other files are refused here by name (``media.stranger``); nothing that they name is opened.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from triptych.errors import InvalidRequest, Problem
from triptych.media import stranger
from triptych.media.mpeg import adts_frames, mpeg_audio_frames, transport_packets
from triptych.task import Modality

HEAD_BYTES = 1 << 20
"""How much of a file's beginning is worth handing in: enough to look behind most pictures in an ID3 tag."""

_PICTURE = frozenset({Modality.IMAGE})
_SOUND = frozenset({Modality.AUDIO})
_MOVIE = frozenset({Modality.VIDEO, Modality.AUDIO})

READ_HERE = (
    "PNG, JPEG, WebP, GIF, BMP, TIFF, PPM, AVIF, HEIC; MP4, MOV, WebM, MKV, AVI, MPEG-TS; "
    "WAV, MP3, M4A, FLAC, OGG, AAC, AIFF, AMR, CAF"
)


@dataclass(frozen=True, kw_only=True)
class Sniffed:
    """What a file is.

    Attributes:
        container: its format, in one lower-case word (``png``, ``mov``, ``matroska``, ``wav``).
        media_type: MIME type.
        modalities: what it may turn out to be; a ``mov`` may hold a video or sound alone.
        reader: which library reads it.
        demuxer: the FFmpeg demuxer that is forced; ``None`` for pictures.
    """

    container: str
    media_type: str
    modalities: frozenset[Modality]
    reader: Literal["pillow", "av"]
    demuxer: str | None


def sniff(head: bytes, *, field: str, size_bytes: int) -> Sniffed:
    """What a file is, from its first bytes.

    Args:
        head: the first ``HEAD_BYTES`` of the file (4 KiB will mostly do), or all of it when it is shorter.
        field: the caller's own name for the input.
        size_bytes: length of the whole file.

    Raises:
        InvalidRequest: ``media_empty``; ``media_unreadable`` for what is not media; ``media_not_supported`` for a
            format that is known and not read here.
    """
    if not size_bytes or not head:
        raise InvalidRequest([Problem(code="media_empty", field=field, message="the file is empty (0 bytes)", value=0)])
    for look in _LOOKS:
        found = look(head, size_bytes)
        if isinstance(found, Sniffed):
            return found
        if found is not None:
            raise _refusal(found, field)
    shown = head[:16].hex(" ")
    raise _refusal(stranger.unknown(f"it begins with the bytes {shown}"), field)


def _refusal(found: stranger.Stranger, field: str) -> InvalidRequest:
    fix = found.fix or f"Convert it to a format that is read here ({READ_HERE})"
    return InvalidRequest([Problem(code=found.code, field=field, message=found.message, value=found.name, fix=fix)])


def _picture(container: str, media_type: str | None = None) -> Sniffed:
    return Sniffed(
        container=container,
        media_type=media_type or f"image/{container}",
        modalities=_PICTURE,
        reader="pillow",
        demuxer=None,
    )


def _sound(container: str, media_type: str | None = None) -> Sniffed:
    return Sniffed(
        container=container,
        media_type=media_type or f"audio/{container}",
        modalities=_SOUND,
        reader="av",
        demuxer=container,
    )


def _movie(container: str, media_type: str) -> Sniffed:
    return Sniffed(container=container, media_type=media_type, modalities=_MOVIE, reader="av", demuxer=container)


# Each look gives what it recognises, a stranger to refuse, or None to leave it to the next.
Found = Sniffed | stranger.Stranger | None

_NETPBM = re.compile(rb"P([1-6])(?:\s|#[^\n]*\n)+\d")
_NETPBM_TYPES = {
    b"1": "image/x-portable-bitmap",
    b"2": "image/x-portable-graymap",
    b"3": "image/x-portable-pixmap",
    b"4": "image/x-portable-bitmap",
    b"5": "image/x-portable-graymap",
    b"6": "image/x-portable-pixmap",
}


def _netpbm(head: bytes, size_bytes: int) -> Found:
    match = _NETPBM.match(head)
    return _picture("ppm", _NETPBM_TYPES[match[1]]) if match else None


def _text(head: bytes, size_bytes: int) -> Found:
    return stranger.text(head, whole=len(head) >= size_bytes)


_PREFIXES: tuple[tuple[bytes, Sniffed], ...] = (
    (b"\x89PNG\r\n\x1a\n", _picture("png")),
    (b"\xff\xd8\xff", _picture("jpeg")),
    (b"GIF87a", _picture("gif")),
    (b"GIF89a", _picture("gif")),
    (b"fLaC", _sound("flac")),
    (b"#!AMR\n", _sound("amr")),
    (b"#!AMR-WB\n", _sound("amr", "audio/amr-wb")),
    (b"caff\x00\x01", _sound("caf", "audio/x-caf")),
)


def _prefix(head: bytes, size_bytes: int) -> Found:
    return next((sniffed for magic, sniffed in _PREFIXES if head.startswith(magic)), None)


_RIFF = {
    b"WAVE": _sound("wav"),
    b"AVI ": _movie("avi", "video/x-msvideo"),
    b"WEBP": _picture("webp"),
}


def _riff(head: bytes, size_bytes: int) -> Found:
    if head[:4] not in (b"RIFF", b"RIFX", b"RF64", b"BW64") or len(head) < 12:
        return None
    form = head[8:12]
    if head[:4] != b"RIFF" and form != b"WAVE":
        return stranger.format_not_read(f"a {head[:4].decode()} file of form {form!r}")
    return _RIFF.get(form) or stranger.format_not_read(f"a RIFF file of form {form!r}")


def _aiff(head: bytes, size_bytes: int) -> Found:
    return _sound("aiff") if head[:4] == b"FORM" and head[8:12] in (b"AIFF", b"AIFC") else None


def _ogg(head: bytes, size_bytes: int) -> Found:
    if not head.startswith(b"OggS"):
        return None
    return _movie("ogg", "video/ogg" if b"\x80theora" in head[:512] else "audio/ogg")


_BMP_HEADERS = frozenset((12, 40, 52, 56, 64, 108, 124))


def _bmp(head: bytes, size_bytes: int) -> Found:
    if head[:2] != b"BM" or len(head) < 18:
        return None
    return _picture("bmp") if struct.unpack_from("<I", head, 14)[0] in _BMP_HEADERS else None


_DNG_VERSION, _NEW_SUBFILE_TYPE, _SUB_IFDS = 50706, 254, 330


def _tiff(head: bytes, size_bytes: int) -> Found:
    order = {b"II*\x00": "<", b"MM\x00*": ">"}.get(head[:4])
    if order is None or len(head) < 8:
        return None
    if head[8:10] == b"CR":
        return stranger.camera_raw("Canon CR2")
    (offset,) = struct.unpack_from(order + "I", head, 4)
    tags: dict[int, int] = {}
    if offset + 2 <= len(head):
        (count,) = struct.unpack_from(order + "H", head, offset)
        for start in range(offset + 2, min(offset + 2 + 12 * count, len(head) - 11), 12):
            tag, _, _, value = struct.unpack_from(order + "HHII", head, start)
            tags[tag] = value
    # In these the first picture is a small copy; the real one is the sensor's, which nothing here develops.
    if _DNG_VERSION in tags:
        return stranger.camera_raw("DNG")
    if tags.get(_NEW_SUBFILE_TYPE, 0) & 1 and _SUB_IFDS in tags:
        return stranger.camera_raw("TIFF-based, such as NEF or ARW")
    return _picture("tiff")


_AVIF = frozenset((b"avif", b"avis"))
_HEIC = frozenset((b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"mif2", b"msf1", b"miaf"))
_SEGMENTS = frozenset((b"styp", b"moof", b"sidx"))
_FIRST_ATOMS = frozenset((b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot"))
_BRAND_TYPES = (
    (b"qt  ", "video/quicktime"),
    (b"M4A", "audio/mp4"),
    (b"M4B", "audio/mp4"),
    (b"M4V", "video/x-m4v"),
    (b"3g2", "video/3gpp2"),
    (b"3gp", "video/3gpp"),
)


def _iso(head: bytes, size_bytes: int) -> Found:
    """ISO base media (MP4, MOV, M4A, 3GP, AVIF, HEIC), by brand; and MOV from before there were brands."""
    if len(head) < 12:
        return None
    size, kind = struct.unpack_from(">I4s", head)
    if kind in _SEGMENTS:
        return stranger.format_not_read("one segment of a stream, without the beginning that says how to read it")
    # Text is told apart already; a size that is printable is still no size of a first atom.
    if kind in _FIRST_ATOMS and not head[:4].isalnum():
        return _movie("mov", "video/quicktime")
    if kind != b"ftyp":
        return None
    major = head[8:12]
    brands = {head[start : start + 4] for start in range(16, min(size, len(head), 1024) - 3, 4)}
    if major == b"crx ":
        return stranger.camera_raw("Canon CR3")
    if major == b"jxl ":
        return stranger.format_not_read("a JPEG XL picture")
    if major in _AVIF or (major in _HEIC and brands & _AVIF):
        return _picture("avif")
    if major in _HEIC:
        return _picture("heic")
    return _movie("mov", next((kind for brand, kind in _BRAND_TYPES if major.startswith(brand)), "video/mp4"))


_DOCTYPE = re.compile(rb"\x42\x82(?:[\x81-\x9f]|\x40[\x01-\x1f]|\x01\x00{6}[\x01-\x1f])([ -~]+)", re.DOTALL)


def _matroska(head: bytes, size_bytes: int) -> Found:
    if not head.startswith(b"\x1a\x45\xdf\xa3"):
        return None
    match = _DOCTYPE.search(head, 4, 128)
    doctype = match[1] if match else b"matroska"  # the specification's default
    if doctype.startswith(b"webm"):
        return _movie("matroska", "video/webm")
    if doctype.startswith(b"matroska"):
        return _movie("matroska", "video/x-matroska")
    return stranger.format_not_read(f"an EBML file of type {doctype[:16]!r}")


def _id3(head: bytes, size_bytes: int) -> Found:
    """An ID3v2 tag stands before MP3, and now and then before FLAC or AAC."""
    if head[:3] != b"ID3" or len(head) < 10 or max(head[6:10]) > 0x7F:
        return None
    length = head[6] << 21 | head[7] << 14 | head[8] << 7 | head[9]
    start = 10 + length + (10 if head[5] & 0x10 else 0)
    body = head[start:].lstrip(b"\x00")
    if start >= size_bytes:
        return stranger.unknown("it is an ID3 tag with nothing behind it")
    if not body:
        return _sound("mp3", "audio/mpeg")  # behind a tag longer than the head: what ID3 was made for
    if body.startswith(b"ID3"):  # a careless program puts a second tag in front
        return _id3(body, size_bytes - (len(head) - len(body)))
    if body.startswith(b"fLaC"):
        return _sound("flac")
    return _raw_sound(body, size_bytes - start) or stranger.unknown("no sound that is known follows its ID3 tag")


def _raw_sound(head: bytes, size_bytes: int) -> Found:
    if mpeg_audio_frames(head, size_bytes):
        return _sound("mp3", "audio/mpeg")
    if adts_frames(head, size_bytes):
        return _sound("aac")
    return None


def _mpegts(head: bytes, size_bytes: int) -> Found:
    return _movie("mpegts", "video/mp2t") if transport_packets(head) else None


def _stranger(head: bytes, size_bytes: int) -> Found:
    return stranger.binary(head)


# Text first, but for the one format that is text: binary formats have control characters in their first bytes.
_LOOKS: tuple[Callable[[bytes, int], Found], ...] = (
    _netpbm,
    _text,
    _prefix,
    _riff,
    _iso,
    _matroska,
    _tiff,
    _bmp,
    _aiff,
    _ogg,
    _id3,
    _stranger,
    _raw_sound,
    _mpegts,
)

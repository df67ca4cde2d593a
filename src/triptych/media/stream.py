"""Opens containers with FFmpeg so that nothing but the one given file can be read.

The demuxer is the one that the first bytes name, and no other is allowed; the file is an open handle, never a name;
a container that asks for a second file or an address gets an error. Codecs are those listed here.
"""

from __future__ import annotations

import errno
from typing import BinaryIO, NoReturn

import av
from av.container import InputContainer
from av.stream import Disposition, Stream

from triptych.errors import InvalidRequest
from triptych.media.bound import refused, unreadable
from triptych.media.ending import mov_ending, ogg_ending

# fmt: off
VIDEO_CODECS = frozenset((
    "h264", "hevc", "av1", "vp8", "vp9", "mpeg4", "mpeg1video", "mpeg2video", "h263", "theora", "mjpeg",
    "prores", "dnxhd", "ffv1", "huffyuv", "ffvhuff", "utvideo", "qtrle", "png", "rawvideo", "msmpeg4v3",
    "v210", "cinepak",
))
"""Picture codecs that are decoded; FFmpeg knows some two hundred more, which phones and editors do not write."""

AUDIO_CODECS = frozenset((
    "aac", "mp3", "mp2", "mp1", "ac3", "eac3", "opus", "vorbis", "flac", "alac", "amr_nb", "amr_wb", "speex",
    "gsm", "gsm_ms", "adpcm_ms", "adpcm_ima_wav", "adpcm_ima_qt", "dts",
))
"""Sound codecs that are decoded, besides everything that is PCM."""
# fmt: on

DATED = frozenset(("mov", "matroska", "mpegts"))
"""Containers that state when each picture is shown; in others, where a stream starts is all that is known."""

_SPARE_PIXELS = 1 << 18
"""Decoders round sizes up to their blocks; the exact bound is held against the header and every frame."""


def open_container(file: BinaryIO, *, demuxer: str, field: str, max_pixels: int) -> InputContainer:
    """Open a container for reading.

    Args:
        file: seekable, at any position; the only file that will be read.
        demuxer: FFmpeg's name of the one format that it may be.
        field: the caller's name for it.
        max_pixels: decoders refuse frames of more, already while the streams are looked at.

    Raises:
        InvalidRequest: it cannot be opened as that format.
    """
    file.seek(0)
    options = {
        "format_whitelist": demuxer,
        "protocol_whitelist": "none",
        "max_pixels": str(max_pixels + _SPARE_PIXELS),
        "max_streams": "64",
    }
    if demuxer == "mov":
        options |= {"enable_drefs": "0", "use_absolute_path": "0"}
    try:
        # Tags are in any encoding, and nothing here reads them.
        container = av.open(
            _OneFile(file), mode="r", format=demuxer, options=options, io_open=_open_nothing, metadata_errors="replace"
        )
    except (av.error.FFmpegError, ValueError) as error:
        raise unreadable(
            field, f"cannot be opened as {demuxer} ({reason(error)}); it is damaged or cut short"
        ) from error
    return container


def picture_stream(container: InputContainer) -> av.VideoStream | None:
    """The stream with the moving picture; cover art is none."""
    return next((stream for stream in container.streams.video if not is_cover(stream)), None)


def first_picture_seconds(file: BinaryIO, *, demuxer: str, field: str, max_pixels: int) -> float | None:
    """When the first picture that can be shown is shown; ``None`` without a moving picture.

    A recording that was joined in its middle starts with pictures that need one that is not there. They are in the
    header's reckoning and never seen, and sound that was placed by them would come too late.

    Args:
        file, demuxer, field, max_pixels: as ``open_container``; opened here for a moment, and closed again.

    Raises:
        InvalidRequest: it cannot be opened as that format.
    """
    with open_container(file, demuxer=demuxer, field=field, max_pixels=max_pixels) as container:
        stream = picture_stream(container)
        if stream is None:
            return None
        stated = header_start(stream)
        if demuxer not in DATED or codec_name(stream) not in VIDEO_CODECS:
            return stated
        try:
            first = next(iter(container.decode(stream)), None)
        except av.error.FFmpegError:
            return stated  # whoever reads the pictures says what is wrong with them
        return stated if first is None or first.pts is None else float(first.time or 0.0)


def header_start(stream: Stream) -> float | None:
    """When a stream starts, as its container reckons; ``None`` when it does not say."""
    if stream.start_time is None or stream.time_base is None:
        return None
    return float(stream.start_time * stream.time_base)


def sound_stream(container: InputContainer) -> av.AudioStream | None:
    """The stream with the sound: the default one, else the first."""
    streams = container.streams.audio
    return next(
        (stream for stream in streams if stream.disposition & Disposition.default), streams[0] if streams else None
    )


def is_cover(stream: Stream) -> bool:
    """Whether a picture stream is a cover attached to sound."""
    return bool(stream.disposition & (Disposition.attached_pic | Disposition.still_image))


def codec_name(stream: av.VideoStream | av.AudioStream) -> str:
    """The codec's own name (``av1``), whichever decoder is used for it (``libdav1d``)."""
    return str(stream.codec_context.codec.canonical_name)


def check_codec(stream: av.VideoStream | av.AudioStream, *, field: str) -> str:
    """The name of a stream's codec.

    Raises:
        InvalidRequest: it is not one that is decoded here.
    """
    try:
        name = codec_name(stream)
    except (AttributeError, ValueError):
        name = "of no known name"
    known = VIDEO_CODECS if stream.type == "video" else AUDIO_CODECS
    if name not in known and not (stream.type == "audio" and name.startswith("pcm_")):
        what = "picture" if stream.type == "video" else "sound"
        raise refused(
            "media_not_supported",
            field,
            f"its {what} codec is {name}, which is not read here",
            fix="Convert it to H.264 with AAC in MP4." if what == "picture" else "Convert it to WAV or AAC.",
            value=name,
        )
    return name


def reason(error: BaseException) -> str:
    """FFmpeg's word for what is wrong, without the numbers and names around it."""
    text = getattr(error, "strerror", None) or str(error)
    return str(text).split("\n")[0].strip().rstrip(".")[:100] or type(error).__name__


def cut_short(
    field: str, *, claimed: float | None, seconds: float, done: str, cause: BaseException | None
) -> InvalidRequest:
    """The refusal of a file of which only the beginning can be decoded.

    Args:
        claimed: seconds that the container says; ``None`` when it says nothing.
        seconds: that could be decoded.
        done: what that was (``50 frames``); empty for sound.
        cause: the decoder's error, where there was one.
    """
    amount = f"{seconds:.2f} s ({done})" if done else f"{seconds:.2f} s"
    why = f"; then the data are damaged ({reason(cause)})" if cause is not None else ""
    if claimed is None:
        message = f"only the first {amount} can be decoded{why}"
    else:
        message = f"says {claimed:.2f} s, only {amount} can be decoded{why}"
    return unreadable(
        field,
        message,
        fix="The file is cut short or damaged; get a whole copy.",
        value=round(seconds, 3),
        limit=None if claimed is None else round(claimed, 3),
    )


def falls_short(seconds: float, claimed: float | None) -> bool:
    """Whether so much less was decoded than the container says that something is missing: over 5 % and over 0.1 s."""
    return claimed is not None and claimed - seconds > max(0.1, 0.05 * claimed)


def check_ending(file: BinaryIO, *, demuxer: str, field: str) -> None:
    """Hold a file that comes in pieces against its own framing.

    Raises:
        InvalidRequest: it ends inside a piece.
    """
    if demuxer == "ogg" and ogg_ending(file) == "cut":
        raise unreadable(field, "ends inside a page: it is cut short", fix="Get a whole copy.")
    if demuxer == "mov" and (ending := mov_ending(file)).fragmented and ending.cut:
        raise unreadable(field, "ends inside a fragment: it is cut short", fix="Get a whole copy.")


def shortfall_note(seconds: float, claimed: float | None, *, spare_seconds: float) -> str:
    """What is missing of the stated length, as a note; empty when nothing to speak of is."""
    if claimed is None or claimed - seconds <= spare_seconds:
        return ""
    return f"says {claimed:.2f} s, and {seconds:.2f} s are there"


class _OneFile:
    """The one file as FFmpeg gets it. Where the file leads to a place that cannot be, the error is of FFmpeg's kind."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.tell = file.tell

    def read(self, size_bytes: int) -> bytes:
        """The next bytes."""
        try:
            return self._file.read(size_bytes)
        except OSError as error:
            raise av.error.OSError(errno.EIO, "it cannot be read") from error

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go somewhere."""
        try:
            return self._file.seek(offset, whence)
        except (OSError, ValueError, OverflowError) as error:
            raise av.error.OSError(errno.EINVAL, "it points outside itself") from error


def _open_nothing(url: str, flags: int, options: dict[str, str]) -> NoReturn:
    # An error of FFmpeg's own kind, so that it is met wherever those are.
    raise av.error.PermissionError(errno.EACCES, "the file asks for another file, and only itself may be read")

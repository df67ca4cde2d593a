"""The picture stream of a container: frames in time order, upright, with square pixels, in sRGB."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import av
import numpy as np
from av.container import InputContainer
from av.sidedata.sidedata import Type as SideData
from av.video.reformatter import Interpolation

from triptych.errors import InvalidRequest
from triptych.media.bound import CLIP_BOUND, check_size, refused, unreadable
from triptych.media.claim import NO_LENGTH, container_seconds, stream_seconds
from triptych.media.colour import Colours, read_colours, to_srgb
from triptych.media.pixel import WHITE, Colour
from triptych.media.shot import Pixels, Shot, Size
from triptych.media.stream import (
    DATED,
    check_codec,
    check_ending,
    cut_short,
    falls_short,
    header_start,
    is_cover,
    shortfall_note,
)
from triptych.media.turn import SIDEWAYS, TURNS, matrix_orientation, turned_note, upright
from triptych.rules.spec import MediaLimits

THREADS = 2
"""Of each decoder; pinned, so that a clip costs and gives the same everywhere."""

_ALPHA_DECODERS = {"vp8": "libvpx", "vp9": "libvpx-vp9"}
"""FFmpeg's own decoders drop the alpha of these; the reference decoders keep it."""

_SHRINK = int(Interpolation.AREA | Interpolation.ACCURATE_RND)
_GROW = int(Interpolation.BICUBIC | Interpolation.ACCURATE_RND)


@dataclass(frozen=True, kw_only=True)
class _Reading:
    """How stored frames become upright sRGB.

    Attributes:
        stored: size of the frames as decoded.
        square: the same with square pixels, not yet turned.
        orientation: as ``media.turn`` numbers them.
        alpha: whether frames have an alpha channel.
        background: what shows through.
    """

    stored: Size
    square: Size
    orientation: int
    colours: Colours
    alpha: bool
    background: Colour

    @property
    def upright(self) -> Size:
        width, height = self.square
        return (height, width) if self.orientation in SIDEWAYS else (width, height)


@dataclass(frozen=True, kw_only=True)
class FrameShot:
    """A frame of a picture stream."""

    seconds: float
    length: float
    frame: av.VideoFrame
    reading: _Reading

    def pixels(self, size: Size | None, gray: bool) -> Pixels:
        """See ``Shot``. Luma is the frame's own, scaled to full range; HDR is not brought down in it."""
        reading, colours = self.reading, self.reading.colours
        width, height = size or reading.upright
        if reading.orientation in SIDEWAYS:
            width, height = height, width
        if gray and not reading.alpha:
            return upright(self._reformatted("gray", width, height), reading.orientation)
        if reading.alpha:
            rgb = _laid_on(self._reformatted("rgba", width, height), reading.background)
        elif colours.plain:
            rgb = self._reformatted("rgb24", width, height)
        else:
            rgb = to_srgb(self._reformatted("rgb48le", width, height), colours)
        if gray:
            rgb = (rgb @ np.array((0.299, 0.587, 0.114), np.float32)).round().astype(np.uint8)
        return upright(rgb, reading.orientation)

    def transparent(self) -> bool:
        """Whether any pixel is not opaque."""
        if not self.reading.alpha:
            return False
        return bool(self._reformatted("rgba", *self.reading.stored)[..., 3].min() < 255)

    def _reformatted(self, kind: str, width: int, height: int) -> Any:
        reading, frame = self.reading, self.frame
        colours = reading.colours
        shrinks = width <= frame.width and height <= frame.height
        options: dict[str, Any] = {"format": kind, "width": width, "height": height, "threads": 1}
        if colours.matrix is not None:
            options |= {"src_colorspace": colours.matrix, "dst_colorspace": colours.matrix}
            options |= {"src_color_range": 2 if colours.full_range else 1, "dst_color_range": 2}
        method = _SHRINK if shrinks else _GROW
        if reading.alpha:
            method &= ~int(Interpolation.ACCURATE_RND)  # it makes 254 of an opaque 255
        return frame.reformat(interpolation=method, **options).to_ndarray()


class PictureTrack:
    """Decodes one picture stream; see ``shot.Frames`` for its attributes.

    Args:
        container: from ``stream.open_container``.
        stream: one of its picture streams.
        file: the handle that it reads.
        field: the caller's name for it.
        limits: the engine's bounds.
        background: what shows where frames are transparent.

    Raises:
        InvalidRequest: too large by its header, an unknown codec, or no frame that can be decoded.
    """

    def __init__(
        self,
        container: InputContainer,
        stream: av.VideoStream,
        file: BinaryIO,
        *,
        field: str,
        limits: MediaLimits,
        background: Colour = WHITE,
    ) -> None:
        self._container, self._stream, self._field, self._limits = container, stream, field, limits
        self.codec = check_codec(stream, field=field)
        context, kind = stream.codec_context, container.format.name.split(",")[0]
        check_ending(file, demuxer=kind, field=field)
        check_size(context.width, context.height, field=field, bound=CLIP_BOUND, limits=limits, what="frame")
        self.claimed_seconds = stream_seconds(container, stream, file)
        self._claimed_whole = container_seconds(container)
        self.rate = float(stream.average_rate or 0)
        self.notes: list[str] = []
        if self.claimed_seconds is None and self._claimed_whole is None:
            self.notes.append(NO_LENGTH)
        self._decoder = self._make_decoder()
        self._reached = 0.0
        self._frames = self._decoded()
        try:
            first = next(self._frames, None)
        except av.error.FFmpegError as error:
            raise self._cut(0.0, 0, error) from error
        if first is None:
            raise unreadable(
                field, "holds no frame that can be decoded", fix="The file is cut short or damaged; get a whole copy."
            )
        self._first = first
        self._note_start(kind)
        self._reading = self._read(first, background)
        self.width, self.height = self._reading.upright
        self.rotation = TURNS[self._reading.orientation][0]
        self.has_sound = bool(container.streams.audio)

    def shots(self) -> Iterator[Shot]:
        """The frames in time order; once.

        Raises:
            InvalidRequest: the file is cut short or damaged, or its frames change shape.
        """
        base = float(self._stream.time_base or 1)
        step = 1.0 / self.rate if self.rate else 0.04
        zero = self._seconds_of(self._first)
        last, count, length = -step, 0, 0.0
        frame: av.VideoFrame | None = self._first
        try:
            while frame is not None:
                time = self._seconds_of(frame)
                seconds = last + step if time is None or zero is None else time - zero
                seconds = max(seconds, last + 1e-6) if count else 0.0
                length = (frame.duration or 0) * base
                self._check_frame(frame, seconds)
                yield FrameShot(seconds=seconds, length=length, frame=frame, reading=self._reading)
                last, count = seconds, count + 1
                frame = next(self._frames, None)
        except av.error.FFmpegError as error:
            raise self._cut(last + (length or step), count, error) from error
        end = last + (length or step)
        if falls_short(end, self.claimed_seconds) or (
            self.claimed_seconds is None and falls_short(max(self._reached, end + (zero or 0.0)), self._claimed_whole)
        ):
            raise self._cut(end, count, None)
        if missing := shortfall_note(end, self.claimed_seconds, spare_seconds=min(0.1, 1.5 * step)):
            self.notes.append(missing)

    def _note_start(self, kind: str) -> None:
        """Note what lies before the first picture that can be shown."""
        start, first = header_start(self._stream), self._seconds_of(self._first)
        if kind in DATED and start is not None and first is not None and first - start > 0.1:
            self.notes.append(
                f"its first {first - start:.2f} s cannot be shown: the picture that they need is not there"
            )

    def _decoded(self) -> Iterator[av.VideoFrame]:
        """Every frame. All streams are walked, to see how far the file really reaches."""
        for packet in self._container.demux():
            if packet.stream.index != self._stream.index:
                self._reach(packet)
                continue
            if packet.is_corrupt:
                raise av.error.InvalidDataError(1094995529, "a damaged packet")
            # An empty packet of the stream drains its own decoder; a decoder made here wants None for that.
            yield from self._decoder.decode(packet if packet.size or not self._own_decoder else None)

    def _reach(self, packet: Any) -> None:
        if packet.pts is not None and packet.time_base is not None:
            end = float((packet.pts + (packet.duration or 0)) * packet.time_base)
            self._reached = max(self._reached, end)

    @staticmethod
    def _seconds_of(frame: av.VideoFrame) -> float | None:
        """By the frame's own time stamp; ``None`` when it has none."""
        return None if frame.pts is None else frame.time

    def _make_decoder(self) -> Any:
        context: Any = self._stream.codec_context
        wanted = _ALPHA_DECODERS.get(self.codec)
        self._own_decoder = bool(wanted) and self._stream.metadata.get("alpha_mode") == "1"
        if wanted and self._own_decoder:
            extradata = context.extradata
            context = av.CodecContext.create(wanted, "r")
            context.extradata = extradata
        context.thread_count = THREADS
        return context

    def _read(self, frame: av.VideoFrame, background: Colour) -> _Reading:
        orientation = self._orientation(frame)
        square = self._square(frame)
        alpha = any(component.is_alpha for component in frame.format.components) or frame.format.name == "pal8"
        colours = read_colours(frame)
        self.notes.extend(colours.notes)
        if frame.interlaced_frame:
            self.notes.append("interlaced; both fields of a frame are shown together")
        if sum(1 for stream in self._container.streams.video if not is_cover(stream)) > 1:
            self.notes.append("has more than one picture stream; the first is used")
        reading = _Reading(
            stored=(frame.width, frame.height),
            square=square,
            orientation=orientation,
            colours=colours,
            alpha=alpha,
            background=background,
        )
        check_size(*reading.upright, field=self._field, bound=CLIP_BOUND, limits=self._limits, what="frame")
        return reading

    def _orientation(self, frame: av.VideoFrame) -> int:
        found: Any = frame.side_data  # a mapping by type, which the stubs call a mapping of names
        matrix = found.get(SideData.DISPLAYMATRIX)
        if matrix is None:
            return 1
        orientation = matrix_orientation(struct.unpack("<9i", bytes(matrix)[:36]))
        if orientation is None:
            self.notes.append("its display matrix is no quarter turn and was not applied")
        elif orientation != 1:
            self.notes.append(turned_note(orientation))
        return orientation or 1

    def _square(self, frame: av.VideoFrame) -> Size:
        aspect = self._stream.sample_aspect_ratio
        ratio = float(aspect) if aspect else 1.0
        width, height = frame.width, frame.height
        if not 0.05 <= ratio <= 20:
            self.notes.append(f"its pixel shape ({ratio:.3g}:1) makes no sense and was not applied")
            return width, height
        square = (round(width * ratio), height) if ratio > 1 else (width, round(height / ratio))
        if square != (width, height):
            self.notes.append(f"pixels are not square ({aspect}); {width}x{height} is shown as {square[0]}x{square[1]}")
        return square

    def _check_frame(self, frame: av.VideoFrame, seconds: float) -> None:
        if frame.is_corrupt:
            raise av.error.InvalidDataError(1094995529, f"the frame at {seconds:.2f} s is damaged")
        size, first = (frame.width, frame.height), self._reading.stored
        if size == first:
            return
        check_size(*size, field=self._field, bound=CLIP_BOUND, limits=self._limits, what="frame")
        if abs(size[0] * first[1] - size[1] * first[0]) > 0.02 * size[0] * first[1]:
            raise refused(
                "media_not_supported",
                self._field,
                f"its frames change shape from {first[0]}x{first[1]} to {size[0]}x{size[1]} at {seconds:.2f} s",
                fix="Convert it to one size.",
            )
        note = f"its frames change size; all are scaled to {first[0]}x{first[1]}"
        if note not in self.notes:
            self.notes.append(note)

    def _cut(self, seconds: float, count: int, cause: BaseException | None) -> InvalidRequest:
        frames = "1 frame" if count == 1 else "no frame" if not count else f"{count} frames"
        claimed = self.claimed_seconds if self.claimed_seconds is not None else self._claimed_whole
        return cut_short(self._field, claimed=claimed, seconds=max(seconds, 0.0), done=frames, cause=cause)


def _laid_on(rgba: Pixels, background: Colour) -> Pixels:
    """RGBA over a colour: uint8 [H, W, 3]."""
    alpha = rgba[..., 3:].astype(np.uint16)
    mixed = rgba[..., :3] * alpha + np.array(background, np.uint16) * (255 - alpha)
    return ((mixed + 127) // 255).astype(np.uint8)

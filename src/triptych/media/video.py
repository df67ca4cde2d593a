"""Reads clips: upright, square pixels, sRGB, by time stamps, and to the end or not at all.

``ClipReader`` is the one way in, whatever the clip is: a container that FFmpeg reads, an animated picture, or a packed
folder of numbered frames. A clip of which only a part can be decoded is refused with what was found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import BinaryIO

from triptych.media.animation import ANIMATED, MovingPicture, NumberedFrames
from triptych.media.bound import (
    CLIP_BOUND,
    MAX_FRAMES,
    MAX_SECONDS,
    SLACK_SECONDS,
    check_seconds,
    refused,
    unreadable,
)
from triptych.media.folder import DEFAULT_FRAME_RATE, iter_packed
from triptych.media.pixel import WHITE, Colour, colour_name
from triptych.media.shot import Frames, Pixels, Shot, Size
from triptych.media.stream import open_container, picture_stream
from triptych.media.track import PictureTrack
from triptych.rules.spec import MediaLimits


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What decoding a clip, or the part of it that is needed, showed.

    Attributes:
        frames: decoded frames of the part.
        seconds: end of the last decoded frame, from the clip's beginning.
        fps: mean frames per second, from time stamps.
        variable_rate: whether gaps between frames differ.
        has_alpha: whether any pixel was not opaque.
        complete: whether decoding reached the end of the file.
    """

    frames: int
    seconds: float
    fps: float
    variable_rate: bool
    has_alpha: bool
    complete: bool


class ClipReader:
    """One clip, read once.

    Args:
        file: seekable; it is read through this handle and nothing else is opened.
        container: as sniffed (``mov``, ``gif``), or ``frames`` for a packed folder.
        demuxer: FFmpeg's name of the format; ``None`` for what FFmpeg does not read.
        field: the caller's name for it.
        limits: the engine's bounds.
        frame_rate: frames per second of a packed folder.
        background: what shows where frames are transparent.
        whole: whether all of it is to be used; its stated length is then held against the limits at once.

    Raises:
        InvalidRequest: it cannot be opened, is too large or too long by its header, or holds no moving picture.
    """

    def __init__(
        self,
        file: BinaryIO,
        *,
        container: str,
        demuxer: str | None,
        field: str,
        limits: MediaLimits,
        frame_rate: float | None = None,
        background: Colour = WHITE,
        whole: bool = True,
    ) -> None:
        self.field, self.container, self._limits, self._background = field, container, limits, background
        self.has_sound = False
        self._source = self._open(file, demuxer, frame_rate, background)
        self._used = self._complete = False
        if whole and self._source.claimed_seconds is not None:
            check_seconds(self._source.claimed_seconds, field=field, limits=limits)

    @property
    def size(self) -> Size:
        """Upright width and height, in square pixels."""
        return self._source.width, self._source.height

    @property
    def rotation(self) -> int:
        """Degrees clockwise by which stored frames are turned (0, 90, 180, 270)."""
        return self._source.rotation

    @property
    def codec(self) -> str:
        """Name of the picture codec."""
        return self._source.codec

    @property
    def claimed_seconds(self) -> float | None:
        """What the file says of its length; ``None`` when it says nothing."""
        return self._source.claimed_seconds

    @property
    def notes(self) -> tuple[str, ...]:
        """What is put right on the way; complete when all frames have been read."""
        return tuple(dict.fromkeys(self._source.notes))

    def __iter__(self) -> Iterator[tuple[float, Pixels]]:
        """Every frame: seconds from the first one, and uint8 [H, W, 3], sRGB, upright."""
        return self.frames()

    def frames(
        self,
        start_seconds: float = 0.0,
        seconds: float | None = None,
        *,
        fps: float | None = None,
        size: Size | None = None,
        gray: bool = False,
    ) -> Iterator[tuple[float, Pixels]]:
        """The frames of a part of the clip, as they are decoded.

        With ``fps``, frames come at that constant rate by their time stamps: each moment shows the frame that the clip
        shows at its middle, and the clip's last frame is the last one out, so that length and ending are kept.

        Args:
            start_seconds: where the part begins, from the first frame.
            seconds: how long it is; ``None`` is to the end.
            fps: frames per second; ``None`` gives the frames that there are.
            size: width and height to scale to; ``None`` is the clip's own.
            gray: luma only, which is much cheaper at a small ``size``.

        Yields:
            seconds from the beginning of the part, and uint8 [H, W, 3] sRGB (``gray``: uint8 [H, W]).

        Raises:
            InvalidRequest: the clip is damaged, cut short, or longer than its limit.
        """
        shots = self._within(start_seconds, seconds)
        timed: Iterator[tuple[float, Shot]]
        if fps is None:
            timed = ((max(0.0, shot.seconds - start_seconds), shot) for shot in shots)
        else:
            timed = _at_rate(shots, start_seconds, seconds, fps)
        seen: tuple[Shot, Pixels] | None = None
        for moment, shot in timed:
            if seen is None or seen[0] is not shot:
                seen = (shot, shot.pixels(size, gray))
            yield moment, seen[1]

    def measure(self, start_seconds: float = 0.0, seconds: float | None = None) -> Measured:
        """Decode the part (and 0.1 s more), without making pixels, and say what was found.

        Raises:
            InvalidRequest: the clip is damaged, cut short, or longer than its limit.
        """
        times: list[float] = []
        frames, clear, length = 0, False, 0.0
        end = float("inf") if seconds is None else start_seconds + seconds
        for shot in self._shots(start_seconds, seconds, slack_seconds=SLACK_SECONDS):
            frames += shot.seconds < end - 1e-4 and shot.seconds + (shot.length or 0.04) > start_seconds + 1e-4
            clear = clear or shot.transparent()
            times.append(shot.seconds)
            length = shot.length
        if clear:
            self._source.notes.append(f"transparency was laid on {colour_name(self._background)}")
        gaps = [after - before for before, after in pairwise(times)]
        mean = sum(gaps) / len(gaps) if gaps else length or 1 / DEFAULT_FRAME_RATE
        uneven = bool(gaps) and max(gaps) - min(gaps) > max(0.1 * mean, 0.0021)
        # The mean of a few gaps is off by what a container that counts in milliseconds rounds away.
        if self._source.rate and abs(mean - 1 / self._source.rate) < max(0.01 * mean, 0.001 / max(1, len(gaps))):
            mean = 1 / self._source.rate
        seconds_there = (times[-1] if times else 0.0) + (length or mean)
        if not uneven and abs(seconds_there - len(times) * mean) < 0.0025:
            seconds_there = len(times) * mean  # containers that count in milliseconds round
        return Measured(
            frames=frames,
            seconds=seconds_there,
            fps=1 / mean,
            variable_rate=uneven,
            has_alpha=clear,
            complete=self._complete,
        )

    def _open(self, file: BinaryIO, demuxer: str | None, frame_rate: float | None, background: Colour) -> Frames:
        field, limits = self.field, self._limits
        if self.container == "frames":
            return NumberedFrames(
                iter_packed(file.name),
                frame_rate=frame_rate or DEFAULT_FRAME_RATE,
                field=field,
                limits=limits,
                background=background,
            )
        if demuxer is None:
            if self.container not in ANIMATED:
                raise refused(
                    "unsupported_modality",
                    field,
                    f"is a still ({self.container}), where a clip is wanted",
                    fix="Give it as an image.",
                )
            return MovingPicture(file, container=self.container, field=field, limits=limits, background=background)
        opened = open_container(file, demuxer=demuxer, field=field, max_pixels=CLIP_BOUND.under(limits).max_pixels)
        stream = picture_stream(opened)
        if stream is None:
            what = "sound" if opened.streams.audio else "nothing that can be shown or heard"
            raise unreadable(field, f"holds {what}, and no moving picture", fix="Give a clip.")
        track = PictureTrack(opened, stream, file, field=field, limits=limits, background=background)
        self.has_sound = track.has_sound
        return track

    def _within(self, start_seconds: float, seconds: float | None) -> Iterator[Shot]:
        """The shots of which any part lies inside the window."""
        held: Shot | None = None
        end = float("inf") if seconds is None else start_seconds + seconds
        for shot in self._shots(start_seconds, seconds):
            if held is not None and shot.seconds > start_seconds + 1e-4:
                yield held
            held = shot if shot.seconds < end - 1e-4 else None
        if held is not None:
            yield held

    def _shots(self, start_seconds: float, seconds: float | None, slack_seconds: float = 0.0) -> Iterator[Shot]:
        """The shots from the beginning until the window (and the slack) ends, counted and bounded."""
        if self._used:
            raise RuntimeError("a clip is read once; open it again")
        self._used, self._complete = True, False
        longest = min(MAX_SECONDS, self._limits.max_seconds or MAX_SECONDS)
        end = start_seconds + (longest if seconds is None else seconds)
        count = 0
        for shot in self._source.shots():
            if shot.seconds > end and seconds is None:
                check_seconds(shot.seconds - start_seconds, field=self.field, limits=self._limits, at_least=True)
            elif shot.seconds > end + slack_seconds:
                return
            count += start_seconds <= shot.seconds < end
            self._check_count(count)
            yield shot
        self._complete = True

    def _check_count(self, count: int) -> None:
        most = min(MAX_FRAMES, self._limits.max_frames or MAX_FRAMES)
        if count > most:
            raise refused(
                "media_too_long",
                self.field,
                f"has more than {most:,} frames",
                fix="Use a shorter part of it",
                limit=most,
            )


def _at_rate(
    shots: Iterator[Shot], start_seconds: float, seconds: float | None, fps: float
) -> Iterator[tuple[float, Shot]]:
    """Shots at a constant rate. One is held back, because the last one out is the part's own last."""
    wanted = None if seconds is None else max(1, round(seconds * fps))
    count = 0
    held: Shot | None = None
    previous: Shot | None = None
    for shot in shots:
        while previous is not None and start_seconds + (count + 0.5) / fps < shot.seconds and count != wanted:
            if held is not None:
                yield (count - 1) / fps, held
            held, count = previous, count + 1
        previous = shot
    if previous is None:
        return
    there = max(1, round((previous.seconds + (previous.length or 1 / fps) - start_seconds) * fps))
    # A part may end a little after the clip does (containers round), and keeps its length.
    spare = max(1, round(SLACK_SECONDS * fps))
    total = there if wanted is None else min(wanted, there + spare)
    while count < total:
        if held is not None:
            yield (count - 1) / fps, held
        held, count = previous, count + 1
    yield (count - 1) / fps, previous

"""Clips that FFmpeg does not read: animated pictures, and packed folders of numbered frames."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import cv2
import numpy as np
from numpy.typing import NDArray

from triptych.media.bound import (
    CLIP_BOUND,
    MAX_FRAMES,
    MAX_MOVING_PIXELS,
    check_seconds,
    check_size,
    refused,
    unreadable,
)
from triptych.media.image import gif_extents, open_pillow, pillow_errors, read_image
from triptych.media.pixel import WHITE, Colour, to_srgb
from triptych.media.shot import Pixels, Shot, Size
from triptych.rules.spec import MediaLimits

ANIMATED = frozenset(("gif", "webp", "png", "avif"))
"""Containers of stills that may hold a moving picture."""

_LEAST_SECONDS = 0.02
_USUAL_SECONDS = 0.1
"""Players show frames that ask for less than 20 ms (or for nothing) for 100 ms; so it is done here."""


@dataclass(frozen=True, kw_only=True)
class PixelShot:
    """A frame that is pixels already."""

    seconds: float
    length: float
    rgb: Pixels
    clear: bool = False

    def pixels(self, size: Size | None, gray: bool) -> Pixels:
        """See ``Shot``."""
        have = (self.rgb.shape[1], self.rgb.shape[0])
        out = self.rgb
        if size is not None and size != have:
            shrinks = size[0] <= have[0] and size[1] <= have[1]
            out = np.asarray(
                cv2.resize(out, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC), np.uint8
            )
        return np.asarray(cv2.cvtColor(out, cv2.COLOR_RGB2GRAY), np.uint8) if gray else out

    def transparent(self) -> bool:
        """Whether any pixel was not opaque."""
        return self.clear


class MovingPicture:
    """The frames of an animated GIF, PNG, WebP or AVIF; see ``shot.Frames`` for its attributes.

    Raises:
        InvalidRequest: a still, too large, or damaged.
    """

    def __init__(
        self, file: BinaryIO, *, container: str, field: str, limits: MediaLimits, background: Colour = WHITE
    ) -> None:
        self._file, self._container, self._field, self._background = file, container, field, background
        with pillow_errors(field, container):
            self._image = open_pillow(file, container=container, field=field)
            check_size(*self._image.size, field=field, bound=CLIP_BOUND, limits=limits, what="frame")
            frames = int(getattr(self._image, "n_frames", 1))
        if frames < 2:
            raise refused(
                "unsupported_modality",
                field,
                f"is a still ({container}), where a clip is wanted",
                fix="Give it as an image.",
            )
        if frames > MAX_FRAMES:
            raise refused(
                "media_too_long", field, f"has {frames} frames; at most {MAX_FRAMES} are decoded", limit=MAX_FRAMES
            )
        pixels = self._image.width * self._image.height * frames
        if pixels > MAX_MOVING_PIXELS:
            raise refused(
                "media_too_large",
                field,
                f"{self._image.width}x{self._image.height} in {frames:,} frames is {pixels / 1e9:.1f} gigapixels",
                fix=f"At most {MAX_MOVING_PIXELS / 1e9:g} are decoded; make it smaller or shorter",
                value=pixels,
                limit=MAX_MOVING_PIXELS,
            )
        # The first picture of a PNG may be a stand-in for programs that know no animation.
        self._start = 1 if getattr(self._image, "default_image", False) else 0
        self._count = frames
        self.width, self.height = self._image.size
        self.codec, self.rotation, self.rate = container, 0, 0.0
        self.claimed_seconds: float | None = None
        self.notes: list[str] = []

    def shots(self) -> Iterator[Shot]:
        """The frames in order; once."""
        seconds = 0.0
        empty: NDArray[np.bool_] = np.ones((self.height, self.width), np.bool_)
        for index in range(self._start, self._count):
            with pillow_errors(self._field, self._container):
                self._image.seek(index)
                left, top, right, bottom = gif_extents(self._image) or (0, 0, self.width, self.height)
                empty[top:bottom, left:right] = False
                self._image.load()
                plain = to_srgb(self._image.copy(), field=self._field, background=self._background)
                stated = float(self._image.info.get("duration") or 0) / 1000
            length = stated if stated >= _LEAST_SECONDS else _USUAL_SECONDS
            if length != stated:
                self._note(f"frames that ask for less than {_LEAST_SECONDS:g} s are shown for {_USUAL_SECONDS:g} s")
            for note in plain.notes:
                self._note(note)
            rgb, clear = plain.pixels, plain.has_alpha
            if empty.any():
                rgb, clear = np.where(empty[..., None], np.asarray(self._background, np.uint8), rgb), True
            yield PixelShot(seconds=seconds, length=length, rgb=rgb, clear=clear)
            seconds += length
        if self._container == "gif" and not _has_trailer(self._file):
            raise unreadable(
                self._field,
                f"stops before its end mark, after {self._count} frames",
                fix="The file is cut short; get a whole copy.",
                value=self._count,
            )

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


class NumberedFrames:
    """The frames of a packed folder; see ``shot.Frames`` for its attributes.

    Args:
        frames: index and bytes of each frame, in order (``media.folder.iter_packed``).
        frame_rate: frames per second.
    """

    def __init__(
        self,
        frames: Iterator[tuple[int, bytes]],
        *,
        frame_rate: float,
        field: str,
        limits: MediaLimits,
        background: Colour = WHITE,
    ) -> None:
        self._frames, self._field, self._limits, self._background = frames, field, limits, background
        self.rate = frame_rate
        self.codec, self.rotation = "frames", 0
        self.claimed_seconds: float | None = None
        self.notes: list[str] = []
        first = self._next()
        if first is None:
            raise refused("media_empty", field, "the folder holds no frames")
        self._first = first
        self.height, self.width = self._first.shape[:2]

    def shots(self) -> Iterator[Shot]:
        """The frames in order; once.

        Raises:
            InvalidRequest: a frame is no picture, or its size differs from the first one's.
        """
        rgb, index = self._first, 0
        while True:
            yield PixelShot(seconds=index / self.rate, length=1 / self.rate, rgb=rgb)
            index += 1
            check_seconds(index / self.rate, field=self._field, limits=MediaLimits(), at_least=True)
            following = self._next()
            if following is None:
                return
            rgb = following
            if rgb.shape != self._first.shape:
                raise refused(
                    "media_not_supported",
                    self._field,
                    f"frame 0 is {self.width}x{self.height}, and frame {index} is {rgb.shape[1]}x{rgb.shape[0]}",
                    fix="Make all frames the same size.",
                    value=[rgb.shape[1], rgb.shape[0]],
                    limit=[self.width, self.height],
                )

    def _next(self) -> Pixels | None:
        try:
            following = next(self._frames, None)
        except ValueError as error:
            raise unreadable(self._field, str(error)) from error
        if following is None:
            return None
        index, data = following
        picture = read_image(
            io.BytesIO(data), field=f"{self._field} (frame {index})", limits=self._limits, background=self._background
        )
        for note in picture.notes:
            if note not in self.notes:
                self.notes.append(note)
        return picture.pixels


def _has_trailer(file: BinaryIO) -> bool:
    """Whether a GIF ends with its end mark (a semicolon), perhaps padded with zeros."""
    position = file.tell()
    size = file.seek(0, 2)
    file.seek(max(0, size - 64))
    tail = file.read()
    file.seek(position)
    return tail.rstrip(b"\0").endswith(b";")

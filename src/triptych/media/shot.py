"""One frame of a clip before it is turned into pixels, so that a frame nobody wants costs no conversion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Size = tuple[int, int]


class Shot(Protocol):
    """A decoded frame.

    Attributes:
        seconds: when it is shown, from the clip's first frame.
        length: how long it is shown, in seconds; 0 when the file does not say.
    """

    @property
    def seconds(self) -> float: ...

    @property
    def length(self) -> float: ...

    def pixels(self, size: Size | None, gray: bool) -> Pixels:
        """The frame upright with square pixels, scaled to ``size``: uint8 [H, W, 3] sRGB, or luma [H, W]."""
        ...

    def transparent(self) -> bool:
        """Whether any of its pixels is not opaque."""
        ...


class Frames(Protocol):
    """Where a clip's frames come from.

    Attributes:
        width, height: upright, in square pixels.
        codec: name of the picture codec.
        rotation: degrees clockwise by which stored frames are turned.
        claimed_seconds: what the file says of its length; ``None`` when it says nothing.
        rate: frames per second that the file states; 0 when it states none.
        notes: what is put right on the way. It may grow while frames are read.
    """

    width: int
    height: int
    codec: str
    rotation: int
    claimed_seconds: float | None
    rate: float
    notes: list[str]

    def shots(self) -> Iterator[Shot]:
        """The frames in the order in which they are shown; once."""
        ...

"""From one picture to another: through in-between frames where their points correspond, else through a dissolve."""

from __future__ import annotations

import cv2
import numpy as np

from triptych.engines.animatic.camera import Bend
from triptych.engines.animatic.flow import Flow, look, places
from triptych.engines.animatic.picture import Picture, ease, mix

CONSISTENT_SHARE = 0.5
"""Share of the points that must find their way there and back for two pictures to count as one scene."""

_FLOW_WIDTH = 640
_CELL = 4  # pixels
_NEAR_PIXELS = 2.0  # how far from home a point may come back


class Morph:
    """In-betweens of two pictures of one size, by optical flow in both directions; exact at both ends.

    Attributes:
        consistent: whether enough points correspond; if not, do not use it, dissolve.
        share: of the points that correspond, 0..1.
    """

    def __init__(self, one: Picture, other: Picture) -> None:
        width, height = one.size
        small = (min(_FLOW_WIDTH, width), max(16, round(min(_FLOW_WIDTH, width) * height / width)))
        before, after = (
            np.asarray(cv2.resize(each.luma, small, interpolation=cv2.INTER_AREA), np.uint8) for each in (one, other)
        )
        flow = Flow(fine=True)
        there, back = flow.between(before, after), flow.between(after, before)
        far = np.linalg.norm(there + look(back, places(small) + there), axis=2)
        self.share = float((far < _NEAR_PIXELS).mean())
        self.consistent = self.share > CONSISTENT_SHARE
        self._one, self._other = one, other
        if self.consistent:
            scale = np.array([width / small[0], height / small[1]], np.float32)
            self._bend = Bend(one.size, _CELL)
            self._there, self._back = self._bend.field(there * scale), self._bend.field(back * scale)

    def frame(self, share: float) -> Picture:
        """The picture at ``share`` (0..1) of the way: ``one`` itself at 0, ``other`` itself at 1."""
        if share <= 0:
            return self._one
        if share >= 1:
            return self._other
        eased = ease(share)
        left = self._bend.draw(self._one, self._there * np.float32(-eased))
        right = self._bend.draw(self._other, self._back * np.float32(eased - 1))
        return mix(left, right, eased)

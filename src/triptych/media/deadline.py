"""A moment after which nothing waits any longer, however many steps there are."""

from __future__ import annotations

import threading
import time

STEP_SECONDS = 0.25
"""How long one wait is at most, where whoever waits wants to hear that it was called off."""


class Deadline:
    """So many seconds from now, in all.

    Args:
        seconds: more than 0.
        stop: when it is set, the time is over at once.
    """

    def __init__(self, seconds: float, stop: threading.Event | None = None) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds
        self._stop = stop

    def left(self) -> float:
        """The seconds that are left, more than 0.

        Raises:
            TimeoutError: there are none.
        """
        if self._stop is not None and self._stop.is_set():
            raise TimeoutError("it was called off")
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.over()
        return left

    def step(self) -> float:
        """How long to wait before asking again. Raises ``TimeoutError`` as ``left`` does."""
        return min(STEP_SECONDS, self.left())

    def over(self) -> TimeoutError:
        """What is raised when the time is over."""
        return TimeoutError(f"it takes longer than the {self.seconds:g} s that it may")

"""What is heard of a run while it goes on."""

from __future__ import annotations

from dataclasses import dataclass

from triptych.task.result import Made, Result


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a run is.

    Attributes:
        stage: what is going on, in one or two words (``decode``, ``render``).
        done, total: units of the whole run; ``done`` never falls and ends at ``total``.
    """

    stage: str
    done: int
    total: int

    @property
    def fraction(self) -> float:
        """0..1."""
        return self.done / self.total if self.total else 0.0


EngineEvent = Progress | Made
"""What an engine yields: progress, and last of all what it made."""

Event = Progress | Result
"""What ``run.execute`` yields: progress, and last of all the result."""

"""What somebody who keeps results offers to the walk. Whoever owns a store passes one in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from triptych.task.probe import Probe
from triptych.task.source import Blob, ResultSource


@dataclass(frozen=True, kw_only=True)
class Pending:
    """A result that is still being made.

    Attributes:
        id: of the result.
        probe: what it will be, by the plan of whoever makes it; ``sha256`` and ``size_bytes`` are empty.
    """

    id: str
    probe: Probe


class Resolver(Protocol):
    """Finds stored results by id."""

    def resolve(self, source: ResultSource, *, field: str) -> Blob | Pending:
        """The bytes of a stored result, or what they will be. Called in a thread, so it may wait for a disk.

        Raises:
            InvalidRequest: there is none of that id, or it is not the caller's; both read the same.
        """
        ...

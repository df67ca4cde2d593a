"""What somebody who keeps results offers to the walk. Whoever owns a store passes one in."""

from __future__ import annotations

from typing import Protocol

from triptych.task.source import Blob, ResultSource


class Resolver(Protocol):
    """Finds stored results by id."""

    def resolve(self, source: ResultSource, *, field: str) -> Blob:
        """The bytes of a stored result. Called in a thread of its own, so it may wait for a disk.

        Raises:
            InvalidRequest: there is none of that id, or it is not the caller's; both read the same.
        """
        ...

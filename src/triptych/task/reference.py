"""One image, clip or voice that a caller supplied, and what the caller said of it."""

from __future__ import annotations

from dataclasses import dataclass

from triptych.task.role import Fit, Modality, Role
from triptych.task.source import Source


@dataclass(frozen=True, kw_only=True)
class Reference:
    """An input of a request.

    Attributes:
        role: what it is for.
        source: where its bytes are.
        field: the caller's own name for it; every error and receipt uses this.
        modality: what the caller says it is; ``None`` until the bytes are seen.
        name: a name that the prompt may use as ``@name``.
        sound: for a clip, whether its own sound is used too. Off unless asked for.
        soundtrack_of: for role ``soundtrack``, the ``field`` of the clip that it belongs to.
        fit: how it meets the frame; ``None`` takes the request's.
        start_seconds: where the part to use begins.
        seconds: how long the part to use is; ``None`` is to the end.

    Raises:
        ValueError: a role, a modality or a fit that is no such word.
    """

    role: Role
    source: Source
    field: str
    modality: Modality | None = None
    name: str | None = None
    sound: bool = False
    soundtrack_of: str | None = None
    fit: Fit | None = None
    start_seconds: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        # Rules compare words by identity: one that is given as plain text must not slip past them.
        object.__setattr__(self, "role", Role(self.role))
        object.__setattr__(self, "modality", None if self.modality is None else Modality(self.modality))
        object.__setattr__(self, "fit", None if self.fit is None else Fit(self.fit))

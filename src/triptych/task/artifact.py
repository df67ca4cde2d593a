"""A typed piece of a result that can go back into a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as default
from types import MappingProxyType

from triptych.task.source import Source

Scalar = str | int | float | bool


@dataclass(frozen=True, kw_only=True)
class Artifact:
    """A piece of an earlier result, such as a conversation's turn.

    Attributes:
        id: what it is, in its maker's words (``lfm2_audio.reply``).
        kind: how its payload is to be read.
        source: the payload.
        field: the caller's own name for it (``artifacts[2]``); ids may repeat, positions do not.
        meta: plain values that travel with it.
    """

    id: str
    kind: str
    source: Source
    field: str
    meta: Mapping[str, Scalar] = default(default_factory=lambda: MappingProxyType({}))

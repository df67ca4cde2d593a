"""An engine's word, per slot, that an input was consumed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

How = Literal["consumed", "sent", "uploaded", "sent_url", "ignored"]


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """Made where the input is read, never copied from the plan.

    Attributes:
        slot: the plan's key.
        source_sha256: of the bytes as they were read there.
        used_sha256: of the normalised pixels or samples that went in; of the body for a hosted
            engine; empty when it was ignored.
        how: ``consumed`` by an engine here; ``sent``, ``uploaded`` or ``sent_url`` to a hosted one (sent, not
            proven used); ``ignored`` where the caller allowed that.
        uses: what was consumed of it: ``picture``, ``motion``, ``sound``, ``payload``.
        where: in the result's words (``shot 2``, ``sound at 0.0-4.2 s``).
    """

    slot: str
    source_sha256: str
    used_sha256: str
    how: How
    uses: tuple[str, ...]
    where: str

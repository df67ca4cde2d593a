"""What came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from triptych.task.plan import Adjustment, Plan, Warned
from triptych.task.probe import Probe
from triptych.task.receipt import Receipt


@dataclass(frozen=True, kw_only=True)
class Output:
    """One file that an engine made.

    Attributes:
        path: where it is; in the run's work folder until somebody keeps it.
        media_type: MIME type.
        sha256: of the file.
        size_bytes: its length.
        probe: what is in it, as its maker counted it while writing.
    """

    path: str
    media_type: str
    sha256: str
    size_bytes: int
    probe: Probe


@dataclass(frozen=True, kw_only=True)
class Made:
    """What an engine ends its run with.

    Attributes:
        outputs: always a tuple, also for one.
        receipts: one per slot of the plan.
        adjustments, warnings: what only running could show.
        versions: of what made it, for repeating it.
    """

    outputs: tuple[Output, ...]
    receipts: tuple[Receipt, ...]
    adjustments: tuple[Adjustment, ...] = ()
    warnings: tuple[Warned, ...] = ()
    versions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, kw_only=True)
class Result:
    """A finished run: the plan, and what the engine made of it, receipts compared."""

    plan: Plan
    outputs: tuple[Output, ...]
    receipts: tuple[Receipt, ...]
    adjustments: tuple[Adjustment, ...]
    warnings: tuple[Warned, ...]
    versions: Mapping[str, str]

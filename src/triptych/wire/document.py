"""Values as plain JSON: what ``--json``, the result file and, later, every other surface show."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from triptych.errors import TriptychError
from triptych.rules.spec import EngineSpec
from triptych.task import Plan, Result, Slot

_UNSAFE = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_NOT_ASCII = re.compile("[^\x00-\x7e]")
_BOX_DIGITS = 6


def as_text(document: Any, *, ascii_only: bool = False) -> str:
    """A document as JSON text.

    Every script is written as itself; what could steer a terminal, and half a character, is escaped.

    Args:
        document: made of what JSON has; no number in it is infinite.
        ascii_only: escape whatever is not ASCII.
    """
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    return (_NOT_ASCII if ascii_only else _UNSAFE).sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return "\\u007f" if found[0] == "\x7f" else json.dumps(found[0])[1:-1]


def plain(value: Any) -> Any:
    """Any of the project's values as JSON can hold it: dataclasses by field, sets sorted, enums and types by name.

    Raises:
        TypeError: JSON has no such thing.
    """
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, type):
        return value.__name__
    if is_dataclass(value):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {_key(key): plain(item) for key, item in value.items()}
    if isinstance(value, Set):
        return sorted(plain(item) for item in value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise TypeError(f"JSON has no {type(value).__name__}: {value!r}")


def _key(key: Any) -> str:
    return "x".join(str(side) for side in key) if isinstance(key, tuple) else str(plain(key))


def render_spec(spec: EngineSpec) -> dict[str, Any]:
    """An engine's spec."""
    document: dict[str, Any] = plain(spec)
    return document


def render_slot(slot: Slot) -> dict[str, Any]:
    """One slot: what was supplied, what was seen in it, and where it goes. Private paths are left out."""
    shown = {
        item.name: plain(getattr(slot, item.name))
        for item in fields(slot)
        if item.name not in ("blob", "position", "probe")
    }
    if slot.fit is not None:
        shown["fit"]["box"] = [round(edge, _BOX_DIGITS) for edge in slot.fit.box]
    return {
        **shown,
        "sha256": slot.blob.sha256,
        "size_bytes": slot.blob.size_bytes,
        "probe": slot.probe.as_json() if slot.probe else None,
    }


def render_plan(plan: Plan) -> dict[str, Any]:
    """A plan: final settings, one slot for each input, labels, adjustments and warnings."""
    settings = plan.settings
    return {
        "engine": plan.engine,
        "task": str(plan.task),
        "prompt": plan.prompt,
        "engine_prompt": plan.engine_prompt,
        "settings": {**plain(settings), "seconds": round(settings.seconds, 6)},
        "slots": [render_slot(slot) for slot in plan.slots],
        "labels": plain(plan.labels),
        "spoken": plain(plan.spoken),
        "adjustments": plain(plan.adjustments),
        "warnings": plain(plan.warnings),
    }


def render_result(result: Result, *, written: Mapping[str, Path]) -> dict[str, Any]:
    """A result: the plan, and what became of each input.

    Args:
        result: it.
        written: where each output was kept, by its path in the run.
    """
    named = {slot.key: slot for slot in result.plan.slots}
    return {
        "plan": render_plan(result.plan),
        "outputs": [
            {**plain(output), "path": written[output.path].name, "probe": output.probe.as_json()}
            for output in result.outputs
        ],
        "receipts": [
            {"field": named[receipt.slot].field, "role": plain(named[receipt.slot].role), **plain(receipt)}
            for receipt in result.receipts
        ],
        "labels": plain(result.plan.labels),
        "adjustments": plain(result.adjustments),
        "warnings": plain(result.warnings),
        "seed": result.plan.settings.seed,
        "versions": dict(result.versions),
    }


def render_error(error: TriptychError) -> dict[str, Any]:
    """An error, in the one shape that all surfaces use."""
    return {"error": plain(error.as_json())}

"""Was every input used? Receipts against slots.

What an engine says cannot be proven here. What can be seen without reading anything again is: that it says something of
every slot, once; that the bytes which it says it read are those that were checked; that something was used of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import get_args

from triptych.task import Plan, Receipt, Slot
from triptych.task.receipt import How

_SHA256 = re.compile(r"[0-9a-f]{64}")
_OF_NOTHING = sha256().hexdigest()
_HOWS = frozenset(get_args(How))


def differences(plan: Plan, receipts: Sequence[Receipt]) -> tuple[str, ...]:
    """How the receipts differ from the plan, one sentence each in the caller's words; empty when they agree."""
    counts = Counter(receipt.slot for receipt in receipts)
    known = {slot.key: slot for slot in plan.slots}
    unknown = sorted(set(counts) - set(known))
    found = [f"a receipt for {key!r}, which is in no slot" for key in unknown]
    found += [f"{s.field}: {counts[s.key]} receipts instead of one" for s in plan.slots if counts[s.key] != 1]
    for receipt in receipts:
        if receipt.slot in known:
            found += _differs(known[receipt.slot], receipt)
    return tuple(found)


def _differs(slot: Slot, receipt: Receipt) -> Iterator[str]:
    if receipt.how not in _HOWS:
        yield f"{slot.field}: {receipt.how!r} is no way to use an input"
    if receipt.source_sha256 != slot.blob.sha256:
        read, planned = receipt.source_sha256[:12], slot.blob.sha256[:12]
        yield f"{slot.field}: other bytes were read ({read}) than planned ({planned})"
    if not receipt.where:
        yield f"{slot.field}: the receipt does not say where it was used"
    if (receipt.how == "ignored") is not slot.ignored:
        yield f"{slot.field}: {'ignored' if receipt.how == 'ignored' else 'used'} against the plan"
    elif slot.ignored:
        if receipt.used_sha256 or receipt.uses:
            yield f"{slot.field}: passed over, and the receipt claims a use"
    else:
        yield from _use_differs(slot, receipt)


def _use_differs(slot: Slot, receipt: Receipt) -> Iterator[str]:
    if not _SHA256.fullmatch(receipt.used_sha256):
        yield f"{slot.field}: the receipt does not say what was used"
    if receipt.used_sha256 == _OF_NOTHING and slot.blob.size_bytes:
        yield f"{slot.field}: what was used of it is nothing (the sha256 of no bytes)"
    if sorted(receipt.uses) != sorted(slot.uses):
        yield f"{slot.field}: used as {', '.join(receipt.uses) or 'nothing'}, planned as {', '.join(slot.uses)}"

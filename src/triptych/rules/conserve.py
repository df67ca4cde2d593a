"""Was every input used? Receipts against slots."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from triptych.task import Plan, Receipt, Slot

_SHA256 = re.compile(r"[0-9a-f]{64}")


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
    if receipt.source_sha256 != slot.blob.sha256 and receipt.how != "sent_url":
        read, planned = receipt.source_sha256[:12], slot.blob.sha256[:12]
        yield f"{slot.field}: other bytes were read ({read}) than planned ({planned})"
    if not _SHA256.fullmatch(receipt.used_sha256):
        yield f"{slot.field}: the receipt does not say what was used"
    if (receipt.how == "ignored") is not slot.ignored:
        yield f"{slot.field}: {'ignored' if receipt.how == 'ignored' else 'used'} against the plan"
    if not slot.ignored and sorted(receipt.uses) != sorted(slot.uses):
        yield f"{slot.field}: used as {', '.join(receipt.uses) or 'nothing'}, planned as {', '.join(slot.uses)}"

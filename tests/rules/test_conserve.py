from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import pytest

from tests.rules.example import AUDIO, VIDEO, clip, image, planned, ref, sound
from triptych.rules.conserve import differences
from triptych.task import Artifact, BytesSource, Receipt, Request, Slot

REQUEST = Request(
    prompt="x",
    references=(ref("image"), ref("clip", VIDEO, sound=True), ref("voice", AUDIO)),
    artifacts=(Artifact(id="foreign", kind="text", source=BytesSource(b""), field="artifacts[0]"),),
    ignore_artifacts=True,
)
PLAN = planned(REQUEST, probes=[image(), clip(sound=True), sound()])


def receipt(slot: Slot) -> Receipt:
    if slot.ignored:
        return Receipt(
            slot=slot.key,
            source_sha256=slot.blob.sha256,
            used_sha256="",
            how="ignored",
            uses=(),
            where="nowhere",
        )
    return Receipt(
        slot=slot.key,
        source_sha256=slot.blob.sha256,
        used_sha256="f" * 64,
        how="consumed",
        uses=slot.uses,
        where="all of it",
    )


GOOD = tuple(receipt(slot) for slot in PLAN.slots)


def test_one_true_receipt_for_each_slot_is_no_difference() -> None:
    assert differences(PLAN, GOOD) == ()
    assert differences(PLAN, GOOD[::-1]) == ()
    swapped = replace(GOOD[1], uses=GOOD[1].uses[::-1])
    assert differences(PLAN, (GOOD[0], swapped, *GOOD[2:])) == ()


def test_an_address_that_was_passed_on_is_compared_like_any_other_input() -> None:
    passed = replace(GOOD[0], how="sent_url", source_sha256="a" * 64)
    assert "other bytes were read" in differences(PLAN, (passed, *GOOD[1:]))[0]


@pytest.mark.parametrize("index", range(len(GOOD)))
def test_a_missing_receipt_names_the_input(index: int) -> None:
    lost = (*GOOD[:index], *GOOD[index + 1 :])
    assert differences(PLAN, lost) == (f"{PLAN.slots[index].field}: 0 receipts instead of one",)


@pytest.mark.parametrize("index", range(len(GOOD)))
def test_a_doubled_receipt_names_the_input(index: int) -> None:
    assert differences(PLAN, (*GOOD, GOOD[index])) == (f"{PLAN.slots[index].field}: 2 receipts instead of one",)


def test_a_receipt_for_nothing_is_named() -> None:
    assert differences(PLAN, (*GOOD, replace(GOOD[0], slot="reference_images[7]"))) == (
        "a receipt for 'reference_images[7]', which is in no slot",
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"source_sha256": "a" * 64}, "image: other bytes were read (aaaaaaaaaaaa) than planned"),
        ({"used_sha256": ""}, "image: the receipt does not say what was used"),
        ({"used_sha256": "F" * 64}, "image: the receipt does not say what was used"),
        ({"used_sha256": "f" * 64 + "\n"}, "image: the receipt does not say what was used"),
        ({"used_sha256": sha256().hexdigest()}, "image: what was used of it is nothing"),
        ({"where": ""}, "image: the receipt does not say where"),
        ({"how": "glanced at"}, "image: 'glanced at' is no way to use an input"),
        ({"how": "ignored"}, "image: ignored against the plan"),
        ({"uses": ()}, "image: used as nothing, planned as picture"),
        ({"uses": ("picture", "motion")}, "image: used as picture, motion, planned as picture"),
        ({"uses": ("picture", "picture")}, "image: used as picture, picture, planned as picture"),
    ],
)
def test_a_receipt_that_says_something_else_is_told(change: dict[str, str], words: str) -> None:
    (sentence,) = differences(PLAN, (replace(GOOD[0], **change), *GOOD[1:]))  # type: ignore[arg-type]  # one of many
    assert sentence.startswith(words)


def test_half_of_a_clip_is_not_the_clip() -> None:
    assert PLAN.slots[1].uses == ("picture", "sound")
    half = replace(GOOD[1], uses=("picture",))
    assert differences(PLAN, (GOOD[0], half, *GOOD[2:])) == ("clip: used as picture, planned as picture, sound",)


def test_what_may_be_ignored_may_not_be_claimed() -> None:
    claimed = replace(GOOD[3], how="consumed")
    assert differences(PLAN, (*GOOD[:3], claimed)) == ("artifacts[0]: used against the plan",)
    used = replace(GOOD[3], used_sha256="f" * 64)
    assert differences(PLAN, (*GOOD[:3], used)) == ("artifacts[0]: passed over, and the receipt claims a use",)
    assert differences(planned(Request(prompt="x")), ()) == ()


def test_nothing_may_be_used_of_what_holds_nothing() -> None:
    empty = replace(PLAN.slots[0], blob=replace(PLAN.slots[0].blob, size_bytes=0))
    used = replace(GOOD[0], used_sha256=sha256().hexdigest())
    assert differences(replace(PLAN, slots=(empty, *PLAN.slots[1:])), (used, *GOOD[1:])) == ()

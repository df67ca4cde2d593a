from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Sequence
from dataclasses import FrozenInstanceError, asdict
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triptych.errors import InputNotUsed
from triptych.task import Blob, Made, Modality, Plan, Request, Role, Settings, Slot, Task

SETTINGS = Settings(width=64, height=64, fps=24, num_frames=36, seed=0)


def slot(position: int, key: str | None = None, **more: object) -> Slot:
    values = {"role": Role.REFERENCE, "modality": Modality.IMAGE, "uses": ("picture",), **more}
    return Slot(
        key=f"key[{position}]" if key is None else key,
        position=position,
        field=f"field {position}",
        blob=Blob(path="", sha256="0" * 64, size_bytes=0),
        **values,  # type: ignore[arg-type]  # one of several types each
    )


def plan(inputs: int, slots: Sequence[Slot]) -> Plan:
    return Plan(
        engine="double",
        task=Task.REF2VA,
        prompt="x",
        engine_prompt="x",
        inputs=tuple(f"field {index}" for index in range(inputs)),
        slots=tuple(slots),
        settings=SETTINGS,
    )


@given(st.integers(0, 6), st.lists(st.integers(-1, 7), max_size=8))
def test_a_plan_holds_each_input_once_or_cannot_be_built(inputs: int, positions: list[int]) -> None:
    slots = [slot(position, f"key {index}") for index, position in enumerate(positions)]
    if sorted(positions) == list(range(inputs)):
        assert len(plan(inputs, slots).slots) == inputs
    else:
        with pytest.raises(InputNotUsed, match="does not hold each input once"):
            plan(inputs, slots)


def test_the_lost_and_the_doubled_are_named() -> None:
    with pytest.raises(InputNotUsed, match=r"lost \['field 1'\], doubled \['field 0'\]"):
        plan(3, [slot(0, "a"), slot(0, "b"), slot(2, "c")])


def test_two_slots_under_one_key_cannot_be() -> None:
    with pytest.raises(InputNotUsed, match="two slots under one key"):
        plan(2, [slot(0, "a"), slot(1, "a")])


def test_slots_are_found_by_key_and_by_role() -> None:
    sound = slot(1, role=Role.REFERENCE, modality=Modality.AUDIO, uses=("sound",))
    frame = slot(2, role=Role.FIRST_FRAME)
    whole = plan(3, [slot(0), sound, frame])
    assert whole.slot("key[1]") is sound
    assert whole.in_role(Role.REFERENCE) == (whole.slots[0], sound)
    assert whole.in_role(Role.REFERENCE, Modality.AUDIO) == (sound,)
    assert whole.in_role(Role.VOICE) == ()
    with pytest.raises(KeyError, match=r"this plan has key\[0\], key\[1\], key\[2\]"):
        whole.slot("nothing")
    with pytest.raises(KeyError, match="none"):
        plan(0, []).slot("nothing")


def test_a_plan_does_not_change_and_its_length_is_exact() -> None:
    whole = plan(0, [])
    with pytest.raises(FrozenInstanceError):
        whole.prompt = "y"  # type: ignore[misc]  # that is the point
    assert whole.settings.seconds == 1.5


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_a_plan_and_a_request_can_be_copied_and_sent_elsewhere(copied: Callable[[object], object]) -> None:
    note = slot(0, "artifacts[0]", role=None, modality=None, meta=MappingProxyType({"turn": 1}))
    for value in (plan(1, [note]), Request(prompt="x"), Made(outputs=(), receipts=())):
        there = copied(value)
        assert there == value
        assert there is not value
    assert asdict(Request(prompt="x"))["options"] == {}

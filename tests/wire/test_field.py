"""The table of names: each once, and each of a kind that there is."""

from __future__ import annotations

from collections import Counter

import pytest

from triptych.task import Modality, Request, Role, Scalar
from triptych.wire.field import (
    ALIASES,
    ATTRIBUTES,
    INPUTS,
    NESTED,
    OPTION_ALIASES,
    OPTIONS,
    PLACES,
    REFUSED,
    ROLES,
    SETTINGS,
    TABLE,
    TYPES,
    asks_nothing,
    known,
)
from triptych.wire.scalar import WANTED


def test_no_name_means_two_things() -> None:
    names = Counter([*SETTINGS, *ALIASES, *INPUTS, *NESTED, *OPTIONS, *OPTION_ALIASES, *REFUSED, "metadata"])
    assert [name for name, count in names.items() if count > 1] == []
    assert set(known()) == set(names) - set(REFUSED)
    assert set(PLACES) & set(ATTRIBUTES) == set()


def test_each_row_says_what_it_must() -> None:
    parts = set(Request.__dataclass_fields__)
    for name, setting in SETTINGS.items():
        assert setting.kind in WANTED
        assert setting.sets in {None, *parts}, name
    for text in (*(row.help for row in SETTINGS.values()), *(row.help for row in INPUTS.values())):
        assert text.endswith(".")
    for name, refused in REFUSED.items():
        assert refused.why and not refused.why.endswith("."), name
    assert all(kind in WANTED for kind, _ in ATTRIBUTES.values())
    assert set(TABLE) == {"nested", "setting", "input", "place", "attribute", "role", "type", "option", "refused"}


def test_an_alias_is_what_it_stands_for() -> None:
    assert INPUTS["reference_image_urls"].name == INPUTS["reference_images"].name == "reference_images"
    assert (INPUTS["first_frame_image"].role, INPUTS["start_image"].role) == (Role.FIRST_FRAME, Role.FIRST_FRAME)
    assert ALIASES["num_outputs_per_prompt"] == "n"
    assert (OPTION_ALIASES["step"], OPTION_ALIASES["cfg_scale"]) == ("num_inference_steps", "guidance_scale")


def test_our_own_words_are_among_the_words() -> None:
    assert {word: ROLES[word] for word in Role} == {role.value: role for role in Role}
    assert {word: TYPES[word] for word in Modality} == {kind.value: kind for kind in Modality}


@pytest.mark.parametrize(
    ("value", "neutral", "nothing"),
    [
        (None, (), True), (False, (), True), ("", (), True), ("false", (), True), ({}, (), True), ([], (), True),
        (0, (), False), (0.0, (), False), (True, (), False), ("true", (), False), ([0], (), False), ("0", (), False),
        (1, (1, 1.0), True), (1.0, (1, 1.0), True), (True, (1,), False), (2, (1,), False),
    ],
)  # fmt: skip
def test_what_asks_for_nothing(value: object, neutral: tuple[Scalar, ...], nothing: bool) -> None:
    assert asks_nothing(value, neutral) is nothing

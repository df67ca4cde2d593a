from __future__ import annotations

from dataclasses import fields

from triptych.task import Request
from triptych.wire.field import ALIASES, INPUTS, NESTED, OPTIONS, REFUSED, SETTINGS, known


def test_a_name_means_one_thing() -> None:
    tables = [set(SETTINGS), set(ALIASES), set(INPUTS), set(NESTED), set(OPTIONS), set(REFUSED), {"metadata"}]
    assert sum(map(len, tables)) == len(set().union(*tables))


def test_every_setting_is_a_part_of_a_request_or_is_worked_out() -> None:
    parts = {item.name for item in fields(Request)}
    assert {one.sets for one in SETTINGS.values() if one.sets is not None} <= parts
    assert set(ALIASES.values()) <= set(SETTINGS)


def test_every_name_is_offered_where_one_is_misspelt() -> None:
    assert {"prompt", "input_reference", "reference_images", "metadata", "extra_params"} <= set(known())


def test_everything_says_what_it_is() -> None:
    assert all(one.help.endswith(".") for one in SETTINGS.values())
    assert all(one.help for one in INPUTS.values())
    assert all(reason and not reason.endswith(".") for reason in REFUSED.values())

"""Every request that is called illegal is refused by the rules, for what it is called."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.example import H3_LIKE
from triptych.engines.registry import Registry
from triptych.rules.check import check
from triptych.rules.spec import EngineSpec
from triptych.task import BytesSource, Modality, Reference, Request, Role
from triptych.testing.double import ANYTHING
from triptych.testing.illegal import illegal

SPECS = {spec.name: spec for spec in (ANYTHING, H3_LIKE, Registry.installed().spec("animatic"))}
PICTURE = Reference(role=Role.FIRST_FRAME, source=BytesSource(b""), field="first", modality=Modality.IMAGE)
BASE = Request(prompt="a boat", references=(PICTURE,))


@pytest.mark.parametrize("name", SPECS)
def test_the_rules_refuse_each(name: str) -> None:
    spec = SPECS[name]
    assert check(BASE, spec) == ()
    accepted = [reason for reason, request in illegal(spec, BASE) if not check(request, spec)]
    assert accepted == []


def reasons(spec: EngineSpec) -> list[str]:
    return [reason for reason, _ in illegal(spec, BASE)]


def test_each_part_of_a_spec_has_its_requests() -> None:
    h3 = reasons(H3_LIKE)
    assert len(h3) == len(set(h3))
    assert {"first_frame with reference", "sound alone", "10 references of kind image", "role voice"} <= set(h3)
    assert {"audio as first_frame", "a width off the grid", "too many videos", "task tts"} <= set(h3)


def test_what_a_spec_does_not_forbid_is_left_out() -> None:
    free = replace(H3_LIKE, exclusive=(), audio_alone=True, prompt_required=False)
    assert not {"first_frame with reference", "sound alone", "an empty prompt"} & set(reasons(free))

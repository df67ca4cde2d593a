from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.rules.example import AUDIO, IMAGE, VIDEO, case, clip, image, ref, sound
from triptych.rules.case import sensible_part
from triptych.task import Request, Role

REQUEST = Request(
    prompt="x",
    references=(
        ref("first", role=Role.FIRST_FRAME),
        ref("any", None),
        ref("clip", VIDEO, start_seconds=1.0),
        ref("voice", AUDIO, start_seconds=1.0, seconds=2.0),
    ),
)


def test_a_kind_is_as_seen_before_as_stated() -> None:
    before, after = case(REQUEST), case(REQUEST, probes={1: clip(), 3: image()})
    assert before.modalities == (IMAGE, None, VIDEO, AUDIO)
    assert not before.kinds_known
    assert after.modalities == (IMAGE, VIDEO, VIDEO, IMAGE)
    assert after.kinds_known


def test_numbers_change_when_a_kind_becomes_known() -> None:
    assert [one.tag for one in case(REQUEST).numbered] == ["<Video 1>", "<Audio 1>"]
    seen = case(REQUEST, probes={1: clip()})
    assert [(one.tag, one.reference.field) for one in seen.numbered] == [
        ("<Video 1>", "any"),
        ("<Video 2>", "clip"),
        ("<Audio 1>", "voice"),
    ]


def test_inputs_of_a_role_come_with_their_positions() -> None:
    assert [(i, one.field) for i, one in case(REQUEST).in_role(Role.REFERENCE)] == [
        (1, "any"),
        (2, "clip"),
        (3, "voice"),
    ]


def test_the_length_that_is_used_is_as_asked_or_to_the_end() -> None:
    before = case(REQUEST)
    assert [before.used_seconds(i) for i in range(4)] == [0.0, 0.0, 0.0, 2.0]
    after = case(REQUEST, probes=[image(), clip(4.0), clip(4.0), sound(9.0)])
    assert [after.used_seconds(i) for i in range(4)] == [0.0, 4.0, 3.0, 2.0]
    late = replace(REQUEST.references[2], start_seconds=7.0)
    assert case(replace(REQUEST, references=(late,)), probes=[clip(4.0)]).used_seconds(0) == 0.0


@pytest.mark.parametrize(
    ("start", "seconds"),
    [(math.nan, 1.0), (math.inf, None), (-1.0, 1.0), (None, 0.0), (0.0, -2.0), (0.0, 1e-9), (None, 10**400)],
)
def test_a_part_that_makes_no_sense_has_no_length(start: float | None, seconds: float | None) -> None:
    reference = ref("clip", VIDEO, start_seconds=start, seconds=seconds)
    assert not sensible_part(reference)
    assert case(Request(prompt="x", references=(reference,)), probes=[clip(4.0)]).used_seconds(0) == 0.0


def test_ordinary_parts_make_sense() -> None:
    assert sensible_part(ref("clip", VIDEO))
    assert sensible_part(ref("clip", VIDEO, start_seconds=0.0, seconds=0.04))

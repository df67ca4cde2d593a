from __future__ import annotations

from typing import Any

import pytest

from triptych.task import Modality, PathSource, Reference, Role, Warned
from triptych.wire.reference import Reading
from triptych.wire.together import combined


def clip(field: str, **more: Any) -> Reference:
    return Reference(role=Role.REFERENCE, modality=Modality.VIDEO, source=PathSource(field), field=field, **more)


def sound(field: str, **more: Any) -> Reference:
    return Reference(role=Role.SOUNDTRACK, modality=Modality.AUDIO, source=PathSource(field), field=field, **more)


def frame(field: str, path: str = "a.png") -> Reference:
    return Reference(role=Role.FIRST_FRAME, modality=Modality.IMAGE, source=PathSource(path), field=field)


def put(*references: Reference, **said: Any) -> tuple[tuple[Reference, ...], Reading, list[Warned]]:
    reading, warnings = Reading(references=list(references)), list[Warned]()
    found = combined(reading, lambda name: (name, said.get(name)), warnings)
    return found, reading, warnings


def codes(reading: Reading) -> list[tuple[str, str]]:
    return [(problem.code, problem.field) for problem in reading.problems]


def test_a_frame_that_is_said_twice_in_one_way_is_one_and_that_is_told() -> None:
    found, reading, warnings = put(frame("first_frame"), frame("input_reference"))
    assert [one.field for one in found] == ["first_frame"]
    assert codes(reading) == []
    assert [(one.code, one.field) for one in warnings] == [("said_twice", "input_reference")]


def test_two_first_frames_are_refused_naming_both() -> None:
    _, reading, _ = put(frame("first_frame"), frame("input_reference", "b.png"))
    assert codes(reading) == [("conflicting_parameters", "input_reference")]
    assert "first_frame" in str(reading.problems[0])


def test_a_soundtrack_belongs_to_the_only_clip() -> None:
    found, reading, _ = put(clip("reference_videos[0]"), sound("soundtrack"))
    assert codes(reading) == []
    assert found[1].soundtrack_of == "reference_videos[0]"


def test_a_soundtrack_belongs_to_the_clip_that_it_names() -> None:
    found, reading, _ = put(clip("a", name="walk"), clip("b", name="run"), sound("c", soundtrack_of="run"))
    assert codes(reading) == []
    assert found[2].soundtrack_of == "b"


@pytest.mark.parametrize(
    "given",
    [
        (sound("c"),),
        (clip("a"), clip("b"), sound("c")),
        (clip("a", name="walk"), sound("c", soundtrack_of="fly")),
    ],
)
def test_a_soundtrack_of_nothing_is_refused(given: tuple[Reference, ...]) -> None:
    _, reading, _ = put(*given)
    assert codes(reading) == [("invalid_value", "c")]


def test_the_sound_of_clips_is_used_when_it_is_asked_for() -> None:
    found, reading, _ = put(clip("a"), frame("f"), soundtrack=True)
    assert codes(reading) == []
    assert [one.sound for one in found] == [True, False]
    _, reading, _ = put(frame("f"), soundtrack=True)
    assert codes(reading) == [("invalid_value", "soundtrack")]


def test_a_start_is_for_the_only_thing_that_has_one() -> None:
    found, reading, _ = put(clip("a"), frame("f"), start_time_seconds=1.5)
    assert codes(reading) == []
    assert [one.start_seconds for one in found] == [1.5, None]
    for given in ((frame("f"),), (clip("a"), clip("b"))):
        _, reading, _ = put(*given, start_time_seconds=1.5)
        assert codes(reading) == [("invalid_value", "start_time_seconds")]


def test_an_image_that_does_not_say_what_it_is_for_stands_alone() -> None:
    _, reading, _ = put(frame("image_reference"))
    assert codes(reading) == []
    _, reading, _ = put(frame("image_reference"), clip("a"))
    assert codes(reading) == [("role_required", "image_reference")]

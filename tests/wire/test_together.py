"""What only all inputs together say."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire.asking import inputs_of, typed
from triptych.task import Reference
from triptych.wire.video import Typed

CLIP = {"path": "a.mp4", "type": "video", "role": "reference"}
SOUND = {"path": "s.wav", "type": "audio", "role": "soundtrack"}


def references(values: dict[str, Any]) -> tuple[Reference, ...]:
    one = typed(values)
    assert one.problems == ()
    return one.request.references


def refused(one: Typed) -> list[tuple[str, str]]:
    return [(problem.code, problem.field) for problem in one.problems]


def test_one_frame_said_twice_is_one() -> None:
    one = typed({"input_reference": "a.png", "first_frame": "a.png"})
    assert (refused(one), inputs_of(one)) == ([], ["first_frame ? input_reference"])
    assert [(each.code, each.field) for each in one.warnings] == [("said_twice", "first_frame")]
    one = typed({"first_frame": "a.png", "start_image": "https://a.example/a", "last_frame": "b.png"})
    assert refused(one) == [("conflicting_parameters", "start_image")]
    assert "first_frame is another" in one.problems[0].message
    one = typed({"first_frame": "a.png", "references": [{"path": "a.png", "type": "image", "role": "first_frame"}]})
    assert (refused(one), inputs_of(one)) == ([], ["first_frame image first_frame"])
    assert [(each.code, each.field) for each in one.warnings] == [("said_twice", "references[0]")]


def test_image_reference_is_the_first_frame_only_when_it_is_alone() -> None:
    assert inputs_of(typed({"image_reference": "a.png"})) == ["first_frame image image_reference"]
    for other in ({"reference_images": ["b.png"]}, {"last_frame": "b.png"}, {"audio_reference": "s.wav"}):
        one = typed({"image_reference": "a.png", **other})
        assert refused(one) == [("role_required", "image_reference")]
        assert next(iter(other)) in one.problems[0].message
        assert len(one.request.references) == 2
    said = {"image_reference": {"path": "a.png", "role": "reference"}, "audio_reference": "s.wav"}
    assert len(references(said)) == 2


def test_a_soundtrack_belongs_to_a_clip() -> None:
    *_, sound = references({"reference_videos": ["a.mp4"], "soundtrack": "s.wav"})
    assert sound.soundtrack_of == "reference_videos[0]"
    named = [{**CLIP, "name": "dog"}, {**CLIP, "path": "b.mp4"}, {**SOUND, "soundtrack_of": "dog"}]
    assert references({"references": named})[2].soundtrack_of == "references[0]"
    placed = [{**SOUND, "soundtrack_of": "references[1]"}, CLIP]
    assert references({"references": placed})[0].soundtrack_of == "references[1]"
    inner = references({"references": [{**CLIP, "soundtrack": {"url": "https://a.example/s.wav"}}]})
    assert (inner[1].field, inner[1].soundtrack_of) == ("references[0].soundtrack", "references[0]")


@pytest.mark.parametrize(
    "values",
    [
        {"soundtrack": "s.wav"},
        {"soundtrack": "s.wav", "reference_videos": ["a", "b"]},
        {"soundtrack": {"path": "s.wav", "soundtrack_of": "dog"}, "reference_videos": ["a"]},
    ],
)
def test_a_soundtrack_without_a_clip_of_its_own_is_refused(values: dict[str, Any]) -> None:
    assert refused(typed(values)) == [("reference_required", "soundtrack")]


@pytest.mark.parametrize("said", [True, "true"])
def test_clips_are_silent_unless_their_sound_is_asked_for(said: Any) -> None:
    values = {"reference_videos": ["a.mp4"], "reference_images": ["b.png"]}
    assert [one.sound for one in references(values)] == [False, False]
    assert [one.sound for one in references({**values, "soundtrack": said})] == [True, False]
    assert [one.sound for one in references({**values, "soundtrack": False})] == [False, False]
    assert refused(typed({"soundtrack": said})) == [("invalid_value", "soundtrack")]


def test_a_start_is_of_the_only_clip_or_sound() -> None:
    values: dict[str, Any] = {"reference_images": ["b.png"], "reference_videos": ["a.mp4"], "start_time_seconds": 2}
    assert [one.start_seconds for one in references(values)] == [None, 2]
    others: list[dict[str, Any]] = [
        {"reference_videos": ["a", "b"]},
        {"reference_audio": "s"},
        {"reference_videos": []},
    ]
    for more in others:
        assert refused(typed({**values, **more})) == [("invalid_value", "start_time_seconds")]
    twice = {"reference_videos": [{"path": "a", "start_seconds": 1}], "start_time_seconds": 2}
    assert refused(typed(twice)) == [("conflicting_parameters", "start_time_seconds")]


def test_sound_in_metadata_is_that_of_the_clip_there() -> None:
    both = {"input_reference_video": "frames", "input_reference_audio": "s.wav"}
    sound = references({"metadata": both})[1]
    assert (sound.role, sound.soundtrack_of) == ("soundtrack", "metadata.input_reference_video")
    apart = references({"reference_videos": ["frames"], "metadata": {"input_reference_audio": "s.wav"}})
    assert [one.role for one in apart] == ["reference", "reference"]

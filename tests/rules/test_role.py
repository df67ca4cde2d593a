from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.example import (
    ANYTHING,
    AUDIO,
    H3_LIKE,
    HOSTED,
    IMAGE,
    VIDEO,
    case,
    clip,
    image,
    ref,
    refs,
    sound,
    told,
)
from triptych.rules.role import article, caps_rule, combination_rule, role_rule, soundtrack_rule
from triptych.rules.spec import Caps
from triptych.task import Modality, Reference, Request, Role


def request(*references: Reference) -> Request:
    return Request(prompt="x", references=references)


def test_a_role_that_the_engine_has_no_use_for_is_refused() -> None:
    (problem,) = role_rule(case(request(ref("a"), ref("v", AUDIO, Role.VOICE)), H3_LIKE))
    assert (problem.code, problem.field, problem.value) == ("unsupported_role", "v", "voice")
    assert "first_frame, last_frame, reference, soundtrack" in problem.fix
    assert "give it as reference audio" in problem.fix


@pytest.mark.parametrize(
    ("role", "modality", "words"),
    [
        (Role.FIRST_FRAME, VIDEO, "is a video, and a first_frame is an image"),
        (Role.LAST_FRAME, AUDIO, "is audio, and a last_frame is an image"),
        (Role.SOUNDTRACK, IMAGE, "is an image, and a soundtrack is audio"),
    ],
)
def test_a_kind_that_a_role_does_not_take_is_refused(role: Role, modality: Modality, words: str) -> None:
    (problem,) = role_rule(case(request(ref("one", modality, role)), H3_LIKE))
    assert (problem.code, problem.field) == ("unsupported_modality", "one")
    assert problem.message == words


def test_bytes_of_another_kind_than_stated_are_refused() -> None:
    (problem,) = role_rule(case(request(ref("--clip a.png", VIDEO)), probes=[image(container="png")]))
    assert problem.code == "unsupported_modality"
    assert problem.message == "was given as a video, and its bytes are an image (png)"
    assert not list(role_rule(case(request(ref("any", None)), probes=[image()])))


def test_one_too_many_in_a_role_names_the_one_that_is_over() -> None:
    frames = [ref(f"frame {index}", role=Role.FIRST_FRAME) for index in range(3)]
    (problem,) = role_rule(case(request(*frames), H3_LIKE))
    assert (problem.code, problem.field) == ("reference_limit_exceeded", "frame 1")
    assert (problem.value, problem.limit) == (3, 1)
    assert "frame 0, frame 1, frame 2" in problem.message


@pytest.mark.parametrize(("modality", "most"), [(IMAGE, 9), (VIDEO, 3), (AUDIO, 3)])
def test_each_kind_has_its_cap(modality: Modality, most: int) -> None:
    beside = () if modality is not AUDIO else refs(1)
    assert not list(caps_rule(case(request(*refs(most, modality, "r"), *beside), H3_LIKE)))
    (problem,) = caps_rule(case(request(*refs(most + 1, modality, "r"), *beside), H3_LIKE))
    assert (problem.code, problem.field) == ("reference_limit_exceeded", f"r[{most}]")
    assert (problem.value, problem.limit) == (most + 1, most)


def test_a_total_is_counted_with_kinds_still_unknown() -> None:
    (problem,) = caps_rule(case(request(*refs(13, None, "r")), H3_LIKE))
    assert (problem.field, problem.value, problem.limit) == ("r[12]", 13, 12)


def test_a_cap_of_none_says_none() -> None:
    spec = replace(ANYTHING, caps=Caps(image=5))
    (problem,) = caps_rule(case(request(ref("clip", VIDEO)), spec))
    assert "takes none" in problem.message


def test_caps_count_references_and_not_frames() -> None:
    frames = (ref("f", role=Role.FIRST_FRAME), ref("l", role=Role.LAST_FRAME))
    assert not list(caps_rule(case(request(*frames, *refs(9)), H3_LIKE)))


def test_audio_alone_is_refused_where_the_engine_says_so() -> None:
    alone = request(ref("voice", AUDIO))
    assert told(caps_rule(case(alone, H3_LIKE))) == [("audio_alone", "voice")]
    assert not list(caps_rule(case(alone, ANYTHING)))
    assert not list(caps_rule(case(request(ref("voice", AUDIO), ref("image")), H3_LIKE)))
    assert not list(caps_rule(case(request(ref("voice", AUDIO), ref("any", None)), H3_LIKE)))


def test_frames_and_references_are_exclusive_where_the_engine_says_so() -> None:
    both = request(ref("--first-frame a.png", role=Role.FIRST_FRAME), ref("--image b.png"), ref("--clip c.mp4", VIDEO))
    (problem,) = combination_rule(case(both, H3_LIKE))
    assert (problem.code, problem.field) == ("unsupported_combination", "--first-frame a.png")
    assert "--first-frame a.png cannot be used together with --image b.png, --clip c.mp4" in problem.message
    assert "weights" in problem.message
    assert not list(combination_rule(case(both, ANYTHING)))
    assert not list(combination_rule(case(request(*both.references[1:]), H3_LIKE)))


CLIP, TRACK = ref("clip", VIDEO), ref("track", AUDIO, Role.SOUNDTRACK, soundtrack_of="clip")


def test_a_soundtrack_of_its_clip_is_legal() -> None:
    assert not list(soundtrack_rule(case(request(CLIP, TRACK), probes=[clip(), sound()])))
    assert not list(soundtrack_rule(case(request(ref("clip", None), TRACK))))


@pytest.mark.parametrize(
    ("references", "code", "field", "words"),
    [
        ((TRACK,), "reference_required", "track", "there is none before it"),
        ((CLIP, replace(TRACK, soundtrack_of=None)), "reference_required", "track", "there is none before it"),
        ((CLIP, replace(TRACK, soundtrack_of="other")), "reference_required", "track", "none before it"),
        ((CLIP, TRACK, replace(TRACK, field="2")), "conflicting_parameters", "2", "clip already has track"),
        ((replace(CLIP, sound=True), TRACK), "conflicting_parameters", "track", "its own sound"),
        ((ref("clip"), TRACK), "unsupported_modality", "track", "clip is an image"),
        ((ref("a", sound=True),), "unsupported_modality", "a", "only a reference clip has a sound of its own"),
        ((ref("a", AUDIO, sound=True),), "unsupported_modality", "a", "only a reference clip"),
        ((replace(CLIP, soundtrack_of="x"),), "conflicting_parameters", "clip", "only a soundtrack belongs to a clip"),
    ],
)
def test_sound_that_belongs_nowhere_is_refused(
    references: tuple[Reference, ...], code: str, field: str, words: str
) -> None:
    (problem,) = soundtrack_rule(case(request(*references)))
    assert (problem.code, problem.field) == (code, field)
    assert words in problem.message


def test_the_sound_of_a_silent_clip_is_refused_once_it_was_seen() -> None:
    asked = request(ref("--sounded-clip a.mp4", VIDEO, sound=True))
    assert not list(soundtrack_rule(case(asked)))
    assert not list(soundtrack_rule(case(asked, probes=[clip(sound=True)])))
    assert told(soundtrack_rule(case(asked, probes=[clip()]))) == [("invalid_value", "--sounded-clip a.mp4")]


def test_an_engine_may_not_use_the_sound_of_clips() -> None:
    asked = request(ref("clip", VIDEO, sound=True))
    assert told(soundtrack_rule(case(asked, HOSTED))) == [("unsupported_parameter", "clip")]


def test_articles() -> None:
    assert [article(word) for word in ("image", "audio", "video")] == ["an image", "audio", "a video"]

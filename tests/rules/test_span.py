from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Literal

import pytest

from tests.rules.example import (
    ANYTHING,
    AUDIO,
    GOING_ON,
    H3_LIKE,
    IMAGE,
    MUTE,
    SPEAKING,
    VIDEO,
    case,
    clip,
    image,
    ref,
    refs,
    sound,
    told,
)
from triptych.engines.animatic.spec import animatic_spec
from triptych.rules.span import (
    final_length,
    frames_rule,
    lines_of,
    lines_rule,
    needed_seconds,
    quoted,
    span_rule,
    speech_end,
    speech_rule,
    whole_rule,
)
from triptych.rules.spec import Speech
from triptych.task import Request, Role, Tags

TOGETHER = replace(animatic_spec(), timing=replace(animatic_spec().timing, stretches=False))


@pytest.mark.parametrize(
    ("prompt", "lines"),
    [
        ('she says "hello there"', ("hello there",)),
        ('"one" and “two” and „three“ and «four»', ("one", "two", "three", "four")),
        ("it's an 'apostrophe' and a single \" mark", ()),
        ('"" and "  "', ()),
        ('" padded "', ("padded",)),
        ('a 5" pipe and a 6" one', ()),
        ('a 5" pipe says "drip"', ("drip",)),
        ('她说"你好"', ("你好",)),
        ('"over\ntwo lines"', ("over\ntwo lines",)),
        ("no words", ()),
    ],
)
def test_words_in_double_quotes_are_lines(prompt: str, lines: tuple[str, ...]) -> None:
    assert quoted(prompt) == lines


def test_lines_are_said_one_after_another() -> None:
    speech = Speech(speaks=True, start_seconds=0.5, gap_seconds=0.25)
    assert speech_end(speech, ()) == 0.0
    assert speech_end(speech, (1.0,)) == 1.5
    assert speech_end(speech, (1.0, 2.0, 1.0)) == 5.0


def test_a_clip_longer_than_the_video_is_refused_with_figures() -> None:
    request = Request(prompt="x", references=(ref("--clip a.mp4", VIDEO),), seconds=4.0)
    (problem,) = span_rule(case(request, TOGETHER, [clip(6)]))
    assert (problem.code, problem.field, problem.value, problem.limit) == ("media_too_long", "--clip a.mp4", 6, 4)
    assert "6.000 s of clips" in problem.message
    assert "start_seconds 0 and seconds 4" in problem.fix
    typed = replace(request, fields={"part": "#t={start},{end}"})
    (problem,) = span_rule(case(typed, TOGETHER, [clip(6)]))
    assert "use #t=0,4" in problem.fix


@pytest.mark.parametrize(("inputs", "refused"), [("together", True), ("each", False), ("free", False)])
def test_inputs_share_the_length_as_the_engine_says(inputs: Literal["together", "each", "free"], refused: bool) -> None:
    spec = replace(ANYTHING, timing=replace(ANYTHING.timing, inputs=inputs))
    request = Request(prompt="x", references=refs(2, VIDEO, "clip"), seconds=5.0)
    found = list(span_rule(case(request, spec, [clip(3), clip(3)])))
    assert told(found) == ([("media_too_long", "clip[1]")] if refused else [])
    assert all("clip[0], clip[1]" in problem.message for problem in found)


def test_clips_and_sound_are_counted_apart() -> None:
    request = Request(prompt="x", references=(ref("c", VIDEO), ref("v", AUDIO)), seconds=4.0)
    assert not list(span_rule(case(request, TOGETHER, [clip(4), sound(4)])))
    assert told(span_rule(case(request, TOGETHER, [clip(5), sound(5)]))) == [
        ("media_too_long", "c"),
        ("media_too_long", "v"),
    ]


def test_a_hair_over_is_not_refused() -> None:
    request = Request(prompt="x", references=(ref("c", VIDEO),), seconds=15.0)
    assert not list(span_rule(case(request, TOGETHER, [clip(15.015)])))
    assert told(span_rule(case(request, TOGETHER, [clip(15.2)]))) == [("media_too_long", "c")]


def test_sound_as_long_as_the_chain_that_it_is_for_fits() -> None:
    chain = replace(H3_LIKE, timing=replace(H3_LIKE.timing, max_frames=5 + 17 * 40))
    request = Request(prompt="x", references=(ref("i"), ref("song", AUDIO)), seconds=22.0)
    assert not list(span_rule(case(request, chain, {1: sound(22.0)})))
    assert final_length(case(request, chain, {1: sound(22.0)})).num_frames == 532


def test_a_part_stated_of_an_unseen_clip_counts_already() -> None:
    request = Request(prompt="x", references=(ref("c", VIDEO, seconds=9.0),), seconds=4.0)
    assert told(span_rule(case(request, TOGETHER))) == [("media_too_long", "c")]


def test_parts_of_any_length_can_be_judged() -> None:
    for seconds in (math.nan, math.inf, 1.7e308, 10**400, -1.0):
        clips = tuple(ref(f"c{index}", VIDEO, seconds=seconds) for index in range(3))
        found = list(span_rule(case(Request(prompt="x", references=clips), animatic_spec())))
        assert all(json.dumps(problem.as_json(), allow_nan=False) for problem in found)


def test_a_soundtrack_that_outlasts_its_clip_is_refused() -> None:
    inputs = (ref("c", VIDEO), ref("t", AUDIO, Role.SOUNDTRACK, soundtrack_of="c"))
    request = Request(prompt="x", references=inputs, seconds=9.0)
    (problem,) = span_rule(case(request, TOGETHER, [clip(4), sound(5)]))
    assert (problem.code, problem.field) == ("media_too_long", "t")
    assert problem.message == "5.000 s of sound for c, which lasts 4.000 s"
    assert not list(span_rule(case(request, TOGETHER, [clip(4), sound(4.05)])))
    assert not list(span_rule(case(request, TOGETHER, {1: sound(5)})))


def test_the_video_becomes_long_enough_where_it_stretches() -> None:
    request = Request(prompt='"a" "b"', references=(*refs(2, VIDEO, "c"), ref("v", AUDIO)))
    seen = case(request, animatic_spec(), [clip(4), clip(4), sound(7)], spoken=(1.0, 1.0))
    assert needed_seconds(seen) == 8.0
    assert final_length(seen).num_frames == 192
    assert not list(span_rule(seen))


def test_speech_that_an_engine_does_not_do_is_refused_when_required() -> None:
    request = Request(prompt='say "hi"', require_speech=True, fields={"require_speech": "--require-speech"})
    assert told(speech_rule(case(request))) == [("unsupported_parameter", "--require-speech")]
    assert not list(speech_rule(case(replace(request, require_speech=False))))


def test_required_speech_needs_words_and_a_voice() -> None:
    silent = Request(prompt="no words", require_speech=True)
    assert told(speech_rule(case(silent, SPEAKING))) == [("nothing_to_speak", "require_speech")]
    request = Request(prompt='say "hi \ud800"', require_speech=True)
    (problem,) = speech_rule(case(request, MUTE))
    assert (problem.code, problem.fix) == ("speech_unavailable", "Install one: install it")
    assert str(problem).encode("utf-8")
    assert json.dumps(problem.as_json(), ensure_ascii=False).encode("utf-8")
    assert not list(speech_rule(case(replace(request, require_speech=False), MUTE)))
    assert not list(speech_rule(case(request, SPEAKING, spoken=(1.0,))))


def test_words_that_cannot_be_pronounced_are_no_speech() -> None:
    request = Request(prompt='"hello" and "…"', require_speech=True)
    (problem,) = speech_rule(case(request, SPEAKING, spoken=(1.0, 0.0)))
    assert (problem.code, problem.value) == ("nothing_to_speak", ["…"])
    assert not list(speech_rule(case(replace(request, require_speech=False), SPEAKING, spoken=(1.0, 0.0))))


def test_words_that_take_longer_than_the_video_are_refused() -> None:
    request = Request(prompt='"hello"', seconds=2.0)
    (problem,) = lines_rule(case(request, SPEAKING, spoken=(4.0,)))
    assert (problem.code, problem.field) == ("speech_too_long", "prompt")
    assert "over at 4.500 s, and the video at 2.000 s" in problem.message
    assert not list(lines_rule(case(request, SPEAKING, spoken=(1.5,))))


def test_a_long_line_is_shown_short() -> None:
    request = Request(prompt=f'"{"a" * 500}"', require_speech=True)
    (problem,) = speech_rule(case(request, MUTE))
    assert len(problem.message) < 120


def test_a_first_and_a_last_frame_need_two() -> None:
    frames = (ref("first", role=Role.FIRST_FRAME), ref("last", role=Role.LAST_FRAME))
    fields = {"num_frames": "--frames", "seconds": "--seconds"}
    (problem,) = frames_rule(case(Request(references=frames, num_frames=1, fields=fields), ANYTHING))
    assert (problem.code, problem.field) == ("duration_not_supported", "--frames")
    assert problem.message == "first, last cannot all be seen in 1 frame"
    assert told(frames_rule(case(Request(references=frames, seconds=0.04, fields=fields), ANYTHING))) == [
        ("duration_not_supported", "--seconds")
    ]
    assert not list(frames_rule(case(Request(references=frames, num_frames=2), ANYTHING)))
    assert not list(frames_rule(case(Request(references=frames[:1], num_frames=1), ANYTHING)))


def test_what_is_shown_in_turn_needs_a_frame_each() -> None:
    shows = replace(ANYTHING, shows_every_input=True)
    pictures = tuple(ref(f"picture{i}", IMAGE) for i in range(3))
    clip = ref("clip", VIDEO)
    (problem,) = frames_rule(case(Request(references=pictures, num_frames=2), shows))
    assert (problem.field, problem.value, problem.limit) == ("num_frames", 2, 3)
    assert "picture0, picture1, picture2 cannot all be seen in 2 frames" in problem.message
    assert not list(frames_rule(case(Request(references=pictures, num_frames=3), shows)))
    assert not list(frames_rule(case(Request(references=pictures, num_frames=2), ANYTHING)))
    assert list(frames_rule(case(Request(references=(*pictures, clip), num_frames=3), shows)))
    assert not list(frames_rule(case(Request(references=(*pictures, clip), num_frames=4), shows)))
    assert list(frames_rule(case(Request(references=(clip,), num_frames=1), shows)))


def test_a_line_too_long_to_be_spoken_is_refused_before_anything_is_measured() -> None:
    voice = replace(SPEAKING, speech=replace(SPEAKING.speech, max_line_chars=9))
    request = Request(prompt='"just nine" and "one too many"', fields={"prompt": "PROMPT"})
    (problem,) = lines_rule(case(request, voice))
    assert (problem.code, problem.field, problem.value, problem.limit) == ("speech_too_long", "PROMPT", 12, 9)
    assert not list(lines_rule(case(request, replace(voice, speech=replace(voice.speech, speaks=False)))))


def test_escapes_are_not_spoken_unless_the_prompt_is_verbatim() -> None:
    request = Request(prompt='she reads "see \\Image 1 and \\@anna", then "done"')
    assert lines_of(request) == ("see Image 1 and @anna", "done")
    assert lines_of(replace(request, tags=Tags.VERBATIM)) == ("see \\Image 1 and \\@anna", "done")


def test_more_lines_than_the_voice_speaks_are_refused() -> None:
    few = replace(SPEAKING, speech=replace(SPEAKING.speech, max_lines=2))
    (problem,) = lines_rule(case(Request(prompt='"one" "two" "three"'), few))
    assert (problem.code, problem.value, problem.limit) == ("speech_too_long", 3, 2)
    assert not list(lines_rule(case(Request(prompt='"one" "two"'), few)))


def test_a_clip_and_what_comes_after_it_fit_into_the_longest_video() -> None:
    extended = ref("--extend", VIDEO, Role.INPUT)
    asked = Request(prompt="x", references=(extended,), num_frames=900)
    assert not list(whole_rule(case(asked, GOING_ON, [clip(100 / 24)])))
    (problem,) = whole_rule(case(asked, GOING_ON, [clip(101 / 24)]))
    assert (problem.code, problem.field, problem.value, problem.limit) == (
        "duration_not_supported",
        "--extend",
        1001,
        1000,
    )
    assert "its 101 frames and 900 new ones are 1001" in problem.message
    assert not list(whole_rule(case(replace(asked, num_frames=5000), GOING_ON, [clip(3)]))), "refused for itself"


def test_references_share_what_comes_after_a_clip_that_is_shown() -> None:
    extended, lent = ref("--extend", VIDEO, Role.INPUT), ref("--clip", VIDEO)
    asked = Request(prompt="x", references=(extended, lent), seconds=2.0)
    assert not list(span_rule(case(asked, GOING_ON, [clip(30), clip(2)])))
    assert told(span_rule(case(asked, GOING_ON, [clip(1), clip(3)]))) == [("media_too_long", "--clip")]
    stretched = final_length(case(replace(asked, seconds=None), GOING_ON, [clip(1), clip(9)]))
    assert stretched.num_frames == 24 + 9 * 24


def test_a_clip_that_is_shown_takes_the_first_new_frame() -> None:
    extended, last = ref("--extend", VIDEO, Role.INPUT), ref("--last", IMAGE, Role.LAST_FRAME)
    for frames, wrong in ((1, True), (2, False)):
        asked = Request(prompt="x", references=(extended, last), num_frames=frames)
        assert bool(list(frames_rule(case(asked, GOING_ON, [clip(1), image()])))) is wrong

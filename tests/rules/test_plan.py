from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from tests.rules.example import (
    ANYTHING,
    AUDIO,
    GOING_ON,
    H3_LIKE,
    HOSTED,
    IMAGE,
    MUTE,
    SPEAKING,
    VIDEO,
    clip,
    image,
    planned,
    ref,
    refs,
    sound,
    told,
)
from triptych.engines.animatic.spec import animatic_spec
from triptych.errors import InvalidRequest
from triptych.rules.spec import MediaLimits, RoleRule
from triptych.task import Artifact, BytesSource, Fit, Plan, Request, Role, Tags, Task

TOGETHER = replace(ANYTHING, timing=replace(ANYTHING.timing, inputs="together"))
FIRST, LAST = ref("first", role=Role.FIRST_FRAME), ref("last", role=Role.LAST_FRAME)
TRACK = ref("track", AUDIO, Role.SOUNDTRACK, soundtrack_of="clip")


def changes(plan: Plan) -> list[tuple[str, object, object]]:
    return [(one.field, one.asked, one.got) for one in plan.adjustments]


def warnings(plan: Plan) -> list[tuple[str, str]]:
    return [(one.code, one.field) for one in plan.warnings]


def test_every_input_has_its_slot_in_the_callers_order() -> None:
    note = Artifact(id="double.note", kind="text", source=BytesSource(b""), field="artifacts[0]", meta={"turn": 1})
    inputs = (FIRST, ref("clip", VIDEO), TRACK, ref("a"), ref("voice", AUDIO), ref("b", None), LAST)
    probes = [image(), clip(4), sound(4), image(), sound(2), image(), image()]
    plan = planned(Request(prompt="x", references=inputs, artifacts=(note,)), probes=probes)
    assert [(slot.key, slot.field) for slot in plan.slots] == [
        ("first_frame", "first"),
        ("reference_videos[0]", "clip"),
        ("soundtrack[0]", "track"),
        ("reference_images[0]", "a"),
        ("reference_audio[0]", "voice"),
        ("reference_images[1]", "b"),
        ("last_frame", "last"),
        ("artifacts[0]", "artifacts[0]"),
    ]
    assert [slot.position for slot in plan.slots] == list(range(8))
    assert plan.inputs == tuple(slot.field for slot in plan.slots)
    assert plan.slot("soundtrack[0]").soundtrack_of == "reference_videos[0]"
    assert (plan.slots[-1].id, plan.slots[-1].kind, dict(plan.slots[-1].meta)) == ("double.note", "text", {"turn": 1})
    assert plan.task is Task.REF2VA


def test_labels_say_what_each_tag_means() -> None:
    inputs = (ref("a"), ref("clip", VIDEO, sound=True), ref("voice", AUDIO, name="anna"), FIRST)
    request = Request(prompt="Image 1 and Video 1; @anna says so", references=inputs)
    plan = planned(request, probes=[image(), clip(4, sound=True), sound(4), image()])
    assert [(one.tag, one.field, one.name) for one in plan.labels] == [
        ("<Picture 1>", "a", None),
        ("<Video 1>", "clip", None),
        ("<Audio 1>", "voice", "anna"),
    ]
    assert [one.sha256 for one in plan.labels] == [slot.blob.sha256 for slot in plan.slots[:3]]
    assert plan.engine_prompt == "<Picture 1> and <Video 1>; <Audio 1> says so"
    assert plan.prompt == request.prompt
    assert plan.warnings == ()


def test_the_sound_of_a_clip_never_moves_the_number_of_a_voice() -> None:
    for with_sound in (False, True):
        inputs = (ref("clip", VIDEO, sound=with_sound), ref("voice", AUDIO))
        plan = planned(Request(prompt="x", references=inputs), probes=[clip(4, sound=True), sound(4)])
        assert [(one.tag, one.field) for one in plan.labels][1] == ("<Audio 1>", "voice")
        assert plan.slots[0].uses == (("picture", "sound") if with_sound else ("picture",))


def test_sound_that_nobody_asked_for_is_told() -> None:
    alone = planned(Request(prompt="Video 1", references=(ref("clip", VIDEO),)), probes=[clip(4, sound=True)])
    assert warnings(alone) == [("sound_not_used", "clip")]
    asked = Request(prompt="Video 1", references=(ref("clip", VIDEO, sound=True),))
    assert warnings(planned(asked, probes=[clip(4, sound=True)])) == []
    given = Request(prompt="Video 1", references=(ref("clip", VIDEO), TRACK))
    assert warnings(planned(given, probes=[clip(4, sound=True), sound(4)])) == []


def test_each_engine_has_its_own_spelling() -> None:
    inputs = (ref("a"), ref("clip", VIDEO), ref("v", AUDIO))
    request = Request(prompt=r"<picture 1> like @Video1, not \Image 2 or image 1; Audio 1", references=inputs)
    plan = planned(request, HOSTED, probes=[image(), clip(4), sound(4, container="mp3")])
    assert plan.engine_prompt == "Image 1 like Video 1, not Image 2 or image 1; Audio 1"
    assert [one.engine_tag for one in plan.labels] == ["Image 1", "Video 1", "Audio 1"]


def test_a_verbatim_prompt_goes_through_untouched() -> None:
    request = Request(prompt=r"\Image 1 @nobody <Audio 9>", references=refs(1), tags=Tags.VERBATIM)
    plan = planned(request, HOSTED, probes=[image()])
    assert plan.engine_prompt == request.prompt
    assert warnings(plan) == []


def test_what_the_prompt_does_not_name_is_a_warning() -> None:
    request = Request(prompt="hello @there", references=(ref("a"), FIRST))
    plan = planned(request, probes=[image(), image()])
    assert warnings(plan) == [("uncited_reference", "a"), ("words_not_tag", "prompt")]
    named = planned(Request(prompt="x", references=(ref("a", name="lamp"),)), probes=[image()])
    assert "<Picture 1> or @lamp" in named.warnings[0].message


def test_every_setting_is_final() -> None:
    request = Request(
        prompt="x", width=640, height=384, seconds=2.0, fps=30.0, seed=11, n=1, options={"camera": "still"}
    )
    settings = planned(request, animatic_spec()).settings
    assert (settings.width, settings.height, settings.fps, settings.num_frames) == (640, 384, 30, 60)
    assert (settings.seed, settings.n, settings.seconds) == (11, 1, 2.0)
    assert settings.options == {"motion_gain": 1.0, "camera": "still", "audio_pulse": True}


@pytest.mark.parametrize(("stated", "default", "final"), [(0, 9, 0), (7, 9, 7), (None, 0, 0), (None, None, 5)])
def test_the_seed_is_as_stated_or_the_engines_or_drawn(stated: int | None, default: int | None, final: int) -> None:
    spec = replace(ANYTHING, default_seed=default)
    assert planned(Request(prompt="x", seed=stated), spec, seed=5).settings.seed == final


def test_a_size_that_was_worked_out_is_listed_and_fits() -> None:
    plan = planned(Request(prompt="x", references=(FIRST,)), H3_LIKE, probes=[image(736, 992)])
    assert (plan.settings.width, plan.settings.height) == (768, 1024)
    assert ("width", None, "768x1024") in changes(plan)
    explicit = Request(prompt="x", references=(FIRST,), width=1344, height=768)
    plan = planned(explicit, H3_LIKE, probes=[image(640, 640)])
    assert (plan.settings.width, plan.settings.height) == (1344, 768)
    (change,) = plan.adjustments
    assert (change.field, change.asked) == ("first", "640x640")
    assert "42.9% of the picture is outside" in change.reason


def test_the_fit_of_each_picture_is_recorded() -> None:
    inputs = (FIRST, replace(LAST, fit=Fit.PAD), ref("a"))
    request = Request(prompt="x", references=inputs, width=1280, height=720, fit=Fit.CROP)
    plan = planned(request, probes=[image(1920, 1080), image(720, 720), image(720, 1280)])
    fits = [slot.fit.fit if slot.fit else None for slot in plan.slots]
    assert fits == [Fit.CROP, Fit.PAD, Fit.CROP]
    assert [one.field for one in plan.adjustments] == ["last", "a"]
    assert "bars beside it" in plan.adjustments[0].reason
    loose = planned(Request(prompt="x", references=(ref("a"),)), H3_LIKE, probes=[image()])
    assert loose.slots[0].fit is None


def test_a_fit_that_is_for_no_picture_is_told() -> None:
    request = Request(prompt="x", fit=Fit.PAD, fields={"fit": "--fit"})
    told = [(one.code, one.field) for one in planned(request).warnings]
    assert told == [("fit_not_used", "--fit")]
    own = replace(request, references=(ref(role=Role.FIRST_FRAME, fit=Fit.CROP),))
    assert "fit_not_used" in [one.code for one in planned(own, probes=[image()]).warnings]
    used = replace(request, references=(ref(role=Role.FIRST_FRAME),))
    assert "fit_not_used" not in [one.code for one in planned(used, probes=[image()]).warnings]


def test_a_fit_of_its_own_shape_says_refuse_and_changes_nothing() -> None:
    request = Request(prompt="x", references=(FIRST,), fit=Fit.REFUSE)
    plan = planned(request, probes=[image(1920, 1080)])
    assert plan.slots[0].fit is not None
    assert plan.slots[0].fit.fit is Fit.REFUSE
    assert [one.field for one in plan.adjustments] == ["width"]


@pytest.mark.parametrize(("seconds", "cut"), [(15.0, 0.0), (15.008, 0.008), (15.015, 0.015), (15.1, 0.1)])
def test_a_hair_over_a_limit_is_cut_to_it_and_listed(seconds: float, cut: float) -> None:
    spec = replace(H3_LIKE, timing=replace(H3_LIKE.timing, inputs="free"))
    plan = planned(Request(prompt="x", references=(ref("clip", VIDEO),)), spec, probes=[clip(seconds)])
    assert plan.slots[0].seconds == 15.0
    assert changes(plan) == ([("clip", seconds, 15.0)] if cut else [])
    if cut:
        assert f"{cut:.3f} s over the limit is cut from the end" in plan.adjustments[0].reason


def test_a_hair_over_a_total_is_cut_from_the_last_and_listed() -> None:
    spec = replace(H3_LIKE, timing=replace(H3_LIKE.timing, inputs="free"))
    plan = planned(Request(prompt="x", references=refs(2, VIDEO, "clip")), spec, probes=[clip(7.5), clip(7.508)])
    assert [slot.seconds for slot in plan.slots] == [7.5, 7.5]
    assert changes(plan) == [("clip[1]", 7.508, 7.5)]
    with pytest.raises(InvalidRequest, match=r"15\.200 s of clips in all"):
        planned(Request(prompt="x", references=refs(2, VIDEO, "clip")), spec, probes=[clip(7.6), clip(7.6)])


def test_clips_in_a_row_that_pass_the_end_by_a_hair_are_cut_to_it() -> None:
    request = Request(prompt="x", references=(*refs(2, VIDEO, "clip"), ref("v", AUDIO)), seconds=5.0)
    plan = planned(request, TOGETHER, probes=[clip(2.5), clip(2.55), sound(5.02)])
    assert [slot.seconds for slot in plan.slots] == [2.5, 2.5, 5.0]
    assert changes(plan) == [("clip[1]", 2.55, 2.5), ("v", 5.02, 5.0)]


def test_a_soundtrack_that_passes_its_clip_by_a_hair_is_cut_to_it() -> None:
    plan = planned(Request(prompt="x", references=(ref("clip", VIDEO), TRACK)), probes=[clip(3), sound(3.06)])
    assert plan.slots[1].seconds == 3.0
    assert changes(plan) == [("track", 3.06, 3.0)]


def test_a_part_that_was_asked_for_is_recorded() -> None:
    request = Request(prompt="x", references=(ref("clip", VIDEO, start_seconds=1.0, seconds=2.0),))
    plan = planned(request, probes=[clip(9.0)])
    assert (plan.slots[0].start_seconds, plan.slots[0].seconds) == (1.0, 2.0)
    assert changes(plan) == [("clip", 9.0, 2.0)]
    over = Request(prompt="x", references=(ref("clip", VIDEO, start_seconds=1.0, seconds=2.0),))
    short = planned(over, probes=[clip(2.95)])
    assert short.slots[0].seconds == 1.95
    assert [one.reason for one in short.adjustments] == [
        "the part from 1 s that was asked for; the last 0.050 s of it are past the file's end"
    ]
    rest = Request(prompt="x", references=(ref("clip", VIDEO, start_seconds=1.0),))
    assert planned(rest, probes=[clip(9.0)]).slots[0].seconds == 8.0


def test_what_the_decoder_put_right_is_listed() -> None:
    probe = image(notes=("turned upright",), width=1280, height=720)
    plan = planned(Request(prompt="x", references=(ref("a"),)), probes=[probe])
    assert [(one.field, one.reason) for one in plan.adjustments] == [("a", "turned upright")]


def test_uses_are_the_usual_ones_where_a_role_does_not_say() -> None:
    rule = RoleRule(modalities=frozenset((IMAGE, VIDEO)), most=9, uses=MappingProxyType({VIDEO: ("motion",)}))
    spec = replace(ANYTHING, roles={Role.REFERENCE: rule})
    plan = planned(Request(prompt="x", references=(ref("a"), ref("c", VIDEO))), spec, probes=[image(), clip()])
    assert [slot.uses for slot in plan.slots] == [("picture",), ("motion",)]


def test_an_artifact_that_may_be_passed_over_is_marked_and_told() -> None:
    foreign = Artifact(id="foreign", kind="text", source=BytesSource(b""), field="artifacts[0]")
    plan = planned(Request(prompt="x", artifacts=(foreign,), ignore_artifacts=True))
    assert plan.slots[0].ignored
    assert warnings(plan) == [("artifact_ignored", "artifacts[0]")]


def test_lines_are_spoken_or_it_is_said_that_they_are_not() -> None:
    request = Request(prompt='"hello" then "…" then "bye"')
    plan = planned(request, SPEAKING, spoken=(1.0, 0.0, 0.5))
    assert [(one.text, one.seconds) for one in plan.spoken] == [("hello", 1.0), ("bye", 0.5)]
    assert [one.message for one in plan.warnings] == ['"…" is not spoken: nothing in it can be pronounced']
    mute = planned(request, MUTE)
    assert mute.spoken == ()
    assert warnings(mute) == [("line_not_spoken", "prompt")] * 3
    assert "Install one: install it" in mute.warnings[0].message
    assert planned(request).warnings == ()


def test_a_length_beyond_what_the_model_was_trained_on_is_a_warning() -> None:
    spec = replace(H3_LIKE, timing=replace(H3_LIKE.timing, max_frames=5 + 17 * 40))
    plan = planned(Request(prompt="x", seconds=20.0), spec)
    assert warnings(plan) == [("outside_trained_range", "seconds")]
    assert warnings(planned(Request(prompt="x"), spec)) == []


def test_problems_are_all_told_again_once_the_bytes_were_seen() -> None:
    request = Request(prompt="x", references=(ref("a", None), ref("b", VIDEO)), width=5, height=5)
    with pytest.raises(InvalidRequest) as refused:
        planned(request, H3_LIKE, probes=[sound(1), clip(99)])
    assert told(refused.value.problems) == [
        ("media_too_short", "a"),
        ("media_too_long", "b"),
        ("media_too_long", "b"),
        ("size_not_supported", "width"),
        ("media_too_long", "b"),
    ]


def test_a_limit_of_one_kind_leaves_the_others_alone() -> None:
    spec = replace(ANYTHING, limits={AUDIO: MediaLimits(max_seconds=1)})
    plan = planned(Request(prompt="x", references=(ref("c", VIDEO),)), spec, probes=[clip(30)])
    assert plan.slots[0].seconds == 30


def test_a_clip_that_is_shown_is_fitted_and_heard_and_bound_by_no_length_but_its_own() -> None:
    extended = ref("--extend", VIDEO, Role.INPUT)
    asked = Request(prompt="x", references=(extended,), seconds=1.0, width=640, height=640)
    made = planned(asked, GOING_ON, [clip(9.0, sound=True)])
    (slot,) = made.slots
    assert (made.task, slot.key, slot.uses, slot.seconds) == (Task.EXTEND, "input", ("picture", "sound"), 9.0)
    assert slot.fit is not None and slot.fit.cut_fraction == pytest.approx(1 - 9 / 16, abs=1e-3)
    assert (made.settings.num_frames, made.settings.seconds) == (240, 10.0)
    assert [warning.code for warning in made.warnings] == []
    (silent,) = planned(asked, GOING_ON, [clip(9.0)]).slots
    assert silent.uses == ("picture",)
    mute = replace(GOING_ON, sound="never")
    assert planned(asked, mute, [clip(9.0, sound=True)]).slots[0].uses == ("picture",)

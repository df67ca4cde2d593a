from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from tests.rules.example import ANYTHING, AUDIO, H3_LIKE, HOSTED, IMAGE, VIDEO, planned
from triptych.engines.animatic.spec import animatic_spec
from triptych.rules.setting import option_rule
from triptych.rules.spec import USES, Caps, EngineSpec, MediaLimits, TagStyle
from triptych.task import Modality, Request, Role

SPECS = (ANYTHING, H3_LIKE, HOSTED, animatic_spec())


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: str(spec.name))
def test_a_spec_contradicts_itself_nowhere(spec: EngineSpec) -> None:
    assert spec.summary and spec.description and spec.tasks
    assert all(rule.modalities and rule.most >= 1 for rule in spec.roles.values())
    for option in spec.options.values():
        assert isinstance(option.default, option.kind)
    request = Request(prompt="x", options={name: option.default for name, option in spec.options.items()})
    from tests.rules.example import case

    assert not list(option_rule(case(request, spec)))
    named = [role for pair in spec.exclusive for role in pair.one | pair.other]
    assert set(named) <= set(spec.roles)
    if Role.REFERENCE in spec.roles:
        assert {kind for kind in Modality if spec.caps.of(kind)} == spec.roles[Role.REFERENCE].modalities


def test_caps_by_kind() -> None:
    caps = Caps(image=9, video=3, audio=2)
    assert [caps.of(kind) for kind in (IMAGE, VIDEO, AUDIO)] == [9, 3, 2]
    assert Caps().total is None


def test_a_kind_without_limits_has_none() -> None:
    assert ANYTHING.limits_of(IMAGE) == MediaLimits()
    assert H3_LIKE.limits_of(VIDEO).total_seconds == 15


@pytest.mark.parametrize(
    ("style", "spelled"),
    [
        (TagStyle(), ["<Picture 1>", "<Video 2>", "<Audio 12>"]),
        (TagStyle(image="Image {n}", video="Video {n}", audio="Audio {n}"), ["Image 1", "Video 2", "Audio 12"]),
        (TagStyle(image="@Image{n}", video="@Video{n}", audio="@Audio{n}"), ["@Image1", "@Video2", "@Audio12"]),
    ],
)
def test_a_style_spells_tags(style: TagStyle, spelled: list[str]) -> None:
    assert [style.spell(IMAGE, 1), style.spell(VIDEO, 2), style.spell(AUDIO, 12)] == spelled


def test_a_spec_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        ANYTHING.name = "other"  # type: ignore[misc]  # that is the point
    assert replace(ANYTHING, name="other").caps == ANYTHING.caps


def test_what_is_usually_consumed_is_stated_for_each_kind() -> None:
    assert set(USES) == set(Modality)


def test_a_request_of_nothing_but_words_becomes_each_engines_default() -> None:
    for spec in (ANYTHING, H3_LIKE, animatic_spec()):
        plan = planned(Request(prompt="a boat"), spec)
        assert (plan.settings.width, plan.settings.height) == spec.geometry.default
        assert plan.settings.num_frames == spec.timing.default_frames
        assert plan.adjustments == ()

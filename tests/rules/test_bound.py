from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from tests.rules.example import (
    ANYTHING,
    AUDIO,
    GOING_ON,
    H3_LIKE,
    HOSTED,
    VIDEO,
    case,
    clip,
    image,
    ref,
    refs,
    sound,
    told,
)
from triptych.rules.bound import bounds_rule, fit_rule, window_rule
from triptych.task import Fit, Modality, Probe, Reference, Request, Role


def request(*references: Reference, fit: Fit | None = None) -> Request:
    return Request(prompt="x", references=references, fit=fit)


@pytest.mark.parametrize(
    ("start", "seconds"),
    [
        (math.nan, 1.0),
        (0.0, math.nan),
        (math.inf, None),
        (0.0, math.inf),
        (-1.0, None),
        (None, 0.0),
        (None, -1.0),
        (None, 10**400),
        (-(10**400), 1.0),
        (0.0, 1e-9),
    ],
    ids=lambda value: str(value)[:8],
)
def test_a_part_that_is_no_stretch_of_time_is_refused(start: float | None, seconds: float | None) -> None:
    asked = request(ref("--clip a.mp4", VIDEO, start_seconds=start, seconds=seconds))
    for seen in (case(asked), case(asked, probes=[clip(5)])):
        (problem,) = window_rule(seen)
        assert (problem.code, problem.field) == ("invalid_value", "--clip a.mp4")
        assert "is no stretch of time" in problem.message
        assert json.dumps(problem.as_json(), allow_nan=False)


def test_a_part_of_a_still_is_refused() -> None:
    assert told(window_rule(case(request(ref("a", start_seconds=0.0))))) == [("invalid_value", "a")]
    unknown = request(ref("a", None, seconds=1.0))
    assert not list(window_rule(case(unknown)))
    assert told(window_rule(case(unknown, probes=[image()]))) == [("invalid_value", "a")]


def test_a_part_longer_than_its_clip_is_refused_with_both_figures() -> None:
    asked = request(ref("a", VIDEO, seconds=5.816))
    (problem,) = window_rule(case(asked, probes=[clip(5.042)]))
    assert problem.message == "the part ends at 5.816 s, and the file at 5.042 s"
    assert not list(window_rule(case(asked, probes=[clip(5.72)])))


@pytest.mark.parametrize(("start", "seconds"), [(4.0, 2.0), (5.0, None), (9.0, None), (5.05, 0.04)])
def test_a_part_outside_the_file_is_refused(start: float, seconds: float | None) -> None:
    asked = request(ref("a", VIDEO, start_seconds=start, seconds=seconds))
    assert told(window_rule(case(asked, probes=[clip(5)]))) == [("invalid_value", "a")]


def test_a_part_inside_the_file_is_taken() -> None:
    for start, seconds in ((0.0, 5.0), (2.0, None), (None, 1.0), (4.5, 0.5), (4.5, 0.58)):
        asked = request(ref("a", AUDIO, start_seconds=start, seconds=seconds))
        assert not list(window_rule(case(asked, probes=[sound(5)])))


def test_nothing_is_judged_before_it_was_seen() -> None:
    assert not list(bounds_rule(case(request(ref("a", VIDEO)), H3_LIKE)))


def test_the_part_is_what_is_held_against_the_limit() -> None:
    long = request(ref("a", VIDEO))
    assert told(bounds_rule(case(long, H3_LIKE, [clip(30)])))[:1] == [("media_too_long", "a")]
    part = request(ref("a", VIDEO, start_seconds=20.0, seconds=5.0))
    assert not list(bounds_rule(case(part, H3_LIKE, [clip(30)])))
    short = request(ref("a", VIDEO, start_seconds=1.0, seconds=1.5))
    assert told(bounds_rule(case(short, H3_LIKE, [clip(30)]))) == [("media_too_short", "a")]


@pytest.mark.parametrize(
    ("lengths", "refused"),
    [
        ([7.504, 7.504], False),
        ([7.5, 7.515], False),
        ([7.5, 7.6], False),
        ([7.6, 7.6], True),
        ([5.0, 5.0, 5.2], True),
        ([15.008334], False),
        ([15.015], False),
    ],
)
def test_lengths_in_all(lengths: list[float], refused: bool) -> None:
    asked = request(*refs(len(lengths), VIDEO, "clip"))
    found = list(bounds_rule(case(asked, H3_LIKE, [clip(seconds) for seconds in lengths])))
    assert told(found) == ([("media_too_long", f"clip[{len(lengths) - 1}]")] if refused else [])
    if refused:
        assert f"{sum(lengths):.3f} s of clips in all, over the limit of 15 s" in found[0].message


def test_kinds_have_their_own_totals() -> None:
    asked = request(*refs(2, VIDEO, "clip"), *refs(2, AUDIO, "voice"))
    assert not list(bounds_rule(case(asked, H3_LIKE, [clip(7), clip(7), sound(7), sound(7)])))


@pytest.mark.parametrize(
    ("modality", "probe", "code", "words"),
    [
        (Modality.IMAGE, image(size_bytes=30_000_001), "media_too_large", "over the limit of 30.0 MB"),
        (Modality.IMAGE, image(container="avif"), "media_not_supported", "jpeg, png, webp"),
        (AUDIO, sound(5, container="flac"), "media_not_supported", "mp3, wav"),
        (AUDIO, sound(5, size_bytes=15_000_001), "media_too_large", "over the limit of 15.0 MB"),
        (VIDEO, clip(1.0), "media_too_short", "1.000 s, under the least of 2 s"),
    ],
)
def test_a_providers_limits_per_file(modality: Modality, probe: Probe, code: str, words: str) -> None:
    (problem,) = bounds_rule(case(request(ref("a", modality)), HOSTED, [probe]))
    assert (problem.code, problem.field) == (code, "a")
    assert words in f"{problem.message} {problem.fix}"


def test_bytes_in_all() -> None:
    asked = request(ref("v", AUDIO), ref("w", AUDIO), ref("c", VIDEO))
    found = list(
        bounds_rule(
            case(
                asked,
                HOSTED,
                [sound(3, size_bytes=14_000_000), sound(3, size_bytes=7_000_000), clip(3, size_bytes=45_000_000)],
            )
        )
    )
    assert told(found) == [("media_too_large", "w"), ("media_too_large", "c")]
    assert "21.0 MB of sounds in all, over the limit of 20.0 MB" in found[0].message
    assert "66.0 MB of inputs in all, over the limit of 60.0 MB" in found[1].message


def test_the_shape_of_a_reference_has_its_bounds() -> None:
    asked = request(ref("a"))
    assert told(bounds_rule(case(asked, H3_LIKE, [image(900, 200)]))) == [("aspect_not_supported", "a")]
    assert not list(bounds_rule(case(asked, H3_LIKE, [image(800, 200)])))


def test_a_part_that_makes_no_sense_is_told_once() -> None:
    asked = request(ref("a", VIDEO, seconds=math.nan))
    assert not list(bounds_rule(case(asked, H3_LIKE, [clip(5)])))


FIRST = ref("first", role=Role.FIRST_FRAME)


def test_with_fit_refuse_both_sizes_are_named() -> None:
    seen = case(replace(request(FIRST, fit=Fit.REFUSE), width=720, height=1280), probes=[image(1280, 720)])
    (problem,) = fit_rule(seen)
    assert (problem.code, problem.field) == ("fit_refused", "first")
    assert problem.message == "is 1280x720, and the frame is 720x1280"
    assert "crop or pad" in problem.fix


def test_a_picture_of_the_frames_shape_is_never_refused() -> None:
    assert not list(fit_rule(case(request(FIRST, fit=Fit.REFUSE), probes=[image(736, 992)])))
    stated = replace(request(FIRST, fit=Fit.REFUSE), width=1280, height=720)
    assert not list(fit_rule(case(stated, probes=[image(1920, 1080)])))


def test_a_references_own_fit_goes_before_the_requests() -> None:
    inputs = (replace(FIRST, fit=Fit.PAD), ref("last", role=Role.LAST_FRAME))
    asked = replace(request(*inputs, fit=Fit.REFUSE), width=720, height=1280)
    assert told(fit_rule(case(asked, probes=[image(), image()]))) == [("fit_refused", "last")]


def test_what_is_not_fitted_is_not_refused_for_its_shape() -> None:
    asked = request(ref("a"), fit=Fit.REFUSE)
    assert not list(fit_rule(case(asked, H3_LIKE, [image(100, 400)])))
    assert told(fit_rule(case(asked, ANYTHING, [image(100, 400)]))) == [("fit_refused", "a")]


def test_a_size_that_is_refused_itself_is_not_told_twice() -> None:
    for width, height in ((0, 5), (10**400, 1), (1, 10**400), (-3, -3)):
        asked = replace(request(FIRST, fit=Fit.REFUSE), width=width, height=height)
        assert not list(fit_rule(case(asked, probes=[image()])))


@pytest.mark.parametrize("fit", list(Fit))
def test_a_fit_of_what_is_never_fitted_is_refused(fit: Fit) -> None:
    asked = request(ref("clip", VIDEO, fit=fit), ref("voice", AUDIO, fit=fit), ref("image", fit=fit))
    assert told(fit_rule(case(asked))) == [("unsupported_parameter", "clip"), ("unsupported_parameter", "voice")]
    assert [field for _, field in told(fit_rule(case(asked, H3_LIKE)))] == ["clip", "voice", "image"]
    unknown = request(ref("any", None, fit=fit))
    assert not list(fit_rule(case(unknown)))
    assert told(fit_rule(case(unknown, probes=[clip()]))) == [("unsupported_parameter", "any")]


def test_a_fit_that_clips_alone_would_not_get_is_refused() -> None:
    alone = replace(request(ref("--clip a.mp4", VIDEO)), fit=Fit.REFUSE)
    (problem,) = fit_rule(case(alone))
    assert (problem.code, problem.field) == ("unsupported_parameter", alone.called("fit"))
    assert "--clip a.mp4" in problem.message
    assert not list(fit_rule(case(replace(alone, fit=Fit.CROP)))), "the usual fit asks for nothing else"
    assert not list(fit_rule(case(replace(request(ref("a"), ref("b", VIDEO)), fit=Fit.PAD))))


def test_a_clip_that_is_shown_is_fitted_as_a_picture_is() -> None:
    extended = ref("--extend", VIDEO, Role.INPUT, fit=Fit.REFUSE)
    asked = Request(prompt="x", references=(extended,), width=360, height=360)
    assert told(fit_rule(case(asked, GOING_ON, [clip()]))) == [("fit_refused", "--extend")]
    assert not list(fit_rule(case(replace(asked, width=640), GOING_ON, [clip()])))

from __future__ import annotations

import json
import math

from tests.rules.example import ANYTHING, AUDIO, H3_LIKE, VIDEO, clip, image, ref, refs, told
from triptych.rules import check as module
from triptych.rules.case import Case
from triptych.rules.check import RULES, check, problems
from triptych.task import Artifact, BytesSource, Fit, Request, Role

WRONG = Request(
    prompt="",
    references=(
        ref("first", role=Role.FIRST_FRAME),
        *refs(10),
        ref("voice", AUDIO, Role.VOICE),
        ref("track", AUDIO, Role.SOUNDTRACK),
        ref("part", VIDEO, seconds=math.nan, name="two words"),
    ),
    artifacts=(Artifact(id="nobody.knows", kind="this", source=BytesSource(b""), field="artifacts[0]"),),
    width=1000,
    height=1000,
    seconds=99.0,
    num_frames=3,
    fps=12.5,
    seed=-1,
    n=3,
    fit=Fit.REFUSE,
    require_speech=True,
    options={"no_such": 1, "flow_shift": math.inf},
)


def test_every_rule_that_there_is_is_asked() -> None:
    from triptych.rules import bound, length, naming, role, setting, size, span

    written = {
        getattr(place, name)
        for place in (bound, length, naming, role, setting, size, span)
        for name in vars(place)
        if name.endswith("_rule")
    }
    assert set(RULES) == written
    assert len(RULES) == len(set(RULES))
    assert module.RULES is RULES


def test_everything_that_is_wrong_is_told_at_once_in_one_order() -> None:
    found = check(WRONG, H3_LIKE)
    assert told(found) == [
        ("missing_required_parameter", "prompt"),
        ("unsupported_role", "voice"),
        ("reference_limit_exceeded", "image[9]"),
        ("unsupported_combination", "first"),
        ("reference_required", "track"),
        ("invalid_value", "part"),
        ("invalid_name", "part"),
        ("size_not_supported", "width"),
        ("unsupported_parameter", "fps"),
        ("duration_not_supported", "num_frames"),
        ("duration_not_supported", "seconds"),
        ("conflicting_parameters", "num_frames"),
        ("unsupported_parameter", "require_speech"),
        ("unsupported_parameter", "n"),
        ("invalid_value", "seed"),
        ("unknown_parameter", "no_such"),
        ("invalid_value", "flow_shift"),
        ("unsupported_artifact", "artifacts[0]"),
    ]
    assert found == check(WRONG, H3_LIKE)
    assert all(json.dumps(problem.as_json(), allow_nan=False) for problem in found)


def test_a_legal_request_has_no_problems() -> None:
    assert check(Request(prompt="a boat", references=refs(9)), H3_LIKE) == ()
    assert check(Request(prompt="a boat"), ANYTHING) == ()


def test_what_needs_bytes_waits_for_them() -> None:
    request = Request(prompt="x", references=(ref("a", None, Role.FIRST_FRAME), ref("b", None)))
    assert check(request, ANYTHING) == ()
    seen = Case(request=request, spec=ANYTHING, probes={0: clip(), 1: image()})
    assert told(problems(seen)) == [("unsupported_modality", "a")]


def test_an_illegal_list_is_judged_whole() -> None:
    found = check(Request(prompt="x", references=(*refs(12), *refs(5, VIDEO, "clip"))), H3_LIKE)
    assert [(problem.value, problem.limit) for problem in found] == [(12, 9), (5, 3), (17, 12)]

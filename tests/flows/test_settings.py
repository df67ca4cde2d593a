"""Every field of a request reaches the plan, or is refused: none is read and forgotten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import pytest

from tests.rules.example import AUDIO, SPEAKING, VIDEO, blob, clip, image, planned, ref, sound
from triptych.engines.registry import Registry
from triptych.errors import InvalidRequest
from triptych.rules.spec import EngineSpec, Option
from triptych.rules.tags import find
from triptych.task import Artifact, BytesSource, Fit, Plan, Probe, Reference, Request, Role, Tags, Task
from triptych.testing.double import DoubleEngine

SPEC = replace(
    SPEAKING,
    name="double",
    max_outputs=5,
    sound="choice",
    geometry=replace(SPEAKING.geometry, aliases={(1000, 500): (1002, 502)}),
    options={"level": Option(kind=int, default=1, minimum=0, maximum=9)},
)
FIRST = ref("first", role=Role.FIRST_FRAME)
BASE = Request(prompt="a boat", references=(FIRST,))
NOTE = Artifact(id="double.note", kind="text", source=BytesSource(b""), field="artifacts[0]")
FOREIGN = Artifact(id="foreign", kind="text", source=BytesSource(b""), field="artifacts[0]")


def plan(request: Request, spec: EngineSpec = SPEC) -> Plan:
    looks = {None: image(), "image": image(1000, 1000), "video": clip(4, sound=True), "audio": sound(4)}
    return planned(request, spec, [looks[one.modality] for one in request.references])


# field → a value that is not the default, with whatever it needs beside it, and where it is seen in the plan
REACHES: dict[str, tuple[Request, Callable[[Plan], object], object]] = {
    "prompt": (replace(BASE, prompt="a ship"), lambda made: made.prompt, "a ship"),
    "references": (replace(BASE, references=(ref("other"),)), lambda made: made.inputs, ("other",)),
    "artifacts": (replace(BASE, artifacts=(NOTE,)), lambda made: made.slot("artifacts[0]").id, "double.note"),
    "engine": (replace(BASE, engine="double"), lambda made: made.engine, "double"),
    "task": (replace(BASE, task=Task.FL2VA), lambda made: made.task, Task.FL2VA),
    "width": (replace(BASE, width=642, height=360), lambda made: made.settings.width, 642),
    "height": (replace(BASE, width=640, height=362), lambda made: made.settings.height, 362),
    "loose_size": (
        replace(BASE, width=1000, height=500, loose_size=True),
        lambda made: (made.settings.width, made.settings.height),
        (1002, 502),
    ),
    "aspect_ratio": (replace(BASE, aspect_ratio="1:1"), lambda made: made.settings.width, 720),
    "short_edge": (replace(BASE, short_edge=360), lambda made: made.settings.height, 360),
    "seconds": (replace(BASE, seconds=3.0), lambda made: made.settings.seconds, 3.0),
    "num_frames": (replace(BASE, num_frames=77), lambda made: made.settings.num_frames, 77),
    "fps": (replace(BASE, fps=30.0), lambda made: made.settings.fps, 30.0),
    "seed": (replace(BASE, seed=41), lambda made: made.settings.seed, 41),
    "n": (replace(BASE, n=4), lambda made: made.settings.n, 4),
    "fit": (
        replace(BASE, fit=Fit.PAD, width=1280, height=720),
        lambda made: made.slots[0].fit and made.slots[0].fit.fit,
        Fit.PAD,
    ),
    "tags": (
        replace(BASE, tags=Tags.VERBATIM, prompt=r"\Image 1"),
        lambda made: made.engine_prompt,
        r"\Image 1",
    ),
    "generate_audio": (replace(BASE, generate_audio=False), lambda made: made.settings.generate_audio, False),
    "require_speech": (
        replace(BASE, require_speech=True, prompt='"hi"'),
        lambda made: made.settings.require_speech,
        True,
    ),
    "ignore_artifacts": (
        replace(BASE, ignore_artifacts=True, artifacts=(FOREIGN,)),
        lambda made: made.slot("artifacts[0]").ignored,
        True,
    ),
    "options": (replace(BASE, options={"level": 7}), lambda made: made.settings.options["level"], 7),
}

# field → a request in which it is refused, and the word under which
REFUSED: dict[str, tuple[Request, str]] = {
    "prompt": (replace(BASE, prompt=""), "prompt"),
    "references": (replace(BASE, references=(FIRST, replace(FIRST, field="second"))), "second"),
    "artifacts": (replace(BASE, artifacts=(FOREIGN,)), "artifacts[0]"),
    "task": (replace(BASE, task=Task.TTS), "task"),
    "width": (replace(BASE, width=641, height=360), "width"),
    "height": (replace(BASE, height=360), "width"),
    "aspect_ratio": (replace(BASE, aspect_ratio="wide"), "aspect_ratio"),
    "short_edge": (replace(BASE, short_edge=361), "short_edge"),
    "seconds": (replace(BASE, seconds=-1.0), "seconds"),
    "num_frames": (replace(BASE, num_frames=0), "num_frames"),
    "fps": (replace(BASE, fps=0.5), "fps"),
    "seed": (replace(BASE, seed=-1), "seed"),
    "n": (replace(BASE, n=6), "n"),
    "fit": (replace(BASE, fit=Fit.REFUSE, width=1280, height=720), "first"),
    "require_speech": (replace(BASE, require_speech=True), "require_speech"),
    "options": (replace(BASE, options={"level": 10}), "level"),
}

# fields of one reference, likewise
OF_A_REFERENCE: dict[str, tuple[Reference, Callable[[Plan], object], object]] = {
    "role": (ref("one"), lambda made: made.slots[0].role, Role.REFERENCE),
    "source": (ref("one"), lambda made: made.slots[0].blob, blob(0)),
    "field": (ref("another word"), lambda made: made.slots[0].field, "another word"),
    "modality": (ref("one", AUDIO), lambda made: made.slots[0].modality, AUDIO),
    "name": (ref("one", name="anna"), lambda made: made.labels[0].name, "anna"),
    "sound": (ref("one", VIDEO, sound=True), lambda made: made.slots[0].uses, ("picture", "sound")),
    "soundtrack_of": (
        ref("one", AUDIO, Role.SOUNDTRACK, soundtrack_of="clip"),
        lambda made: made.slots[0].soundtrack_of,
        "reference_videos[0]",
    ),
    "fit": (ref("one", fit=Fit.PAD), lambda made: made.slots[0].fit and made.slots[0].fit.fit, Fit.PAD),
    "start_seconds": (ref("one", AUDIO, start_seconds=1.5), lambda made: made.slots[0].start_seconds, 1.5),
    "seconds": (ref("one", AUDIO, seconds=1.25), lambda made: made.slots[0].seconds, 1.25),
}
WORDS_ONLY = {"fields"}
"""What only says how the caller calls things; every refusal shows it."""


def test_no_field_of_a_request_is_left_out_here() -> None:
    assert set(REACHES) | WORDS_ONLY == {item.name for item in fields(Request)}
    assert set(OF_A_REFERENCE) == {item.name for item in fields(Reference)}


@pytest.mark.parametrize("name", list(REACHES))
def test_a_field_reaches_the_plan(name: str) -> None:
    request, seen, expected = REACHES[name]
    usual = Request()
    assert getattr(request, name) != getattr(usual, name), "a value that is the default shows nothing"
    assert seen(plan(request)) == expected


@pytest.mark.parametrize("name", list(REFUSED))
def test_a_field_is_refused_under_its_own_word(name: str) -> None:
    request, word = REFUSED[name]
    with pytest.raises(InvalidRequest) as refused:
        plan(request)
    assert [problem.field for problem in refused.value.problems] == [word]


@pytest.mark.parametrize("name", [name for name, (_, word) in REFUSED.items() if hasattr(BASE, word)])
def test_the_callers_own_word_is_the_one_that_is_told(name: str) -> None:
    request, word = REFUSED[name]
    with pytest.raises(InvalidRequest) as refused:
        plan(replace(request, fields={word: f"--{word}-of-mine"}))
    assert [problem.field for problem in refused.value.problems] == [f"--{word}-of-mine"]


def test_the_engine_that_is_named_is_the_engine_that_is_asked() -> None:
    registry = Registry({"double": DoubleEngine})
    assert registry.spec(REACHES["engine"][0].engine).name == "double"
    with pytest.raises(InvalidRequest, match="no engine is called 'other'"):
        registry.spec("other", field=BASE.called("engine"))


@pytest.mark.parametrize("name", list(OF_A_REFERENCE))
def test_a_field_of_a_reference_reaches_the_plan(name: str) -> None:
    one, seen, expected = OF_A_REFERENCE[name]
    beside = (ref("clip", VIDEO),) if name == "soundtrack_of" else ()
    assert seen(plan(replace(BASE, references=(one, *beside), width=1280, height=720))) == expected


@pytest.mark.parametrize(
    ("one", "probe"),
    [
        (ref("one", AUDIO, fit=Fit.PAD), sound()),
        (ref("one", VIDEO, fit=Fit.PAD), clip()),
        (ref("one", sound=True), image()),
        (ref("one", seconds=1.0), image()),
        (ref("one", start_seconds=0.0), image()),
        (ref("one", soundtrack_of="clip"), image()),
        (ref("one", role=Role.FIRST_FRAME, name="anna"), image()),
    ],
    ids=["fit of a sound", "fit of a clip", "sound", "seconds", "start", "soundtrack of", "name of a frame"],
)
def test_what_would_come_to_nothing_is_refused(one: Reference, probe: Probe) -> None:
    with pytest.raises(InvalidRequest) as refused:
        planned(replace(BASE, references=(one,)), SPEC, [probe])
    assert {problem.field for problem in refused.value.problems} == {"one"}


def test_read_tags_and_verbatim_ones_differ() -> None:
    request = replace(BASE, prompt=r"\Image 1")
    assert [tag.escaped for tag in find(request.prompt)] == [True]
    assert plan(request).engine_prompt == "Image 1"
    assert plan(replace(request, tags=Tags.VERBATIM)).engine_prompt == r"\Image 1"

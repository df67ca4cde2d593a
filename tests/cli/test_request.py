"""What was typed becomes a request, and what cannot be read is told, all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from triptych.cli.parser import build
from triptych.cli.request import FIELDS, Typed, read, read_file, scalar, shorten, source, window
from triptych.config import Settings
from triptych.task import (
    DataURLSource,
    Fit,
    Modality,
    PathSource,
    Reference,
    Role,
    Tags,
    Task,
    URLSource,
)


def typed(*words: str, settings: Settings = Settings()) -> Typed:  # noqa: B008  (frozen)
    return read(build().parse_args(["video", *words]), settings)


def references(*words: str) -> tuple[Reference, ...]:
    found = typed("a boat", *words)
    assert found.problems == ()
    return found.request.references


def problems(*words: str) -> list[str]:
    return [str(problem) for problem in typed("a boat", *words).problems]


def test_each_option_says_what_its_file_is_for() -> None:
    found = references(
        *("--first-frame", "a", "--last-frame", "b", "--image", "c", "--clip", "d", "--soundtrack", "e"),
        *("--sounded-clip", "f", "--voice", "g", "--ref", "cat=h"),
    )
    assert [(one.role, one.modality, one.sound, one.name) for one in found] == [
        (Role.FIRST_FRAME, Modality.IMAGE, False, None),
        (Role.LAST_FRAME, Modality.IMAGE, False, None),
        (Role.REFERENCE, Modality.IMAGE, False, None),
        (Role.REFERENCE, Modality.VIDEO, False, None),
        (Role.SOUNDTRACK, Modality.AUDIO, False, None),
        (Role.REFERENCE, Modality.VIDEO, True, None),
        (Role.REFERENCE, Modality.AUDIO, False, None),
        (Role.REFERENCE, None, False, "cat"),
    ]
    assert [one.source for one in found] == [PathSource(name) for name in "abcdefgh"]


def test_one_of_a_kind_is_called_by_its_file_and_several_by_number_and_file() -> None:
    found = references("--image", "a.png", "--clip", "c.mp4", "--image", "b.png")
    assert [one.field for one in found] == ["--image 1 (a.png)", "--clip c.mp4", "--image 2 (b.png)"]


def test_a_soundtrack_belongs_to_the_clip_before_it() -> None:
    found = references(
        *("--clip", "a", "--image", "b", "--soundtrack", "c", "--sounded-clip", "d", "--soundtrack", "e"),
        *("--ref", "n=f", "--soundtrack", "g"),
    )
    bound = [one.soundtrack_of for one in found if one.role is Role.SOUNDTRACK]
    assert bound == ["--clip a", "--sounded-clip d", "--ref n=f"]


def test_a_soundtrack_before_every_clip_belongs_to_none() -> None:
    assert references("--soundtrack", "a", "--clip", "b")[0].soundtrack_of is None


def test_settings_are_read_and_keep_the_callers_names() -> None:
    found = typed(
        *("a boat", "--size", "640X360", "--seconds", "2.5", "--frames", "60", "--fps", "24", "--seed", "7"),
        *("--fit", "pad", "--tags", "verbatim", "--task", "fl2va", "--engine", "animatic", "--require-speech"),
        *("--option", "motion_gain=0.5", "--option", "audio_pulse=False", "--option", "camera=still"),
    )
    request = found.request
    assert found.problems == ()
    assert (request.width, request.height, request.seconds, request.num_frames) == (640, 360, 2.5, 60)
    assert (request.fps, request.seed, request.fit, request.tags) == (24.0, 7, Fit.PAD, Tags.VERBATIM)
    assert (request.task, request.engine, request.require_speech) == (Task.FL2VA, "animatic", True)
    assert dict(request.options) == {"motion_gain": 0.5, "audio_pulse": False, "camera": "still"}
    assert {request.called(name) for name in FIELDS} == set(FIELDS.values())
    shaped = typed("a boat", "--aspect", "9:16", "--short-edge", "360").request
    assert (shaped.width, shaped.aspect_ratio, shaped.short_edge) == (None, "9:16", 360)
    assert request.called("options.camera") == "--option camera"


def test_nothing_typed_is_nothing_asked() -> None:
    request = typed(settings=Settings(engine="theirs")).request
    assert (request.prompt, request.width, request.seconds, request.fit, request.task) == ("", None, None, None, None)
    assert (request.engine, request.called("engine")) == ("theirs", "engine (from the settings)")


def test_an_empty_name_of_an_engine_is_not_the_default_one() -> None:
    request = typed("x", "--engine", "").request
    assert (request.engine, request.called("engine")) == ("", "--engine")


def test_everything_that_cannot_be_read_is_told() -> None:
    assert problems(
        *("--size", "big", "--seconds", "x", "--frames", "1.5", "--fps", "fast", "--seed", "0x1", "--fit", "shrink"),
        *(
            "--tags",
            "maybe",
            "--option",
            "a",
            "--option",
            "=1",
            "--option",
            "b=1",
            "--option",
            "b=2",
            "--ref",
            "cat.png",
        ),
    ) == [
        "--size: 'big' is not a size such as 1280x720. Give a size such as 1280x720.",
        "--option: 'a' is not NAME=VALUE. Give NAME=VALUE.",
        "--option: '=1' is not NAME=VALUE. Give NAME=VALUE.",
        "--option b: is given twice.",
        "--ref: 'cat.png' is not NAME=FILE. Give NAME=FILE.",
        "--seconds: 'x' is not a number of seconds. Give a number of seconds.",
        "--frames: '1.5' is not a whole number of frames. Give a whole number of frames.",
        "--fps: 'fast' is not a number of frames a second. Give a number of frames a second.",
        "--seed: '0x1' is not a whole number. Give a whole number.",
        "--fit: 'shrink' is not one of crop, pad, refuse. Give one of crop, pad, refuse.",
        "--tags: 'maybe' is not one of read, verbatim. Give one of read, verbatim.",
    ]


def test_a_part_a_fit_and_a_rate_stand_behind_the_file() -> None:
    part, fitted, folder, both, open_end = references(
        *("--clip", "a.mp4#t=2,7", "--image", "b.png#fit=pad", "--clip", "c#fps=12", "--clip", "d#fps=8&t=0.5,1"),
        *("--voice", "e.wav#t=3"),
    )
    assert (part.source, part.start_seconds, part.seconds) == (PathSource("a.mp4"), 2.0, 5.0)
    assert (fitted.source, fitted.fit, fitted.start_seconds) == (PathSource("b.png"), Fit.PAD, None)
    assert folder.source == PathSource("c", frame_rate=12.0)
    assert (both.source, both.start_seconds, both.seconds) == (PathSource("d", frame_rate=8.0), 0.5, 0.5)
    assert (open_end.start_seconds, open_end.seconds) == (3.0, None)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("a.mp4#t=7,2", "'7,2' is not a part such as #t=2,7"),
        ("a.mp4#t=2,2", "'2,2' is not a part such as #t=2,7"),
        ("a.mp4#t=-1,2", "'-1,2' is not a part such as #t=2,7"),
        ("a.mp4#t=x", "'x' is not a part such as #t=2,7"),
        ("a.mp4#fps=0", "'0' is not a frame rate such as #fps=12"),
        ("a.mp4#fps=nan", "'nan' is not a frame rate such as #fps=12"),
        ("a.mp4#fit=squeeze", "'squeeze' is not one of crop, pad, refuse"),
        ("a.mp4#zoom=2", "'zoom=2' is not one of t=FROM,TO, fit=HOW, fps=N"),
        ("a.mp4#t=1,2&zoom", "'zoom' is not one of t=FROM,TO, fit=HOW, fps=N"),
        ("a.mp4#t=1,2&t=3,4", "#t is given twice"),
    ],
)
def test_what_stands_behind_a_file_is_read_or_told(value: str, said: str) -> None:
    (problem,) = problems("--clip", value)
    assert problem.startswith(f"--clip {value}: {said}.")


@pytest.mark.parametrize("name", ["song#t=1,2", "a=b.png", "#fit=pad", "a b\n.png", "-dash.png", "ü#1.png"])
def test_a_file_that_is_there_is_taken_by_its_whole_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(b"x")
    (one,) = references(f"--image={name}")
    assert (one.source, one.fit, one.start_seconds) == (PathSource(name), None, None)
    (two,) = references(f"--image={name}#fit=crop")
    assert (two.source, two.fit) == (PathSource(name), Fit.CROP)
    (three,) = references(f"--ref=it={name}")
    assert (three.source, three.name) == (PathSource(name), "it")


def test_a_file_name_too_long_for_the_system_is_only_a_file_that_is_not_there() -> None:
    name = "x" * 5000
    assert references("--image", f"{name}#t=1,2")[0].source == PathSource(name)


def test_options_are_read_as_the_engine_has_them() -> None:
    """``007`` is a text where the engine wants a text, and a number nowhere else."""
    found = typed("x", "--option", "camera=007", "--option", "motion_gain=007", "--option", "unknown=1e3").request
    assert dict(found.options) == {"camera": "007", "motion_gain": 7, "unknown": 1000.0}


def test_scalars() -> None:
    assert [scalar(text) for text in ("true", "FALSE", "7", "-7", "0.5", "1e3", "text", "")] == [
        *(True, False, 7, -7, 0.5, 1000.0, "text", ""),
    ]
    assert isinstance(scalar("7"), int)


def test_parts() -> None:
    assert window("2,7") == (2.0, 5.0)
    assert window(",7") == (0.0, 7.0)
    assert window("2,") == window("2") == (2.0, None)


def test_a_typed_file_is_a_path_an_address_or_a_data_url() -> None:
    assert source("a/b.png", None) == PathSource("a/b.png")
    assert source("https://h/x.png", None) == URLSource("https://h/x.png")
    assert source("DATA:image/png;base64,AA", None) == DataURLSource("DATA:image/png;base64,AA")
    assert source("data.png", None) == PathSource("data.png")


def test_messages_hold_no_password_and_no_book() -> None:
    assert shorten("https://me:secret@h/x?key=1") == "https://h/x"
    assert shorten("data:image/png;base64," + "A" * 500) == "data:image/png;base64,AA…"
    long = shorten("/".join(["folder"] * 40) + "/cat.png")
    assert long.startswith("…")
    assert long.endswith("/cat.png")
    assert len(long) == 80


def test_one_file_to_look_at() -> None:
    reference, found = read_file("clip.mp4#t=1,2&fps=8")
    assert found == ()
    assert (reference.field, reference.source) == ("clip.mp4#t=1,2&fps=8", PathSource("clip.mp4", frame_rate=8.0))
    assert (reference.start_seconds, reference.seconds, reference.modality) == (1.0, 1.0, None)
    assert [problem.code for problem in read_file("clip.mp4#fit=pad")[1]] == ["unsupported_parameter"]
    assert read_file("")[0].field == "FILE"


def test_what_cannot_be_read_and_what_breaks_a_rule_and_what_is_not_there_come_together(cli: Cli) -> None:
    done = cli(
        "check", "see Image 2", "--seconds", "x", "--size", "1281x720", "--image", "no.png", "--engine", "animatic"
    )
    fields = [line.split(": ")[0] for line in done.problems()]
    assert fields == ["--seconds", "PROMPT", "--size", "--image no.png"]

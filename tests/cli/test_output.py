"""Plans and results in words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.wire.test_document import PLAN, RESULT, SLOT
from triptych.cli.output import goes_to, plan_lines, plan_warnings, result_lines, seen, table
from triptych.task import Modality, Probe, Spoken
from triptych.wire.document import render_result

CLIP = Probe(
    modality=Modality.VIDEO,
    container="mov",
    media_type="video/mp4",
    width=640,
    height=360,
    seconds=4.0,
    fps=24,
    frames=96,
    video_codec="h264",
    audio_codec="aac",
    channels=2,
    sample_rate=48_000,
)
SOUND = Probe(modality=Modality.AUDIO, container="wav", media_type="audio/wav", seconds=1.5, sample_rate=8000)


def test_columns_stand_below_each_other() -> None:
    assert list(table([("a", "long cell", "x"), ("longer", "b", "")])) == ["  a       long cell  x", "  longer  b"]
    assert list(table([])) == []


def test_a_plan_says_what_it_makes_and_what_becomes_of_each_input() -> None:
    plan = replace(PLAN, spoken=(Spoken(text="good morning", seconds=0.81),))
    assert list(plan_lines(plan)) == [
        "double ref2va: 64x36, 10 frames at 24 a second = 0.417 s, seed 3",
        "prompt for the engine: <Picture 1>",
        "inputs:",
        "  <Picture 1>  --image cat.png  png 90x60  → reference_images[0] (picture, crop)",
        "spoken:",
        '  "good morning"  0.81 s',
        "adjusted:",
        "  --seconds: 0.4 → 0.416 (whole frames)",
        "note: --image cat.png: of the plan",
    ]


def test_a_plan_of_words_alone_is_one_line() -> None:
    plan = replace(PLAN, prompt="a boat", engine_prompt="a boat", inputs=(), slots=(), adjustments=(), warnings=())
    assert list(plan_lines(plan)) == ["double ref2va: 64x36, 10 frames at 24 a second = 0.417 s, seed 3"]
    assert list(plan_warnings(plan)) == []


def test_each_kind_of_input_is_described() -> None:
    assert seen(SLOT) == "png 90x60"
    assert seen(replace(SLOT, probe=CLIP)) == "h264 640x360, 4.00 s, aac"
    assert seen(replace(SLOT, probe=replace(CLIP, channels=0, video_codec="", container="frames"))) == (
        "frames 640x360, 4.00 s"
    )
    assert seen(replace(SLOT, probe=SOUND)) == "wav 8000 Hz, 1.50 s"
    assert seen(replace(SLOT, probe=None, kind="text")) == "text of 12 bytes"


def test_where_an_input_goes() -> None:
    used = replace(SLOT, fit=None, uses=("picture", "sound"), start_seconds=1.0, seconds=2.5)
    assert goes_to(used) == "→ reference_images[0] (picture and sound, 1 to 3.5 s)"
    assert goes_to(replace(SLOT, fit=None, ignored=True)) == "→ reference_images[0] (passed over)"


def test_a_result_says_where_it_is_and_what_was_used() -> None:
    document = render_result(RESULT, written={"/private/run/x.mp4": Path("out.mp4")})
    assert list(result_lines(document, Path("folder/out.mp4"), Path("frames"))) == [
        "folder/out.mp4: 90x60, 1 frames, 0.000 s, 99 bytes, seed 3",
        "used:",
        "  --image cat.png  sha256 aaaaaaaaaaaa  shot 1",
        "adjusted:",
        "  --seconds: 0.4 → 0.416 (whole frames)",
        "note: sound: of the run",
        "frames: frames",
        "all of it: folder/out.json",
    ]

"""``triptych engines``."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints

import pytest

from tests.cli.conftest import Cli
from tests.rules.example import H3_LIKE
from triptych.cli.engine import full
from triptych.engines import registry
from triptych.engines.base import Engine
from triptych.engines.registry import Registry
from triptych.testing.double import DoubleEngine


def missing() -> Engine:
    raise ImportError("No module named 'heavy'")


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    points = EntryPoints(
        [
            EntryPoint("double", "tests.cli.conftest:make_engine", registry.GROUP),
            EntryPoint("heavy", f"{__name__}:missing", registry.GROUP),
        ]
    )
    monkeypatch.setattr(registry, "entry_points", lambda *, group: points.select(group=group))


def test_all_are_in_one_table(cli: Cli) -> None:
    done = cli("engines")
    assert done.code == 0
    head, row, *_ = done.out.splitlines()
    assert head.split() == ["ENGINE", "TASKS", "TAKES", "IS"]
    assert row.startswith(
        "animatic  extend fl2va ref2va t2va  9 pictures, 3 clips, 3 sounds (12 in all)  A moving storyboard"
    )


@pytest.mark.usefixtures("two")
def test_one_that_cannot_be_loaded_hides_no_other(cli: Cli) -> None:
    done = cli("engines")
    rows = done.out.splitlines()
    assert done.code == 0
    assert rows[1].startswith("double ")
    assert " ".join(rows[2].split()) == "heavy engine heavy cannot be loaded: No module named 'heavy'"
    good, bad = cli("engines", "--json").json()
    assert good["name"] == "double"
    assert bad == {"name": "heavy", "unavailable": "engine heavy cannot be loaded: No module named 'heavy'"}


@pytest.mark.usefixtures("two")
def test_one_that_cannot_be_loaded_is_an_error_when_it_is_named(cli: Cli) -> None:
    done = cli("engines", "heavy")
    assert (done.code, done.err) == (1, "triptych: engine heavy cannot be loaded: No module named 'heavy'\n")


def test_one_engine_is_told_in_full(cli: Cli) -> None:
    done = cli("engines", "animatic")
    assert done.code == 0
    spec = Registry.installed().spec("animatic")
    assert done.out.startswith(f"animatic: {spec.summary}\n\n{spec.description}\n\n")
    for words in (*spec.options, *spec.roles, "default 1280x720", "default 5 s at 24", "50,000,000 pixels"):
        assert words in done.out


def test_what_can_be_typed_is_told_of_every_option_and_least_bounds_too(cli: Cli) -> None:
    lines = [" ".join(line.split()) for line in cli("engines", "animatic").out.splitlines()]
    assert "motion_gain 0.1 to 2 default 1.0 share of a clip's motion that is kept" in lines
    assert "camera auto or still default auto slow moves over the pictures, or none" in lines
    assert any(line.startswith("audio_pulse true or false default true ") for line in lines)
    assert any(line.startswith("each video: ") and line.endswith("; at least 0.25 s, 2 frames") for line in lines)
    assert any(line.startswith("size: ") and "at most 8,294,400 pixels" in line for line in lines)


def test_one_engine_as_json_is_its_spec(cli: Cli) -> None:
    (document,) = cli("engines", "animatic", "--json").json()
    assert document["caps"] == {"image": 9, "video": 3, "audio": 3, "total": 12}


def test_what_an_engine_rules_out_is_told_too() -> None:
    text = "\n".join(full(H3_LIKE))
    assert "not together: first_frame, last_frame with reference, soundtrack: its weights for frames" in text
    assert "sound only beside a picture or a clip" in text


def test_a_name_that_is_not_there(cli: Cli) -> None:
    assert cli("engines", "nope").problems() == ["NAME: no engine is called 'nope'. There is animatic."]


def test_the_double_is_like_any_other(cli: Cli, double: DoubleEngine) -> None:
    assert cli("engines", "double").out.startswith(f"double: {double.spec.summary}\n")

"""Notes are taken of what was really read."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from triptych.engines.animatic.ledger import Ledger
from triptych.engines.animatic.scene import Input, Kind
from triptych.errors import InputChanged


def an_input(path: Path, kind: Kind = "image", data: bytes = b"bytes") -> Input:
    path.write_bytes(data)
    return Input(
        key="k", field="--image 1", kind=kind, uses=(), path=str(path), sha256=hashlib.sha256(data).hexdigest()
    )


def test_the_source_is_hashed_and_then_read_from_its_beginning(tmp_path: Path) -> None:
    wanted = an_input(tmp_path / "file")
    with Ledger() as ledger:
        assert ledger.open(wanted).read() == b"bytes"
        assert ledger.open(wanted).read() == b"bytes"
        report = ledger.report()
    assert [each["source_sha256"] for each in report] == [wanted.sha256]
    assert report[0]["uses"] == []


def test_a_changed_file_is_named(tmp_path: Path) -> None:
    wanted = an_input(tmp_path / "file")
    (tmp_path / "file").write_bytes(b"other")
    with Ledger() as ledger, pytest.raises(InputChanged, match="--image 1: the file is no longer the one"):
        ledger.open(wanted)


def test_what_went_in_is_hashed_in_order(tmp_path: Path) -> None:
    with Ledger() as ledger:
        ledger.open(an_input(tmp_path / "file"))
        ledger.consume("k", b"one")
        ledger.consume("k", b"two")
        assert ledger.report()[0]["used_sha256"] == hashlib.sha256(b"onetwo").hexdigest()


def test_places_are_told_in_the_results_words(tmp_path: Path) -> None:
    with Ledger() as ledger:
        ledger.open(an_input(tmp_path / "file"))
        ledger.shown("k", 0, "pinned")
        for frame in (1, 5, 3):
            ledger.shown("k", frame, "shot 1")
        assert ledger.report()[0]["where"] == "frame 0; shot 1, frames 1-5"
        assert ledger.report()[0]["uses"] == ["picture"]


def test_a_clip_is_there_for_motion_and_sound(tmp_path: Path) -> None:
    with Ledger() as ledger:
        ledger.open(an_input(tmp_path / "file", "clip"))
        ledger.shown("k", 0, "shot 1")
        assert ledger.report()[0]["uses"] == []
        ledger.shown("k", 0, "camera")
        ledger.shown("k", 119, "camera")
        ledger.heard("k", 0, 24_000)
        ledger.heard("k", 24_000, 24_000)
        report = ledger.report()[0]
    assert report["uses"] == ["motion", "sound"]
    assert report["where"] == "shot 1, frame 0; camera of frames 0-119; sound at 0.000-1.000 s"

"""The package's own example works as it is written."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

import triptych
from triptych.engines import registry
from triptych.engines.base import Engine
from triptych.testing.double import ANYTHING, DoubleEngine
from triptych.testing.media import picture_bytes, quarters


def double() -> Engine:
    return DoubleEngine(replace(ANYTHING, name=registry.DEFAULT))


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    points = EntryPoints([EntryPoint(registry.DEFAULT, f"{__name__}:double", registry.GROUP)])
    monkeypatch.setattr(registry, "entry_points", lambda *, group: points.select(group=group))
    monkeypatch.chdir(tmp_path)
    Path("street.jpg").write_bytes(picture_bytes(quarters(), "JPEG"))
    assert triptych.__doc__ is not None
    code = textwrap.dedent(triptych.__doc__.split("\n\n", 1)[1].rsplit("\n\n", 1)[0])
    exec(compile(code, "the example", "exec"), {"__name__": "example"})
    *progress, last = capsys.readouterr().out.splitlines()
    assert [line.split("(")[0] for line in progress] == ["Progress"] * 3
    assert last.startswith("Result(")
    assert "street" in last


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = triptych.nonsense

"""A command line in this process, an engine that only says what it took, and small files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from triptych.cli.main import main
from triptych.engines import registry
from triptych.engines.base import Engine
from triptych.testing.double import DoubleEngine
from triptych.testing.media import make_clip, picture_bytes, quarters, tone, wav_bytes


@dataclass(frozen=True, kw_only=True)
class Done:
    """What one command did."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """The answer, read as JSON."""
        return json.loads(self.out)

    def problems(self) -> list[str]:
        """The lines of a refusal, in order."""
        head, *lines = self.err.splitlines()
        assert self.code == 1, self
        assert head == f"Refused, and nothing has run: {len(lines)} problem{'s' if len(lines) != 1 else ''}."
        return [line.removeprefix("  - ") for line in lines]


Cli = Callable[..., Done]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Iterator[Cli]:
    """``cli("check", "a boat", …)``, run in ``tmp_path``; afterwards nothing of it is left in the working folder."""
    work = tmp_path / "work folder"
    here = tmp_path / "here"
    work.mkdir()
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TRIPTYCH_WORK_DIR", str(work))

    def run(*arguments: str | Path) -> Done:
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as exit_:
            code = int(exit_.code or 0)
        out, err = capfd.readouterr()
        return Done(code=code, out=out, err=err)

    yield run
    assert list(work.iterdir()) == []


ENGINE = DoubleEngine()


def make_engine() -> Engine:
    """The one double, so that a test can ask it how often it ran."""
    return ENGINE


@pytest.fixture
def double(monkeypatch: pytest.MonkeyPatch) -> DoubleEngine:
    """The only engine there is, and the default one."""
    points = EntryPoints([EntryPoint("double", f"{__name__}:make_engine", registry.GROUP)])
    monkeypatch.setattr(registry, "entry_points", lambda *, group: points.select(group=group))
    monkeypatch.setenv("TRIPTYCH_ENGINE", "double")
    ENGINE.calls = 0
    return ENGINE


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``cat.png``, ``clip.mp4`` (24 frames, one second, with sound) and ``hum.wav`` (half a second)."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "cat.png").write_bytes(picture_bytes(quarters()))
    make_clip(folder / "clip.mp4", frames=24, sound=tone(1.0))
    (folder / "hum.wav").write_bytes(wav_bytes(tone(0.5)))
    return folder


@pytest.fixture
def here(cli: Cli, files: Path, tmp_path: Path) -> Path:
    """The folder that commands run in, with the files in it."""
    for file in files.iterdir():
        (tmp_path / "here" / file.name).write_bytes(file.read_bytes())
    return tmp_path / "here"

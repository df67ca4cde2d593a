"""Where a server keeps things, and whose files its callers may name."""

from __future__ import annotations

from pathlib import Path

import pytest

from triptych.config import Settings
from triptych.engines.registry import Registry
from triptych.server.store import data_folder, open_service, roots


def test_without_a_word_it_is_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_folder(Settings()) == tmp_path / ".local" / "share" / "triptych"
    assert data_folder(Settings(data_dir="~/d")) == tmp_path / "d"


def test_the_working_folder_is_open_to_this_machine_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert roots(Settings(host="127.0.0.1")) == (tmp_path,)
    assert roots(Settings(host="0.0.0.0")) == ()
    assert roots(Settings(host="0.0.0.0", roots=(str(tmp_path / "a"),))) == (tmp_path / "a",)
    assert roots(Settings(host="127.0.0.1", roots=(str(tmp_path / "a"),))) == (tmp_path / "a",)


def test_the_limits_of_the_installation_are_those_of_the_studio(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path / "d"), max_input_bytes=77, allow_urls=True, roots=(str(tmp_path),))
    studio = open_service(settings, Registry({})).studio
    assert (studio.policy.max_bytes, studio.policy.allow_urls, studio.policy.roots) == (77, True, (tmp_path,))
    assert studio.spool == tmp_path / "d" / "content"
    assert not (tmp_path / "d").exists()

"""The locks: one version of each thing, with hashes, from nowhere in particular, within what pyproject allows."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

LOCKS = ("base", "demo", "dev")
CLIENTS = ("openai-2.8.0", "openai-2.54.0", "openai-3.57.0")


def versions(root: Path, lock: str) -> dict[str, str]:
    """Name → version of everything in one lock."""
    text = (root / "requirements" / f"{lock}.lock").read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", text, re.MULTILINE))


@pytest.mark.parametrize("lock", [*LOCKS, *CLIENTS])
def test_lock_has_a_hash_for_each_and_no_address(root: Path, lock: str) -> None:
    text = (root / "requirements" / f"{lock}.lock").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[a-z0-9])", text)
    assert [entry for entry in entries if "==" in entry and "--hash=sha256:" not in entry] == []
    assert re.findall(r"https?:|file:|--\S*index|--find-links|--trusted-host", text) == []


def test_locks_agree(root: Path) -> None:
    base, demo, dev = (versions(root, lock) for lock in LOCKS)
    assert base.items() <= demo.items()
    assert demo.items() <= dev.items()


def test_locks_hold_what_the_project_declares(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = {
        "base": project["dependencies"],
        "demo": project["dependencies"] + extras["speech"],
        "dev": sum(extras.values(), project["dependencies"]),
    }
    for lock, requirements in wanted.items():
        names = {re.split(r"[><=~!\[ ]", requirement)[0] for requirement in requirements}
        assert names - set(versions(root, lock)) == set(), lock


def test_each_lock_of_a_client_is_of_the_version_in_its_name(root: Path) -> None:
    found = sorted(path.stem for path in (root / "requirements").glob("openai-*.lock"))
    assert found == sorted(CLIENTS)
    for lock in CLIENTS:
        assert versions(root, lock)["openai"] == lock.removeprefix("openai-")


def test_the_lock_of_the_node_client_has_a_hash_for_each_and_no_address(root: Path) -> None:
    text = (root / "requirements" / "openai-node" / "package-lock.json").read_text(encoding="utf-8")
    packages = {name: one for name, one in json.loads(text)["packages"].items() if name}
    assert list(packages) == ["node_modules/openai"]
    assert all(one["integrity"].startswith("sha512-") for one in packages.values())
    assert re.findall(r"https?:|resolved", text) == []

"""The shape of the source: short files, good names, a test beside each."""

from __future__ import annotations

import subprocess
from pathlib import Path

MOST_LINES = 400
VAGUE = {"utils", "util", "helpers", "helper", "common", "misc"}


def tracked(root: Path) -> list[Path]:
    """Every file of the repository, those not yet added included, ignored ones not."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        check=True,
        text=True,
    )
    return [root / name for name in listed.stdout.split("\0") if name and (root / name).is_file()]


def test_no_python_file_is_long(root: Path) -> None:
    long = {
        str(path.relative_to(root)): lines
        for path in tracked(root)
        if path.suffix == ".py" and (lines := len(path.read_text(encoding="utf-8").splitlines())) > MOST_LINES
    }
    assert long == {}


def test_no_name_is_vague(root: Path) -> None:
    vague = [
        str(path.relative_to(root))
        for path in tracked(root)
        if VAGUE & {part.split(".")[0].removeprefix("test_") for part in path.relative_to(root).parts}
    ]
    assert vague == []


def test_each_module_has_its_test(root: Path) -> None:
    package = root / "src" / "triptych"
    missing = []
    for path in tracked(root):
        if not path.is_relative_to(package) or path.suffix != ".py" or path.name.startswith("__"):
            continue
        place = path.relative_to(package)
        if not (root / "tests" / place.parent / f"test_{place.name}").is_file():
            missing.append(f"tests/{place.parent / f'test_{place.name}'}".replace("/./", "/"))
    assert not missing, "no test for each of these:\n" + "\n".join(missing)


def test_scripts_are_executable(root: Path) -> None:
    scripts = [path for path in tracked(root) if path.parent == root / "scripts" and not path.suffix]
    assert {"demo", "docs", "lock", "soak", "test"} <= {path.name for path in scripts}
    assert [path.name for path in [*scripts, root / ".ci" / "run"] if not path.stat().st_mode & 0o111] == []

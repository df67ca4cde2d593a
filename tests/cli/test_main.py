"""Errors become exit codes, and one line each; a bug stays a bug."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from triptych import errors
from triptych.cli import check
from triptych.errors import InvalidRequest, Problem, TriptychError
from triptych.testing.double import DoubleEngine


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Let ``triptych check`` end with ``error``."""

    def run(arguments: object) -> int:
        raise error

    monkeypatch.setattr(check, "run", run)


PROBLEMS = [
    Problem(code="invalid_value", field="--a", message="is wrong"),
    Problem(code="invalid_value", field="--b", message="is \x1b wrong", fix="Mend it"),
]


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (InvalidRequest(PROBLEMS[:1]), 1, ["Refused, and nothing has run: 1 problem.", "  - --a: is wrong."]),
        (
            InvalidRequest(PROBLEMS),
            1,
            [
                "Refused, and nothing has run: 2 problems.",
                "  - --a: is wrong.",
                "  - --b: is \\x1b wrong. Mend it.",
            ],
        ),
        (errors.EngineFailed("it broke"), 1, ["triptych: it broke"]),
        (errors.Cancelled("Stopped."), 130, ["triptych: Stopped."]),
        (KeyboardInterrupt(), 130, ["triptych: Stopped."]),
        (OSError(errno.ENOSPC, "No space", "/a\n"), 1, ["triptych: there is no room left on the disk: /a\\n"]),
        (PermissionError(errno.EACCES, "Permission denied", "x"), 1, ["triptych: Permission denied: x"]),
    ],
)
def test_an_error_is_told_and_has_its_code(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, said: list[str]
) -> None:
    failing(monkeypatch, error)
    done = cli("check", "x")
    assert (done.code, done.out, done.err.splitlines()) == (code, "", said)


@pytest.mark.parametrize("kind", errors.error_classes())
def test_each_class_of_errors_ends_with_the_code_of_its_table(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, kind: type[TriptychError]
) -> None:
    failing(monkeypatch, kind(PROBLEMS) if issubclass(kind, InvalidRequest) else kind("words"))
    assert cli("check", "x").code == kind.exit_code
    assert kind.exit_code != 0


@pytest.mark.parametrize(
    ("error", "code"),
    [(InvalidRequest(PROBLEMS), "invalid_value"), (KeyboardInterrupt(), "cancelled"), (OSError("x"), "internal_error")],
)
def test_as_json_an_error_is_json(cli: Cli, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: str) -> None:
    failing(monkeypatch, error)
    done = cli("check", "x", "--json")
    assert done.err == ""
    assert done.json()["error"]["code"] == code


def test_a_bug_is_not_dressed_up(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, ZeroDivisionError("a bug"))
    with pytest.raises(ZeroDivisionError):
        cli("check", "x")


def test_a_setting_that_makes_no_sense_is_told_with_where_it_stands(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, double: DoubleEngine
) -> None:
    monkeypatch.setenv("TRIPTYCH_DECODERS", "many")
    (said,) = cli("check", "x").problems()
    assert said.startswith("TRIPTYCH_DECODERS: 'many' is not a whole number of 1 or more")


Start = Callable[..., "subprocess.Popen[bytes]"]


def python(root: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(root / "src")}


def shell(root: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which ``$T`` is the program; its exit code is that of the program, not of its reader."""
    environment = {**python(root), "T": f"{sys.executable} -m triptych"}
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], env=environment, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("module", ["triptych", "triptych.cli"])
def test_it_runs_as_a_module(root: Path, module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", module, "engines"], capture_output=True, check=True, text=True, env=python(root)
    )
    assert done.stdout.startswith("ENGINE")


@pytest.mark.parametrize(
    ("command", "code", "out", "err"),
    [
        ("$T video --help | head -1", 0, "usage: triptych video", ""),
        ("$T engines animatic | true", 0, "", ""),
        ("$T check 'a boat' --json | head -1", 0, "{", ""),
        ("$T check '' 2>&1 | true", 1, "", ""),
        ("$T check x --no-such-option 2>&1 | true", 2, "", ""),
        ("$T engines >&-", 0, "", ""),
        ("$T check '' 2>&-", 1, "", ""),
        ("$T engines >/dev/full", 1, "", "triptych: there is no room left on the disk\n"),
        ("$T --help >/dev/full", 1, "", "triptych: there is no room left on the disk\n"),
        ("$T check '' 2>/dev/full", 1, "", ""),
        ("PYTHONIOENCODING=ascii $T check 'say ä' --image no.png 2>&1", 1, "Refused", ""),
    ],
)
def test_streams_that_are_gone_or_full(root: Path, command: str, code: int, out: str, err: str) -> None:
    done = shell(root, command)
    assert (done.returncode, done.stderr) == (code, err)
    assert done.stdout.startswith(out)
    assert bool(done.stdout) == bool(out)

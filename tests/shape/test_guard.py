"""The guards of tests/conftest.py catch what they are there for."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.conftest import Dialled

CAUGHT = """
import os, socket, subprocess, sys

def test_dials_out():
    try:
        socket.create_connection(("192.0.2.1", 80), timeout=1)
    except OSError:
        pass

def test_looks_up():
    try:
        socket.getaddrinfo("example.org", 80)
    except OSError:
        pass

def test_leaves_a_process():
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])

def test_is_clean():
    assert "TRIPTYCH_ENGINE" not in os.environ
"""


def test_a_test_that_dials_out_or_leaves_a_process_fails(
    pytester: pytest.Pytester, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIPTYCH_ENGINE", "from outside")
    pytester.makeconftest((root / "tests" / "conftest.py").read_text(encoding="utf-8"))
    pytester.makepyfile(CAUGHT)
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider", timeout=60)
    done.assert_outcomes(passed=4, errors=3)
    done.stdout.fnmatch_lines(
        ["*dialled beyond this machine*192.0.2.1*", "*dialled beyond*example.org*", "*processes left behind*sleep*"]
    )


def test_loopback_may_be_dialled_and_is_counted(dialled: Dialled) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        with socket.create_connection(address, timeout=5):
            pass
    assert dialled == [address]

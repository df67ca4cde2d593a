"""What happens behind a test's back is seen."""

from __future__ import annotations

import _socket
import os
import subprocess
import sys
import threading
from contextlib import closing

import pytest

from triptych.testing import witness
from triptych.testing.witness import Witness


def sleeper(code: str = "import time; time.sleep(60)") -> list[str]:
    return [sys.executable, "-c", code]


def test_a_quiet_stretch_passes() -> None:
    with Witness() as seen:
        subprocess.run(sleeper("pass"), check=True)
        thread = threading.Thread(target=lambda: None)
        thread.start()
        thread.join()
        seen.check("after")
    assert witness.MARK not in os.environ


def test_a_process_is_seen_and_so_is_its_grandchild_that_nobody_owns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witness, "_GRACE_SECONDS", 0.05)
    orphan = "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', 'input()'], stdin=0, stdout=2).pid)"
    reading, writing = os.pipe()
    with Witness() as seen:
        try:
            said = subprocess.run(
                [sys.executable, "-c", orphan], stdin=reading, stdout=subprocess.PIPE, check=True, text=True
            )
            assert seen.running() == {int(said.stdout)}
            with pytest.raises(AssertionError, match=rf"later, processes were left behind: \[{int(said.stdout)}\]"):
                seen.check("later")
        finally:
            os.close(writing)
            os.close(reading)
        monkeypatch.setattr(witness, "_GRACE_SECONDS", 5)
        seen.check("at its end")


def test_a_thread_is_seen() -> None:
    stop = threading.Event()
    with Witness() as seen:
        thread = threading.Thread(target=stop.wait, name="forgotten")
        thread.start()
        try:
            with pytest.raises(AssertionError, match="after, threads were left behind: forgotten"):
                seen.check("after")
        finally:
            stop.set()
            thread.join()


def test_a_dial_is_refused_and_seen_even_when_it_is_hidden() -> None:
    with Witness() as seen, closing(_socket.socket()) as one:
        with pytest.raises(OSError, match="does not dial"):
            one.connect(("192.0.2.1", 9))
        with pytest.raises(AssertionError, match=r"the network had been used: socket.connect \('192.0.2.1', 9\)"):
            seen.check("after")


def test_outside_its_block_it_hears_nothing() -> None:
    with Witness() as seen:
        pass
    with closing(_socket.socket()) as one:
        one.setblocking(False)
        with pytest.raises(OSError, match=r"(?!.*does not dial)"):
            one.connect(("127.0.0.1", 1))
    assert seen.dialled == []

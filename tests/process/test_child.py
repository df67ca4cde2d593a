"""The child by itself, spoken to over plain pipes."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from triptych.process import frame
from triptych.process.limits import Limits


def request(function: str, **params: Any) -> bytes:
    body = {"target": f"triptych.testing.child_target:{function}", "params": params, "limits": asdict(Limits())}
    return frame.encode(frame.REQUEST, body)


def test_it_answers_in_order_keeps_its_output_clean_and_ends_with_its_input(root: Path) -> None:
    command = [sys.executable, "-P", "-m", "triptych.process.child"]
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdin.write(request("chatter", n=2) + request("stumble"))
        child.stdin.flush()
        decoder = frame.Decoder()
        seen: list[tuple[bytes, Any]] = []
        while not seen or seen[-1][0] != frame.ERROR:
            data = os.read(child.stdout.fileno(), 1 << 16)
            assert data, "it ended without an answer"
            seen.extend(decoder.feed(data))
        child.stdin.close()
        assert child.wait(timeout=5) != 0
        assert b"no newline" in child.stderr.read()
    assert [kind for kind, _ in seen] == [frame.ITEM, frame.ITEM, frame.END, frame.ITEM, frame.ERROR]
    assert seen[-1][1]["name"] == "ZeroDivisionError"

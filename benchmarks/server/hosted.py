"""A process with an app in it, seen from outside: its port, its memory, and how late its event loop is."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.process import ROOT

STOPS_WITHIN_SECONDS = 20.0
_PEAK = "5"


class Hosted:
    """A context manager.

    Args:
        app: a name of ``host.APPS``; or ``drain``, which receives and does nothing else.
        folder: where it keeps things. Its log is beside it.

    Attributes:
        port: where it listens, on loopback.
        folder: as above.
    """

    def __init__(self, app: str, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        module = "benchmarks.server.floor" if app == "drain" else "benchmarks.server.host"
        self._log = folder.with_name(f"{folder.name}.log")
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, app, str(folder)],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self.port: int = 0

    def __enter__(self) -> Hosted:
        try:
            self.port = self._hear()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(STOPS_WITHIN_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _hear(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"it ended; its log:\n{self._log.read_text(encoding='utf-8')[-4000:]}")
        return json.loads(line)

    def _ask(self, word: str) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()
        return self._hear()

    @contextlib.contextmanager
    def watched(self, late: list[float]) -> Iterator[None]:
        """Watch its event loop meanwhile; adds to ``late`` how late it was each time, in seconds."""
        self._ask("probe")
        yield
        late += self._ask("tell")

    @contextlib.contextmanager
    def weighed(self, peaks: list[int]) -> Iterator[None]:
        """Adds to ``peaks`` by how many bytes it grew meanwhile, at most, beyond what it had before."""
        idle_bytes = self._memory("VmRSS")
        Path(f"/proc/{self._process.pid}/clear_refs").write_text(_PEAK, encoding="ascii")
        yield
        peaks.append(self._memory("VmHWM") - idle_bytes)

    def _memory(self, name: str) -> int:
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="utf-8")
        (kib,) = (line.split()[1] for line in status.splitlines() if line.startswith(f"{name}:"))
        return int(kib) * 1024

"""A server in a process of its own, which a test can stop, kill and start again on the same data."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

STARTS_WITHIN_SECONDS = 30.0
STOPS_WITHIN_SECONDS = 20.0


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a server answered.

    Attributes:
        status: of it.
        headers: names in lower case.
        body: the bytes.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body, read as JSON."""
        return json.loads(self.body)


class LiveServer:
    """``triptych serve`` on loopback; a context manager.

    Args:
        data: its data folder; made where it is missing. Its log is beside it, as ``<name>.log``.
        arguments: more of its command line.
        environ: more of its environment.
        cwd: the folder that it runs in, whose files callers may name by path; the data folder's parent by default.

    Attributes:
        url: where it listens, ``http://127.0.0.1:PORT``. It keeps its port when it starts again.
        base_url: the same, with ``/v1``: what clients of OpenAI's API are given.
        process: the running process.
    """

    def __init__(
        self,
        data: Path,
        *,
        arguments: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        self.data = data
        self.log = data.parent / f"{data.name}.log"
        self._arguments = tuple(arguments)
        self._environ = dict(environ or {})
        self._cwd = cwd or data.parent
        self._port = 0
        self.url = ""
        self.greeting: list[str] = []
        self.process: subprocess.Popen[str] | None = None

    @property
    def base_url(self) -> str:
        """What clients of OpenAI's API are given."""
        return f"{self.url}/v1"

    def __enter__(self) -> LiveServer:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process is not None:
            self.kill()

    def start(self) -> None:
        """Start it, and wait until it listens."""
        command = [sys.executable, "-m", "triptych", "serve", "--port", str(self._port), "--data", str(self.data)]
        with self.log.open("a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [*command, "--log", "json", *self._arguments],
                cwd=self._cwd,
                env={**os.environ, **self._environ},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        self.greeting = self._greeting(self.process)
        self.url = next(found[0] for line in self.greeting if (found := re.search(r"http://\S+", line)))
        self._port = int(self.url.rpartition(":")[2])

    def _greeting(self, process: subprocess.Popen[str]) -> list[str]:
        """What it says once it listens. It says it in one piece."""
        assert process.stdout is not None
        deadline = time.monotonic() + STARTS_WITHIN_SECONDS
        lines: list[str] = []
        while time.monotonic() < deadline:
            line = process.stdout.readline()
            if not line:
                break
            lines.append(line.rstrip("\n"))
            if line.startswith("Stop it"):
                return lines
        self.kill()
        raise AssertionError(f"the server did not start; it said {lines}, and its log:\n{self.logged()}")

    def logged(self) -> str:
        """All that it wrote on its error stream, in every life."""
        return self.log.read_text(encoding="utf-8")

    def stop(self) -> int:
        """Ask it to stop; its exit code."""
        return self._end(signal.SIGTERM)

    def interrupt(self) -> int:
        """Ctrl-C; its exit code."""
        return self._end(signal.SIGINT)

    def kill(self) -> None:
        """Kill it and what it started, at once."""
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self._reap(STOPS_WITHIN_SECONDS)

    def restart(self) -> None:
        """Start it again on the same data and the same port, after ``kill`` or ``stop``."""
        if self.process is not None:
            self.stop()
        self.start()

    def _end(self, name: signal.Signals) -> int:
        assert self.process is not None
        self.process.send_signal(name)
        try:
            return self._reap(STOPS_WITHIN_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the server did not stop; its log:\n{self.logged()}") from None

    def _reap(self, seconds: float) -> int:
        assert self.process is not None
        code = self.process.wait(seconds)
        if self.process.stdout is not None:
            self.process.stdout.close()
        self.process = None
        return code

    def ask(
        self,
        method: str,
        path: str,
        *,
        document: Any = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_seconds: float = 60.0,
    ) -> Answer:
        """One request; any status is an answer.

        Args:
            method: of it.
            path: after the port: ``/v1/videos``.
            document: sent as JSON.
            body: sent as it is.
            headers: of the request.
            timeout_seconds: how long the server may be silent.
        """
        sent = dict(headers or {})
        if document is not None:
            body = json.dumps(document).encode()
            sent.setdefault("content-type", "application/json")
        request = urllib.request.Request(f"{self.url}{path}", data=body, headers=sent, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=timeout_seconds) as found:
                return _answer(found.status, found.headers.items(), found.read())
        except urllib.error.HTTPError as error:
            with error:
                return _answer(error.code, error.headers.items(), error.read())

    def until_ended(self, job_id: str, *, within_seconds: float = 60.0) -> dict[str, Any]:
        """The job, when it is completed or failed."""
        deadline = time.monotonic() + within_seconds
        while True:
            job: dict[str, Any] = self.ask("GET", f"/v1/videos/{job_id}").json()
            if job.get("status") not in ("queued", "in_progress"):
                return job
            assert time.monotonic() < deadline, f"the job has not ended: {job}"
            time.sleep(0.05)


def _answer(status: int, headers: Any, body: bytes) -> Answer:
    return Answer(status=status, headers={name.lower(): value for name, value in headers}, body=body)

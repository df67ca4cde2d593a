"""A server that a test can kill."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from triptych.testing.server import LiveServer


def test_it_is_killed_with_all_that_it_started_and_starts_again_where_it_was(tmp_path: Path) -> None:
    with LiveServer(tmp_path / "data") as server:
        assert server.base_url == f"{server.url}/v1"
        made = server.ask("POST", "/v1/videos", document={"prompt": "a", "seconds": "1"}).json()
        assert server.process is not None
        whole = [psutil.Process(server.process.pid), *psutil.Process(server.process.pid).children(recursive=True)]
        url = server.url
        server.kill()
        psutil.wait_procs(whole, timeout=10)
        assert [each for each in whole if each.is_running() and each.status() != psutil.STATUS_ZOMBIE] == []
        server.start()
        assert server.url == url
        assert server.until_ended(made["id"])["status"] == "completed"
        server.restart()
        assert server.ask("GET", f"/v1/videos/{made['id']}").json()["status"] == "completed"


def test_one_that_does_not_start_says_what_it_said(tmp_path: Path) -> None:
    server = LiveServer(tmp_path / "data", environ={"TRIPTYCH_PORT": "none"})
    with pytest.raises(AssertionError, match="TRIPTYCH_PORT"):
        server.start()

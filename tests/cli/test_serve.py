"""``triptych serve``: what is typed, what is said, and how it starts and stops."""

from __future__ import annotations

import argparse
import json
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from triptych.cli import serve
from triptych.cli.parser import build
from triptych.config import Settings
from triptych.engines.registry import Registry
from triptych.errors import InvalidRequest
from triptych.testing.double import DoubleEngine
from triptych.testing.server import LiveServer


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


def typed(*words: str) -> argparse.Namespace:
    return build().parse_args(["serve", *words])


def test_what_is_typed_goes_over_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIPTYCH_PORT", "9000")
    monkeypatch.setenv("TRIPTYCH_WORKERS", "3")
    root = str(tmp_path)
    settings = serve.settings_of(typed("--host", "::1", "--port", "0", "--data", "d", "--root", root, "--allow-urls"))
    assert (settings.host, settings.port, settings.data_dir, settings.workers) == ("::1", 0, "d", 3)
    assert (settings.roots, settings.allow_urls) == ((root,), True)
    assert (serve.settings_of(typed()).port, serve.settings_of(typed()).allow_urls) == (9000, False)


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (("--port", "http"), "--port"),
        (("--port", "65536"), "--port"),
        (("--port=-1",), "--port"),
        (("--port", "9" * 5000), "--port"),
        (("--workers", "many"), "--workers"),
        (("--root", "nowhere"), "--root"),
        (("--log", "xml"), "--log"),
    ],
)
def test_what_makes_no_sense_is_refused(words: tuple[str, ...], field: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        serve.settings_of(typed(*words))
    assert [problem.field for problem in refused.value.problems] == [field]


def test_every_problem_is_told_at_once(cli: Cli) -> None:
    done = cli("serve", "--port", "x", "--workers", "x", "--root", "x")
    assert [line.partition(":")[0] for line in done.problems()] == ["--port", "--workers", "--root"]


def test_without_the_extra_it_says_what_to_install(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("triptych.server", "uvicorn"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    done = cli("serve")
    assert (done.code, done.out) == (1, "")
    assert 'pip install "triptych[server]"' in done.err


@pytest.mark.parametrize(
    ("host", "keys", "warned"),
    [("127.0.0.1", (), False), ("0.0.0.0", (), True), ("::", (), True), ("0.0.0.0", ("k",), False)],
)
def test_a_server_that_anybody_can_use_says_so(host: str, keys: tuple[str, ...], warned: bool) -> None:
    lines = serve.warnings(Settings(host=host, api_keys=keys))
    assert bool(lines) is warned
    assert not warned or ("WARNING" in lines[0] and "TRIPTYCH_API_KEYS" in lines[1])


def test_the_greeting_shows_no_key_and_an_address_that_can_be_dialled() -> None:
    registry = Registry({"double": DoubleEngine})
    lines = "\n".join(serve.greeting(Settings(host="0.0.0.0", api_keys=("ann=sk-1",)), 8080, registry))
    assert "http://127.0.0.1:8080/v1/videos" in lines
    assert "sk-1" not in lines
    assert "$KEY" in lines
    assert "http://[::1]:9" in "\n".join(serve.greeting(Settings(host="::1"), 9, registry))


def test_a_port_that_is_taken_is_refused_by_name(cli: Cli, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = cli("serve", "--port", port, "--data", tmp_path / "data")
    (problem,) = done.problems()
    assert problem.startswith(f"--port: somebody listens at 127.0.0.1:{port} already")
    assert not (tmp_path / "data").exists()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    with LiveServer(tmp_path_factory.mktemp("served") / "data") as running:
        yield running


def test_it_says_where_it_is_and_is_there(server: LiveServer) -> None:
    assert server.greeting[0] == f"Triptych listens on {server.url}"
    told = "\n".join(server.greeting)
    assert str(server.data) in told
    assert "animatic" in told
    assert server.ask("GET", "/ready").status == 200


def test_the_command_that_it_shows_makes_a_video(server: LiveServer) -> None:
    line = next(line for line in server.greeting if line.strip().startswith("curl"))
    assert line.split()[1] == f"{server.base_url}/videos"
    form = b'--b\r\ncontent-disposition: form-data; name="prompt"\r\n\r\nA quiet street\r\n'
    form += b'--b\r\ncontent-disposition: form-data; name="seconds"\r\n\r\n1\r\n--b--\r\n'
    made = server.ask(
        "POST", "/v1/videos", body=form, headers={"content-type": "multipart/form-data; boundary=b"}
    ).json()
    job = server.until_ended(made["id"])
    assert (job["status"], job["error"]) == ("completed", None)
    content = server.ask("GET", f"/v1/videos/{job['id']}/content")
    assert content.headers["content-type"] == "video/mp4"
    assert content.body[4:8] == b"ftyp"
    assert len(content.body) == job["outputs"][0]["bytes"]


def logged(server: LiveServer, request_id: str) -> list[dict[str, object]]:
    """The log lines of a request; they are written just after its answer is sent."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        text = server.logged()
        lines = [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines() if line.startswith("{")]
        if found := [line for line in lines if line.get("request_id") == request_id]:
            return found
        time.sleep(0.02)
    return []


def test_a_log_line_is_json_and_says_who_made_what(server: LiveServer) -> None:
    reply = server.ask("POST", "/v1/videos", document={"prompt": "s3cret words", "model": "none"})
    assert reply.status == 404
    (line,) = logged(server, reply.headers["x-request-id"])
    assert (line["event"], line["status"], line["path"]) == ("request", 404, "/v1/videos")
    assert "s3cret" not in server.logged()


@pytest.mark.parametrize("how", ["stop", "interrupt"])
def test_a_signal_stops_it_and_what_ran_goes_on_with_the_next_start(tmp_path: Path, how: str) -> None:
    with LiveServer(tmp_path / "data") as running:
        made = running.ask("POST", "/v1/videos", document={"prompt": "long", "seconds": "20"}).json()
        assert getattr(running, how)() == 0
        assert "Stopped." in running.logged()
        assert "Traceback" not in running.logged()
        running.start()
        job = running.ask("GET", f"/v1/videos/{made['id']}").json()
        assert job["status"] in ("queued", "in_progress")
        deleted = running.ask("DELETE", f"/v1/videos/{made['id']}")
        assert deleted.json()["deleted"] is True


def test_a_client_that_waits_does_not_keep_it_from_stopping(tmp_path: Path) -> None:
    with LiveServer(tmp_path / "data", arguments=("--workers", "0")) as running:
        made = running.ask("POST", "/v1/videos", document={"prompt": "never"}).json()
        host, port = running.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=20) as line:
            line.sendall(f"GET /v1/videos/{made['id']}/events HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            assert line.recv(12) == b"HTTP/1.1 200"
            assert running.stop() == 0
        assert "graceful shutdown exceeded" not in running.logged()

"""The benchmark of the server, in a tiny form: what it measures is what it says, and what fails is no measurement."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pybase64
import pytest

from benchmarks.server import insert, population, upload
from benchmarks.server.client import ask, load, request
from benchmarks.server.hosted import Hosted
from benchmarks.server.probe import Probe, missed, percentile
from benchmarks.server.run import Scale, run

MB = 1_000_000
TINY = Scale(body_bytes=2 * MB, large_bytes=3 * MB, requests=20, jobs=200, inserts=128)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    with Hosted("triptych", tmp_path_factory.mktemp("bench") / "server") as hosted:
        yield hosted


def test_every_aim_has_its_figure_its_floor_and_its_verdict() -> None:
    text = run(repeats=1, scale=TINY)
    aims = text.partition("## Aims")[2].partition("## Bodies")[0].strip().splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in aims]
    assert [cell[0].partition(":")[0] for cell in cells] == [
        *["JSON, 2 MB"] * 3,
        "JSON, 3 MB",
        "JSON, 2 MB",
        "form, 2 MB",
        "JSON, 1.4 MB",
        "create against a bare route that only answers",
        "create against a bare route that does the same work",
        "retrieve against a bare route that only answers",
        "retrieve against a bare route that does the same work",
        "status reads with 200 jobs against 10",
        "64 clients, durable inserts together against one by one, this disk",
        "64 clients, durable inserts together against one by one, 5 ms more a commit",
    ]
    for name, measured, floor, ratio, _, aim, verdict in cells:
        figure, bound = float(ratio.strip("*")), float(aim[2:])
        met = figure >= bound if aim[0] == "≥" else figure <= bound
        assert verdict == ("met" if met else "**missed**"), name
        assert measured
        assert floor


@pytest.mark.parametrize("make", [upload.json_body, upload.form_body])
def test_what_was_sent_is_what_the_server_stored(
    server: Hosted, tmp_path: Path, make: Callable[[Path, int], upload.Body]
) -> None:
    body = make(tmp_path / "body", MB)
    first, second = body.send(server.port).json(), body.send(server.port).json()
    assert first["sha256"] != second["sha256"], "each is a new file for the server"
    sent = body.path.read_bytes()
    if body.kind == "application/json":
        data = pybase64.b64decode(json.loads(sent)["file"], validate=True)
    else:
        data = sent.split(b"\r\n\r\n", 1)[1].rsplit(b"\r\n--", 1)[0]
    assert second["sha256"] == hashlib.sha256(data).hexdigest()
    assert second["bytes"] == len(data)


def test_memory_is_that_of_whoever_holds_the_body(server: Hosted, tmp_path: Path) -> None:
    body = upload.json_body(tmp_path / "body", 16 * MB)
    grown: list[int] = []
    with Hosted("model", tmp_path / "model") as model:
        for one in (server, model):
            upload.json_body(tmp_path / "small", MB).send(one.port)
            with one.weighed(grown):
                body.send(one.port)
    streamed, held = grown
    assert streamed < 4 * MB
    assert held > 16 * MB


def test_the_floor_receives_all_of_a_body(tmp_path: Path) -> None:
    body = upload.json_body(tmp_path / "body", 4 * MB)
    with Hosted("drain", tmp_path / "drain") as drain:
        assert [body.send(drain.port).json() for _ in range(2)] == [{}, {}]


def test_a_refusal_is_no_measurement(server: Hosted) -> None:
    refused = request("POST", "/v1/videos", document={"prompt": "A street", "seconds": "-1"})
    with pytest.raises(RuntimeError, match="no 200"):
        ask(server.port, refused)
    with pytest.raises(RuntimeError, match="no 200"):
        load(server.port, [refused] * 3, connections=2)


def test_every_request_of_a_load_is_answered_once(server: Hosted) -> None:
    found = load(server.port, [request("GET", "/health")] * 37, connections=16)
    assert [answer.json() for answer in found.answers] == [{"status": "ok"}] * 37
    assert found.rate_hz == 37 / found.seconds


def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="KeyError: 'nobody'"), Hosted("nobody", tmp_path / "nobody"):
        pass


def test_the_probe_sees_who_holds_the_loop_up() -> None:
    async def hold() -> list[float]:
        probe = Probe()
        probe.start()
        await asyncio.sleep(0.01)
        time.sleep(0.2)
        await asyncio.sleep(0.01)
        return probe.stop()

    late = asyncio.run(hold())
    assert percentile(late, 1.0) >= 0.19
    assert percentile(late, 0.5) >= 0.05, "a wait counts for as long as it was"


def test_a_wait_is_as_many_late_wakings_as_it_lasted() -> None:
    assert missed(0.0035) == pytest.approx([0.0035, 0.0025, 0.0015, 0.0005])
    assert missed(0.0) == [0.0]


def test_a_commit_for_each_job_waits_for_the_disk_each_time(tmp_path: Path) -> None:
    _, (_, slow) = insert.measure(tmp_path, jobs=128, repeats=1)
    assert slow.alone_hz < 1 / insert.FLUSH_SECONDS
    assert slow.together_hz > 2 * slow.alone_hz


def test_copies_of_a_job_are_jobs(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with Hosted("triptych", data) as first:
        made = ask(first.port, request("POST", "/v1/videos", document={"prompt": "A street", "seconds": "2"})).json()
    ids = population.grow(data, made["id"], to=30)
    assert len(set(ids)) == 30
    with Hosted("triptych", data) as second:
        copies = load(second.port, [request("GET", f"/v1/videos/{id}") for id in ids], connections=4)
    told = [answer.json() for answer in copies.answers]
    assert sorted(job["id"] for job in told) == ids
    assert {job["prompt"] for job in told} == {"A street"}

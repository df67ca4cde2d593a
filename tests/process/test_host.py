"""The host: what a child yields and raises arrives as it was, and a warm child serves again."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.process.calling import SMALL, TARGETS, collect, gone, run
from triptych.errors import (
    Cancelled,
    ChildCrashed,
    EngineFailed,
    EngineUnavailable,
    InputChanged,
    InvalidRequest,
    LimitExceeded,
    NotFound,
    OutputExists,
    TooLarge,
    TriptychError,
    UsageError,
)
from triptych.process.host import Host, Limits
from triptych.process.report import ChildDetailError


def test_items_arrive_in_order_and_as_they_were() -> None:
    params = {"text": "naïve ☃", "list": [1, 2.5, None, True], "deep": {"a": {"b": []}}}

    async def body(host: Host) -> None:
        (item,) = await collect(host.call(TARGETS + "echo", params))
        assert item["params"] == params
        assert item["pid"] != os.getpid()
        numbers = [item["number"] async for item in host.call(TARGETS + "count", {"n": 500, "size": 5000})]
        assert numbers == list(range(500))

    run(body)


def test_a_slow_listener_holds_the_child_up(tmp_path: Path) -> None:
    note = tmp_path / "note"

    async def body(host: Host) -> None:
        limits = Limits(file_bytes=None)
        calls = host.call(TARGETS + "count", {"n": 200, "size": 1 << 20, "note": str(note)}, limits=limits)
        assert (await anext(calls))["number"] == 0
        reached = -1
        while reached != (reached := int(note.read_text() or 0)):
            await asyncio.sleep(0.3)
        assert reached < 20  # of 200: what a pipe and one buffer hold
        rest = [item["number"] async for item in calls]
        assert rest == list(range(1, 200))

    run(body)


def test_only_what_names_a_function_is_called() -> None:
    host = Host()
    for target in ("os", "a b:c", "triptych.a", "triptych.a:b.c", "triptych.a:b\n", " triptych.a:b", "../a:b", ""):
        with pytest.raises(ValueError, match="does not name a function"):
            host.call(target, {})


def test_an_engine_of_another_package_can_have_its_work_done(tmp_path: Path) -> None:
    (tmp_path / "strangers_engine.py").write_text("def work(params):\n    yield {'twice': 2 * params['number']}\n")

    async def body() -> None:
        async with Host(env={"PYTHONPATH": str(tmp_path)}) as host:
            assert [item async for item in host.call("strangers_engine:work", {"number": 21})] == [{"twice": 42}]

    asyncio.run(body())


def test_a_closed_host_starts_nothing() -> None:
    with pytest.raises(RuntimeError, match="not open"):
        asyncio.run(collect(Host().call(TARGETS + "echo", {})))


def test_a_target_that_is_not_there_is_named() -> None:
    async def body(host: Host) -> None:
        with pytest.raises(EngineFailed, match="no attribute 'nothing_here'"):
            await collect(host.call(TARGETS + "nothing_here", {}))
        with pytest.raises(EngineFailed, match="ModuleNotFoundError"):
            await collect(host.call("triptych.nowhere:echo", {}))

    run(body)


@pytest.mark.parametrize(
    "kind",
    [
        TriptychError,
        NotFound,
        TooLarge,
        EngineUnavailable,
        OutputExists,
        InputChanged,
        EngineFailed,
        ChildCrashed,
        LimitExceeded,
        Cancelled,
    ],
)
def test_our_errors_keep_class_and_message(kind: type[TriptychError]) -> None:
    async def body(host: Host) -> None:
        with pytest.raises(TriptychError) as caught:
            await collect(host.call(TARGETS + "fail", {"type": kind.__name__, "message": "so: «it» broke"}, warm=True))
        assert type(caught.value) is kind
        assert caught.value.message == "so: «it» broke"

    run(body)


@pytest.mark.parametrize("kind", [InvalidRequest, UsageError])
def test_a_refusal_keeps_every_problem(kind: type[InvalidRequest]) -> None:
    problems = [
        {
            "code": "media_empty",
            "field": "--image 1 (a.png)",
            "message": "no bytes",
            "value": 0,
            "limit": 1,
            "fix": "Go",
        },
        {
            "code": "invalid_value",
            "field": "size",
            "message": "odd",
            "value": {"w": [1, None]},
            "limit": None,
            "fix": "",
        },
    ]

    async def body(host: Host) -> None:
        with pytest.raises(InvalidRequest) as caught:
            await collect(host.call(TARGETS + "refuse", {"problems": problems, "type": kind.__name__}))
        assert type(caught.value) is kind
        assert [problem.as_json() for problem in caught.value.problems] == problems
        assert caught.value.message == "--image 1 (a.png): no bytes. Go."

    run(body)


def test_any_other_error_is_named_and_its_traceback_is_kept_apart() -> None:
    async def body(host: Host) -> None:
        with pytest.raises(EngineFailed) as caught:
            await collect(host.call(TARGETS + "stumble", {}))
        assert type(caught.value) is EngineFailed
        assert caught.value.message == f"{TARGETS}stumble failed: ZeroDivisionError: seven by nothing"
        cause = caught.value.__cause__
        assert isinstance(cause, ChildDetailError)
        assert 'raise ZeroDivisionError("seven by nothing")' in cause.detail
        with pytest.raises(EngineFailed, match="not plain JSON"):
            await collect(host.call(TARGETS + "shapeless", {}))

    run(body)


def test_what_a_target_prints_does_no_harm() -> None:
    async def body(host: Host) -> None:
        items = await collect(host.call(TARGETS + "chatter", {"n": 50}))
        assert items == [{"number": number, "stdin": ""} for number in range(50)]

    run(body)


def test_a_warm_child_is_used_again_and_replaced_when_it_breaks() -> None:
    async def pid_of(host: Host, target: str = "echo", **params: Any) -> int:
        (item,) = await collect(host.call(TARGETS + target, params, warm=True))
        return int(item["pid"])

    async def body(host: Host) -> None:
        first = await pid_of(host)
        assert await pid_of(host) == first
        refused = {"problems": [{"code": "media_empty", "field": "f", "message": "m"}]}
        with pytest.raises(InvalidRequest):
            await collect(host.call(TARGETS + "refuse", refused, warm=True))
        assert await pid_of(host) == first  # a refusal is no fault of the child's
        with pytest.raises(EngineFailed):
            await collect(host.call(TARGETS + "stumble", {}, warm=True))
        assert not psutil.pid_exists(first)
        second = await pid_of(host)
        assert second != first
        with pytest.raises(ChildCrashed):
            await collect(host.call(TARGETS + "die", {"signal": "SIGSEGV"}, warm=True))
        third = await pid_of(host)
        assert third not in (first, second)
        os.kill(third, signal.SIGKILL)
        assert await gone(third, within_seconds=1)
        await asyncio.sleep(0.05)  # until the loop has heard of it
        assert await pid_of(host) != third
        assert [child.pid for child in psutil.Process().children()] != [third]

    run(body)


def test_warm_children_are_apart_by_limits_and_by_call() -> None:
    async def body(host: Host) -> None:
        async def pid_of(limits: Limits | None = None) -> int:
            (item,) = await collect(host.call(TARGETS + "echo", {}, warm=True, limits=limits))
            return int(item["pid"])

        usual, other = await pid_of(), await pid_of(SMALL)
        assert usual != other
        assert (await pid_of(), await pid_of(SMALL)) == (usual, other)
        together = await asyncio.gather(*(pid_of() for _ in range(6)))
        assert len(set(together)) == 6
        cold = await collect(host.call(TARGETS + "echo", {}))
        assert cold[0]["pid"] not in together
        assert len(psutil.Process().children()) <= 5  # four of the usual limits are kept, and the other

    run(body)


def test_processor_time_is_counted_by_call_in_a_warm_child() -> None:
    async def body(host: Host) -> None:
        limits = Limits(cpu_seconds=1)
        pids = set()
        for _ in range(3):  # together more than the limit
            (item,) = await collect(host.call(TARGETS + "burn", {"seconds": 0.4}, limits=limits, warm=True))
            pids.add(item["pid"])
        assert len(pids) == 1
        with pytest.raises(LimitExceeded, match="processor"):
            await collect(host.call(TARGETS + "spin", {}, limits=limits, warm=True))

    run(body)


def test_the_environment_is_not_passed_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLOUD_PASSWORD", "hunter2")
    monkeypatch.setenv("TRIPTYCH_FAL_KEY", "hunter2")
    monkeypatch.setenv("TRIPTYCH_api_token", "hunter2")
    monkeypatch.setenv("TRIPTYCH_DATABASE_URL", "postgres://me:hunter2@there/triptych")
    monkeypatch.setenv("TRIPTYCH_CACHE", "/here")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")

    async def body(host: Host) -> None:
        (item,) = await collect(host.call(TARGETS + "environment", {}))
        env = item["env"]
        assert not any("hunter2" in value for value in env.values())
        assert env["TRIPTYCH_CACHE"] == "/here"
        assert env["LC_ALL"] == "C.UTF-8"
        assert env["EXTRA"] == "yes"
        assert env["OMP_NUM_THREADS"] == "1"
        assert item["cwd"] == str(tmp_path)
        assert "" not in item["path"]
        assert not {"numpy", "av", "PIL", "cv2", "asyncio"} & set(item["modules"])

    run(body, env={"EXTRA": "yes"}, workdir=tmp_path)


def test_an_interpreter_that_is_not_there_is_named() -> None:
    async def body(host: Host) -> None:
        with pytest.raises(EngineFailed, match="cannot start a child process with /nowhere/python: No such file"):
            await collect(host.call(TARGETS + "echo", {}))

    run(body, python="/nowhere/python")

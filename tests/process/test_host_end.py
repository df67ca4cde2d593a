"""How calls end: by death, by a limit, by whoever listened. Nothing is left behind."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.process.calling import SMALL, TARGETS, collect, collect_into, gone, run
from triptych.errors import (
    Cancelled,
    ChildCrashed,
    EngineFailed,
    LimitExceeded,
)
from triptych.process.host import Host, Limits


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGABRT", "SIGKILL", "SIGTERM"])
def test_death_by_a_signal_names_it(name: str) -> None:
    async def body(host: Host) -> None:
        seen: list[dict[str, Any]] = []
        with pytest.raises(ChildCrashed, match=name) as caught:
            await collect_into(seen, host.call(TARGETS + "die", {"signal": name}))
        assert len(seen) == 1
        assert not psutil.pid_exists(seen[0]["pid"])
        if name == "SIGSEGV":
            assert "Segmentation fault" in str(caught.value.__cause__)

    run(body)


def test_an_exit_without_an_answer_says_the_last_words() -> None:
    async def body(host: Host) -> None:
        with pytest.raises(ChildCrashed, match=r"exit status 3 .* it last said: no such device"):
            await collect(host.call(TARGETS + "leave", {"status": 3, "words": "hello\nno such device\n"}))
        with pytest.raises(EngineFailed, match="SystemExit: done here"):
            await collect(host.call(TARGETS + "leave_politely", {}))

    run(body)


def test_a_memory_bomb_ends_at_its_limit_and_the_parent_stays_flat() -> None:
    async def body(host: Host) -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with pytest.raises(LimitExceeded, match=f"memory than its limit of {SMALL.memory_bytes} bytes"):
            await collect(host.call(TARGETS + "fill_memory", {}, limits=SMALL))
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # kilobytes

    run(body)


def test_a_busy_loop_ends_at_its_processor_limit() -> None:
    async def body(host: Host) -> None:
        with pytest.raises(LimitExceeded, match="processor time than its limit of 1 s"):
            await collect(host.call(TARGETS + "spin", {}, limits=Limits(cpu_seconds=1)))

    run(body)


def test_a_hang_ends_at_its_wall_limit_with_all_it_started() -> None:
    async def body(host: Host) -> None:
        started = time.monotonic()
        seen: list[dict[str, Any]] = []
        limits = Limits(wall_seconds=0.7, file_bytes=None)
        with pytest.raises(LimitExceeded, match=r"longer than its limit of 0\.7 s"):
            await collect_into(seen, host.call(TARGETS + "hang", {}, limits=limits))
        (pids,) = seen
        assert time.monotonic() - started < 3
        assert await gone(pids["pid"], within_seconds=1)
        assert await gone(pids["other"], within_seconds=1)

    run(body)


def test_the_wall_limit_holds_while_nobody_listens() -> None:
    async def body(host: Host) -> None:
        calls = host.call(TARGETS + "spin", {}, limits=Limits(wall_seconds=0.5))
        pid = (await anext(calls))["pid"]
        assert await gone(pid, within_seconds=3)
        with pytest.raises(LimitExceeded, match=r"0\.5 s"):
            await anext(calls)

    run(body)


def test_files_are_bounded(tmp_path: Path) -> None:
    async def body(host: Host) -> None:
        path = tmp_path / "out"
        with pytest.raises(LimitExceeded, match="wrote a file of more than its limit of 0 bytes"):
            await collect(host.call(TARGETS + "write", {"path": str(path), "bytes": 1}))
        limits = Limits(file_bytes=1000)
        await collect(host.call(TARGETS + "write", {"path": str(path), "bytes": 1000}, limits=limits))
        assert path.stat().st_size == 1000
        with pytest.raises(LimitExceeded, match="1000 bytes"):
            await collect(host.call(TARGETS + "write", {"path": str(path), "bytes": 1001}, limits=limits))

    run(body)


def test_closing_the_generator_kills_at_once() -> None:
    async def body(host: Host) -> None:
        calls = host.call(TARGETS + "hang", {})
        pids = await anext(calls)
        started = time.monotonic()
        await calls.aclose()
        assert time.monotonic() - started < 1
        assert not psutil.pid_exists(pids["pid"])
        assert await gone(pids["other"], within_seconds=1)

    run(body)


def test_cancelling_the_task_kills_at_once() -> None:
    async def body(host: Host) -> None:
        pids: asyncio.Future[dict[str, int]] = asyncio.get_running_loop().create_future()

        async def listen() -> None:
            async for item in host.call(TARGETS + "hang", {}):
                pids.set_result(item)

        task = asyncio.create_task(listen())
        found = await pids
        started = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - started < 1
        assert not psutil.pid_exists(found["pid"])
        assert await gone(found["other"], within_seconds=1)

    run(body)


def test_cancelling_during_the_start_leaves_nothing() -> None:
    async def body(host: Host) -> None:
        for turns in (1, 2, 3, 5):
            task = asyncio.create_task(collect(host.call(TARGETS + "hang", {})))
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert psutil.Process().children() == []

    run(body)


def test_a_host_that_closes_while_a_call_starts_ends_that_child_too() -> None:
    async def main() -> None:
        for turns in (0, 1, 2, 3, 5, 8):
            async with Host() as host:
                task = asyncio.create_task(collect(host.call(TARGETS + "hang", {})))
                for _ in range(turns):
                    await asyncio.sleep(0)
            with pytest.raises((Cancelled, RuntimeError), match=r"the host (was closed|is not open)"):
                await asyncio.wait_for(task, 5)
            assert psutil.Process().children() == []

    asyncio.run(main())


def test_leaving_a_loop_early_leaves_nothing() -> None:
    found: list[int] = []

    async def body(host: Host) -> None:
        async for item in host.call(TARGETS + "hang", {}):
            found.extend((item["pid"], item["other"]))
            break

    run(body)
    assert len(found) == 2
    assert all(asyncio.run(gone(pid, within_seconds=1)) for pid in found)


def test_closing_the_host_ends_running_calls() -> None:
    async def main() -> None:
        async with Host() as host:
            calls = host.call(TARGETS + "spin", {})
            pid = (await anext(calls))["pid"]
        assert not psutil.pid_exists(pid)
        with pytest.raises(Cancelled, match="host was closed"):
            await anext(calls)

    asyncio.run(main())


PARENT = """
import asyncio, sys
from triptych.process.host import Host

async def main():
    async with Host() as host:
        async for item in host.call("triptych.testing.child_target:" + sys.argv[1], {}):
            print(item["pid"], flush=True)

asyncio.run(main())
"""


@pytest.mark.parametrize("target", ["spin", "hang", *(["hold_interpreter"] if sys.platform == "linux" else [])])
def test_the_child_ends_with_its_parent(target: str, root: Path) -> None:
    command = [sys.executable, "-c", PARENT, target]
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        assert asyncio.run(gone(pid, within_seconds=2))


@pytest.mark.parametrize("text", ["I\xff\xff\xff\xff", "I\0\0\0\x03{]}", "garbage", "E\0\0\0\0"])
def test_a_malformed_message_is_a_crash(text: str) -> None:
    async def body(host: Host) -> None:
        with pytest.raises(ChildCrashed, match="not a message"):
            await collect(host.call(TARGETS + "garble", {"text": text}))
        assert psutil.Process().children() == []

    run(body)

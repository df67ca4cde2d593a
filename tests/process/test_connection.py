"""One child process as the event loop sees it."""

from __future__ import annotations

import asyncio
import sys

import psutil
import pytest

from triptych.process import frame
from triptych.process.connection import GONE, Connection


async def start(source: str) -> Connection:
    loop = asyncio.get_running_loop()
    _, child = await loop.subprocess_exec(Connection, sys.executable, "-c", source, start_new_session=True)
    return child


def test_what_was_sent_before_death_is_received_before_it() -> None:
    item = frame.encode(frame.ITEM, {"n": 1})
    source = f"import os, sys; os.write(1, {item * 3!r}); sys.stderr.write('x' * 100000 + 'last words'); sys.exit(7)"

    async def main() -> None:
        child = await start(source)
        kinds = [await child.receive() for _ in range(4)]
        assert kinds == [(frame.ITEM, {"n": 1})] * 3 + [(GONE, None)]
        assert child.status == 7
        assert not child.alive
        await child.end()
        assert child.last_words.endswith("last words")
        assert len(child.last_words) <= 8192

    asyncio.run(main())


def test_one_that_only_closes_its_pipe_is_killed() -> None:
    async def main() -> None:
        child = await start("import os, time; os.close(1); time.sleep(600)")
        assert await child.receive() == (GONE, None)
        assert not psutil.pid_exists(child.pid)
        await child.end()

    asyncio.run(main())


def test_a_frame_cut_short_is_death_not_a_message() -> None:
    async def main() -> None:
        child = await start("import os; os.write(1, b'I\\0\\0\\0\\x09{')")
        assert await child.receive() == (GONE, None)
        await child.end()

    asyncio.run(main())


def test_garbage_is_reported_after_what_was_good() -> None:
    async def main() -> None:
        child = await start(
            f"import os, time; os.write(1, {frame.encode(frame.END, None)!r} + b'garbage'); time.sleep(600)"
        )
        assert await child.receive() == (frame.END, None)
        with pytest.raises(frame.FrameError, match="unknown kind"):
            await child.receive()
        await child.end()
        await child.end()  # again does no harm

    asyncio.run(main())

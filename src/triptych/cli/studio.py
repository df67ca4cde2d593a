"""The studio of a person at a command line: their own files may be read, addresses only when asked."""

from __future__ import annotations

import argparse
import asyncio
import signal
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from triptych.config import Settings
from triptych.errors import Cancelled
from triptych.media.fetch import Policy
from triptych.process.host import Limits
from triptych.studio import Studio

Value = TypeVar("Value")

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""An interrupt, a request to end, and a terminal that is closed."""


def settings_of(arguments: argparse.Namespace) -> Settings:
    """The settings of this installation, and what was typed over them."""
    settings = Settings.read()
    return replace(settings, allow_urls=arguments.allow_urls or settings.allow_urls)


def open_studio(settings: Settings) -> Studio:
    """A studio for one command. A bound of 0 is none."""
    return Studio(
        policy=Policy(roots=None, max_bytes=settings.max_input_bytes, allow_urls=settings.allow_urls),
        work_dir=Path(settings.work_dir) if settings.work_dir else None,
        decoders=settings.decoders,
        decode_limits=Limits.of_decoding(settings.memory_bytes, settings.decode_seconds),
    )


def run_until_done(work: Coroutine[Any, Any, Value]) -> Value:
    """Run one coroutine. A signal to stop cancels it, it cleans up, and ``Cancelled`` is raised.

    A signal that whoever started us wants ignored (``nohup``) stays ignored. While it cleans up, more of them change
    nothing: a half-done cleaning leaves files behind, and it takes no longer than it takes to end a process.
    """

    async def guarded() -> Value:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()
        for name in STOPPING:
            if signal.getsignal(name) is not signal.SIG_IGN:
                loop.add_signal_handler(name, _stop, task)
        try:
            return await task
        except asyncio.CancelledError:
            raise Cancelled("Stopped. Nothing was written.") from None

    return asyncio.run(guarded())


def _stop(task: asyncio.Task[Any]) -> None:
    if not task.cancelling():
        task.cancel()

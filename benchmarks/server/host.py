"""One app in a process of its own, under the server's own settings: ``python -m benchmarks.server.host APP FOLDER``.

It says its port; then ``probe`` on its standard input starts to watch the event loop, and ``tell`` ends that. Each is
answered with a line of JSON: nothing, once the loop is watched; and how late it was each time.
"""

from __future__ import annotations

import asyncio
import functools
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.server import bare
from benchmarks.server.plain import plain_app
from benchmarks.server.probe import Probe
from triptych.config import Settings
from triptych.engines.registry import Registry
from triptych.server import log
from triptych.server.app import create_app
from triptych.server.listen import Server, listen

MAX_QUEUED = 1_000_000


def settings(folder: Path, *, workers: int = 0) -> Settings:
    """The usual ones; the queue has no end, and stands still unless there are workers."""
    return Settings(data_dir=str(folder), workers=workers, max_queued=MAX_QUEUED)


def triptych(folder: Path, *, workers: int = 0) -> Any:
    """The server itself, as ``triptych serve`` makes it."""
    return create_app(settings(folder, workers=workers), registry=Registry.installed())


APPS: Mapping[str, Callable[[Path], Any]] = {
    "triptych": triptych,
    "triptych-working": functools.partial(triptych, workers=1),
    "model": bare.model_app,
    "plain": lambda folder: plain_app(settings(folder)),
    "put": bare.put_app,
}


async def serve(app: Any) -> None:
    """Serve until the process is told to stop."""
    opened = listen("127.0.0.1", 0)
    probe = Probe()

    def obey() -> None:
        for word in os.read(0, 4096).decode().split():
            if word == "probe":
                probe.start()
                _say(None)
            else:
                _say(probe.stop())

    asyncio.get_running_loop().add_reader(0, obey)
    server = Server(app, started=lambda: _say(opened.getsockname()[1]))
    try:
        await server.serve(sockets=[opened])
    finally:
        asyncio.get_running_loop().remove_reader(0)


def _say(value: Any) -> None:
    print(json.dumps(value), flush=True)


def main() -> None:
    """Serve one app."""
    log.start("json")
    app = APPS[sys.argv[1]](Path(sys.argv[2]))
    # The same event loop that uvicorn takes by itself.
    factory = Server(app, started=lambda: None).config.get_loop_factory()
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(serve(app))


if __name__ == "__main__":
    main()

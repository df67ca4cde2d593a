"""The child process: reads requests from its standard input, runs their targets, and sends back what they yield.

Started by ``triptych.process.host`` and by nothing else. It ends when its standard input does, which is when the
parent closes it or dies. What a target prints goes to standard error; the frames have a descriptor of their own.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterable
from queue import SimpleQueue
from typing import Any

from triptych.process import frame, limits, offline, report

_READ_BYTES = 1 << 16
_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serve requests until standard input ends."""
    import faulthandler

    frames_in, frames_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    faulthandler.enable()
    limits.no_core_dump()
    if os.environ.get(offline.VARIABLE) == "1":
        offline.forbid()
    requests: SimpleQueue[dict[str, Any]] = SimpleQueue()
    threading.Thread(target=_read, args=(frames_in, requests), daemon=True).start()
    while True:
        _serve(requests.get(), frames_out)


def _serve(request: dict[str, Any], out: int) -> None:
    """Run one request to its end or its error."""
    try:
        bounds = limits.Limits(**request["limits"])
        limits.bound_cpu(bounds.cpu_seconds)
        limits.bound_memory(bounds.memory_bytes)
        # Imported before files are bounded: Python may want to keep the compiled module.
        target = _target(request["target"])
        limits.bound_files(bounds.file_bytes)
        items: Iterable[dict[str, Any]] = target(request["params"])
        for item in items:
            _send(out, frame.ITEM, item)
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001  (the parent is told, and raises it)
        traceback.clear_frames(error.__traceback__)  # what filled the memory must go before the report is made
        _send(out, frame.ERROR, report.tell(error))
    else:
        _send(out, frame.END, None)


def _target(name: str) -> Any:
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)


def _send(out: int, kind: bytes, body: Any) -> None:
    data = memoryview(frame.encode(kind, body))
    while data:
        data = data[os.write(out, data) :]


def _read(source: int, requests: SimpleQueue[dict[str, Any]]) -> None:
    """Hand on requests; end the process, and all that it started, when the parent is gone."""
    _end_with_parent()
    decoder = frame.Decoder()
    while data := os.read(source, _READ_BYTES):
        for _, request in decoder.feed(data):
            requests.put(request)
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(0)


def _end_with_parent() -> None:
    """Ask the kernel to end this process with its parent, even when the interpreter is held up in a library."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):  # a libc without prctl: the end of input still tells
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main()

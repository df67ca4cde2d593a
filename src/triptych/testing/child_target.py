"""Functions that misbehave, for the tests of ``triptych.process.host``. Each takes params and yields plain dicts."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from triptych import errors
from triptych.errors import InvalidRequest, Problem, TriptychError

Items = Iterator[dict[str, Any]]


def echo(params: dict[str, Any]) -> Items:
    """Yield the params and the child's process id."""
    yield {"params": params, "pid": os.getpid()}


def count(params: dict[str, Any]) -> Items:
    """Yield ``n`` dicts of about ``size`` characters; note each in the file ``note``, when one is given."""
    for number in range(params["n"]):
        if "note" in params:
            Path(params["note"]).write_text(str(number))
        yield {"number": number, "filling": "x" * params.get("size", 0)}


def environment(params: dict[str, Any]) -> Items:
    """Yield the environment, the module search path and the modules that are loaded."""
    yield {"env": dict(os.environ), "path": sys.path, "modules": sorted(sys.modules), "cwd": str(Path.cwd())}


def die(params: dict[str, Any]) -> Items:
    """Yield once, then die by the signal named ``signal``."""
    yield {"pid": os.getpid()}
    os.kill(os.getpid(), signal.Signals[params["signal"]])
    time.sleep(60)


def leave(params: dict[str, Any]) -> Items:
    """Yield once, print ``words`` to standard error and end the process with ``status``."""
    yield {}
    os.write(2, params["words"].encode())
    os._exit(params["status"])


def fill_memory(params: dict[str, Any]) -> Items:
    """Take memory until there is none."""
    blocks = []
    while True:
        blocks.append(bytearray(16 << 20))
        yield {"bytes": len(blocks) << 24}


def spin(params: dict[str, Any]) -> Items:
    """Use the processor without end; yield the process id first."""
    yield {"pid": os.getpid()}
    while True:
        pass


def burn(params: dict[str, Any]) -> Items:
    """Use ``seconds`` of processor time."""
    end = time.process_time() + params["seconds"]
    while time.process_time() < end:
        pass
    yield {"pid": os.getpid()}


def hold_interpreter(params: dict[str, Any]) -> Items:
    """Yield the process id, then wait without end in a library, with the interpreter's lock held."""
    import ctypes

    yield {"pid": os.getpid()}
    ctypes.PyDLL(None).sleep(600)


def hang(params: dict[str, Any]) -> Items:
    """Start a process of its own, yield both process ids, and wait without end."""
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    yield {"pid": os.getpid(), "other": other.pid}
    time.sleep(600)


def write(params: dict[str, Any]) -> Items:
    """Write ``bytes`` bytes to ``path``."""
    Path(params["path"]).write_bytes(bytes(params["bytes"]))
    yield {"written": params["bytes"]}


def chatter(params: dict[str, Any]) -> Items:
    """Print in every way there is while yielding."""
    for number in range(params["n"]):
        print("I" * 100, flush=True)
        os.write(1, b"X\x00\x00\x00\x01")
        sys.stdout.write("no newline")
        yield {"number": number, "stdin": sys.stdin.read()}


def garble(params: dict[str, Any]) -> Items:
    """Write ``text`` to every descriptor above 2, the frames' own among them."""
    for descriptor in range(3, 16):
        try:
            os.write(descriptor, params["text"].encode("latin-1"))
        except OSError:
            continue
    yield {}


def fail(params: dict[str, Any]) -> Items:
    """Yield once, then raise the error class named ``type`` of ``triptych.errors`` with ``message``."""
    yield {"pid": os.getpid()}
    kind: type[TriptychError] = getattr(errors, params["type"])
    raise kind(params["message"])


def refuse(params: dict[str, Any]) -> Items:
    """Yield once, then raise an ``InvalidRequest`` (or the class named ``type``) with ``problems``."""
    yield {"pid": os.getpid()}
    kind: type[InvalidRequest] = getattr(errors, params.get("type", "InvalidRequest"))
    raise kind([Problem(**problem) for problem in params["problems"]])


def stumble(params: dict[str, Any]) -> Items:
    """Yield once, then raise an error that is not one of ours."""
    yield {}
    raise ZeroDivisionError("seven by nothing")


def leave_politely(params: dict[str, Any]) -> Items:
    """Yield once, then call ``sys.exit``."""
    yield {}
    sys.exit("done here")


def shapeless(params: dict[str, Any]) -> Items:
    """Yield what is not plain JSON."""
    yield {"set": {1, 2}}


def dial(params: dict[str, Any]) -> Items:
    """Try to reach ``address``, and go on as if nothing had been when that fails."""
    import socket

    with contextlib.suppress(OSError), socket.socket() as one:
        one.settimeout(0.1)
        one.connect(tuple(params["address"]))
    yield {"dialled": params["address"]}

"""Limits, in a process of their own: they cannot be taken back in this one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from triptych.process.limits import Limits

SOURCE = """
import resource, sys, time
from triptych.process import limits

limits.bound_memory(300 << 20)
try:
    bytearray(400 << 20)
except MemoryError:
    print("memory")
limits.bound_memory(None)
bytearray(400 << 20)
print("memory again")

limits.bound_files(10)
with open(sys.argv[1], "wb", buffering=0) as file:
    file.write(bytes(10))
    try:
        file.write(b"x")
    except OSError as error:
        print(error.strerror)

limits.bound_cpu(2.5)
used = resource.getrusage(resource.RUSAGE_SELF)
soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
print(0 <= soft - 2.5 - used.ru_utime - used.ru_stime <= 1.1, hard == resource.RLIM_INFINITY or hard >= soft)
limits.bound_cpu(None)
print(resource.getrlimit(resource.RLIMIT_CPU)[0] == hard)
limits.no_core_dump()
print(resource.getrlimit(resource.RLIMIT_CORE)[0])
"""


def test_each_limit_holds_and_can_be_moved(tmp_path: Path, root: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", SOURCE, str(tmp_path / "file")],
        env={**os.environ, "PYTHONPATH": str(root / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr == ""
    expected = ["memory", "memory again", "File too large", "True True", "True", "0"]
    assert run.stdout.splitlines() == (expected if sys.platform == "linux" else expected[1:])


def test_the_usual_limits_are_bounds() -> None:
    assert Limits() == Limits(memory_bytes=4 << 30, cpu_seconds=None, wall_seconds=300.0, file_bytes=0)
    assert hash(Limits()) == hash(Limits())  # warm children are kept by limits


def test_a_bound_of_0_in_the_settings_is_none() -> None:
    assert Limits.of_decoding(1 << 20, 2.0) == Limits(memory_bytes=1 << 20, cpu_seconds=2.0, wall_seconds=6.0)
    assert Limits.of_decoding(0, 0.0) == Limits(memory_bytes=None, cpu_seconds=None, wall_seconds=None)

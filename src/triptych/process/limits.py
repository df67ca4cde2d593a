"""What one call in a child process may use."""

from __future__ import annotations

import contextlib
import math
import sys
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds of one call; ``None`` is no such bound.

    Attributes:
        memory_bytes: address space of the child (RLIMIT_AS; macOS has no such limit, there it is not kept).
        cpu_seconds: processor time of this call, rounded up to whole seconds (RLIMIT_CPU).
        wall_seconds: time on the clock; the parent ends the child.
        file_bytes: size of any one file that it writes (RLIMIT_FSIZE); 0 = it may not write files.
    """

    memory_bytes: int | None = 4 << 30
    cpu_seconds: float | None = None
    wall_seconds: float | None = 300.0
    file_bytes: int | None = 0

    @classmethod
    def of_decoding(cls, memory_bytes: int, seconds: float) -> Limits:
        """Bounds for looking at one input, from the settings of an installation; 0 is no bound.

        Args:
            memory_bytes: of the child.
            seconds: of processor time; on the clock it may take three times as long.
        """
        return cls(memory_bytes=memory_bytes or None, cpu_seconds=seconds or None, wall_seconds=seconds * 3 or None)


def bound_memory(most_bytes: int | None) -> None:
    """Bound this process's address space."""
    import resource

    # macOS refuses RLIMIT_AS outright; the other limits hold there.
    with contextlib.suppress(ValueError) if sys.platform == "darwin" else contextlib.nullcontext():
        _set(resource.RLIMIT_AS, most_bytes)


def bound_files(most_bytes: int | None) -> None:
    """Bound each file that this process writes. Python ignores SIGXFSZ, so a write over it fails with EFBIG."""
    import resource

    _set(resource.RLIMIT_FSIZE, most_bytes)


def bound_cpu(seconds: float | None) -> None:
    """Bound this process's processor time from now on. The kernel ends it with SIGXCPU."""
    import resource

    if seconds is None:
        _set(resource.RLIMIT_CPU, None)
        return
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _set(resource.RLIMIT_CPU, math.ceil(usage.ru_utime + usage.ru_stime + seconds))


def no_core_dump() -> None:
    """A crash leaves no core file."""
    import resource

    _set(resource.RLIMIT_CORE, 0)


def _set(which: int, soft: int | None) -> None:
    """Move a soft limit; the hard one stays, so that it can be moved again, and is never passed."""
    import resource

    _, hard = resource.getrlimit(which)
    wanted = resource.RLIM_INFINITY if soft is None else soft
    if hard != resource.RLIM_INFINITY and (wanted == resource.RLIM_INFINITY or wanted > hard):
        wanted = hard
    resource.setrlimit(which, (wanted, hard))

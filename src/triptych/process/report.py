"""Errors across the pipe: told by the child, raised again in the parent."""

from __future__ import annotations

import errno
import traceback
from typing import Any

from triptych.errors import (
    ChildCrashed,
    EngineFailed,
    InvalidRequest,
    LimitExceeded,
    Problem,
    TriptychError,
    error_classes,
)
from triptych.process.limits import Limits

_DETAIL_CHARS = 20_000


class ChildDetailError(Exception):
    """What a child process left behind: its traceback, or the end of what it printed. The cause of the error raised.

    Attributes:
        detail: the text.
    """

    def __init__(self, detail: str) -> None:
        super().__init__(f"in the child process:\n{detail}")
        self.detail = detail


def tell(error: BaseException) -> dict[str, Any]:
    """An error as plain JSON, for ``raise_told``."""
    detail = "".join(traceback.format_exception(error))[-_DETAIL_CHARS:]
    if isinstance(error, TriptychError):
        known = error_classes()
        kind = next(kind for kind in type(error).__mro__ if kind in known)
        told: dict[str, Any] = {"type": kind.__name__, "message": error.message, "detail": detail}
        if isinstance(error, InvalidRequest):
            told["problems"] = [problem.as_json() for problem in error.problems]
        return told
    return {
        "limit": _limit_passed(error),
        "no_room": isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT),
        "name": type(error).__name__,
        "message": str(error),
        "detail": detail,
    }


def raise_told(told: dict[str, Any], *, target: str, limits: Limits) -> None:
    """Raise what the child told.

    Raises:
        TriptychError: of the same class and with the same message, when it was one.
        LimitExceeded: the child ran out of memory, or wrote a file that it may not.
        EngineFailed: any other error, named.
        ChildCrashed: what it told is no error that ``tell`` makes.
    """
    try:
        error, detail = _told_error(told, target=target, limits=limits), ChildDetailError(told["detail"])
    except (LookupError, TypeError, ValueError, AttributeError) as nonsense:
        raise ChildCrashed(f"{target} failed, and what it says of that makes no sense") from nonsense
    raise error from detail


def _told_error(told: dict[str, Any], *, target: str, limits: Limits) -> TriptychError:
    if "type" in told:
        kind = {kind.__name__: kind for kind in error_classes()}[told["type"]]
        if issubclass(kind, InvalidRequest):
            return kind([Problem(**problem) for problem in told["problems"]])
        return kind(told["message"])
    if told["limit"]:
        return limit_exceeded(told["limit"], target=target, limits=limits)
    if told["no_room"]:
        return EngineFailed(f"there is no room left on the disk for what {target} writes")
    return EngineFailed(f"{target} failed: {told['name']}: {told['message']}")


def limit_exceeded(limit: str, *, target: str, limits: Limits) -> LimitExceeded:
    """The error that names a limit, one of ``memory_bytes``, ``cpu_seconds``, ``wall_seconds``, ``file_bytes``."""
    figure = getattr(limits, limit)
    if figure is None:
        return LimitExceeded(f"{target} passed the machine's own bound; {limit} sets none")
    return LimitExceeded(
        {
            "memory_bytes": f"{target} needs more memory than its limit of {figure} bytes",
            "cpu_seconds": f"{target} used more processor time than its limit of {figure} s",
            "wall_seconds": f"{target} took longer than its limit of {figure} s",
            "file_bytes": f"{target} wrote a file of more than its limit of {figure} bytes",
        }[limit]
    )


def _limit_passed(error: BaseException) -> str | None:
    if isinstance(error, MemoryError):
        return "memory_bytes"
    if isinstance(error, OSError) and error.errno in (errno.ENOMEM, errno.EFBIG):
        return "memory_bytes" if error.errno == errno.ENOMEM else "file_bytes"
    # OpenCV and C++ libraries have no class of their own for it.
    if any(words in str(error) for words in ("Insufficient memory", "std::bad_alloc")):
        return "memory_bytes"
    return None

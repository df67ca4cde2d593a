"""Triptych: video with sound from a prompt and what you show it.

    import asyncio
    import triptych

    request = triptych.Request(
        prompt="a quiet street",
        references=(
            triptych.Reference(
                role=triptych.Role.REFERENCE, source=triptych.PathSource("street.jpg"), field="street"
            ),
        ),
    )

    async def main() -> None:
        async with triptych.Studio(policy=triptych.Policy(roots=None, max_bytes=1 << 30)) as studio:
            plan = await triptych.prepare(request, studio)
            async for event in triptych.execute(plan, studio):
                print(event)

    asyncio.run(main())

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from triptych.errors import Cancelled, EngineFailed, InputNotUsed, InvalidRequest, Problem, TriptychError
    from triptych.media.fetch import Policy
    from triptych.media.url import Guard
    from triptych.run import execute, prepare
    from triptych.studio import Studio
    from triptych.task import (
        Artifact,
        BytesSource,
        DataURLSource,
        Fit,
        Modality,
        PathSource,
        Plan,
        Progress,
        Reference,
        Request,
        Result,
        Role,
        Tags,
        Task,
        URLSource,
    )

_HOMES: dict[str, tuple[str, ...]] = {
    "triptych.errors": ("Cancelled", "EngineFailed", "InputNotUsed", "InvalidRequest", "Problem", "TriptychError"),
    "triptych.media.fetch": ("Policy",),
    "triptych.media.url": ("Guard",),
    "triptych.run": ("execute", "prepare"),
    "triptych.studio": ("Studio",),
    "triptych.task": (
        "Artifact",
        "BytesSource",
        "DataURLSource",
        "Fit",
        "Modality",
        "PathSource",
        "Plan",
        "Progress",
        "Reference",
        "Request",
        "Result",
        "Role",
        "Tags",
        "Task",
        "URLSource",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Artifact",
    "BytesSource",
    "Cancelled",
    "DataURLSource",
    "EngineFailed",
    "Fit",
    "Guard",
    "InputNotUsed",
    "InvalidRequest",
    "Modality",
    "PathSource",
    "Plan",
    "Policy",
    "Problem",
    "Progress",
    "Reference",
    "Request",
    "Result",
    "Role",
    "Studio",
    "Tags",
    "Task",
    "TriptychError",
    "URLSource",
    "execute",
    "prepare",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'triptych' has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return __all__

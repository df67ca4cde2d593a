"""The built-in preview engine: a moving storyboard of what it is given, made on the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triptych.engines.animatic.engine import Animatic


def create() -> Animatic:
    """The engine; this is what the entry point names. Loads nothing heavy."""
    from triptych.engines.animatic.engine import Animatic

    return Animatic()

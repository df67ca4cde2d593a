"""Engines by name. Built-in ones come in by the same door as strangers': the entry points ``triptych.engines``.

Looking at the list, or at a spec, loads no weights; an engine's heavy imports wait until it runs.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from importlib.metadata import entry_points

from triptych.engines.base import Engine
from triptych.errors import EngineUnavailable, InvalidRequest, Problem
from triptych.rules.spec import EngineSpec

GROUP = "triptych.engines"
DEFAULT = "animatic"


class Registry:
    """The engines that can be named.

    Args:
        factories: name → a function without arguments that makes the engine.
    """

    def __init__(self, factories: Mapping[str, Callable[[], Engine]]) -> None:
        self._factories = dict(factories)
        self._engines: dict[str, Engine] = {}

    @classmethod
    def installed(cls) -> Registry:
        """All engines that installed packages bring. Of two under one name, Triptych's own wins."""
        found = sorted(entry_points(group=GROUP), key=lambda point: point.value.startswith("triptych."))
        return cls({point.name: _factory(point.name, point.load) for point in found})

    def names(self) -> tuple[str, ...]:
        """Every name, sorted."""
        return tuple(sorted(self._factories))

    def engine(self, name: str | None, *, field: str = "engine") -> Engine:
        """The engine of a name; ``None`` is the default one.

        Raises:
            InvalidRequest: there is none of that name; the message lists what there is.
            EngineUnavailable: it is known, and what it needs cannot be imported.
        """
        name = DEFAULT if name is None else name
        if name not in self._factories:
            close = difflib.get_close_matches(name, self.names(), n=1)
            there = ", ".join(self.names()) or "none"
            raise InvalidRequest(
                [
                    Problem(
                        code="unknown_engine",
                        field=field,
                        message=f"no engine is called {name!r}",
                        value=name,
                        limit=list(self.names()),
                        fix=f"Did you mean {close[0]}?" if close else f"There is {there}",
                    )
                ]
            )
        if name not in self._engines:
            self._engines[name] = self._factories[name]()
        return self._engines[name]

    def spec(self, name: str | None, *, field: str = "engine") -> EngineSpec:
        """The spec of a name. Raises as ``engine`` does."""
        return self.engine(name, field=field).spec


def _factory(name: str, load: Callable[[], Callable[[], Engine]]) -> Callable[[], Engine]:
    def make() -> Engine:
        try:
            create = load()
            if not callable(create):
                raise EngineUnavailable(f"engine {name} cannot be loaded: its entry point is no function")
            return create()
        except (ImportError, AttributeError) as error:
            raise EngineUnavailable(f"engine {name} cannot be loaded: {error}") from error

    return make

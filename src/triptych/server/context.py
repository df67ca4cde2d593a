"""What the routes of one app work with."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from starlette.requests import Request

from triptych.config import Settings
from triptych.engines.registry import Registry
from triptych.errors import EngineUnavailable, InvalidRequest
from triptych.jobs.service import Service
from triptych.rules.spec import EngineSpec
from triptych.server.metric import Metrics
from triptych.studio import Studio


@dataclass(kw_only=True)
class Context:
    """It is there while the app runs.

    Attributes:
        settings: of the installation.
        registry: the engines.
        studio: what requests are prepared with.
        service: the jobs and files.
        metrics: what is counted.
        bodies: bounds how many bodies are read at once.
        stopping: set when the server is going to stop; whoever waits for a job lets go.
    """

    settings: Settings
    registry: Registry
    studio: Studio
    service: Service
    metrics: Metrics
    bodies: asyncio.Semaphore
    stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def spec(self, name: str | None) -> EngineSpec | None:
        """The spec of an engine; ``None`` when there is no such engine, or what it needs is missing."""
        try:
            return self.registry.spec(name)
        except (InvalidRequest, EngineUnavailable):
            return None


def context_of(request: Request) -> Context:
    """The context of the app that a request came to."""
    context = request.app.state.context
    if not isinstance(context, Context):
        raise TypeError("the app has not been started: it has no context")
    return context


def owner_of(request: Request) -> str:
    """Whose request it is; empty where nobody has to say who they are."""
    owner: str = request.state.owner
    return owner

"""Bodies, read as they arrive: bounded, decoded and stored on the way, and cleared away when nothing comes of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from starlette.requests import Request

from triptych.errors import InvalidRequest, Problem, TooLarge
from triptych.server.context import Context
from triptych.wire.body import BodyReader, Document
from triptych.wire.reader import BodyLimits, reader


@dataclass(kw_only=True)
class Body:
    """A body that was read to its end.

    Attributes:
        document: what is in it.
    """

    document: Document
    _reader: BodyReader = field(repr=False)
    kept: bool = False

    def keep(self) -> None:
        """What was stored of it is in use now, and stays."""
        self.kept = True


@asynccontextmanager
async def received(request: Request, context: Context) -> AsyncIterator[Body]:
    """Read a request's body. Unless ``keep`` is called, what was stored of it is gone afterwards.

    Raises:
        UnsupportedMediaType: a type that is not read here; nothing was read.
        TooLarge: over the limit; when its length says so, nothing was read.
        InvalidRequest: it is not what its type says, or it stood still.
        ClientDisconnect: the client went away.
    """
    settings = context.settings
    limits = BodyLimits(max_body_bytes=settings.max_request_body_bytes, max_input_bytes=settings.max_input_bytes)
    taken = reader(request.headers.get("content-type", ""), spool=context.studio.spool, limits=limits)
    body: Body | None = None
    try:
        _check_length(request, settings.max_request_body_bytes)
        async with context.bodies:
            document = await _read(request, taken, idle_seconds=settings.body_idle_seconds)
        body = Body(document=document, _reader=taken)
        yield body
    finally:
        if body is None or not body.kept:
            taken.discard()


def _check_length(request: Request, most: int) -> None:
    said = request.headers.get("content-length", "")
    if said.isdecimal() and (len(said) > len(str(most)) + 3 or int(said) > most):
        raise TooLarge(f"The body has {said[:30]} bytes; the most is {most} (setting max_request_body_bytes).")


async def _read(request: Request, taken: BodyReader, *, idle_seconds: float) -> Document:
    chunks = request.stream()
    clock = asyncio.get_running_loop().time
    try:
        # One timeout that is put off with each piece; one for each piece takes twice as long.
        async with asyncio.timeout(idle_seconds or None) as patience:
            async for chunk in chunks:
                if chunk:
                    taken.feed(chunk)
                if idle_seconds:
                    patience.reschedule(clock() + idle_seconds)
        return taken.finish()
    except TimeoutError:
        message = f"no byte of it came for {idle_seconds:g} seconds"
        raise InvalidRequest([Problem(code="invalid_body", field="body", message=message)]) from None

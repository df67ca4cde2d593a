"""A stored file as a response: whole or in parts, with its hash as its tag, and 304 for who has it already."""

from __future__ import annotations

import re
from pathlib import Path

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.types import Message, Receive, Scope, Send

from triptych.errors import Expired
from triptych.server import problem

SHOWN = ("video/", "audio/", "image/png", "image/jpeg", "image/webp", "image/gif", "image/avif")
"""Types that a browser may show. All else is a download that is not looked into."""

CHUNK_BYTES = 256 << 10


_RANGE = re.compile(r"(\d{0,18})-(\d{0,18})", re.ASCII)


class StoredFile(FileResponse):
    """A file in pieces that are large enough to be quick. A part that is not there is refused in the one shape."""

    chunk_size = CHUNK_BYTES

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        if not is_range(Headers(scope=scope).get("range", "")):
            # A range that makes no sense is no range (RFC 9110, 14.2).
            scope = {**scope, "headers": [(name, value) for name, value in scope["headers"] if name != b"range"]}
        refused = False

        async def sending(message: Message) -> None:
            nonlocal refused
            if message["type"] == "http.response.start" and message["status"] == 416:
                refused = True
                size = str(Headers(raw=message["headers"])["content-range"])
                text = f"There is no such part: the file has {size.rpartition('/')[2]} bytes."
                response = problem.envelope(
                    416, message=text, code="range_not_satisfiable", param="Range", headers={"content-range": size}
                )
                await response(scope, receive, send)
            elif not refused:
                await send(message)

        await super().__call__(scope, receive, sending)


def is_range(header: str) -> bool:
    """Whether a ``Range`` header names parts of a file by their bytes."""
    unit, _, parts = header.partition("=")
    found = [_RANGE.fullmatch(part.strip()) for part in parts.split(",")]
    if unit.strip().lower() != "bytes" or len(found) > FileResponse.max_ranges:
        return False
    return all(
        part is not None and part[0] != "-" and not (part[1] and part[2] and int(part[1]) > int(part[2]))
        for part in found
    )


def respond(
    request: Request, path: Path, *, sha256: str, media_type: str, file_name: str, max_age_seconds: int = 0
) -> Response:
    """The file, or the part of it that was asked for.

    ``Range``, ``If-Range``, ``HEAD`` and ``If-None-Match`` are honoured. The tag is strong: it is the content's hash.

    Raises:
        Expired: the file is gone.
    """
    tag = f'"{sha256}"'
    shown = media_type.startswith(SHOWN)
    headers = {
        "etag": tag,
        "cache-control": f"private, max-age={max_age_seconds}",
        "content-security-policy": "sandbox; default-src 'none'; media-src 'self'; style-src 'unsafe-inline'",
    }
    if _has(request.headers.get("if-none-match"), tag):
        return Response(status_code=304, headers=headers)
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise Expired(f"The file {file_name} was kept for its time, and is gone.") from error
    return StoredFile(
        path,
        headers=headers,
        media_type=media_type if shown else "application/octet-stream",
        filename=file_name,
        stat_result=found,
        content_disposition_type="inline" if shown else "attachment",
    )


def _has(asked: str | None, tag: str) -> bool:
    if asked is None:
        return False
    return asked.strip() == "*" or tag in (each.strip().removeprefix("W/") for each in asked.split(","))

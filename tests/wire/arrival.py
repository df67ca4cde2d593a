"""Bodies as they arrive: in chunks, cut anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from triptych.errors import TriptychError
from triptych.wire.body import BodyReader, Document, Upload
from triptych.wire.reader import BodyLimits, reader

JSON = "application/json"
URLENCODED = "application/x-www-form-urlencoded"
BOUNDARY = "b0undary"
MULTIPART = f"multipart/form-data; boundary={BOUNDARY}"

cuts = st.lists(st.integers(1, 90_000) | st.integers(1, 9), max_size=30)
"""How long each chunk is; what is left comes as one."""


def chunks(body: bytes, sizes: Iterable[int]) -> Iterator[bytes]:
    """A body in chunks of these sizes."""
    at = 0
    for size in sizes:
        yield body[at : at + size]
        at += size
    yield body[at:]


def read(kind: str, body: bytes, spool: Path, sizes: Iterable[int] = (), **limits: int) -> tuple[Document, BodyReader]:
    """A body, read; and what read it, which can still discard it. After an error, it has."""
    taken = reader(kind, spool=spool, limits=BodyLimits(**limits))
    try:
        for chunk in chunks(body, sizes):
            taken.feed(chunk)
        return taken.finish(), taken
    except TriptychError:
        taken.discard()
        taken.discard()
        assert not any(path.name.startswith("incoming-") for path in spool.iterdir())
        raise


def plain(value: Any) -> Any:
    """A document's value with the bytes of each upload in its place."""
    if isinstance(value, Upload):
        return (value.how, value.file_name, value.media_type, Path(value.blob.path).read_bytes())
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def outcome(kind: str, body: bytes, spool: Path, sizes: Iterable[int] = (), **limits: int) -> Any:
    """All that a caller could see of a body: its values and problems, or the refusal. Leaves nothing in the spool."""
    try:
        document, taken = read(kind, body, spool, sizes, **limits)
    except TriptychError as error:
        seen: Any = error.as_json()
    else:
        seen = (plain(document.values), [problem.as_json() for problem in document.problems])
        taken.discard()
    assert list(spool.iterdir()) == []
    return seen


def part(name: str, data: bytes, *more: str, file: str | None = None) -> bytes:
    """One part of a multipart body; ``more`` are further headers."""
    after = "" if file is None else f'; filename="{file}"'
    head = "\r\n".join((f'Content-Disposition: form-data; name="{name}"{after}', *more))
    return f"--{BOUNDARY}\r\n{head}\r\n\r\n".encode() + data + b"\r\n"


def form(*parts: bytes) -> bytes:
    """A multipart body."""
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()

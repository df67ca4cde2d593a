"""Large bodies: how quickly they come in, what they cost in memory, and whom they hold up."""

from __future__ import annotations

import os
import statistics
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pybase64

from benchmarks.server import floor
from benchmarks.server.client import Answer, send_file
from benchmarks.server.hosted import Hosted

WARM_BYTES = 1_400_000
_PIECE_BYTES = floor.PIECE_BYTES
_BOUNDARY = "a-line-between-parts"
_JSON = (b'{"purpose":"user_data","file":"', b'"}')
_FORM = (
    f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'.encode(),
    f"\r\n--{_BOUNDARY}--\r\n".encode(),
)


@dataclass(frozen=True, kw_only=True)
class Body:
    """A body in a file.

    Attributes:
        path: the file.
        kind: its media type.
        method, route: where it goes.
    """

    path: Path
    kind: str
    method: str = "POST"
    route: str = "/v1/files"
    _start: int = 0

    def renew(self) -> None:
        """Make its content another, so that it is a new file for whoever stores it by content."""
        fresh = _piece(is_text=self.kind == "application/json")
        with self.path.open("r+b") as file:
            file.seek(self._start)
            file.write(fresh)

    def send(self, port: int) -> Answer:
        """Send it as something new."""
        self.renew()
        return send_file(port, self.method, self.route, kind=self.kind, body=self.path)


def json_body(path: Path, size_bytes: int) -> Body:
    """Base64 within JSON."""
    _write(path, size_bytes, *_JSON, is_text=True)
    return Body(path=path, kind="application/json", _start=len(_JSON[0]))


def form_body(path: Path, size_bytes: int) -> Body:
    """A file part of a form."""
    _write(path, size_bytes, *_FORM, is_text=False)
    return Body(path=path, kind=f"multipart/form-data; boundary={_BOUNDARY}", _start=len(_FORM[0]))


def raw_body(path: Path, size_bytes: int) -> Body:
    """Bytes as they are."""
    _write(path, size_bytes, b"", b"", is_text=False)
    return Body(path=path, kind="application/octet-stream", method="PUT", route="/put")


def _write(path: Path, size_bytes: int, head: bytes, end: bytes, *, is_text: bool) -> None:
    piece = _piece(is_text=is_text)
    with path.open("wb") as file:
        file.write(head)
        for _ in range(max(1, round(size_bytes / _PIECE_BYTES))):
            file.write(piece)
        file.write(end)


def _piece(*, is_text: bool) -> bytes:
    return pybase64.b64encode(os.urandom(_PIECE_BYTES * 3 // 4)) if is_text else os.urandom(_PIECE_BYTES)


@dataclass(kw_only=True)
class Figures:
    """What was measured of one kind of body at one server.

    Attributes:
        seconds: of each body.
        peak_bytes: by how much the process grew meanwhile.
        late_seconds: how late its event loop was, each time that it was looked at.
    """

    seconds: list[float] = field(default_factory=list)
    peak_bytes: list[int] = field(default_factory=list)
    late_seconds: list[float] = field(default_factory=list)

    @property
    def typical_seconds(self) -> float:
        """Median."""
        return statistics.median(self.seconds)

    @property
    def least_seconds(self) -> float:
        """The least."""
        return min(self.seconds)


FLOOR = ("receive", "decode", "hash", "write")


@dataclass(frozen=True, kw_only=True)
class Uploads:
    """All of it.

    Attributes:
        json, model: base64 in JSON, at the server and at FastAPI's default path.
        form, put: a file part, and the same bytes raw.
        floor: seconds of each part, once a repeat.
        large: base64 in JSON, a large one.
        size_bytes, large_bytes: of the bodies.
    """

    json: Figures
    model: Figures
    form: Figures
    put: Figures
    large: Figures
    floor: Mapping[str, list[float]]
    size_bytes: int
    large_bytes: int

    @property
    def floor_seconds(self) -> list[float]:
        """The sum of the parts, of each repeat."""
        return [sum(parts) for parts in zip(*(self.floor[name] for name in FLOOR), strict=True)]


def measure(folder: Path, *, size_bytes: int, large_bytes: int, repeats: int) -> Uploads:
    """Send bodies in turn to each server, again and again; then a large one to a fresh server."""
    text, form, raw = (
        make(folder / name, size_bytes) for name, make in (("text", json_body), ("form", form_body), ("raw", raw_body))
    )
    found = {name: Figures() for name in ("json", "model", "form", "put", "large")}
    parts: dict[str, list[float]] = {name: [] for name in FLOOR}
    with ExitStack() as stack:
        server, model, put, drain = (
            stack.enter_context(Hosted(name, folder / name)) for name in ("triptych", "model", "put", "drain")
        )
        ways = (("json", server, text), ("model", model, text), ("form", server, form), ("put", put, raw))
        for _, one, body in ways:
            _warm(one, body, folder)
        for _ in range(repeats):
            parts["receive"].append(text.send(drain.port).seconds)
            alone = floor.measure(text.path.stat().st_size, folder)
            for part in FLOOR[1:]:
                parts[part].append(getattr(alone, part))
            for name, one, body in ways:
                _send(one, body, found[name])
        for _ in range(repeats):
            for name, one, body in ways:
                _watch(one, body, found[name])
    text = json_body(folder / "text", large_bytes)
    with Hosted("triptych", folder / "large") as server:
        _warm(server, text, folder)
        _send(server, text, found["large"])
        _watch(server, text, found["large"])
    return Uploads(
        json=found["json"],
        model=found["model"],
        form=found["form"],
        put=found["put"],
        large=found["large"],
        floor=parts,
        size_bytes=size_bytes,
        large_bytes=large_bytes,
    )


def _warm(server: Hosted, body: Body, folder: Path) -> None:
    """A small body of the kind, so that what is imported or made once is there."""
    make = {"/put": raw_body}.get(body.route, json_body if body.kind == "application/json" else form_body)
    make(folder / "small", WARM_BYTES).send(server.port)
    _clear(server)


def _send(server: Hosted, body: Body, figures: Figures) -> None:
    with server.weighed(figures.peak_bytes):
        figures.seconds.append(body.send(server.port).seconds)
    _clear(server)


def _watch(server: Hosted, body: Body, figures: Figures) -> None:
    with server.watched(figures.late_seconds):
        body.send(server.port)
    _clear(server)


def _clear(server: Hosted) -> None:
    """Remove what was stored, before it goes to the disk and holds up what comes next. Nobody asks for it again."""
    for folder in (server.folder, server.folder / "content"):
        for path in folder.glob("*"):
            if path.is_file() and path.name != "job.json" and not path.name.startswith("jobs.sqlite3"):
                path.unlink()

"""Where the bytes of an input are, as the caller said it. Opening one is ``media.fetch``'s work alone."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class PathSource:
    """A file, or a folder of numbered frames, on this machine.

    ``frame_rate`` (frames per second) applies to a folder; ``None`` is the 24 fps of the frame folder format.
    """

    path: str
    frame_rate: float | None = None


@dataclass(frozen=True)
class BytesSource:
    """Bytes in memory, such as an upload."""

    data: bytes = field(repr=False)


@dataclass(frozen=True)
class DataURLSource:
    """A ``data:`` URL (RFC 2397) with a base64 body."""

    url: str = field(repr=False)


@dataclass(frozen=True)
class URLSource:
    """An http or https address."""

    url: str


@dataclass(frozen=True)
class ResultSource:
    """A stored result, or a piece of one, by id."""

    id: str


@dataclass(frozen=True, kw_only=True)
class Blob:
    """Bytes that have been brought in, hashed on the way, and will not change.

    Attributes:
        path: a private file; never a name that a client chose.
        sha256: of the whole file, lower-case hex.
        size_bytes: its length.
        packed: True when it is a folder of numbered frames, packed by ``media.folder``.
        frame_rate: frames per second of a packed folder; ``None`` otherwise.
        awaits: the id of the result whose bytes these will be, while it is still being made; the other fields are
            empty until then.
    """

    path: str
    sha256: str
    size_bytes: int
    packed: bool = False
    frame_rate: float | None = None
    awaits: str | None = None


@dataclass(frozen=True)
class BlobSource:
    """Bytes that were brought in already, such as an upload that was hashed while it arrived."""

    blob: Blob


Source = PathSource | BytesSource | DataURLSource | URLSource | ResultSource | BlobSource

"""What a request body holds, whatever its encoding: names, plain values, and files that were stored as they arrived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, Protocol

from triptych.errors import Problem
from triptych.task import Blob


@dataclass(frozen=True, kw_only=True)
class Upload:
    """Bytes that came in a body, decoded, hashed and stored on the way.

    Attributes:
        blob: where they are.
        how: as a ``file`` part, a ``data_url``, or plain ``base64`` text.
        file_name: the client's name for it, for showing only; never a path.
        media_type: what the client says it is, which nobody has to believe.
    """

    blob: Blob
    how: Literal["file", "data_url", "base64"]
    file_name: str = ""
    media_type: str = ""


@dataclass(frozen=True, kw_only=True)
class BodyLimits:
    """What one body may hold.

    Attributes:
        max_body_bytes: as it arrives.
        max_input_bytes: of one upload, decoded.
        max_text_bytes: of everything that is not an upload, together.
        max_parts: how many values of a form, or uploads in JSON.
        max_depth: of objects and lists within each other.
    """

    max_body_bytes: int = 2 << 30
    max_input_bytes: int = 2 << 30
    max_text_bytes: int = 4 << 20
    max_parts: int = 1000
    max_depth: int = 32


Leaf = str | int | float | bool | None | Upload
Value = Leaf | Sequence["Value"] | Mapping[str, "Value"]


@dataclass(frozen=True, kw_only=True)
class Document:
    """A body, read to its end.

    Attributes:
        values: by name; nested as JSON is, and as bracket names (``a[b]``, ``a[]``, ``a[][k]``) say.
        is_form: scalars came as text, and are to be read as what they are declared to be.
        problems: what is wrong with the body's parts, each under the caller's own name for the part.
    """

    values: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    is_form: bool = False
    problems: tuple[Problem, ...] = ()


class BodyReader(Protocol):
    """Reads one body, piece by piece, without holding it."""

    def feed(self, chunk: bytes) -> None:
        """Take in some bytes.

        Raises:
            InvalidRequest: it is not what its type says.
            TooLarge: it is over a limit.
        """
        ...

    def finish(self) -> Document:
        """The body has ended. Raises as ``feed`` does."""
        ...

    def discard(self) -> None:
        """Remove what was stored of it; for a body that is refused, or whose client has gone. May be called twice."""
        ...

"""A long text value as it arrives: base64 and ``data:`` URLs go to disk decoded; anything else stays text.

What it is, is told once, from its place and its first ``LONG_BYTES``; shorter values are left to whoever uses them.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from triptych.media.dataurl import HEADER_CHARS, Base64Error, Base64Stream, data_starts, refusal
from triptych.media.spool import Batch
from triptych.wire.body import Upload
from triptych.wire.place import PathOfNames

LONG_BYTES = 32 << 10
"""Text that is no longer than this is kept as it is."""

TEXT_NAMES = frozenset(
    {
        "caption",
        "content",
        "description",
        "input",
        "instructions",
        "language",
        "lyrics",
        "model",
        "name",
        "negative_prompt",
        "prompt",
        "reference_text",
        "target_text",
        "text",
        "title",
        "transcript",
        "user",
    }
)
"""Last names of values that are words, whatever they look like."""

VERBATIM_NAMES = frozenset({"metadata"})
"""First names of values that are kept as they are, unless they are ``data:`` URLs."""

MOST_TYPE_CHARS = 100
_DATA_URL = re.compile(rb"data:", re.IGNORECASE)
_LOOKED_AT_BYTES = 4096
_SYMBOLS = re.compile(rb"[A-Za-z0-9+/\-_\s]+={0,2}\s*")
_LONGEST_WORD = 45


def is_text(path: PathOfNames) -> bool:
    """Whether the value at a path is words: a prompt is one, however long it is and whatever is in it."""
    return bool(path) and path[-1] in TEXT_NAMES


def is_encoded(start: bytes, path: PathOfNames, is_text: Callable[[PathOfNames], bool] = is_text) -> bool:
    """Whether a long text is bytes written as text: a ``data:`` URL, or base64, in either alphabet.

    Words of a language have spaces or other marks between them; base64 has none, or line breaks far apart.
    """
    if is_text(path):
        return False
    if _DATA_URL.match(start):
        return True
    head = start[:_LOOKED_AT_BYTES]
    return (
        path[:1] not in {(name,) for name in VERBATIM_NAMES}
        and _SYMBOLS.fullmatch(head) is not None
        and max(map(len, head.split()), default=0) > _LONGEST_WORD
    )


class Decoder:
    """Decodes one long value into a file of the spool.

    Args:
        start: its first bytes, at least ``HEADER_CHARS`` of them.
        field: the caller's own name for it.
        batch: where the file goes.

    Raises:
        InvalidRequest: the head of a ``data:`` URL is none, or as ``feed`` does.
    """

    def __init__(self, start: bytes, *, field: str, batch: Batch) -> None:
        self._field = field
        self._batch = batch
        self._stream = Base64Stream()
        self._media_type = ""
        self._is_url = _DATA_URL.match(start) is not None
        begins = 0
        if self._is_url:
            head = start[:HEADER_CHARS].decode("latin-1")
            begins = data_starts(head, field=field)
            self._media_type = head[5 : begins - 1].partition(";")[0].strip()[:MOST_TYPE_CHARS]
        self._copy = batch.begin(field=field)
        self.feed(start[begins:])

    def feed_plain(self, text: memoryview) -> bool:
        """Take in some text if it is nothing but symbols of base64, else take nothing; whether it was taken."""
        pieces = self._stream.plain(text)
        if pieces is None:
            return False
        for piece in pieces:
            self._copy.write(piece)
        return True

    def feed(self, text: bytes) -> None:
        """Take in some text.

        Raises:
            InvalidRequest: it is no base64, or has too many bytes, whichever shows first.
            StorageFailed: the disk is full.
        """
        if self.feed_plain(memoryview(text)):
            return
        try:
            self._copy.write(self._stream.feed(text))
        except Base64Error as error:
            self._copy.write(error.decoded)
            raise refusal(self._code, self._field, error) from error

    def finish(self) -> Upload:
        """The value has ended. Raises as ``feed`` does."""
        try:
            self._copy.write(self._stream.finish())
        except Base64Error as error:
            raise refusal(self._code, self._field, error) from error
        return Upload(
            blob=self._batch.finish(self._copy),
            how="data_url" if self._is_url else "base64",
            media_type=self._media_type,
        )

    @property
    def _code(self) -> str:
        return "invalid_data_url" if self._is_url else "invalid_value"

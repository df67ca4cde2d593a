"""Forms as ``application/x-www-form-urlencoded``, read as they arrive."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote_to_bytes

from triptych.errors import InvalidRequest, Problem, TooLarge
from triptych.wire.body import BodyLimits, Document
from triptych.wire.bracket import path_of
from triptych.wire.encoded import is_text
from triptych.wire.form_body import MAX_NAME_BYTES, Parts
from triptych.wire.place import legible

_BASE64_NAMES = ("data", "payload")


class UrlencodedReader:
    """Reads one such body. See ``wire.body.BodyReader``.

    A ``+`` is a space here. In base64, where a space means nothing, it must have been meant as a plus, and the value
    would be damaged without a word; so it is refused there.
    """

    def __init__(self, *, spool: Path, limits: BodyLimits) -> None:
        self._parts = Parts(spool=spool, limits=limits)
        self._most_pairs = limits.max_parts
        self._pairs = 0
        self._name = bytearray()
        self._is_value = False
        self._cut_sign = b""
        """A sign such as ``%2B`` that was cut in two."""
        self._start = b""
        self._has_plus = False

    def feed(self, chunk: bytes) -> None:
        data = self._parts.count(chunk)
        at = 0
        while at < len(data):
            end = data.find(b"&", at)
            stop = len(data) if end < 0 else end
            self._take(data[at:stop])
            if end >= 0:
                self._end()
            at = stop + 1
        self._parts.check_count()

    def finish(self) -> Document:
        self._end()
        return self._parts.document()

    def discard(self) -> None:
        self._parts.discard()

    def _take(self, piece: bytes) -> None:
        """Some bytes of a name and its value."""
        if not self._is_value:
            name, mark, piece = piece.partition(b"=")
            self._name += name
            if len(self._name) > 3 * MAX_NAME_BYTES:
                raise _invalid(f"it has a name of more than {MAX_NAME_BYTES} bytes")
            if not mark:
                return
            self._begin()
        piece = self._cut_sign + piece
        percent = piece.rfind(b"%", max(0, len(piece) - 2))
        cut = len(piece) if percent < 0 else percent
        self._cut_sign = piece[cut:]
        self._value(piece[:cut])

    def _begin(self) -> None:
        try:
            name = _unquoted(bytes(self._name)).decode("utf-8")
        except UnicodeDecodeError as error:
            raise _invalid("it has a name that is not UTF-8") from error
        self._parts.begin(name)
        self._is_value = True
        self._start = b""
        self._has_plus = False

    def _value(self, piece: bytes) -> None:
        self._has_plus = self._has_plus or b"+" in piece
        plain = _unquoted(piece)
        if len(self._start) < 5:
            self._start += plain[:5]
        self._parts.take(memoryview(plain))

    def _end(self) -> None:
        """A name and its value are over."""
        self._pairs += 1
        if self._pairs > self._most_pairs:
            raise TooLarge(f"The body has more than {self._most_pairs} parts.")
        if not self._is_value and not self._name:
            return
        if not self._is_value:
            self._begin()
        self._value(self._cut_sign)
        self._check_plus()
        self._parts.end()
        self._name, self._is_value, self._cut_sign = bytearray(), False, b""

    def _check_plus(self) -> None:
        name = _unquoted(bytes(self._name)).decode("utf-8")
        path = path_of(name)
        is_base64 = self._start[:5].lower() == b"data:" or path[-1] in _BASE64_NAMES or self._parts.is_decoding
        if self._has_plus and is_base64 and not is_text(path):
            message = "it is base64 with a '+' in it, which means a space in this kind of body"
            problem = Problem(code="invalid_value", field=legible(name), message=message, fix="Write it as %2B")
            raise InvalidRequest([problem])


def _unquoted(text: bytes) -> bytes:
    return unquote_to_bytes(text.replace(b"+", b" "))


def _invalid(message: str) -> InvalidRequest:
    return InvalidRequest([Problem(code="invalid_body", field="body", message=message)])

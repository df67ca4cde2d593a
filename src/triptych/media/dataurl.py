"""The one base64 decoder: for ``data:`` URLs, for payloads in JSON, whole or in pieces.

Taken: missing padding, one ``=`` too many, ASCII white space anywhere, ``data:`` and ``;base64`` in any case. Refused
by name: the URL-safe alphabet, any other character, data after the padding, one character left over, a URL that is not
marked as base64.
"""

from __future__ import annotations

import binascii
import re
import string

import pybase64

from triptych.errors import InvalidRequest, Problem

_SPACE = b" \t\n\r\f\v"
_SYMBOLS = string.ascii_letters.encode() + string.digits.encode() + b"+/"
_BODY = re.compile(rb"[A-Za-z0-9+/ \t\n\r\f\v]*")
_PADDING = re.compile(rb"[= \t\n\r\f\v]*")
_PADDING_MOST = 2
HEADER_CHARS = 1000
"""A ``data:`` URL whose data has not begun by then is none."""


class Base64Error(ValueError):
    """Text that is not base64; the message says why and where.

    Attributes:
        decoded: the bytes of the last piece that were complete before that place.
    """

    def __init__(self, message: str, decoded: bytes = b"") -> None:
        super().__init__(message)
        self.decoded = decoded


def decode_base64(text: str | bytes, *, field: str) -> bytes:
    """The bytes that ``text`` stands for.

    Raises:
        InvalidRequest: ``invalid_value``, naming what is wrong and where.
    """
    try:
        return _decode(text)
    except Base64Error as error:
        raise refusal("invalid_value", field, error) from error


def decode_data_url(url: str, *, field: str, max_bytes: int) -> bytes:
    """The bytes inside a ``data:`` URL (RFC 2397). Its media type is not believed and not returned.

    Raises:
        InvalidRequest: ``invalid_data_url``; ``media_too_large`` when it holds more than ``max_bytes``, which is told
            from the text's length, before anything is decoded.
    """
    body = url[data_starts(url, field=field) :]
    size_bytes = len(body) * 3 // 4
    if size_bytes > max_bytes:
        # Only now is it worth counting what carries no data.
        size_bytes = (len(body) - sum(map(body.count, (*_SPACE.decode(), "=")))) * 3 // 4
    if size_bytes > max_bytes:
        raise InvalidRequest(
            [
                Problem(
                    code="media_too_large",
                    field=field,
                    message=f"the data URL holds {size_bytes} bytes; the most is {max_bytes}",
                    value=size_bytes,
                    limit=max_bytes,
                )
            ]
        )
    try:
        return _decode(body)
    except Base64Error as error:
        raise refusal("invalid_data_url", field, error) from error


def data_starts(url: str, *, field: str) -> int:
    """Where the data of a ``data:`` URL begins; its first ``HEADER_CHARS`` characters are enough to tell.

    Raises:
        InvalidRequest: ``invalid_data_url``.
    """
    if url[:5].lower() != "data:":
        raise _malformed(field, "it does not begin with 'data:'")
    comma = url.find(",", 0, HEADER_CHARS)
    if comma < 0:
        raise _malformed(field, "it has no comma between its type and its data")
    if url[5:comma].rpartition(";")[2].strip().lower() != "base64" or ";" not in url[:comma]:
        raise _malformed(field, "its data is not marked as base64 (';base64' before the comma)")
    return comma + 1


class Base64Stream:
    """Decodes text that arrives in pieces; equal to the one-shot decoder however it is cut.

    ``feed`` returns the bytes that are complete, ``finish`` the last ones.
    """

    def __init__(self) -> None:
        self._pending = b""
        self._padding = 0
        self._position = 0

    def feed(self, chunk: str | bytes | memoryview) -> bytes:
        """Take in some text.

        Raises:
            Base64Error: it cannot be base64.
        """
        data = chunk.encode("utf-8", "surrogatepass") if isinstance(chunk, str) else chunk
        pieces = self.plain(data)
        if pieces is None:
            return self._slow(chunk, bytes(data))
        return b"".join(pieces)

    def plain(self, data: bytes | memoryview) -> tuple[bytes, ...] | None:
        """Take in some text if it is nothing but symbols: no padding, no white space. Else take nothing.

        Much the quickest way, and it copies nothing.

        Returns:
            the bytes that are complete, to be read one after another; ``None`` when nothing was taken.
        """
        if self._padding:
            return None
        view = memoryview(data)
        joined = -len(self._pending) % 4
        stop = len(view) - (len(view) - joined) % 4
        if stop < joined:
            return None  # too short to be worth it
        tail = bytes(view[stop:])
        if tail.translate(None, _SYMBOLS):
            return None
        try:
            first = pybase64.b64decode(self._pending + bytes(view[:joined]), validate=True)
            rest = pybase64.b64decode(view[joined:stop], validate=True)
        except binascii.Error:
            return None
        if len(first) != (3 if joined else 0) or len(rest) * 4 != (stop - joined) * 3:
            return None  # it was padded
        self._pending = tail
        self._position += len(view)
        return (first, rest) if joined else (rest,)

    def _slow(self, chunk: str | bytes | memoryview, data: bytes) -> bytes:
        """The way that takes all that may be taken, and can say what may not."""
        bare = data.translate(None, _SPACE)
        pieces = None if len(bare) == len(data) else self.plain(bare)
        if pieces is not None:  # lines of symbols, which are common
            self._position += len(data) - len(bare)
            return b"".join(pieces)
        end = 0 if self._padding else self._span(_BODY, data, 0)
        stop = self._span(_PADDING, data, end)
        symbols = self._pending + data[:end].translate(None, _SPACE)
        whole = len(symbols) // 4 * 4
        decoded = pybase64.b64decode(symbols[:whole], validate=True)
        self._count_padding(data, end, stop, decoded)
        if stop < len(data):
            # Everything before it is ASCII, so it stands at the same place in text and in bytes.
            raise Base64Error(self._complaint(chunk[stop], self._position + stop), decoded)
        self._position += len(chunk)
        self._pending = symbols[whole:]
        return decoded

    def finish(self) -> bytes:
        """The text has ended.

        Raises:
            Base64Error: it ends within a byte.
        """
        if len(self._pending) == 1:
            raise Base64Error("its last group has a single character, which is less than a byte; it was cut short")
        return pybase64.b64decode(self._pending + b"=" * (-len(self._pending) % 4), validate=True)

    @staticmethod
    def _span(pattern: re.Pattern[bytes], data: bytes, start: int) -> int:
        match = pattern.match(data, start)
        return match.end() if match else start

    def _count_padding(self, data: bytes, start: int, stop: int, decoded: bytes) -> None:
        position = start
        while (position := data.find(b"=", position, stop)) >= 0:
            self._padding += 1
            if self._padding > _PADDING_MOST:
                place = self._position + position + 1
                raise Base64Error(f"more than {_PADDING_MOST} '=' at its end (character {place})", decoded)
            position += 1

    def _complaint(self, found: str | int, position: int) -> str:
        char = chr(found) if isinstance(found, int) and found < 0x80 else found
        shown = f"byte 0x{char:02x}" if isinstance(char, int) else ascii(char)
        place = f"character {position + 1}"
        if isinstance(char, str) and char in "-_":
            return f"{shown} at {place} is of the URL-safe alphabet; the standard one has '+' and '/'"
        if isinstance(char, str) and _BODY.fullmatch(char.encode("utf-8", "surrogatepass")):
            return f"data after the padding, {shown} at {place}"
        return f"{shown} at {place} is not of the base64 alphabet"


def _decode(text: str | bytes) -> bytes:
    try:
        return pybase64.b64decode(text, validate=True)
    except ValueError:  # binascii.Error, and text that is not ASCII: the slow way takes more, and says what is wrong
        stream = Base64Stream()
        return stream.feed(text) + stream.finish()


def _malformed(field: str, why: str) -> InvalidRequest:
    fix = "Write data:<type>;base64,<data>"
    return InvalidRequest([Problem(code="invalid_data_url", field=field, message=f"not a data URL: {why}", fix=fix)])


def refusal(code: str, field: str, error: Base64Error) -> InvalidRequest:
    """The refusal of text that is not base64."""
    return InvalidRequest([Problem(code=code, field=field, message=f"not valid base64 ({error})")])

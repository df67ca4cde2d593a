"""JSON bodies, read as they arrive: a long string that is base64 goes to disk decoded, and is never held.

What is left, with a short token for each such string, is parsed as a whole. A client cannot know a token beforehand.
What comes out does not depend on how the body was cut into chunks.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from triptych.errors import InvalidRequest, Problem, TooLarge
from triptych.media.spool import Batch
from triptych.wire.body import BodyLimits, Document, Upload, Value
from triptych.wire.encoded import LONG_BYTES, Decoder, is_encoded, is_text
from triptych.wire.json_text import parse
from triptych.wire.place import Fault, PathOfNames, Place, legible, written

STEP_BYTES = 256 << 10
"""How much is decoded at a time, however large the chunks are."""

_SPACE = b" \t\n\r"
_QUOTE, _BACKSLASH = b'"\\'
_RUN = re.compile(rb'(?:[^"]++|"[^"\\]{0,999}+")*+')
"""Everything up to a string that is long, or unfinished, or has an escape in it."""
_WHOLE = re.compile(
    rb"(?:[^\\]++|\\[\"\\/bfnrt]|\\u(?![dD][89abAB])[0-9a-fA-F]{4}|\\u[dD][89abAB][0-9a-fA-F]{2}(?=.{6}))*+", re.DOTALL
)
"""Text with no escape unfinished at its end, nor the first half of a pair of them."""
_LONGEST_ESCAPE = 12
_LOOKED_BACK = 2 * _LONGEST_ESCAPE
_CONTROL = re.compile(rb"[\x00-\x1f]")
_CONTROLS = bytes(range(0x20))


class JsonReader:
    """Reads one JSON body. See ``wire.body.BodyReader``.

    Args:
        spool: where decoded strings go.
        limits: of the body.
        is_text: whether the value at a path is words, which are never decoded.
    """

    def __init__(self, *, spool: Path, limits: BodyLimits, is_text: Callable[[PathOfNames], bool] = is_text) -> None:
        self._limits = limits
        self._is_text = is_text
        self._batch = Batch(spool, max_bytes=limits.max_input_bytes)
        self._place = Place(max_depth=limits.max_depth)
        self._token = secrets.token_hex(16)
        self._uploads: dict[str, Upload] = {}
        self._seen_bytes = 0
        self._rest = bytearray()
        """The body without its long strings."""
        self._cuts: list[tuple[int, int]] = []
        """After each long string: a place in ``_rest``, and the same place in the body."""
        self._step: Callable[[bytes, int], int] = self._before
        self._opens = 0
        """Where in ``_rest`` the string begins that is being read."""
        self._escaped = False
        """Whether the next byte of it is escaped."""
        self._path: PathOfNames = ()
        self._decoder: Decoder | None = None
        self._is_plain = True
        self._unfinished = b""

    def feed(self, chunk: bytes) -> None:
        room = self._limits.max_body_bytes - self._seen_bytes
        data = chunk if len(chunk) <= room else chunk[:room]
        at = 0
        try:
            while at < len(data):
                at = self._step(data, at)
        except Fault as fault:
            raise self._refusal(fault) from fault
        self._seen_bytes += len(data)
        if len(chunk) > room:
            raise TooLarge(f"The body has more than {self._limits.max_body_bytes} bytes.")

    def finish(self) -> Document:
        try:
            if not self._rest.strip(_SPACE):
                raise Fault("it is empty")
            if self._step != self._outside:
                raise Fault(f"it ends within a string, after {self._seen_bytes} bytes")
            values = parse(bytes(self._rest), self._place)
        except Fault as fault:
            raise self._refusal(fault) from fault
        return Document(values=self._with_uploads(values) if self._uploads else values)

    def discard(self) -> None:
        self._batch.discard()

    # What follows takes some bytes of a chunk from a place on, and says where it stopped.

    def _before(self, data: bytes, at: int) -> int:
        begun = data[at:].lstrip(_SPACE)
        if begun and begun[:1] != b"{":
            found = ascii(chr(begun[0])) if begun[0] < 0x80 else f"byte 0x{begun[0]:02x}"
            at = self._seen_bytes + len(data) - len(begun)
            raise InvalidRequest([_problem(f"an object is wanted, and it begins with {found} at byte {at + 1}")])
        if begun:
            self._step = self._outside
            return at
        self._keep(data, at, len(data))
        return len(data)

    def _outside(self, data: bytes, at: int) -> int:
        run = _RUN.match(data, at)
        end = run.end() if run else at
        self._keep(data, at, min(end + 1, len(data)))
        if end < len(data):
            self._opens = len(self._rest)
            self._escaped = False
            self._step = self._inside
        return end + 1

    def _inside(self, data: bytes, at: int) -> int:
        """A string of which it is open what it is."""
        room = LONG_BYTES - (len(self._rest) - self._opens)
        stop = min(len(data), at + room)
        end = self._closing(data, at, stop)
        if end < 0 and stop == at + room and data[stop : stop + 1] == b'"' and not self._escaped:
            end = stop
        if end >= 0:
            self._step = self._outside
            self._keep(data, at, end + 1)
            return end + 1
        self._rest += memoryview(data)[at:stop]
        if stop == at + room and stop < len(data):
            self._decide(self._seen_bytes + stop)
        return stop

    def _inside_text(self, data: bytes, at: int) -> int:
        end = self._closing(data, at, len(data))
        if end >= 0:
            self._step = self._outside
        stop = len(data) if end < 0 else end + 1
        self._keep(data, at, stop)
        return stop

    def _inside_base64(self, data: bytes, at: int) -> int:
        assert self._decoder is not None
        stop = min(len(data), at + STEP_BYTES)
        # Where all are symbols of base64 there is no quote among them, so nobody has to look for one.
        if self._is_plain and not self._unfinished and self._decoder.feed_plain(memoryview(data)[at:stop]):
            return stop
        end = self._closing(data, at, stop)
        self._is_plain = end >= 0
        stop = stop if end < 0 else end
        self._decode(data[at:stop], self._seen_bytes + stop, is_last=end >= 0)
        if end < 0:
            return stop
        self._end_upload(self._decoder.finish(), self._seen_bytes + end + 1)
        return end + 1

    def _closing(self, data: bytes, start: int, stop: int) -> int:
        """Where the string ends between two places; -1 when it does not, and then ``_escaped`` is up to date."""
        if start >= stop:
            return -1
        at = start + self._escaped
        self._escaped = False
        while (quote := data.find(b'"', at, stop)) >= 0:
            if not _is_escaped(data, at, quote):
                return quote
            at = quote + 1
        self._escaped = _is_escaped(data, at, stop)
        return -1

    def _keep(self, data: bytes, start: int, stop: int) -> None:
        self._rest += memoryview(data)[start:stop]
        most = self._limits.max_text_bytes
        if len(self._rest) <= most:
            return
        if self._step == self._inside_text and not self._is_text(self._path):
            message = f"it is neither base64 nor a data URL, and too long for words: the most is {most} bytes in all"
            raise InvalidRequest(
                [Problem(code="invalid_value", field=written(self._path), message=message, limit=most)]
            )
        raise TooLarge(f"The body has more than {most} bytes beside its files; long data must be base64 or a data URL.")

    def _decide(self, at: int) -> None:
        """A string is long: is it words, or bytes written as text? ``at`` is the place in the body."""
        path = self._place.of(self._rest, self._opens)
        if path is None:
            raise Fault(f"it has a name of more than {LONG_BYTES} bytes", at=self._opens)
        self._path = path
        start = bytes(self._rest[self._opens :])
        whole = _unbroken(start)
        plain = _unescaped(start[:whole], at - len(start))
        if not is_encoded(plain, path, self._is_text):
            self._step = self._inside_text
            return
        if len(self._uploads) >= self._limits.max_parts:
            raise TooLarge(f"The body has more than {self._limits.max_parts} files in it.")
        del self._rest[self._opens :]
        self._step = self._inside_base64
        self._is_plain = True
        self._unfinished = start[whole:]
        self._decoder = Decoder(plain, field=written(path), batch=self._batch)

    def _decode(self, piece: bytes, ends_at: int, *, is_last: bool) -> None:
        """Decode a piece of a string as it stands in the body, where it ends before ``ends_at``."""
        assert self._decoder is not None
        piece = self._unfinished + piece
        whole = len(piece) if is_last else _unbroken(piece)
        begins_at = ends_at - len(piece)
        self._unfinished = piece[whole:]
        piece = piece[:whole]
        if self._decoder.feed_plain(memoryview(piece)):
            return
        try:
            plain = _unescaped(piece, begins_at)
        except _Misspelt as fault:
            # What stands before it may be wrong too, and then comes first.
            self._decoder.feed(_unescaped(piece[: fault.at - begins_at], begins_at))
            raise
        self._decoder.feed(plain)

    def _end_upload(self, upload: Upload, ends_at: int) -> None:
        token = f"{self._token}-{len(self._uploads)}"
        self._uploads[token] = upload
        self._rest += f'{token}"'.encode()
        self._cuts.append((len(self._rest), ends_at))
        self._decoder = None
        self._step = self._outside

    def _with_uploads(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._uploads.get(value, value)
        if isinstance(value, dict):
            return {key: self._with_uploads(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._with_uploads(item) for item in value]
        return value

    def _refusal(self, fault: Fault) -> InvalidRequest:
        if isinstance(fault, _Misspelt) or fault.at is None:
            return InvalidRequest([_problem_of(fault, fault.at)])
        cut, place = max((cut for cut in self._cuts if cut[0] <= fault.at), default=(0, 0))
        return InvalidRequest([_problem_of(fault, place + fault.at - cut)])


class _Misspelt(Fault):
    """What is wrong inside a long string; its place is that in the body."""

    at: int


def parse_json_text(text: str, *, field: str, max_depth: int = 32) -> Value:
    """A value that came as JSON text, such as an object in a form. As strict as bodies are.

    Raises:
        InvalidRequest: ``invalid_value`` under ``field``, or ``conflicting_parameters`` under the name that is there
            twice (``field.name``).
    """
    try:
        value: Value = parse(text.encode("utf-8", "surrogatepass"), Place(max_depth=max_depth))
    except Fault as fault:
        code = "invalid_value" if fault.code == "invalid_body" else fault.code
        placed = Fault(fault.message, path=(field, *fault.path), code=code)
        raise InvalidRequest([_problem_of(placed, fault.at)]) from fault
    return value


def _is_escaped(data: bytes, start: int, at: int) -> bool:
    """Whether the byte at a place is escaped; none at ``start`` is."""
    if at <= start or data[at - 1] != _BACKSLASH:
        return False
    before = data[start:at]
    return (len(before) - len(before.rstrip(b"\\"))) % 2 == 1


def _unbroken(piece: bytes) -> int:
    """How much of it has no escape unfinished at its end."""
    # A backslash with something else before it begins an escape, so only the end has to be looked at.
    at = piece.find(b"\\", max(0, len(piece) - _LOOKED_BACK))
    while at > 0 and piece[at - 1] == _BACKSLASH:
        at -= 1
    found = _WHOLE.match(piece, at) if at >= 0 else None
    if found is None or len(piece) - found.end() >= _LONGEST_ESCAPE:
        return len(piece)  # none, or one that is wrong and will never be whole
    return found.end()


def _unescaped(piece: bytes, begins_at: int) -> bytes:
    """A piece of a string without its escapes.

    Characters that base64 has not come out as some byte that it has not either.

    Raises:
        Fault: it cannot stand in a JSON string.
    """
    if b"\\" not in piece and len(piece.translate(None, _CONTROLS)) == len(piece):
        return piece
    try:
        text: str = json.loads(f'"{piece.decode("latin-1")}"')
    except json.JSONDecodeError as error:
        whole, control = _WHOLE.match(piece), _CONTROL.search(piece)
        at = min(found.end() if found is whole else found.start() for found in (whole, control) if found is not None)
        raise _Misspelt("not JSON: a string holds no such escape or control character", at=begins_at + at) from error
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError as error:
        return text[: error.start].encode("latin-1") + text[error.start].encode("utf-8", "surrogatepass")


def _problem_of(fault: Fault, at: int | None) -> Problem:
    place = "" if at is None else f", at byte {at + 1}"
    return Problem(code=fault.code, field=written(fault.path) or "body", message=f"{fault.message}{place}")


def _problem(message: str) -> Problem:
    return Problem(code="invalid_body", field="body", message=legible(message), fix="Send a JSON object")

"""Forms, read as they arrive: files and long base64 go to disk, decoded and hashed; words stay, within a limit."""

from __future__ import annotations

from pathlib import Path

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, MultipartState, parse_options_header

from triptych.errors import InvalidRequest, Problem, TooLarge
from triptych.media.spool import Batch, Copy
from triptych.wire.body import BodyLimits, Document, Upload
from triptych.wire.bracket import nested, path_of
from triptych.wire.encoded import LONG_BYTES, Decoder, is_encoded, is_text
from triptych.wire.place import legible

MAX_NAME_BYTES = 1000
MAX_FILE_NAME_CHARS = 200
MAX_HEADERS = 16
MAX_HEADER_BYTES = 8192
_TEXT_TYPES = ("text/", "application/json", "application/x-www-form-urlencoded")
_COMPLAINTS = (
    ("Maximum header", f"a part has more than {MAX_HEADERS} headers, or one of more than {MAX_HEADER_BYTES} bytes"),
    ("Found ", "the headers of a part cannot be read"),
    ("Did not find LF at end of h", "the headers of a part cannot be read"),
    ("", "what stands between its parts is not the boundary that its content type names"),
)
"""What the parser's messages mean: beginning → in our words. Its figures depend on how the body was cut."""


class Parts:
    """What both encodings of a form share: values by name, one after another, each as bytes that come in pieces.

    Args:
        spool: where uploads go.
        limits: of the body.
    """

    def __init__(self, *, spool: Path, limits: BodyLimits) -> None:
        self.seen_bytes = 0
        self._limits = limits
        self._batch = Batch(spool, max_bytes=limits.max_input_bytes)
        self._items: list[tuple[str, str | Upload]] = []
        self._name = ""
        self._text = bytearray()
        self._text_bytes = 0
        self._is_open = False
        """Whether it is open what the value is: words, or bytes written as text."""
        self._decoder: Decoder | None = None
        self._copy: Copy | None = None
        self._file_name = ""
        self._media_type = ""

    def count(self, chunk: bytes) -> bytes:
        """The part of a chunk that the body may still have."""
        room = self._limits.max_body_bytes - self.seen_bytes
        self.seen_bytes += len(chunk)
        return chunk[:room] if len(chunk) > room else chunk

    def check_count(self) -> None:
        """Raise ``TooLarge`` when there was more than that."""
        if self.seen_bytes > self._limits.max_body_bytes:
            raise TooLarge(f"The body has more than {self._limits.max_body_bytes} bytes.")

    def begin(self, name: str) -> None:
        """A text value begins."""
        if len(self._items) >= self._limits.max_parts:
            raise TooLarge(f"The body has more than {self._limits.max_parts} parts.")
        self._name = name
        self._text = bytearray()
        self._is_open = not is_text(path_of(name))
        self._spend(len(name))

    def begin_file(self, name: str, *, file_name: str, media_type: str) -> None:
        """A file begins."""
        self.begin(name)
        self._file_name, self._media_type = file_name, media_type
        self._copy = self._batch.begin(field=legible(name))

    def take(self, piece: memoryview) -> None:
        """Some bytes of a value.

        Raises:
            InvalidRequest: they are not what the value has to be.
            TooLarge: over a limit.
            StorageFailed: the disk is full.
        """
        if self._copy is not None:
            self._copy.write(piece)
        elif self._decoder is not None:
            if not self._decoder.feed_plain(piece):
                self._decoder.feed(bytes(piece))
        else:
            self._take_text(piece)

    @property
    def is_decoding(self) -> bool:
        """Whether the value has turned out to be bytes written as text."""
        return self._decoder is not None

    def _take_text(self, piece: memoryview) -> None:
        room = LONG_BYTES - len(self._text)
        if self._is_open and len(piece) > room:
            self._is_open = False
            self._text += piece[:room]
            piece = piece[room:]
            start = bytes(self._text)
            if is_encoded(start, path_of(self._name)):
                self._text = bytearray()
                self._decoder = Decoder(start, field=legible(self._name), batch=self._batch)
                self.take(piece)
                return
        self._text += piece
        if not self._is_open:
            self._spend(0)

    def end(self) -> None:
        """A value is over. Raises as ``take`` does."""
        value: str | Upload
        if self._copy is not None:
            blob = self._batch.finish(self._copy)
            value = Upload(blob=blob, how="file", file_name=self._file_name, media_type=self._media_type)
        elif self._decoder is not None:
            value = self._decoder.finish()
        else:
            value = self._as_text()
        self._copy = self._decoder = None
        self._items.append((self._name, value))

    def _as_text(self) -> str:
        self._is_open = False
        self._spend(0)
        self._text_bytes += len(self._text)
        try:
            return self._text.decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"it is not UTF-8 at byte {error.start + 1}"
            fix = "Send text as UTF-8, and a file as a part with a filename"
            raise self._refusal("invalid_value", message, fix) from error

    def _spend(self, size_bytes: int) -> None:
        self._text_bytes += size_bytes
        most = self._limits.max_text_bytes
        if self._text_bytes + len(self._text) <= most:
            return
        if self._text.startswith((b"b'", b'b"')):
            fix = "Send a file part, or base64 text"
            raise self._refusal("invalid_value", "it is Python's way to show bytes (b'…'), and not the bytes", fix)
        if len(self._text) > LONG_BYTES and not is_text(path_of(self._name)):
            message = f"it is neither base64 nor a data URL, and too long for words: the most is {most} bytes in all"
            raise self._refusal("invalid_value", message, "Send a file part")
        raise TooLarge(f"The body has more than {most} bytes of text; a file must be a part with a filename.")

    def _refusal(self, code: str, message: str, fix: str) -> InvalidRequest:
        return InvalidRequest([Problem(code=code, field=legible(self._name), message=message, fix=fix)])

    def document(self) -> Document:
        """All of them."""
        values, problems = nested(self._items, max_depth=self._limits.max_depth)
        return Document(values=values, is_form=True, problems=tuple(problems))

    def discard(self) -> None:
        """Remove what was stored of them."""
        self._batch.discard()


class MultipartReader:
    """Reads ``multipart/form-data``. See ``wire.body.BodyReader``.

    A part with a filename is a file, and so is one whose type is not text; any other part is text.

    Raises:
        InvalidRequest: the content type names no boundary that can be used.
    """

    def __init__(self, content_type: str, *, spool: Path, limits: BodyLimits) -> None:
        _, options = parse_options_header(content_type.encode("latin-1", "replace"))
        boundary = options.get(b"boundary")
        if not boundary:
            raise _invalid("its content type names no boundary", fix="Let the client set the content type of a form")
        self._parts = Parts(spool=spool, limits=limits)
        self._headers: dict[str, bytes] = {}
        self._field = bytearray()
        self._value = bytearray()
        self._close = b"\r\n--" + boundary + b"--"
        self._tail = b"\r\n"
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._on_part_begin,
                    "on_header_field": self._on_header_field,
                    "on_header_value": self._on_header_value,
                    "on_header_end": self._on_header_end,
                    "on_headers_finished": self._on_headers_finished,
                    "on_part_data": self._on_part_data,
                    "on_part_end": self._parts.end,
                },
                max_header_count=MAX_HEADERS,
                max_header_size=MAX_HEADER_BYTES,
            )
        except FormParserError as error:
            raise _invalid("its boundary is too long") from error

    def feed(self, chunk: bytes) -> None:
        data = self._parts.count(chunk)
        had_ended = self._has_ended
        try:
            self._parser.write(data)
        except FormParserError as error:
            words = next(words for begins, words in _COMPLAINTS if str(error).startswith(begins))
            raise _invalid(f"no form of several parts: {words}") from error
        if self._has_ended:
            self._check_after(data, had_ended)
        else:
            self._tail = (self._tail + data[-len(self._close) :])[-len(self._close) :]
        self._parts.check_count()

    def finish(self) -> Document:
        if not self._has_ended:
            message = f"it ends after {self._parts.seen_bytes} bytes, without its last boundary"
            raise _invalid(message, fix="Send all of it, with the boundary that its content type names")
        return self._parts.document()

    def discard(self) -> None:
        self._parts.discard()

    @property
    def _has_ended(self) -> bool:
        return self._parser.state == MultipartState.END

    def _check_after(self, data: bytes, had_ended: bool) -> None:
        """Refuse what stands after the last boundary: the parser would pass over it."""
        after = data if had_ended else (self._tail + data).partition(self._close)[2]
        if after.strip():
            raise _invalid("there is more after its last boundary")

    def _on_part_begin(self) -> None:
        self._headers = {}
        self._field, self._value = bytearray(), bytearray()

    def _on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def _on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _on_header_end(self) -> None:
        name = self._field.decode("latin-1").lower()
        if name in self._headers:
            raise _invalid(f"a part has two headers {legible(name)!r}")
        self._headers[name] = bytes(self._value)
        self._field, self._value = bytearray(), bytearray()

    def _on_headers_finished(self) -> None:
        disposition = self._headers.get("content-disposition", b"")
        kind, options = parse_options_header(disposition)
        if kind != b"form-data" or b"name" not in options:
            raise _invalid("a part does not say its name (Content-Disposition: form-data; name=…)")
        name = _name(options[b"name"])
        coding = self._headers.get("content-transfer-encoding", b"binary").strip().lower()
        if coding not in (b"binary", b"8bit", b"7bit"):
            raise _invalid(f"a part is encoded as {legible(coding.decode('latin-1'))!r}, which forms are not")
        media_type = self._headers.get("content-type", b"").decode("latin-1").strip()
        is_file = b"filename" in options or b"filename*" in disposition.lower()
        if is_file or (media_type and not media_type.lower().startswith(_TEXT_TYPES)):
            self._parts.begin_file(
                name, file_name=_file_name(options.get(b"filename", b"")), media_type=legible(media_type)
            )
        else:
            self._parts.begin(name)

    def _on_part_data(self, data: bytes, start: int, end: int) -> None:
        self._parts.take(memoryview(data)[start:end])


def _name(name: bytes) -> str:
    if len(name) > MAX_NAME_BYTES:
        raise _invalid(f"a part has a name of {len(name)} bytes; the most is {MAX_NAME_BYTES}")
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _invalid("a part has a name that is not UTF-8") from error


def _file_name(name: bytes) -> str:
    """A client's name for a file, without its folders; for showing only."""
    text = name.decode("utf-8", "replace").replace("\\", "/").rpartition("/")[2]
    return "".join(character for character in text if character.isprintable())[:MAX_FILE_NAME_CHARS]


def _invalid(message: str, *, fix: str = "") -> InvalidRequest:
    return InvalidRequest([Problem(code="invalid_body", field="body", message=message, fix=fix)])

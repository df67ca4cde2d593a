"""Request bodies without the network: read, decoded, hashed and stored, against the decoder and the disk alone.

Floors: pybase64, strict, over and over one buffer; and for what is stored, the serial sum of decode, sha256 and write.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from unittest import mock

import pybase64

from benchmarks.machine import machine_line
from benchmarks.table import table
from triptych.media.spool import Copy
from triptych.wire.body import BodyReader
from triptych.wire.reader import BodyLimits, reader

REPEATS = 5
CHUNK_BYTES = 256 << 10
CHUNKS = 400
SMALL_BYTES = 1_400_000
CODEC_AIM = 0.5
SMALL_AIM = 5.0

_LIMITS = BodyLimits(max_body_bytes=1 << 40, max_input_bytes=1 << 40)
_HEAD, _END = b'{"prompt":"a quiet street","references":[{"type":"image","data":"', b'"}]}'
_PART = b'--x\r\nContent-Disposition: form-data; name="input_reference"; filename="a.png"\r\n\r\n'


def run(*, repeats: int = REPEATS) -> str:
    """Measure; Markdown."""
    machine = machine_line()
    text = pybase64.b64encode(os.urandom(CHUNK_BYTES * 3 // 4))
    data = os.urandom(CHUNK_BYTES)
    size_bytes = CHUNK_BYTES * CHUNKS
    json_body = [_HEAD, *([text] * CHUNKS), _END]
    form_body = [_PART, *([data] * CHUNKS), b"\r\n--x--\r\n"]
    with tempfile.TemporaryDirectory(prefix="triptych-bench-") as folder:
        spool = Path(folder)
        decode = _least(lambda: _decode(text), repeats)
        stored = _least(lambda: _store(text, spool, decode=True), repeats)
        written = _least(lambda: _store(data, spool, decode=False), repeats)
        json_seconds = _least(lambda: _read("application/json", json_body, spool), repeats)
        form_seconds = _least(lambda: _read("multipart/form-data; boundary=x", form_body, spool), repeats)
        with mock.patch.object(Copy, "write", _throw_away):
            codec = _least(lambda: _read("application/json", json_body, spool), repeats)
        small_seconds, small_decode = small_codec(spool, repeats=repeats)
    rows = [
        _row("JSON, decoded and thrown away", codec, decode, size_bytes),
        _row("JSON, decoded, hashed and stored", json_seconds, stored, size_bytes),
        _row("multipart, hashed and stored", form_seconds, written, size_bytes),
        _row("JSON of 1.4 MB, thrown away", small_seconds, small_decode, SMALL_BYTES),
    ]
    verdicts = (
        f"Aims: the codec at {CODEC_AIM:g} of its floor or more; {_verdict(decode / codec >= CODEC_AIM)}."
        f" 1.4 MB in {SMALL_AIM:g} times its floor or less; {_verdict(small_seconds <= SMALL_AIM * small_decode)}."
    )
    return "\n\n".join(
        (
            machine,
            f"Bodies of {size_bytes / 1e6:.0f} MB in chunks of {CHUNK_BYTES >> 10} KiB; the least of {repeats} runs,"
            " in one process, nothing else going on. Bytes are counted as they come in.",
            table(("body", "MB/s", "floor", "of the floor"), rows),
            verdicts,
        )
    )


def small_codec(spool: Path, *, repeats: int) -> tuple[float, float]:
    """Seconds that a JSON body of 1.4 MB takes when what it holds is thrown away, and those of decoding it alone."""
    text = pybase64.b64encode(os.urandom(SMALL_BYTES * 3 // 4))
    body = [_HEAD, *(text[at : at + CHUNK_BYTES] for at in range(0, len(text), CHUNK_BYTES)), _END]
    with mock.patch.object(Copy, "write", _throw_away):
        seconds = _least(lambda: _read("application/json", body, spool), repeats * 10)
    return seconds, _least(lambda: pybase64.b64decode(text, validate=True), repeats * 10)


def _throw_away(copy: Copy, data: bytes | memoryview) -> None:
    """In the place of ``Copy.write``. A mock would remember the data, and so measure fresh memory."""


def _least(work: Callable[[], object], repeats: int) -> float:
    """The least seconds that it takes."""
    found = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return min(found)


def _decode(text: bytes) -> None:
    for _ in range(CHUNKS):
        pybase64.b64decode(text, validate=True)


def _store(piece: bytes, spool: Path, *, decode: bool) -> None:
    """The floor of what is stored: a loop with nothing to find out."""
    digest = hashlib.sha256()
    with tempfile.NamedTemporaryFile(dir=spool, buffering=0) as file:
        for _ in range(CHUNKS):
            data = pybase64.b64decode(piece, validate=True) if decode else piece
            digest.update(data)
            file.write(data)


def _read(kind: str, body: Iterable[bytes], spool: Path) -> None:
    taken: BodyReader = reader(kind, spool=spool, limits=_LIMITS)
    for chunk in body:
        taken.feed(chunk)
    taken.finish()
    taken.discard()


def _row(name: str, seconds: float, floor_seconds: float, size_bytes: int) -> tuple[str, ...]:
    rates = (size_bytes / each / 1e6 for each in (seconds, floor_seconds))
    return (name, *(f"{rate:.0f}" for rate in rates), f"{floor_seconds / seconds:.2f}")


def _verdict(is_met: bool) -> str:
    return "met" if is_met else "**missed**"

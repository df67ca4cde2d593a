"""Brings in the bytes of one input. The only door: paths, uploads, ``data:`` URLs, and addresses."""

from __future__ import annotations

import os
import stat
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from triptych.errors import InputChanged, InvalidRequest, Problem
from triptych.media.dataurl import decode_data_url
from triptych.media.folder import DEFAULT_FRAME_RATE, pack_descriptor
from triptych.media.path import open_path, without_secrets
from triptych.media.sniff import HEAD_BYTES
from triptych.media.spool import CHUNK_BYTES, copying, too_large
from triptych.media.url import USUAL, Guard, download, judged
from triptych.task import Blob, BlobSource, BytesSource, DataURLSource, PathSource, ResultSource, Source, URLSource


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What may be read.

    Attributes:
        roots: the folders whose files may be read by path. ``None`` = any (a person reading their own files);
            ``()`` = no path at all.
        max_bytes: of one input.
        allow_urls: whether http and https addresses are fetched.
        guard: how they are fetched, and which.
    """

    roots: tuple[Path, ...] | None
    max_bytes: int
    allow_urls: bool = False
    guard: Guard = USUAL


def fetch(source: Source, *, field: str, policy: Policy, spool: Path, stop: threading.Event | None = None) -> Blob:
    """Copy an input into ``spool``: bounded, hashed on the way, under a name that is not the caller's.

    A folder of numbered frames becomes one packed file (``media.folder``).

    Args:
        field: the caller's own name for the input.
        spool: an existing private folder.
        stop: set by whoever no longer wants it; what comes over the network then fails soon.

    Raises:
        InvalidRequest: there is nothing to read, it may not be read, or it has too many bytes. Nothing is left behind.
        InputChanged: the file changed while it was read.
    """
    match source:
        case PathSource():
            return _fetch_path(source, field, policy, spool)
        case BytesSource():
            return _keep(source.data, field, policy, spool)
        case DataURLSource():
            data = decode_data_url(source.url, field=field, max_bytes=policy.max_bytes)
            return _keep(data, field, policy, spool)
        case URLSource():
            _refuse_unless_allowed(source.url, field, policy)
            return download(
                source.url, field=field, guard=policy.guard, max_bytes=policy.max_bytes, spool=spool, stop=stop
            )
        case BlobSource():
            if source.blob.size_bytes > policy.max_bytes:
                raise too_large(field, source.blob.size_bytes, policy.max_bytes)
            return source.blob
        case ResultSource():
            message = f"no store of results here, so there is no result {source.id!r}"
            raise InvalidRequest([Problem(code="media_not_found", field=field, message=message, value=source.id)])
        case _:
            assert_never(source)


def unreachable(source: Source, *, field: str, policy: Policy) -> tuple[Problem, ...]:
    """What can be said against an input without reading any of its bytes; empty when there is nothing.

    ``fetch`` says the same things, and more; this lets all problems of a request be told together, at no cost.
    """
    try:
        match source:
            case PathSource():
                descriptor = open_path(source.path, field=field, roots=policy.roots)
                try:
                    found = os.fstat(descriptor)
                finally:
                    os.close(descriptor)
                if stat.S_ISREG(found.st_mode) and found.st_size > policy.max_bytes:
                    raise too_large(field, found.st_size, policy.max_bytes)
            case URLSource():
                _refuse_unless_allowed(source.url, field, policy)
                judged(source.url, field=field, guard=policy.guard)
            case BlobSource() if source.blob.size_bytes > policy.max_bytes:
                raise too_large(field, source.blob.size_bytes, policy.max_bytes)
            case BytesSource() if len(source.data) > policy.max_bytes:
                raise too_large(field, len(source.data), policy.max_bytes)
            case _:
                pass
    except InvalidRequest as refusal:
        return refusal.problems
    return ()


def head(blob: Blob) -> bytes:
    """The first bytes, as many as ``media.sniff`` can use."""
    with Path(blob.path).open("rb") as file:
        return file.read(HEAD_BYTES)


def _fetch_path(source: PathSource, field: str, policy: Policy, spool: Path) -> Blob:
    descriptor = open_path(source.path, field=field, roots=policy.roots)
    try:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            frame_rate = DEFAULT_FRAME_RATE if source.frame_rate is None else source.frame_rate
            return pack_descriptor(
                descriptor, field=field, spool=spool, max_bytes=policy.max_bytes, frame_rate=frame_rate
            )
        if source.frame_rate is not None:
            message = f"a frame rate ({source.frame_rate:g}) is for a folder of frames, and this is a file"
            problem = Problem(code="invalid_value", field=field, message=message, value=source.frame_rate)
            raise InvalidRequest([problem])
        return _copy(descriptor, field, policy, spool)
    finally:
        os.close(descriptor)


def _copy(descriptor: int, field: str, policy: Policy, spool: Path) -> Blob:
    before = os.fstat(descriptor)
    if before.st_size > policy.max_bytes:
        raise too_large(field, before.st_size, policy.max_bytes)
    buffer = memoryview(bytearray(CHUNK_BYTES))
    with copying(spool, field=field, max_bytes=policy.max_bytes) as (copy, finish):
        # A file that says it has no bytes is not read: /proc is full of such files, and they do have some.
        while before.st_size:
            try:
                count = os.readv(descriptor, [buffer])
            except OSError as error:
                message = f"it cannot be read to its end ({error.strerror})"
                raise InvalidRequest([Problem(code="media_unreadable", field=field, message=message)]) from error
            if not count:
                break
            copy.write(buffer[:count])
        after = os.fstat(descriptor)
        if (copy.size_bytes, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
            raise InputChanged(f"{field}: the file changed while it was read; is it still being written?")
        return finish()


def _keep(data: bytes, field: str, policy: Policy, spool: Path) -> Blob:
    if len(data) > policy.max_bytes:
        raise too_large(field, len(data), policy.max_bytes)
    with copying(spool, field=field, max_bytes=policy.max_bytes) as (copy, finish):
        copy.write(data)
        return finish()


def _refuse_unless_allowed(url: str, field: str, policy: Policy) -> None:
    if policy.allow_urls or url.partition(":")[0].lower() not in ("http", "https"):
        return  # what is no address of media is told by whoever takes it apart
    shown = without_secrets(url)
    message = f"addresses are not fetched here: {shown!r}"
    fix = "Download it and send the file"
    raise InvalidRequest([Problem(code="url_not_allowed", field=field, message=message, value=shown, fix=fix)])

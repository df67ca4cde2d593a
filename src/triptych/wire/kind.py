"""What an input may be, told from its first bytes before it is brought in: what ``input_reference`` means hangs on it.

Nothing is told from a name, a header or a count. What cannot be looked at here stays open; whoever brings it in says
what is wrong with it, under its own name.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from triptych.errors import InvalidRequest
from triptych.media.dataurl import decode_data_url
from triptych.media.fetch import Policy
from triptych.media.path import open_path
from triptych.media.sniff import HEAD_BYTES, sniff
from triptych.task import (
    Blob,
    BlobSource,
    BytesSource,
    DataURLSource,
    Modality,
    PathSource,
    ResultSource,
    Source,
    URLSource,
)
from triptych.task.piece import PIECES, VIDEO_PREFIX, variant_of

UNKNOWN: frozenset[Modality] = frozenset()
"""Nothing can be told."""

LONGEST_DATA_BYTES = 4 << 20
"""Data URLs in what was not spooled are short; a longer one is looked at when it is brought in."""


def kinds_of(
    source: Source, *, policy: Policy | None = None, blob_of: Callable[[str], Blob | None] | None = None
) -> frozenset[Modality]:
    """What an input may be; one kind mostly, two for a container that holds clips and sound, none when it stays open.

    Args:
        source: where it is.
        policy: which paths may be opened; ``None`` for none.
        blob_of: finds an uploaded file by its id. It must not wait.
    """
    try:
        match source:
            case BlobSource():
                return _of_blob(source.blob)
            case BytesSource():
                return _of_head(source.data[:HEAD_BYTES], len(source.data))
            case DataURLSource():
                data = decode_data_url(source.url, field="", max_bytes=LONGEST_DATA_BYTES)
                return _of_head(data[:HEAD_BYTES], len(data))
            case PathSource():
                return UNKNOWN if policy is None else _of_path(source.path, policy)
            case ResultSource():
                return _of_result(source.id, blob_of)
            case URLSource():
                return UNKNOWN
    except (InvalidRequest, OSError):
        return UNKNOWN


def _of_head(head: bytes, size_bytes: int) -> frozenset[Modality]:
    return sniff(head, field="", size_bytes=size_bytes).modalities


def _of_blob(blob: Blob) -> frozenset[Modality]:
    if blob.packed:
        return frozenset((Modality.VIDEO,))
    with Path(blob.path).open("rb") as file:
        return _of_head(file.read(HEAD_BYTES), blob.size_bytes)


def _of_path(path: str, policy: Policy) -> frozenset[Modality]:
    descriptor = open_path(path, field="", roots=policy.roots)
    try:
        found = os.fstat(descriptor)
        if stat.S_ISDIR(found.st_mode):
            return frozenset((Modality.VIDEO,))  # numbered frames are a clip
        return _of_head(os.pread(descriptor, HEAD_BYTES, 0), found.st_size)
    finally:
        os.close(descriptor)


def _of_result(id: str, blob_of: Callable[[str], Blob | None] | None) -> frozenset[Modality]:
    if id.startswith(VIDEO_PREFIX):
        return frozenset((PIECES.get(variant_of(id), Modality.VIDEO),))
    blob = None if blob_of is None else blob_of(id)
    return UNKNOWN if blob is None else _of_blob(blob)

"""Whether two inputs say the same: the same bytes wherever they came from, for the same, with the same said of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from triptych.errors import InvalidRequest
from triptych.media.dataurl import decode_data_url
from triptych.task import BlobSource, BytesSource, DataURLSource, PathSource, Reference, Source

_NOWHERE = PathSource("")


def same_inputs(one: Sequence[Reference], other: Sequence[Reference]) -> bool:
    """Whether two lists of inputs say the same, in the same order."""
    return len(one) == len(other) and all(map(same_input, one, other))


def same_input(one: Reference, other: Reference) -> bool:
    """Whether two inputs say the same, under whatever names."""
    kinds = {one.modality, other.modality} - {None}
    return len(kinds) <= 1 and content_of(one.source) == content_of(other.source) and _said(one) == _said(other)


def content_of(source: Source) -> str | Source:
    """The sha256 of an input whose bytes are at hand; else the source itself."""
    match source:
        case BlobSource() if source.blob.sha256:
            return source.blob.sha256
        case BytesSource():
            return hashlib.sha256(source.data).hexdigest()
        case DataURLSource():
            try:
                data = decode_data_url(source.url, field="", max_bytes=len(source.url))
            except InvalidRequest:
                return source  # what is wrong with it is told where it is brought in
            return hashlib.sha256(data).hexdigest()
        case _:
            return source


def _said(one: Reference) -> Reference:
    """An input without its name, its place and its kind."""
    tied = None if one.soundtrack_of is None else ""
    return replace(one, field="", source=_NOWHERE, modality=None, soundtrack_of=tied)

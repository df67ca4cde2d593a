"""From a content type to what reads such a body, and the digest by which a body that is sent again is known."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from triptych.errors import UnsupportedMediaType
from triptych.wire.body import BodyLimits as BodyLimits
from triptych.wire.body import BodyReader, Document, Upload
from triptych.wire.form_body import MultipartReader
from triptych.wire.json_body import JsonReader
from triptych.wire.urlencoded_body import UrlencodedReader

JSON = "application/json"
MULTIPART = "multipart/form-data"
URLENCODED = "application/x-www-form-urlencoded"
MEDIA_TYPES = (JSON, MULTIPART, URLENCODED)


def reader(content_type: str, *, spool: Path, limits: BodyLimits) -> BodyReader:
    """What reads a body of this type, into ``spool``.

    Raises:
        UnsupportedMediaType: bodies of it are not read here.
        InvalidRequest: a form of several parts that does not say what is between them.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind == JSON or (kind.startswith("application/") and kind.endswith("+json")):
        return JsonReader(spool=spool, limits=limits)
    if kind == MULTIPART:
        return MultipartReader(content_type, spool=spool, limits=limits)
    if kind == URLENCODED:
        return UrlencodedReader(spool=spool, limits=limits)
    there = f"A body of type {kind[:100]!r} is not read here" if kind else "The request does not say what its body is"
    raise UnsupportedMediaType(f"{there}; send {', '.join(MEDIA_TYPES)}.")


def digest(document: Document) -> str:
    """The sha256 of what a document says, whatever way it was written; files count by their content."""
    text = json.dumps(_canonical(document.values), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _canonical(value: Any) -> Any:
    """A value as plain JSON. What is text and what is a file differ in their first letter, whatever the text is."""
    if isinstance(value, Upload):
        return f"f{value.blob.sha256}"
    if isinstance(value, str):
        return f"t{value}"
    if isinstance(value, Mapping):
        return {str(key): _canonical(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_canonical(item) for item in value]
    return value

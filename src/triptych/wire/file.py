"""Stored files, characters and engines as their callers see them: OpenAI's shapes, and what they leave out."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from triptych.rules.spec import EngineSpec
from triptych.wire.document import render_spec


class FileDocument(TypedDict):
    """A file that was uploaded. Its id can stand wherever a reference can."""

    id: str
    object: Literal["file"]
    bytes: int
    created_at: int
    expires_at: int | None
    filename: str
    purpose: str
    status: Literal["processed"]
    media_type: str
    sha256: str


class FilePageDocument(TypedDict):
    """Some files of a list. The next ones come after ``last_id``."""

    object: Literal["list"]
    data: list[FileDocument]
    first_id: str | None
    last_id: str | None
    has_more: bool


class DeletedFileDocument(TypedDict):
    """What was deleted."""

    id: str
    object: Literal["file"]
    deleted: Literal[True]


class CharacterDocument(TypedDict):
    """A named clip that was stored. Its id can stand wherever a reference can."""

    id: str
    object: Literal["character"]
    created_at: int
    name: str


class ModelDocument(TypedDict):
    """An engine, and all that it can do."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    default: bool
    spec: dict[str, Any] | None
    unavailable: str | None


class ModelPageDocument(TypedDict):
    """Every engine."""

    object: Literal["list"]
    data: list[ModelDocument]


def render_model(name: str, *, spec: EngineSpec | None, unavailable: str | None, default: bool) -> ModelDocument:
    """An engine.

    Args:
        name: of it.
        spec: what it can do; ``None`` when it cannot be loaded.
        unavailable: why it cannot be loaded.
        default: whether it is the one that is used when a request names none.
    """
    return {
        "id": name,
        "object": "model",
        "created": 0,
        "owned_by": "triptych",
        "default": default,
        "spec": None if spec is None else render_spec(spec),
        "unavailable": unavailable,
    }

"""The JSON Schema of a ``TypedDict``: what a document promises, told from the type that it is checked by."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from typing import Any, Literal

_PLAIN: Mapping[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
}


def schemas(*kinds: type) -> dict[str, dict[str, Any]]:
    """The schemas of documents and of all that they hold, by name.

    Names are those of the types, without ``Document``; one refers to another by ``#/components/schemas/<name>``.
    """
    found: dict[str, dict[str, Any]] = {}
    for kind in kinds:
        _add(kind, found)
    return found


def name_of(kind: type) -> str:
    """What a document's schema is called."""
    return kind.__name__.removesuffix("Document")


def reference(kind: type) -> dict[str, Any]:
    """The way to say: a document of this kind."""
    return {"$ref": f"#/components/schemas/{name_of(kind)}"}


def _add(kind: type, found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    if name_of(kind) not in found:
        found[name_of(kind)] = {}  # it may hold itself
        hints = typing.get_type_hints(kind)
        found[name_of(kind)] = {
            "type": "object",
            "title": name_of(kind),
            "description": (kind.__doc__ or "").strip(),
            "properties": {name: _schema(hint, found) for name, hint in hints.items()},
            "required": sorted(getattr(kind, "__required_keys__", hints)),
        }
    return reference(kind)


def _schema(hint: Any, found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    if typing.is_typeddict(hint):
        return _add(hint, found)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema(each, found) for each in arguments]}
    if origin is list:
        return {"type": "array", "items": _schema(arguments[0], found)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(arguments[1], found)}
    raise TypeError(f"no schema says {hint!r}")

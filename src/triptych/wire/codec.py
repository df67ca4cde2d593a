"""Frozen values as plain JSON and back: how requests, plans and results are kept between processes.

``dump`` and ``load`` are inverse to each other for every dataclass of ``triptych.task``. What was written by an older
release still loads: a name that is gone is dropped, and one that is new has its default.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import MappingProxyType
from typing import Any, TypeVar, cast

from triptych.task import Source

Value = TypeVar("Value")

_PLAIN = frozenset((type(None), str, int, float, bool))
"""Types of which most values are; what JSON has as it is."""

_KIND = "is"
"""The key under which a member of a union of dataclasses says which one it is."""


def dump(value: Any) -> Any:
    """A value as plain JSON.

    Raises:
        TypeError: JSON has no such thing; bytes are among them: bind inputs to stored blobs first.
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        named = {item.name: dump(getattr(value, item.name)) for item in fields(value)}
        return {_KIND: type(value).__name__, **named} if isinstance(value, typing.get_args(Source)) else named
    if isinstance(value, Mapping):
        return {str(key): dump(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [dump(item) for item in value]
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    raise TypeError(f"JSON has no {type(value).__name__}")


def load(kind: type[Value], document: Any) -> Value:
    """The inverse of ``dump``.

    Args:
        kind: the dataclass that was dumped.
        document: what ``dump`` gave, as ``json.loads`` reads it.

    Raises:
        ValueError: it is no such document.
    """
    try:
        return cast("Value", _load(kind, document))
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"no {kind.__name__} can be read from this: {error}") from error


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _load(kind: Any, document: Any) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        hints = _hints(kind)
        known = {item.name for item in fields(kind)}
        return kind(**{name: _load(hints[name], item) for name, item in document.items() if name in known})
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(document)
    if origin in (typing.Union, types.UnionType):
        return _load_union(arguments, document)
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return tuple(_load(arguments[0], item) for item in document)
        return tuple(_load(each, item) for each, item in zip(arguments, document, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return MappingProxyType({key: _load(arguments[1], item) for key, item in document.items()})
    return document


def _load_union(members: tuple[Any, ...], document: Any) -> Any:
    if document is None:
        return None
    named = {member.__name__: member for member in members if isinstance(member, type)}
    if isinstance(document, dict) and _KIND in document:
        return _load(named[document[_KIND]], {key: item for key, item in document.items() if key != _KIND})
    inner = [member for member in members if member is not type(None)]
    return _load(inner[0], document) if len(inner) == 1 else document

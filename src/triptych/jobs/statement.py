"""The SQL of a store, kept in a file of its own, each statement under its name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


def statements(file_name: str) -> Mapping[str, str]:
    """The statements of a file in this package, by name.

    Raises:
        ValueError: two have one name.
    """
    pieces = _NAME.split(files("triptych.jobs").joinpath(file_name).read_text(encoding="utf-8"))
    named = list(zip(pieces[1::2], pieces[2::2], strict=True))
    found = {name: text.strip() for name, text in named}
    if len(found) != len(named):
        raise ValueError(f"two statements of {file_name} have one name")
    return MappingProxyType(found)

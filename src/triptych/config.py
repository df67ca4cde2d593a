"""Settings of one installation, read once at the edge and passed down. Nothing below the CLI imports this.

Each setting is read from the environment variable ``TRIPTYCH_<NAME>``, else from the TOML file that
``TRIPTYCH_CONFIG`` names (``~/.config/triptych/config.toml`` by default), else it has the default below.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from triptych.errors import InvalidRequest, Problem

PREFIX = "TRIPTYCH_"

LEAST = {"decoders": 1}
"""The least value of a number, where that is not 0."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What an installation decides.

    Attributes:
        engine: the engine when a request names none.
        max_input_bytes: of one input.
        memory_bytes: of one decoding process.
        decode_seconds: of processor time for one input.
        render_seconds: of wall clock for one run; 0 is no bound.
        decoders: how many inputs are decoded at once.
        work_dir: where private files of a run are; empty is the system's temporary folder.
    """

    engine: str = "animatic"
    max_input_bytes: int = 2 << 30
    memory_bytes: int = 2 << 30
    decode_seconds: float = 120.0
    render_seconds: float = 0.0
    decoders: int = 2
    work_dir: str = ""

    @classmethod
    def read(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """From the environment and the settings file.

        Raises:
            InvalidRequest: a value or a name in the file makes no sense; each is named with where it stands.
        """
        environ = os.environ if environ is None else environ
        path = Path(environ.get(f"{PREFIX}CONFIG") or Path.home() / ".config" / "triptych" / "config.toml")
        values, problems = _from_file(path, required=f"{PREFIX}CONFIG" in environ)
        for item in fields(cls):
            name = f"{PREFIX}{item.name.upper()}"
            if name in environ:
                values[item.name] = (name, environ[name])
        checked: dict[str, Any] = {}
        for name, (field, value) in values.items():
            kind = type(getattr(cls, name))
            try:
                checked[name] = _read(kind, value, least=LEAST.get(name, 0))
            except (ValueError, TypeError):
                problems.append(
                    Problem(
                        code="invalid_value",
                        field=field,
                        message=f"{value!r} is not {_wanted(name, kind)}",
                        value=str(value),
                        fix="Correct it, or take it out",
                    )
                )
        if problems:
            raise InvalidRequest(problems)
        return cls(**checked)


def _wanted(name: str, kind: type[object]) -> str:
    """What a setting's value should be, in words."""
    if kind is str:
        return "text"
    return f"a {'whole ' if kind is int else ''}number of {LEAST.get(name, 0)} or more"


def _read(kind: type[str] | type[int] | type[float], value: object, *, least: int) -> str | int | float:
    """A value as a setting's type: words from the environment are parsed; a file's values are of the type already.

    Raises:
        ValueError: it is not of that type, or is no finite number of ``least`` or more.
    """
    exact = isinstance(value, (kind, int) if kind is float else kind) and not isinstance(value, bool)
    if not (exact or isinstance(value, str)):
        raise ValueError(value)
    read = kind(str(value))
    if not isinstance(read, str) and not least <= read < float("inf"):
        raise ValueError(value)
    return read


def _from_file(path: Path, *, required: bool) -> tuple[dict[str, tuple[str, Any]], list[Problem]]:
    """The values of a settings file with where each stands; none when there is no file."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if not required:
            return {}, []
        return {}, [
            Problem(
                code="media_not_found",
                field=f"{PREFIX}CONFIG",
                message=f"there is no file {path}",
                fix="Correct the path, or unset it",
            )
        ]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return {}, [Problem(code="invalid_value", field=str(path), message=f"cannot be read: {error}")]
    known = {item.name for item in fields(Settings)}
    problems = [
        Problem(
            code="unknown_parameter",
            field=f"{path}: {name}",
            message="no setting has this name",
            value=name,
            limit=sorted(known),
            fix=f"There is {', '.join(sorted(known))}",
        )
        for name in data
        if name not in known
    ]
    return {name: (f"{path}: {name}", value) for name, value in data.items() if name in known}, problems

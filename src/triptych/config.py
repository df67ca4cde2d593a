"""Settings of one installation, read once at the edge and passed down. Nothing below the CLI imports this.

Each setting is read from the environment variable ``TRIPTYCH_<NAME>``, else from the TOML file that
``TRIPTYCH_CONFIG`` names (``~/.config/triptych/config.toml`` by default), else it has the default below. A list is an
array in the file, and words with commas between them in the environment; a switch is ``true`` or ``false``.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from triptych.errors import InvalidRequest, Problem

PREFIX = "TRIPTYCH_"

LEAST = {"decoders": 1, "max_request_body_bytes": 1, "max_queued": 1, "keep_seconds": 1}
"""The least value of a number, where that is not 0."""

SWITCH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
"""How a switch is said in words."""

SECRET = {"api_keys"}
"""Settings whose values are not shown."""

Setting = str | int | float | bool | tuple[str, ...]


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
        data_dir: where a server keeps jobs, uploads and results; empty is ``~/.local/share/triptych``.
        host, port: where a server listens; port 0 takes a free one.
        workers: how many jobs a server runs at once; 0 leaves them to other processes on the same data folder.
        max_queued: how many jobs may wait.
        keep_seconds: how long a finished job, its files and an upload are kept.
        api_keys: the keys that callers must have, each as ``key`` or ``name=key``; without any, everybody may call.
        roots: folders whose files a server's callers may name by path. Without any: the working folder when only this
            machine can call, else none.
        allow_urls: whether http and https addresses of inputs are fetched, at public hosts.
        allowed_hosts: host names under which a server answers, beside its own.
        allowed_origins: web pages (``https://example.org``) that may call a server from a browser.
        max_request_body_bytes: of one request; bodies go to disk as they arrive.
        max_bodies: how many bodies are read at once; others wait.
        body_idle_seconds: how long a body may stand still before it is given up.
        sync_seconds: how long a caller of ``/v1/videos/sync`` waits.
    """

    engine: str = "animatic"
    max_input_bytes: int = 2 << 30
    memory_bytes: int = 2 << 30
    decode_seconds: float = 120.0
    render_seconds: float = 0.0
    decoders: int = 2
    work_dir: str = ""
    data_dir: str = ""
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    max_queued: int = 200
    keep_seconds: float = 7 * 86_400.0
    # Not in what a traceback or a log shows of the settings.
    api_keys: tuple[str, ...] = field(default=(), repr=False)
    roots: tuple[str, ...] = ()
    allow_urls: bool = False
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    max_request_body_bytes: int = 2 << 30
    max_bodies: int = 64
    body_idle_seconds: float = 60.0
    sync_seconds: float = 600.0

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
        defaults = cls()
        for name, (where, value) in values.items():
            kind = type(getattr(defaults, name))
            shown = "what is there" if name in SECRET else repr(value)
            try:
                checked[name] = _read(kind, value, least=LEAST.get(name, 0))
            except (ValueError, TypeError):
                problems.append(
                    Problem(
                        code="invalid_value",
                        field=where,
                        message=f"{shown} is not {_wanted(name, kind)}",
                        value=None if name in SECRET else str(value),
                        fix="Correct it, or take it out",
                    )
                )
        if problems:
            raise InvalidRequest(problems)
        return cls(**checked)


def _wanted(name: str, kind: type[object]) -> str:
    """What a setting's value should be, in words."""
    words = {str: "text", bool: "true or false", tuple: "a list of words"}
    return words.get(kind, f"a {'whole ' if kind is int else ''}number of {LEAST.get(name, 0)} or more")


def _read(kind: type[Any], value: object, *, least: int) -> Setting:
    """A value as a setting's type: words from the environment are parsed; a file's values are of the type already.

    Raises:
        ValueError: it is not of that type, or is no finite number of ``least`` or more.
    """
    if kind is tuple:
        return _read_list(value)
    if kind is bool:
        return _read_switch(value)
    exact = isinstance(value, (kind, int) if kind is float else kind) and not isinstance(value, bool)
    if not (exact or isinstance(value, str)):
        raise ValueError(value)
    read: str | int | float = kind(str(value))
    if not isinstance(read, str) and not least <= read < float("inf"):
        raise ValueError(value)
    return read


def _read_list(value: object) -> tuple[str, ...]:
    items = value.split(",") if isinstance(value, str) else value
    if not (isinstance(items, list) and all(isinstance(item, str) for item in items)):
        raise ValueError(value)
    return tuple(item.strip() for item in items if item.strip())


def _read_switch(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if not (isinstance(value, str) and value.lower() in SWITCH):
        raise ValueError(value)
    return SWITCH[value.lower()]


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

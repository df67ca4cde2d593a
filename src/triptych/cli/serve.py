"""``triptych serve``: the video server, in this process, until it is stopped."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from triptych.cli import screen, studio
from triptych.config import Settings
from triptych.engines.registry import Registry
from triptych.errors import EngineUnavailable, InvalidRequest, Problem, TriptychError

PARTS = ("fastapi", "fastapi_offline", "httpcore", "prometheus_client", "python_multipart", "uvicorn")
"""What the extra brings."""

INSTALL = 'pip install "triptych[server]"'

LOGS = ("text", "json")

NUMBERS: Mapping[str, str] = {"port": "--port", "workers": "--workers"}


def run(arguments: argparse.Namespace) -> int:
    """Serve until somebody stops it; 0 then.

    Raises:
        InvalidRequest: an option or a setting makes no sense, or the port is taken.
        EngineUnavailable: the extra is not installed.
        StorageFailed: the data folder cannot be used.
    """
    settings = settings_of(arguments)
    try:
        from triptych.server import log
        from triptych.server.app import create_app
        from triptych.server.listen import Server, listen
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in PARTS:
            raise
        raise EngineUnavailable(f"The server is not installed ({error.name} is missing): {INSTALL}") from error
    registry = Registry.installed()
    registry.spec(settings.engine, field="TRIPTYCH_ENGINE")
    log.start(arguments.log or "text")
    app = create_app(settings, registry=registry)
    opened = listen(settings.host, settings.port)
    port = opened.getsockname()[1]
    screen.tell(warnings(settings))
    server = Server(app, started=lambda: screen.show(greeting(settings, port, registry)))
    try:
        server.run(sockets=[opened])
    except SystemExit as error:  # how uvicorn says that the app did not start; the log has the reason
        raise TriptychError("The server did not start; the reason is above.") from error
    finally:
        opened.close()
    screen.tell(["Stopped."])
    return 0


def settings_of(arguments: argparse.Namespace) -> Settings:
    """The settings of the installation, with what was typed over them.

    Raises:
        InvalidRequest: what was typed makes no sense.
    """
    settings = studio.settings_of(arguments)
    typed: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, flag in NUMBERS.items():
        text = getattr(arguments, name)
        if text is None:
            continue
        least, most = (0, 65_535) if name == "port" else (0, 1000)
        if text.isascii() and text.isdecimal() and len(text) <= 5 and least <= int(text) <= most:
            typed[name] = int(text)
        else:
            problems.append(
                Problem(
                    code="invalid_value",
                    field=flag,
                    message=f"{text!r} is not a whole number from {least} to {most}",
                    value=text,
                    limit=[least, most],
                )
            )
    if arguments.log not in (None, *LOGS):
        message = f"{arguments.log!r} is no way to write a log"
        problems.append(
            Problem(code="invalid_value", field="--log", message=message, limit=list(LOGS), fix="Say text or json")
        )
    roots = tuple(arguments.root) or settings.roots
    problems += [
        Problem(code="media_not_found", field="--root", message=f"there is no folder {root!r}", value=root)
        for root in roots
        if not Path(root).is_dir()
    ]
    if problems:
        raise InvalidRequest(problems)
    typed |= {name: value for name in ("host", "data") if (value := getattr(arguments, name)) is not None}
    if "data" in typed:
        typed["data_dir"] = typed.pop("data")
    return replace(settings, **typed, roots=roots)


def warnings(settings: Settings) -> list[str]:
    """What whoever starts a server should know about who can reach it."""
    from triptych.server.guard import is_loopback

    if settings.api_keys or is_loopback(settings.host):
        return []
    return [
        "WARNING: this server listens beyond this machine and asks nobody for a key. Whoever can reach it can use it,",
        "see every job and file, and fill its disk. Set keys (TRIPTYCH_API_KEYS=name=key), or listen on 127.0.0.1.",
    ]


def greeting(settings: Settings, port: int, registry: Registry) -> list[str]:
    """Where it listens, with what, and a command that works."""
    from triptych.server.store import data_folder

    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)
    url = f"http://{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{port}"
    key = ' -H "Authorization: Bearer $KEY"' if settings.api_keys else ""
    return [
        f"Triptych listens on {url}",
        f"  API      {url}/v1/videos (base URL for clients: {url}/v1)",
        f"  docs     {url}/docs",
        f"  engines  {', '.join(registry.names())} (default: {settings.engine})",
        f"  data     {data_folder(settings)}",
        "Try it:",
        f"  curl{key} {url}/v1/videos -F {shlex.quote('prompt=A quiet street')} -F seconds=2",
        "Stop it with Ctrl-C.",
    ]

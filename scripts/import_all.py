"""Imports every module of the package, to show that an install without extras holds together."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import triptych

SERVER = {
    "fastapi",
    "fastapi_offline",
    "httpcore",
    "prometheus_client",
    "python_multipart",
    "starlette",
    "uvicorn",
}
"""What the extra ``server`` brings."""

MAY_NEED = {
    "triptych.testing.": {"pytest", "hypothesis"} | SERVER,
    "triptych.server": SERVER,
    "triptych.media.dial": SERVER,
    # How bodies are read and told is the server's alone.
    "triptych.wire.form_body": SERVER,
    "triptych.wire.reader": SERVER,
    "triptych.wire.urlencoded_body": SERVER,
}
"""What a module, and those below it, may ask for beyond the base install."""


def main() -> int:
    """Import all; print what could not be imported; 1 if anything."""
    failures: list[str] = []
    names = [found.name for found in pkgutil.walk_packages(triptych.__path__, "triptych.", onerror=failures.append)]
    for name in names:
        if name.endswith(".__main__"):
            continue
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            needed = (error.name or "").partition(".")[0]
            if not any(name.startswith(start) and needed in tools for start, tools in MAY_NEED.items()):
                failures.append(f"{name}: {error}")
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{len(names)} modules, {len(failures)} failed, on Python {sys.version.split()[0]}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

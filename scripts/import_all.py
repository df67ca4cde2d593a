"""Imports every module of the package, to show that an install without extras holds together."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import triptych

TEST_TOOLS = {"pytest", "hypothesis"}
"""What a module below ``triptych.testing`` may ask for beyond the base install."""


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
            if not (name.startswith("triptych.testing.") and error.name in TEST_TOOLS):
                failures.append(f"{name}: {error}")
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{len(names)} modules, {len(failures)} failed, on Python {sys.version.split()[0]}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

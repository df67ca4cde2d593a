"""What was measured on: processor, interpreter, packages, and how busy the machine was."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from datetime import UTC, datetime
from pathlib import Path

PACKAGES = ("triptych", "av", "numpy", "opencv-python-headless", "pillow")


def machine_line() -> str:
    """All of it in one line of Markdown."""
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    one, five, _ = os.getloadavg()
    return (
        f"{processor()}, {os.cpu_count()} cores, {memory_gib():.0f} GiB; {platform.system()} {platform.release()}; "
        f"Python {platform.python_version()}; {versions}. "
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, load average {one:.2f} (1 min), {five:.2f} (5 min) at the start."
    )


def processor() -> str:
    """The processor's name, with its family and model where the name alone says little."""
    found: dict[str, str] = {}
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    for line in text.split("\n\n")[0].splitlines():
        key, _, value = line.partition(":")
        found[key.strip()] = value.strip()
    name = found.get("model name", platform.machine())
    numbers = [f"{key.split()[-1]} {found[key]}" for key in ("cpu family", "model") if key in found]
    return f"{name} ({', '.join(numbers)})" if numbers else name


def memory_gib() -> float:
    """Physical memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30

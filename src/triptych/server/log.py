"""Log lines, as text or as JSON. They hold ids, sizes and times; no keys, no prompts, no queries and no media."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Any, Literal, TextIO

Style = Literal["text", "json"]
STYLES: tuple[Style, ...] = ("text", "json")

FIELDS = "fields"
"""The attribute of a record that holds its named values."""


def tell(logger: logging.Logger, level: int, event: str, **values: Any) -> None:
    """Log one event with named values; those that are ``None`` are left out."""
    if logger.isEnabledFor(level):
        known = {name: value for name, value in values.items() if value is not None}
        # Made by hand, because looking for the place that called costs more than all the rest of a line.
        logger.handle(logger.makeRecord(logger.name, level, "", 0, "%s", (event,), None, extra={FIELDS: known}))


class JSONFormatter(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        told = {
            "time": _clock(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **getattr(record, FIELDS, {}),
        }
        if record.exc_info:
            told["error"] = self.formatException(record.exc_info)
        return json.dumps(told, default=str)


class TextFormatter(logging.Formatter):
    """A line for people: what would break it or steer a terminal is spelled out."""

    def format(self, record: logging.LogRecord) -> str:
        values = "".join(f" {name}={_shown(value)}" for name, value in getattr(record, FIELDS, {}).items())
        line = f"{_clock(record)} {record.levelname:<7} {_shown(record.getMessage(), quote=False)}{values}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def start(style: Style, *, stream: TextIO | None = None) -> None:
    """Send the log of the package and of the HTTP server to a stream; the error stream by default."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JSONFormatter() if style == "json" else TextFormatter())
    for name, level in (("triptych", logging.INFO), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.setLevel(level)
        logger.propagate = False


def _clock(record: logging.LogRecord) -> str:
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
    return f"{whole}.{int(record.msecs):03d}Z"


def _shown(value: Any, *, quote: bool = True) -> str:
    text = str(value)
    safe = text.isprintable()
    return text if safe and not (quote and " " in text) else ascii(text)

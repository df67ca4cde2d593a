"""A log line is one line, whatever is in it."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest

from triptych.server import log


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    loggers = [logging.getLogger(name) for name in ("triptych", "uvicorn")]
    before = [(each, each.handlers[:], each.level, each.propagate) for each in loggers]
    yield
    for each, handlers, level, propagate in before:
        each.handlers[:] = handlers
        each.setLevel(level)
        each.propagate = propagate


def written(style: log.Style, event: str, **values: object) -> str:
    stream = io.StringIO()
    log.start(style, stream=stream)
    log.tell(logging.getLogger("triptych.server.entry"), logging.INFO, event, **values)
    return stream.getvalue()


def test_json_has_the_event_and_its_values() -> None:
    told = json.loads(written("json", "request", status=200, owner=None, path="/a\n\x1b[2J"))
    assert (told["event"], told["status"], told["path"]) == ("request", 200, "/a\n\x1b[2J")
    assert (told["level"], told["logger"]) == ("info", "triptych.server.entry")
    assert "owner" not in told


def test_json_is_one_line_with_an_error_too() -> None:
    stream = io.StringIO()
    log.start("json", stream=stream)
    try:
        raise ValueError("broken\nin two")
    except ValueError:
        logging.getLogger("triptych.x").exception("crash", extra={"fields": {"request_id": "r1"}})
    (line,) = stream.getvalue().splitlines()
    told = json.loads(line)
    assert (told["event"], told["request_id"]) == ("crash", "r1")
    assert "ValueError: broken" in told["error"]


def test_text_cannot_be_broken_or_steered_by_what_it_tells() -> None:
    text = written("text", "request", path="/a\nERROR forged \x1b[2J", status=404)
    assert text.count("\n") == 1
    assert "\x1b" not in text
    assert "status=404" in text


def test_the_server_s_own_chatter_is_left_out() -> None:
    stream = io.StringIO()
    log.start("text", stream=stream)
    logging.getLogger("uvicorn.error").info("Started server process")
    logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
    assert "Started" not in stream.getvalue()
    assert "Invalid HTTP request" in stream.getvalue()

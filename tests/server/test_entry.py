"""Every answer has an id, every request has a line, and a crash has the one shape."""

from __future__ import annotations

import asyncio
import errno
import logging
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from triptych.server.auth import Keys
from triptych.server.entry import Entry
from triptych.server.guard import Guard
from triptych.server.metric import Metrics
from triptych.testing.asgi import Reply, call

METRICS = Metrics(dict)


async def good(request: Request) -> Response:
    return PlainTextResponse(request.state.owner)


async def swallow(request: Request) -> Response:
    await request.body()
    return PlainTextResponse("")


async def broken(request: Request) -> Response:
    if "job" in request.query_params:
        request.state.job_id = "video_1"
    raise ZeroDivisionError("a secret in it")


async def full(request: Request) -> Response:
    raise OSError(errno.ENOSPC, "No space left on device")


async def halfway(request: Request) -> Response:
    async def stream() -> Any:
        yield b"begun"
        raise ZeroDivisionError

    return StreamingResponse(stream())


def entry(*, keys: tuple[str, ...] = (), metrics: Metrics = METRICS) -> Entry:
    routes = [
        Route("/health", good),
        Route("/v1/good", good),
        Route("/v1/swallow", swallow, methods=["POST"]),
        Route("/v1/broken", broken),
        Route("/v1/full", full),
        Route("/v1/halfway", halfway),
    ]
    guard = Guard(keys=bool(keys), loopback=True)
    return Entry(Starlette(routes=routes).router, guard=guard, keys=Keys(keys), metrics=lambda: metrics)


def asked(path: str, *, app: Entry | None = None, method: str = "GET", **more: Any) -> Reply:
    return asyncio.run(call(app or entry(), method, path, **more))


def test_a_sane_request_id_comes_back_and_another_is_replaced() -> None:
    assert asked("/v1/good", headers={"x-request-id": "abc-1"}).headers["x-request-id"] == "abc-1"
    for odd in ("a b", "x" * 101, "", "a\tb"):
        made = asked("/v1/good", headers={"x-request-id": odd}).headers["x-request-id"]
        assert made.startswith("req_")
    assert asked("/v1/good").headers["x-request-id"] != asked("/v1/good").headers["x-request-id"]


def test_a_key_says_whose_request_it_is_and_health_needs_none() -> None:
    app = entry(keys=("ann=sk-1",))
    assert asked("/v1/good", app=app, headers={"authorization": "Bearer sk-1"}).body == b"ann"
    refused = asked("/v1/good", app=app)
    assert (refused.status, refused.error["code"], refused.error["type"]) == (
        401,
        "invalid_api_key",
        "authentication_error",
    )
    assert refused.headers["www-authenticate"] == "Bearer"
    assert asked("/health", app=app).status == 200
    assert asked("/healthy", app=app).status == 401


def test_a_page_of_another_site_gets_the_one_shape() -> None:
    refused = asked("/v1/good", headers={"origin": "https://evil.example"})
    assert (refused.status, refused.error["code"], refused.error["type"]) == (403, "forbidden", "permission_error")


def test_a_crash_says_its_request_id_and_not_what_it_was(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("triptych").propagate = True
    crashed = asked("/v1/broken")
    assert (crashed.status, crashed.error["code"], crashed.error["type"]) == (500, "internal_error", "server_error")
    assert crashed.headers["x-request-id"] in crashed.error["message"]
    assert b"secret" not in crashed.body
    assert "x-should-retry" not in crashed.headers
    assert "a secret in it" in caplog.text


def test_a_crash_after_a_job_was_made_is_not_to_be_sent_again() -> None:
    crashed = asked("/v1/broken?job=1")
    assert crashed.headers["x-should-retry"] == "false"
    assert crashed.error["job_id"] == "video_1"


def test_a_full_disk_is_told_as_such() -> None:
    refused = asked("/v1/full")
    assert (refused.status, refused.error["code"]) == (507, "storage_failed")


def test_an_answer_that_breaks_off_is_not_ended_as_if_it_were_whole() -> None:
    with pytest.raises(ZeroDivisionError):
        asked("/v1/halfway")


def test_a_client_that_goes_while_it_sends_is_no_crash(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("triptych").propagate = True
    caplog.set_level(logging.INFO, "triptych")
    assert asked("/v1/swallow", method="POST", body=b"half", gone=True).status == 0
    (line,) = [record for record in caplog.records if record.getMessage() == "request"]
    assert line.__dict__["fields"]["status"] == 499
    assert line.__dict__["fields"]["received_bytes"] == 4


def test_a_log_line_holds_no_key_and_no_query(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("triptych").propagate = True
    caplog.set_level(logging.INFO, "triptych")
    headers = {"authorization": "Bearer sk-secret"}
    asked("/v1/good?api_key=sk-secret", app=entry(keys=("ann=sk-secret",)), headers=headers)
    (line,) = [record for record in caplog.records if record.getMessage() == "request"]
    assert "sk-secret" not in str(line.__dict__)
    fields = line.__dict__["fields"]
    assert (fields["method"], fields["path"], fields["status"], fields["owner"]) == ("GET", "/v1/good", 200, "ann")


def test_requests_are_counted_by_route_not_by_address() -> None:
    metrics = Metrics(lambda: {"queued": 3})
    app = entry(metrics=metrics)
    asked("/v1/swallow", app=app, method="POST", body=b"12345")
    asked("/v1/never-heard-of", app=app)
    asked("/v1/good", app=app, method="BREW")
    text = metrics.text().decode()
    assert 'triptych_http_requests_total{method="POST",route="/v1/swallow",status="200"} 1.0' in text
    assert 'triptych_http_requests_total{method="GET",route="none",status="404"} 1.0' in text
    assert 'method="other"' in text
    assert "triptych_http_received_bytes_total 5.0" in text
    assert 'triptych_jobs{status="queued"} 3.0' in text
    assert "never-heard-of" not in text

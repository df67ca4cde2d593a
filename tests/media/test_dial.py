"""One request over the network: only to judged addresses, with certificates that hold, within its time."""

from __future__ import annotations

import itertools
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from tests.media.site import CERTIFICATE, Site, reply, site
from triptych.media import dial
from triptych.media.address import NotPublic
from triptych.media.deadline import Deadline

BODY = bytes(range(256)) * 20
LOOPBACK = ("127.0.0.1",)


@dataclass(frozen=True)
class Got:
    """A whole answer."""

    status: int
    headers: dict[str, str]
    body: bytes


def got(
    asked: Site, *, host: str = "media.test", scheme: str = "", seconds: float = 20, at: tuple[str, ...] = LOOPBACK
) -> Got:
    with dial.get(
        scheme or asked.url("").partition(":")[0],
        host,
        asked.port,
        "/a",
        deadline=Deadline(seconds),
        opened=("127.0.0.0/8",),
        resolve=lambda name, port, left: at,
    ) as answer:
        return Got(answer.status, answer.headers, b"".join(answer.chunks))


@pytest.fixture
def web() -> Iterator[Site]:
    with site() as running:
        running.answers["/a"] = reply(BODY, head="X-Word: caf\u00e9\r\n")
        yield running


@pytest.fixture
def secure() -> Iterator[Site]:
    with site(tls=True) as running:
        running.answers["/a"] = reply(BODY)
        yield running


def test_an_answer_comes_whole_and_says_as_little_of_us_as_it_can(web: Site) -> None:
    found = got(web)
    assert (found.status, found.body, found.headers["x-word"]) == (200, BODY, "caf\u00e9")
    (asked,) = web.asked
    names = {line.partition(":")[0].lower() for line in asked.split("\r\n")[1:] if line}
    assert names == {"host", "user-agent", "accept", "accept-encoding", "connection"}
    assert f"Host: media.test:{web.port}" in asked


def test_the_next_address_of_a_host_is_tried(web: Site, dialled: list[object]) -> None:
    assert got(web, at=("127.0.0.2", "127.0.0.1")).body == BODY
    assert dialled == [("127.0.0.2", web.port), ("127.0.0.1", web.port)]


def test_when_none_answers_that_is_told(web: Site) -> None:
    with pytest.raises(dial.Failed, match=r"the connection failed \(Connection refused\)"):
        got(web, at=("127.0.0.2", "127.0.0.3"))
    with pytest.raises(dial.Failed, match="its host is not found"):
        got(web, at=())


def test_one_closed_address_closes_the_others_too(web: Site, dialled: list[object]) -> None:
    with pytest.raises(NotPublic, match="private"):
        got(web, at=("127.0.0.1", "10.0.0.1"))
    assert dialled == []


def test_the_certificate_has_to_be_of_the_name_that_was_asked_for(
    secure: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(dial.Failed, match=r"its certificate does not hold \(self-signed certificate"):
        got(secure)
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    assert got(secure).body == BODY
    with pytest.raises(dial.Failed, match="its certificate does not hold"):
        got(secure, host="other.test")
    assert len(secure.asked) == 1


def test_what_is_no_tls_is_told(web: Site) -> None:
    web.greeting = b"HTTP/1.1 400 Bad Request\r\n\r\n"
    with pytest.raises(dial.Failed, match="no TLS with its host"):
        got(web, scheme="https")


def test_a_body_without_a_length_that_is_cut_is_noticed_under_tls(
    secure: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))

    def cut(connection: socket.socket) -> None:
        connection.sendall(reply(BODY, length=False))
        connection.shutdown(socket.SHUT_RDWR)  # below TLS, which never said goodbye

    secure.answers["/a"] = cut
    with pytest.raises(dial.Failed, match="the answer ends before its end"):
        got(secure)


def drip(before: bytes, drop: bytes) -> Callable[[socket.socket], None]:
    def answer(connection: socket.socket) -> None:
        connection.sendall(before)
        for _ in itertools.count():
            connection.sendall(drop)  # until the other side hangs up
            time.sleep(0.02)

    return answer


@pytest.mark.parametrize(
    ("before", "drop"),
    [
        (b"HTTP/1.1 200 OK\r\n", b"X: 1\r\n"),
        (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\n\r\n", b"."),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n.\r\n"),
    ],
    ids=["head", "hints", "body", "chunks"],
)
def test_a_server_that_drips_is_left_in_time(web: Site, before: bytes, drop: bytes) -> None:
    web.answers["/a"] = drip(before, drop)
    began = time.monotonic()
    with pytest.raises(dial.Failed, match=r"longer than the 0.4 s"):
        got(web, seconds=0.4)
    assert time.monotonic() - began < 5

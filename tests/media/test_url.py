"""Addresses: fetched whole and bounded, judged at every hop; what may not be dialled is not dialled."""

from __future__ import annotations

import hashlib
import itertools
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.media.site import CERTIFICATE, Site, reply, site, to
from triptych.errors import InvalidRequest, Problem
from triptych.media import url as guard_module
from triptych.media.address import NotResolved
from triptych.media.fetch import Policy, fetch, unreachable
from triptych.media.url import Guard
from triptych.task import Blob, URLSource

HERE = Guard(seconds=20, networks=("127.0.0.0/8",))
LOCAL = Policy(roots=(), max_bytes=1 << 20, allow_urls=True, guard=HERE)
PUBLIC = Policy(roots=(), max_bytes=1 << 20, allow_urls=True)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    folder = tmp_path / "spool"
    folder.mkdir()
    return folder


@pytest.fixture
def web() -> Iterator[Site]:
    with site() as running:
        yield running


def brought(url: str, spool: Path, policy: Policy = LOCAL) -> Blob:
    return fetch(URLSource(url), field="--image 1", policy=policy, spool=spool)


def refused(url: str, spool: Path, policy: Policy = LOCAL) -> Problem:
    with pytest.raises(InvalidRequest) as caught:
        brought(url, spool, policy)
    assert list(spool.iterdir()) == []
    (problem,) = caught.value.problems
    assert problem.field == "--image 1"
    return problem


def leading(**addresses: str) -> Policy:
    """A policy whose names lead where the test says; ``media_test`` is written for ``media.test``."""
    names = {name.replace("_", "."): address for name, address in addresses.items()}

    def resolve(host: str, port: int, seconds: float) -> list[str]:
        return [names.get(host, host)]

    return replace(LOCAL, guard=replace(HERE, resolve=resolve))


# What is fetched


def test_the_bytes_arrive_hashed_and_named_by_their_content(web: Site, spool: Path) -> None:
    web.answers["/a%20cat.png?key=hunter2"] = reply(PNG)
    blob = brought(web.url("/a cat.png?key=hunter2#part"), spool)
    digest = hashlib.sha256(PNG).hexdigest()
    assert blob == Blob(path=str(spool / digest), sha256=digest, size_bytes=len(PNG))
    assert Path(blob.path).read_bytes() == PNG
    (asked,) = web.asked
    assert f"Host: 127.0.0.1:{web.port}\r\n" in asked and "Accept-Encoding: identity\r\n" in asked


@pytest.mark.parametrize(
    "answer",
    [
        reply(PNG, head="Transfer-Encoding: chunked\r\n", length=False).replace(
            PNG, b"10\r\n" + PNG[:16] + b"\r\n" + f"{len(PNG) - 16:x}".encode() + b"\r\n" + PNG[16:] + b"\r\n0\r\n\r\n"
        ),
        reply(PNG, length=False, head="Connection: close\r\n"),
        b"HTTP/1.1 103 Early Hints\r\n\r\n" + reply(PNG),
        reply(PNG, head="Content-Type: text/html\r\n"),  # servers say this of anything
    ],
    ids=["chunked", "until the end", "after hints", "said to be a page"],
)
def test_every_framing_of_http_gives_the_same_bytes(web: Site, spool: Path, answer: bytes) -> None:
    web.answers["/a"] = answer
    assert brought(web.url("/a"), spool).sha256 == hashlib.sha256(PNG).hexdigest()


def test_proxies_of_the_environment_are_not_used(web: Site, spool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    web.answers["/a"] = reply(PNG)
    assert brought(web.url("/a"), spool).size_bytes == len(PNG)


@pytest.mark.parametrize("status", ["301 M", "302 F", "303 S", "307 T", "308 P"])
def test_redirects_are_followed(web: Site, spool: Path, status: str) -> None:
    web.answers |= {"/a/b": to("../c?d=1", status), "/c?d=1": reply(PNG)}
    assert brought(web.url("/a/b"), spool).size_bytes == len(PNG)


def test_five_redirects_are_followed_and_six_are_not(web: Site, spool: Path) -> None:
    web.answers |= {f"/{n}": to(f"/{n + 1}") for n in range(6)} | {"/6": reply(PNG)}
    assert brought(web.url("/1"), spool).size_bytes == len(PNG)
    for found in spool.iterdir():
        found.unlink()
    problem = refused(web.url("/0"), spool)
    assert (problem.code, "more than 5 redirects" in problem.message) == ("fetch_failed", True)


# What is not dialled

CLOSED = [
    "http://127.0.0.1/a.png",
    "http://localhost:8080/a.png",
    "http://[::1]/a.png",
    "http://[::ffff:127.0.0.1]/a.png",
    "http://2130706433/a.png",
    "http://0x7f.1/a.png",
    "http://0177.0.0.1/a.png",
    "http://127.0.0.1./a.png",
    "http://0/a.png",
    "http://169.254.169.254/latest/meta-data",
    "http://10.0.0.1/a.png",
    "http://100.64.0.1/a.png",
    "https://192.168.1.1/a.png",
    "http://[64:ff9b::a9fe:a9fe]/a.png",
    "http://[2002:7f00:1::]/a.png",
    "http://[fe80::1%25eth0]/a.png",
]


@pytest.mark.parametrize("url", CLOSED)
def test_a_closed_address_is_refused_and_nobody_is_dialled(url: str, spool: Path, dialled: list[object]) -> None:
    problem = refused(url, spool, PUBLIC)
    assert problem.code == "url_not_allowed"
    assert unreachable(URLSource(url), field="--image 1", policy=PUBLIC) == (problem,)
    assert dialled == []


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::ffff:169.254.169.254", "fd00::1"])
def test_a_name_that_leads_to_a_closed_address_is_refused(address: str, spool: Path, dialled: list[object]) -> None:
    policy = replace(PUBLIC, guard=Guard(resolve=lambda host, port, seconds: [address]))
    problem = refused("http://media.test/a.png?key=hunter2", spool, policy)
    assert problem.code == "url_not_allowed"
    assert "its host is not at a public address" in problem.message
    assert problem.message.endswith("'http://media.test/a.png'")
    assert dialled == []


@pytest.mark.parametrize(
    "target", ["http://10.0.0.1/x", "http://169.254.169.254/latest", "//[fd00::1]/x", "http://inner.test/x"]
)
def test_a_redirect_to_a_closed_address_is_not_followed(
    web: Site, spool: Path, dialled: list[object], target: str
) -> None:
    web.answers["/a"] = to(target)
    problem = refused(web.url("/a"), spool, leading(inner_test="10.9.9.9"))
    assert problem.code == "url_not_allowed"
    assert problem.message.startswith("hop 2: a redirect that is not followed; its host is not at a public address")
    assert dialled == [("127.0.0.1", web.port)]


def test_what_was_judged_is_what_is_dialled(web: Site, spool: Path, dialled: list[object]) -> None:
    """A name server that gives another answer the second time is not asked a second time."""
    answers = itertools.chain(["127.0.0.1"], itertools.repeat("10.0.0.1"))
    asked: list[str] = []

    def rebinding(host: str, port: int, seconds: float) -> list[str]:
        asked.append(host)
        return [next(answers)]

    web.answers["/a"] = reply(PNG)
    policy = replace(LOCAL, guard=replace(HERE, resolve=rebinding))
    assert brought(web.url("/a", host="media.test"), spool, policy).size_bytes == len(PNG)
    assert (asked, dialled) == (["media.test"], [("127.0.0.1", web.port)])
    assert f"Host: media.test:{web.port}" in web.asked[0]
    for found in spool.iterdir():
        found.unlink()
    assert refused(web.url("/a", host="media.test"), spool, policy).code == "url_not_allowed"
    assert dialled == [("127.0.0.1", web.port)]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://media.test/x", "only http and https"),
        ("nonsense", "only http and https"),
        ("http://me:hunter2@media.test/x", "holds a user or a password"),
        ("http://hunter2@media.test/x", "holds a user or a password"),
        ("http://media.test:22/x", "port 22 is not one of the web's"),
        ("http://media.test:0/x", "port 0 is not one of the web's"),
        ("http://media.test:99999/x", "not a well formed address"),
        ("http://media.test:/x", "not a well formed address"),
        ("http:///x", "not a well formed address"),
        ("http://media.test\\@10.0.0.1/x", "a user or a password"),
        ("http://media\\test/x", "not a well formed address"),
        ("http://[::1/x", "not a well formed address"),
        ("http://media.test/\r\nX-Key: 1", "control characters"),
        ("http://mädia.test/x", "write it as xn--"),
        ("http://a b.test/x", "letters that are none of a host's"),
    ],
)
def test_an_address_that_makes_no_sense_is_refused_undialled(
    url: str, words: str, spool: Path, dialled: list[object]
) -> None:
    problem = refused(url, spool)
    assert (problem.code, words in problem.message) == ("url_not_allowed", True), problem.message
    assert "hunter2" not in str(problem.as_json())
    assert unreachable(URLSource(url), field="--image 1", policy=LOCAL) == (problem,)
    assert dialled == []


def test_only_named_hosts_are_asked_at_every_hop(web: Site, spool: Path) -> None:
    policy = leading(media_test="127.0.0.1", cdn_media_test="127.0.0.1", evilmedia_test="127.0.0.1")
    policy = replace(policy, guard=replace(policy.guard, hosts=("Media.test", "*.media.test")))
    web.answers |= {
        "/a": to(web.url("/b", host="cdn.media.test")),
        "/b": reply(PNG),
        "/c": to(web.url("/b", host="evilmedia.test")),
    }
    assert brought(web.url("/a", host="media.test"), spool, policy).size_bytes == len(PNG)
    for found in spool.iterdir():
        found.unlink()
    assert refused(web.url("/b", host="evilmedia.test"), spool, policy).code == "url_not_allowed"
    problem = refused(web.url("/c", host="media.test"), spool, policy)
    assert "hop 2" in problem.message and "'evilmedia.test' is not one of those that are asked" in problem.message


def test_a_redirect_may_not_leave_tls_or_the_web(web: Site, spool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with site(tls=True) as secure:
        secure.answers["/a"] = to(web.url("/b"))
        problem = refused(secure.url("/a", host="media.test"), spool, leading(media_test="127.0.0.1"))
    assert (problem.code, problem.message.startswith("hop 2: a redirect from https to http")) == (
        "url_not_allowed",
        True,
    )
    assert web.connections == 0
    for target in ("file:///etc/passwd", "gopher://media.test/x", f"http://me:hunter2@127.0.0.1:{web.port}/b"):
        web.answers["/a"] = to(target)
        problem = refused(web.url("/a"), spool)
        assert (problem.code, "hop 2" in problem.message) == ("url_not_allowed", True)
        assert "hunter2" not in str(problem.as_json())


# Answers that are none


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (reply(b"no", status="404 Not Found"), "hop 1: HTTP 404: "),
        (reply(PNG, status="206 Partial Content"), "hop 1: HTTP 206: "),
        (reply(status="302 Found"), "hop 1: HTTP 302: "),
        (to("http://[/"), "hop 1: a redirect to nowhere"),
        (reply(PNG)[:-1], "hop 1: the answer ends before its end"),
        (reply(b"5\r\nabc", length=False, head="Transfer-Encoding: chunked\r\n"), "the answer ends before its end"),
        (b"", "its answer is not HTTP"),
        (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "its answer is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "its answer is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"a" * 300_000 + b"\r\n\r\n", "its answer is not HTTP"),
        (reply(PNG, head="Content-Encoding: gzip\r\n"), "it answers packed ('gzip')"),
        (reply(b"\n <!DOCTYPE html><title>x"), "a web page (HTML) is there"),
        (reply(b"<!-- x --><HTML lang=en>", head="Content-Type: image/png\r\n"), "a web page (HTML) is there"),
    ],
)
def test_what_is_no_answer_is_named(web: Site, spool: Path, answer: bytes, words: str) -> None:
    web.answers["/a?key=hunter2"] = answer
    problem = refused(web.url("/a?key=hunter2"), spool)
    assert (problem.code, words in problem.message) == ("fetch_failed", True), problem.message
    assert "hunter2" not in str(problem.as_json())
    assert web.url("/a") in problem.message


def test_the_hop_that_failed_is_named(web: Site, spool: Path) -> None:
    web.answers |= {"/a": to("/b"), "/b": reply(status="403 Forbidden")}
    problem = refused(web.url("/a"), spool)
    assert (problem.value, problem.message) == (403, f"hop 2: HTTP 403: {web.url('/b')!r}")


def test_a_page_of_a_hub_is_answered_with_where_the_file_is(web: Site, spool: Path) -> None:
    web.answers["/me/repo/blob/main/a.png"] = reply(b"<!doctype html><html>")
    assert "/resolve/" in refused(web.url("/me/repo/blob/main/a.png"), spool).fix


def test_nobody_there_is_said(spool: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    problem = refused(f"http://127.0.0.1:{port}/a", spool)
    assert (problem.code, "the connection failed (Connection refused)" in problem.message) == ("fetch_failed", True)


# Bounds


def test_a_stated_length_over_the_cap_is_refused_before_the_body(web: Site, spool: Path) -> None:
    policy = replace(LOCAL, max_bytes=len(PNG))
    web.answers |= {"/a": reply(PNG), "/b": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n"}
    assert brought(web.url("/a"), spool, policy).size_bytes == len(PNG)
    for found in spool.iterdir():
        found.unlink()
    problem = refused(web.url("/b"), spool, policy)
    assert (problem.code, problem.value, problem.limit) == ("media_too_large", 99999999, len(PNG))


def test_an_unstated_length_is_capped_while_it_arrives(web: Site, spool: Path) -> None:
    sent = 0

    def endless(connection: socket.socket) -> None:
        nonlocal sent
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            connection.sendall(bytes(65536))  # until the other side hangs up
            sent += 65536

    web.answers["/a"] = endless
    problem = refused(web.url("/a"), spool)
    assert (problem.code, problem.limit) == ("media_too_large", 1 << 20)
    assert sent < 64 << 20


def test_silence_and_redirects_have_one_time_together(web: Site, spool: Path) -> None:
    def slowly(connection: socket.socket) -> None:
        time.sleep(0.15)
        connection.sendall(to("/a"))

    web.answers["/a"] = slowly
    problem = refused(web.url("/a"), spool, replace(LOCAL, guard=replace(HERE, seconds=0.4)))
    assert "longer than the 0.4 s" in problem.message
    assert len(web.asked) <= 3


def test_without_the_extra_its_name_is_told(
    web: Site, spool: Path, monkeypatch: pytest.MonkeyPatch, dialled: list[object]
) -> None:
    monkeypatch.setattr(guard_module, "find_spec", lambda name: None)
    problem = refused(web.url("/a"), spool)
    assert problem.code == "url_not_allowed"
    assert 'pip install "triptych[server]"' in problem.fix
    assert dialled == []


def test_a_host_that_is_not_found_is_said(spool: Path) -> None:
    def nowhere(host: str, port: int, seconds: float) -> list[str]:
        raise NotResolved("Name or service not known")

    problem = refused("http://media.test/a", spool, replace(LOCAL, guard=replace(HERE, resolve=nowhere)))
    assert problem.code == "fetch_failed"
    assert problem.message == "hop 1: its host is not found (Name or service not known): 'http://media.test/a'"

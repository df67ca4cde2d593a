"""Web pages cannot use a server that asks for no key; programs and the server's own pages can."""

from __future__ import annotations

import pytest

from triptych.errors import Forbidden
from triptych.server.guard import Guard, host_name, is_loopback

LOCAL = Guard(keys=False, loopback=True)


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "127.0.0.1:8000"},
        {"host": "localhost"},
        {"host": "LOCALHOST:1"},
        {"host": "[::1]:8000"},
        {"host": "box.localhost:8000"},
        {"host": "localhost.:8000"},
        {"host": "localhost:8000", "origin": "http://localhost:8000"},
        {"host": "localhost:8000", "sec-fetch-site": "same-origin"},
        {"host": "localhost:8000", "sec-fetch-site": "none", "sec-fetch-mode": "navigate"},
        {"host": "localhost:8000", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"},
    ],
)
def test_programs_and_its_own_pages_come_in(headers: dict[str, str]) -> None:
    LOCAL.check("GET", headers)


@pytest.mark.parametrize(
    ("headers", "setting"),
    [
        ({"host": "evil.example:8000"}, "allowed_hosts"),
        ({"host": "localhost.evil.example"}, "allowed_hosts"),
        ({"host": "127.0.0.1.nip.example"}, "allowed_hosts"),
        ({"host": ""}, "allowed_hosts"),
        ({}, "allowed_hosts"),
        ({"host": "localhost:8000", "origin": "https://evil.example"}, "allowed_origins"),
        ({"host": "localhost:8000", "origin": "http://localhost:9000"}, "allowed_origins"),
        ({"host": "localhost:8000", "origin": "null"}, "allowed_origins"),
        ({"host": "localhost:8000", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, "allowed_origins"),
    ],
)
def test_a_strange_page_or_name_is_refused_with_what_to_set(headers: dict[str, str], setting: str) -> None:
    with pytest.raises(Forbidden) as refused:
        LOCAL.check("GET", headers)
    assert setting in refused.value.message


def test_a_form_of_another_site_is_refused_though_it_navigates() -> None:
    with pytest.raises(Forbidden):
        LOCAL.check("POST", {"host": "localhost", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"})


def test_what_is_allowed_comes_in() -> None:
    guard = Guard(keys=False, loopback=True, hosts=("Box.Lan",), origins=("https://app.example",))
    guard.check("POST", {"host": "box.lan:80", "origin": "https://app.example"})


def test_with_keys_pages_have_no_key_and_names_are_free() -> None:
    guard = Guard(keys=True, loopback=True)
    guard.check("POST", {"host": "proxy.example", "origin": "https://any.example"})


def test_beyond_this_machine_names_are_held_where_some_are_set() -> None:
    Guard(keys=False, loopback=False).check("GET", {"host": "box.lan"})
    for keys in (True, False):
        guard = Guard(keys=keys, loopback=False, hosts=("box.lan",))
        guard.check("GET", {"host": "box.lan"})
        with pytest.raises(Forbidden):
            guard.check("GET", {"host": "evil.example"})


@pytest.mark.parametrize(
    ("host", "name"),
    [("a:1", "a"), ("A.b.", "a.b"), ("[::1]:8", "::1"), ("[::1]", "::1"), ("::1", "::1"), ("", "")],
)
def test_the_name_in_a_host_header(host: str, name: str) -> None:
    assert host_name(host) == name


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.0.2.1", False),
        ("box.lan", False),
    ],
)
def test_where_only_this_machine_can_call(host: str, local: bool) -> None:
    assert is_loopback(host) is local

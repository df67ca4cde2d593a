"""What may be dialled: public addresses, however they are written, and nothing that only looks public."""

from __future__ import annotations

import ipaddress
import socket
import threading

import pytest

from triptych.media.address import CLOSED, NotPublic, NotResolved, closed, judged, literal, look_up

HIDDEN = [
    ("127.0.0.1", "this machine"),
    ("127.255.255.254", "this machine"),
    ("0.0.0.0", "this machine"),
    ("::1", "this machine"),
    ("::", "this machine"),
    ("10.1.2.3", "private"),
    ("172.16.0.1", "private"),
    ("172.31.255.255", "private"),
    ("192.168.1.1", "private"),
    ("fd00:ec2::254", "private"),
    ("fec0::1", "private"),
    ("169.254.169.254", "link-local, where clouds hand out credentials"),
    ("fe80::1", "link-local, where clouds hand out credentials"),
    ("fe80::1%eth0", "link-local, where clouds hand out credentials"),
    ("100.64.0.1", "shared by a provider's own customers"),
    ("100.100.100.200", "shared by a provider's own customers"),
    ("168.63.129.16", "a cloud's own service"),
    ("224.0.0.1", "multicast"),
    ("ff0e::1", "multicast"),
    ("192.0.0.192", "reserved"),
    ("192.0.2.1", "reserved"),
    ("198.18.0.1", "reserved"),
    ("240.0.0.1", "reserved"),
    ("255.255.255.255", "reserved"),
    ("2001:db8::1", "reserved"),
    ("4000::1", "reserved"),
    # An IPv4 address inside an IPv6 one.
    ("::ffff:127.0.0.1", "this machine"),
    ("::ffff:169.254.169.254", "link-local, where clouds hand out credentials"),
    ("64:ff9b::7f00:1", "this machine"),
    ("64:ff9b::a9fe:a9fe", "link-local, where clouds hand out credentials"),
    ("64:ff9b:1::7f00:1", "a tunnel to another address"),
    ("2002:7f00:1::", "a tunnel to another address"),
    ("2001:0:4136:e378:8000:63bf:80ff:fffe", "a tunnel to another address"),
    ("::127.0.0.1", "a tunnel to another address"),
]

PUBLIC = ["93.184.216.34", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1"]


@pytest.mark.parametrize(("address", "reason"), HIDDEN)
def test_an_address_that_is_not_public_is_closed_and_says_why(address: str, reason: str) -> None:
    assert closed(address) == reason


@pytest.mark.parametrize("address", [*PUBLIC, "::ffff:93.184.216.34", "64:ff9b::5db8:d822"])
def test_public_addresses_are_open(address: str) -> None:
    assert closed(address) == ""


def test_every_network_of_the_table_is_closed_from_its_first_address_to_its_last() -> None:
    for networks in CLOSED.values():
        for network in map(ipaddress.ip_network, networks):
            assert closed(str(network[0])) and closed(str(network[-1])), network


def test_an_installation_opens_networks_of_its_own() -> None:
    opened = ("127.0.0.0/8", "::1/128")
    assert [closed(address, opened=opened) for address in ("127.0.0.1", "::1", "::ffff:127.0.0.1")] == ["", "", ""]
    assert closed("10.0.0.1", opened=opened) == "private"


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "localhost", "a.localhost"]
)
def test_however_its_numbers_are_written_it_is_one_address(host: str) -> None:
    assert literal(host) == "127.0.0.1"


def test_a_name_is_no_address_and_is_not_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*args: object, **rest: object) -> None:
        raise AssertionError("a name was looked up")

    monkeypatch.setattr(socket, "getaddrinfo", asked)
    assert [literal(host) for host in ("example.org", "127.0.0.1.example", "a" * 64 + ".org", "1.2.3.4.5")] == [
        None
    ] * 4
    assert [literal(host) for host in ("::1", "fe80::1%eth0", "93.184.216.34")] == [
        "::1",
        "fe80::1%eth0",
        "93.184.216.34",
    ]


def test_one_closed_address_among_open_ones_closes_all() -> None:
    def two(host: str, port: int, seconds: float) -> list[str]:
        return ["93.184.216.34", "10.0.0.1"]

    with pytest.raises(NotPublic, match="private"):
        judged("h", 80, seconds=1, opened=(), resolve=two)
    assert judged("h", 80, seconds=1, opened=("10.0.0.0/8",), resolve=two) == ("93.184.216.34", "10.0.0.1")


def test_the_system_is_asked_and_not_waited_for_longer_than_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "127.0.0.1" in look_up("localhost", 80, 10)
    gate = threading.Event()

    def stuck(*args: object, **rest: object) -> list[object]:
        gate.wait(30)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", stuck)
    with pytest.raises(NotResolved, match="no answer in time"):
        look_up("slow.example", 80, 0.05)
    gate.set()
    with pytest.raises(NotResolved, match="it has no address"):
        look_up("empty.example", 80, 10)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "Name or service not known"),
        (UnicodeError("label too long"), "it is no name of a host"),
    ],
)
def test_why_a_name_leads_nowhere_is_told(error: Exception, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*args: object, **rest: object) -> None:
        raise error

    monkeypatch.setattr(socket, "getaddrinfo", failing)
    with pytest.raises(NotResolved, match=words):
        look_up("none.example", 80, 10)

"""Which addresses of the network may be dialled for a caller: public ones, unless the installation names more."""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Callable, Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

NetworkAddress = IPv4Address | IPv6Address
Resolver = Callable[[str, int, float], Sequence[str]]
"""Host, port and the seconds that there are → the addresses that would be dialled, as numbers."""

PUBLIC_IPV6 = IPv6Network("2000::/3")
"""The only part of IPv6 that is handed out to be reached from anywhere."""

TRANSLATED = IPv6Network("64:ff9b::/96")
"""IPv4 as networks that have IPv6 alone reach it (RFC 6052): the last 32 bits are the address."""

CLOSED: dict[str, tuple[str, ...]] = {
    "this machine": ("0.0.0.0/8", "127.0.0.0/8", "::/128", "::1/128"),
    "link-local, where clouds hand out credentials": ("169.254.0.0/16", "fe80::/10"),
    "private": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"),
    "shared by a provider's own customers": ("100.64.0.0/10",),
    "a cloud's own service": ("168.63.129.16/32",),
    "multicast": ("224.0.0.0/4", "ff00::/8"),
    "a tunnel to another address": ("192.88.99.0/24", "2001::/32", "2002::/16", "64:ff9b:1::/48", "::/96"),
    "reserved": (
        "192.0.0.0/24",
        "192.0.2.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "240.0.0.0/4",
        "100::/64",
        "2001::/23",
        "2001:db8::/32",
        "3fff::/20",
        "5f00::/16",
    ),
}
"""What is not dialled: a reason → networks (IANA's registries of special-purpose addresses)."""

_CLOSED: tuple[tuple[IPv4Network | IPv6Network, str], ...] = tuple(
    (ipaddress.ip_network(network), reason) for reason, networks in CLOSED.items() for network in networks
)


class NotPublic(Exception):
    """An address that may not be dialled; the text says of what sort it is."""


class NotResolved(Exception):
    """A name that leads to no address; the text says why."""


def closed(address: str, *, opened: Iterable[str] = ()) -> str:
    """Why an address may not be dialled, in words; empty when it may.

    Args:
        address: as numbers, IPv4 or IPv6.
        opened: networks that may be dialled although they are not public (``127.0.0.0/8``).
    """
    found: NetworkAddress = ipaddress.ip_address(address)
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            found = found.ipv4_mapped
        elif found in TRANSLATED:
            found = IPv4Address(int(found) & 0xFFFF_FFFF)
    if any(found in ipaddress.ip_network(network) for network in opened):
        return ""
    for network, reason in _CLOSED:
        if found in network:
            return reason
    # What the tables do not know is not public either: they are newer than some Python, and older than some registry.
    if not found.is_global or (isinstance(found, IPv6Address) and found not in PUBLIC_IPV6):
        return "reserved"
    return ""


def literal(host: str) -> str | None:
    """The address that a host is by itself, in whatever way its numbers are written; ``None`` for a name.

    ``2130706433``, ``0x7f.1`` and ``0177.0.0.1`` are 127.0.0.1 to everything that dials, and so they are here.
    """
    if host == "localhost" or host.endswith(".localhost"):
        return "127.0.0.1"  # RFC 6761
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except (OSError, UnicodeError):
        pass
    try:
        return str(IPv6Address(host))
    except ValueError:
        return None


def look_up(host: str, port: int, seconds: float) -> tuple[str, ...]:
    """Ask the system for the addresses of a host.

    Raises:
        NotResolved: it has none, or there was no answer in time.
    """
    found: list[str] = []
    failed: list[str] = []

    def ask() -> None:
        try:
            told = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            failed.append(str(error.strerror or "no such name"))
        except UnicodeError:
            failed.append("it is no name of a host")
        else:
            found.extend(dict.fromkeys(str(item[4][0]) for item in told))

    # The system's resolver keeps its own time. Who waits for it longer than there is, leaves it behind.
    asking = threading.Thread(target=ask, name="look-up", daemon=True)
    asking.start()
    asking.join(seconds)
    if asking.is_alive():
        raise NotResolved("no answer in time")
    if not found:
        raise NotResolved(failed[0] if failed else "it has no address")
    return tuple(found)


def judged(host: str, port: int, *, seconds: float, opened: Iterable[str], resolve: Resolver) -> tuple[str, ...]:
    """The addresses that a host may be dialled at. One that may not be among them closes all: honest names have none.

    Raises:
        NotPublic: it leads to an address that is not dialled.
        NotResolved: it leads nowhere.
    """
    addresses = tuple(resolve(host, port, seconds))
    for address in addresses:
        if reason := closed(address, opened=opened):
            raise NotPublic(reason)
    return addresses

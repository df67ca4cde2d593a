"""Keeps web pages from using a server that asks nobody for a key.

A browser on the same machine reaches a server on loopback, and any page in it can make it call. Two headers tell: pages
of another origin say so in ``Origin``, and a name that was bent to 127.0.0.1 stands in ``Host``.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from triptych.errors import Forbidden

LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True, kw_only=True)
class Guard:
    """Which pages and which names may be used.

    Attributes:
        keys: callers have to show a key, which no page has; then only ``hosts``, where there are some, is held.
        loopback: only this machine can call.
        hosts: names under which the server answers, beside the local ones.
        origins: pages that may call.
    """

    keys: bool
    loopback: bool
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()

    def check(self, method: str, headers: Mapping[str, str]) -> None:
        """Raise ``Forbidden`` when a request comes by a strange name, or from a strange page."""
        host = headers.get("host", "")
        if self.hosts or (self.loopback and not self.keys):
            self._check_host(host)
        if not self.keys:
            self._check_origin(method, headers, host)

    def _check_host(self, host: str) -> None:
        name = host_name(host)
        known = name in LOCAL_NAMES or name.endswith(".localhost") or name in (each.lower() for each in self.hosts)
        if not known:
            raise Forbidden(
                f"This server does not answer to the host name {name[:100]!r}. "
                "If it should, add the name to the setting allowed_hosts (TRIPTYCH_ALLOWED_HOSTS)."
            )

    def _check_origin(self, method: str, headers: Mapping[str, str], host: str) -> None:
        origin = headers.get("origin")
        strange = headers.get("sec-fetch-site") == "cross-site" and not (
            headers.get("sec-fetch-mode") == "navigate" and method in SAFE_METHODS
        )
        if origin is None and not strange:
            return
        if origin is not None and (origin in self.origins or urlsplit(origin).netloc.lower() == host.lower()):
            return
        raise Forbidden(
            f"A web page of {(origin or 'another site')[:100]!r} may not call this server. "
            "If it should, add its origin to the setting allowed_origins (TRIPTYCH_ALLOWED_ORIGINS), or set api_keys."
        )


def host_name(host: str) -> str:
    """The name in a ``Host`` header: without its port, lower-case, no brackets and no last dot."""
    name = host.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.rpartition(":")[0].rstrip(".") if name.count(":") == 1 else name.rstrip(".")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens there."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"

"""Fetches an http or https address for a caller: bounded in bytes and time, and judged again at every redirect."""

from __future__ import annotations

import re
import string
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin, urlsplit

from triptych.errors import InvalidRequest, Problem
from triptych.media.address import NotPublic, Resolver, closed, literal, look_up
from triptych.media.deadline import Deadline
from triptych.media.path import without_secrets
from triptych.media.spool import copying, too_large
from triptych.task import Blob

if TYPE_CHECKING:
    from triptych.media.dial import Reply

REDIRECTS_MOST = 5
"""How many redirects are followed."""

USUAL_PORTS = frozenset({80, 443})
FIRST_FREE_PORT = 1024
"""Ports below this one belong to services that are not for the web, but for the usual two."""

REDIRECT = frozenset({301, 302, 303, 307, 308})
PAGE_START = re.compile(rb"(?i)\s*(<!--.*?-->\s*)*<(!doctype\s+html|html|head|body)\b", re.DOTALL)
PAGE_HEAD_BYTES = 1024

_PATH_MARKS = "/%:@!$&'()*+,;=-._~"
_NAME_LETTERS = frozenset(string.ascii_lowercase + string.digits + "-._")


@dataclass(frozen=True, kw_only=True)
class Guard:
    """How addresses are fetched.

    Attributes:
        seconds: for one address in all, redirects and body included.
        hosts: the only hosts that are asked, at every hop; ``*.example.com`` stands for all below ``example.com``.
            ``None`` = any.
        networks: networks whose addresses may be dialled although they are not public, such as ``10.1.0.0/16``.
        resolve: from a host to its addresses.
    """

    seconds: float = 60.0
    hosts: tuple[str, ...] | None = None
    networks: tuple[str, ...] = ()
    resolve: Resolver = look_up


USUAL = Guard()
"""Any host of the web at a public address, within a minute."""


@dataclass(frozen=True, kw_only=True)
class Hop:
    """One address on the way, taken apart.

    Attributes:
        host: lower-case ASCII; IPv6 without brackets.
        target: path and query, percent-encoded.
        text: the whole, without a fragment; what a redirect is relative to.
    """

    scheme: str
    host: str
    port: int
    target: str
    text: str


def download(
    url: str, *, field: str, guard: Guard, max_bytes: int, spool: Path, stop: threading.Event | None = None
) -> Blob:
    """Fetch what is at an address into ``spool``, hashed on the way.

    Args:
        url: http or https. Its user, password and query appear in no message.
        field: the caller's own name for the input.
        guard: how.
        max_bytes: of the body.
        spool: an existing private folder.
        stop: set by whoever no longer wants it; it fails soon after.

    Raises:
        InvalidRequest: ``url_not_allowed`` (this address, or one that it leads to), ``fetch_failed`` or
            ``media_too_large``. Nothing is left behind.
    """
    deadline = Deadline(guard.seconds, stop)
    hop = judged(url, field=field, guard=guard)
    for number in range(1, REDIRECTS_MOST + 2):
        step = _fetch(hop, number, field, guard, max_bytes, spool, deadline)
        if isinstance(step, Blob):
            return step
        try:
            following = judged(urljoin(hop.text, step), field=field, guard=guard)
        except ValueError:
            raise _failed(field, hop, number, "a redirect to nowhere") from None
        except InvalidRequest as refusal:
            raise _redirected(refusal, number + 1) from None
        if (hop.scheme, following.scheme) == ("https", "http"):
            words = f"hop {number + 1}: a redirect from https to http, where anybody on the way could change it"
            raise _not_allowed(field, words, following.text)
        hop = following
    raise _failed(field, hop, REDIRECTS_MOST + 1, f"more than {REDIRECTS_MOST} redirects")


def judged(url: str, *, field: str, guard: Guard) -> Hop:
    """Take an address apart, and say what can be said against it without asking anybody.

    Raises:
        InvalidRequest: ``url_not_allowed``.
    """
    scheme = url.partition(":")[0].lower()
    if scheme not in ("http", "https"):
        fix = "Give the plain path of the file" if scheme == "file" else ""
        raise _not_allowed(field, "only http and https are addresses of media", url, fix=fix)
    try:
        hop = _read(url, scheme)
    except ValueError as error:
        raise _not_allowed(field, str(error), url) from None
    if guard.hosts is not None and not any(_matches(hop.host, allowed) for allowed in guard.hosts):
        raise _not_allowed(field, f"the host {hop.host!r} is not one of those that are asked", url)
    if hop.port not in USUAL_PORTS and hop.port < FIRST_FREE_PORT:
        raise _not_allowed(field, f"port {hop.port} is not one of the web's", url)
    address = literal(hop.host)
    if address is not None and (reason := closed(address, opened=guard.networks)):
        raise _not_public(field, reason, url)
    if find_spec("httpcore") is None:
        fix = 'Fetching needs an extra: pip install "triptych[server]". Or download it and send the file'
        raise _not_allowed(field, "addresses cannot be fetched here, because httpcore is not installed", url, fix=fix)
    return hop


def _read(url: str, scheme: str) -> Hop:
    """Take an http or https address apart. Raises ``ValueError``, with words for it."""
    if re.search(r"[\x00-\x1f\x7f]", url):
        raise ValueError("it holds control characters")
    try:
        parts = urlsplit(url)
        port = parts.port
        host = (parts.hostname or "").removesuffix(".")
    except ValueError:
        raise ValueError("it is not a well formed address") from None
    if "@" in parts.netloc:
        raise ValueError("it holds a user or a password, and none is sent")
    if not host or "\\" in parts.netloc or parts.netloc.endswith(":"):
        raise ValueError("it is not a well formed address")
    if not set(host) <= _NAME_LETTERS and ":" not in host:
        raise ValueError("its host is written in letters that are none of a host's; write it as xn--...")
    query = f"?{quote(parts.query, safe=_PATH_MARKS + '?')}" if parts.query else ""
    return Hop(
        scheme=scheme,
        host=host,
        port=port if port is not None else {"http": 80, "https": 443}[scheme],
        target=quote(parts.path or "/", safe=_PATH_MARKS) + query,
        text=url.partition("#")[0],
    )


def _fetch(
    hop: Hop, number: int, field: str, guard: Guard, max_bytes: int, spool: Path, deadline: Deadline
) -> Blob | str:
    """The bytes at one hop, or where it sends us."""
    from triptych.media import dial

    try:
        with dial.get(
            hop.scheme,
            hop.host,
            hop.port,
            hop.target,
            deadline=deadline,
            opened=guard.networks,
            resolve=guard.resolve,
        ) as reply:
            if reply.status in REDIRECT and reply.headers.get("location"):
                return reply.headers["location"]
            if reply.status != 200:
                raise _failed(field, hop, number, f"HTTP {reply.status}", value=reply.status)
            return _keep(reply, hop, number, field, max_bytes, spool)
    except NotPublic as error:
        refusal = _not_public(field, str(error), hop.text)
        raise _redirected(refusal, number) if number > 1 else refusal from None
    except dial.Failed as error:
        raise _failed(field, hop, number, str(error)) from error


def _keep(reply: Reply, hop: Hop, number: int, field: str, max_bytes: int, spool: Path) -> Blob:
    """The body, into the spool."""
    packing = reply.headers.get("content-encoding", "").strip().lower()
    if packing not in ("", "identity"):
        raise _failed(field, hop, number, f"it answers packed ({packing[:20]!r}), and that was not asked for")
    stated = reply.headers.get("content-length", "")
    if stated.isdecimal() and int(stated) > max_bytes:
        raise too_large(field, int(stated), max_bytes)
    with copying(spool, field=field, max_bytes=max_bytes) as (copy, finish):
        for chunk in _looked_at(reply.chunks, hop, number, field):
            copy.write(chunk)
        return finish()


def _looked_at(chunks: Iterator[bytes], hop: Hop, number: int, field: str) -> Iterator[bytes]:
    """The same chunks; a web page is refused by its first bytes, whatever it says it is."""
    head = b""
    for chunk in chunks:
        head += chunk[: PAGE_HEAD_BYTES - len(head)]
        yield chunk
    if PAGE_START.match(head):
        fix = "Give the direct address of the file, not of the page that shows it"
        if "/blob/" in hop.target:
            fix = "The file itself is at /resolve/ (on GitHub: /raw/) instead of /blob/"
        raise _failed(field, hop, number, "a web page (HTML) is there, not media", fix=fix)


def _matches(host: str, allowed: str) -> bool:
    allowed = allowed.lower()
    return host.endswith(allowed[1:]) if allowed.startswith("*.") else host == allowed


def _not_allowed(field: str, words: str, url: str, *, fix: str = "") -> InvalidRequest:
    shown = without_secrets(url)
    fix = fix or "Download it and send the file"
    message = f"{words}: {shown!r}"
    return InvalidRequest([Problem(code="url_not_allowed", field=field, message=message, value=shown, fix=fix)])


def _not_public(field: str, reason: str, url: str) -> InvalidRequest:
    return _not_allowed(field, f"its host is not at a public address ({reason})", url)


def _redirected(refusal: InvalidRequest, number: int) -> InvalidRequest:
    """The same refusal, of an address that the caller's own led to."""
    (problem,) = refusal.problems
    return InvalidRequest(
        [
            Problem(
                code=problem.code,
                field=problem.field,
                message=f"hop {number}: a redirect that is not followed; {problem.message}",
                value=problem.value,
                fix=problem.fix,
            )
        ]
    )


def _failed(
    field: str, hop: Hop, number: int, words: str, *, value: int | None = None, fix: str = ""
) -> InvalidRequest:
    shown = without_secrets(hop.text)
    problem = Problem(
        code="fetch_failed",
        field=field,
        message=f"hop {number}: {words}: {shown!r}",
        value=shown if value is None else value,
        fix=fix or "Check the address, or download it and send the file",
    )
    return InvalidRequest([problem])

"""One HTTP request: dials only addresses that were judged, and never waits longer than there is time.

Needs httpcore, from the extra ``[server]``; ``media.url`` imports this when an address is fetched.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import httpcore

from triptych.media.address import NotResolved, Resolver, judged
from triptych.media.deadline import Deadline

CONNECT_SECONDS = 10.0
"""How long one address of a host may take to answer, before the next is tried."""

ADDRESSES_MOST = 4
"""How many addresses of one host are tried."""


class Failed(Exception):
    """There was no whole answer; the text says why."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """The head of an answer, and its body as it arrives.

    Attributes:
        status: of HTTP.
        headers: lower-case name → value; of several, the last.
        chunks: the body. Raises ``Failed`` when it ends before its end, or the time does.
    """

    status: int
    headers: dict[str, str]
    chunks: Iterator[bytes]


@contextlib.contextmanager
def get(
    scheme: str, host: str, port: int, target: str, *, deadline: Deadline, opened: Iterable[str], resolve: Resolver
) -> Iterator[Reply]:
    """Ask for one address. Nothing of the environment has a say: no proxy, no password file.

    Args:
        scheme: ``http`` or ``https``.
        host: in ASCII; IPv6 without brackets.
        target: path and query.
        deadline: of all of it.
        opened: networks that may be dialled although they are not public.
        resolve: host to addresses.

    Raises:
        Failed: no answer, or none that HTTP knows.
        NotPublic: the host leads to an address that is not dialled.
    """
    url = httpcore.URL(scheme=scheme.encode(), host=host.encode(), port=port, target=target.encode())
    shown = f"[{host}]" if ":" in host else host
    usual = {"http": 80, "https": 443}[scheme]
    headers = [
        ("Host", shown if port == usual else f"{shown}:{port}"),
        ("User-Agent", "triptych"),
        ("Accept", "*/*"),
        ("Accept-Encoding", "identity"),
        ("Connection", "close"),
    ]
    dialler = _Dialler(deadline, opened, resolve)
    trust = _trust() if scheme == "https" else None  # it takes longer to read than many a picture
    with (
        _told("its answer is not HTTP"),
        httpcore.ConnectionPool(ssl_context=trust, network_backend=dialler, http2=False, retries=0) as pool,
        pool.stream("GET", url, headers=headers) as response,
    ):
        found = {name.decode("latin-1").lower(): _text(value) for name, value in response.headers}
        yield Reply(status=response.status, headers=found, chunks=_chunks(response))


def _chunks(response: httpcore.Response) -> Iterator[bytes]:
    with _told("the answer ends before its end"):
        yield from response.iter_stream()


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


@contextlib.contextmanager
def _told(broken: str) -> Iterator[None]:
    """Errors of the network as ``Failed``, in words that quote nothing of what came."""
    try:
        yield
    except NotResolved as error:
        raise Failed(f"its host is not found ({error})") from error
    except TimeoutError as error:
        raise Failed(str(error)) from error
    except ssl.SSLCertVerificationError as error:
        raise Failed(f"its certificate does not hold ({error.verify_message})") from error
    except ssl.SSLEOFError as error:
        raise Failed("the answer ends before its end") from error
    except ssl.SSLError as error:
        raise Failed(f"no TLS with its host ({error.reason or 'it failed'})") from error
    except OSError as error:
        raise Failed(f"the connection failed ({error.strerror or 'no reason given'})") from error
    except httpcore.ProtocolError as error:
        raise Failed(broken) from error


def _trust() -> ssl.SSLContext:
    """Certificates that are believed: the usual ones, and those of this machine (``SSL_CERT_FILE``)."""
    context = httpcore.default_ssl_context()
    context.load_default_certs()
    return context


class _Dialler(httpcore.NetworkBackend):
    """Resolves a name once, judges what it leads to, and dials exactly that: no second answer can differ."""

    def __init__(self, deadline: Deadline, opened: Iterable[str], resolve: Resolver) -> None:
        self._deadline = deadline
        self._opened = tuple(opened)
        self._resolve = resolve

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        left = self._deadline.left()
        addresses = judged(host, port, seconds=left, opened=self._opened, resolve=self._resolve)[:ADDRESSES_MOST]
        for number, address in enumerate(addresses, 1):
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            dialled = socket.socket(family, socket.SOCK_STREAM)
            try:
                dialled.settimeout(min(CONNECT_SECONDS, self._deadline.left()))
                dialled.connect((address, port))
            except OSError as error:
                dialled.close()
                self._deadline.left()  # when the time is over, that is what is told
                if number == len(addresses):
                    raise ConnectionError(None, error.strerror or "no answer") from error
            else:
                return _Stream(dialled, self._deadline)
        raise NotResolved("it has no address")


class _Stream(httpcore.NetworkStream):
    """A connection on which every step has what is left of the whole time, and no more."""

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection = connection
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        while True:
            self._connection.settimeout(self._deadline.step())
            try:
                return self._connection.recv(max_bytes)
            except TimeoutError:
                continue

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with self._in_time():
            self._connection.sendall(buffer)

    def close(self) -> None:
        self._connection.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        try:
            with self._in_time():
                # A connection that is cut looks like the end of a body without a length, unless TLS says it.
                secured = ssl_context.wrap_socket(
                    self._connection, server_hostname=server_hostname, suppress_ragged_eofs=False
                )
        except BaseException:
            self.close()
            raise
        return _Stream(secured, self._deadline)

    @contextlib.contextmanager
    def _in_time(self) -> Iterator[None]:
        self._connection.settimeout(self._deadline.left())
        try:
            yield
        except TimeoutError:
            self._deadline.left()
            raise self._deadline.over() from None

"""A network that loses answers."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType


class LosingProxy:
    """Passes connections on to a server, and drops the first answers: the server did its work, and nobody heard of it.

    Args:
        url: of the server, ``http://127.0.0.1:PORT``.
        losses: how many answers are lost.

    Attributes:
        base_url: where a client connects to, with ``/v1``.
        lost: how many answers were lost so far.
    """

    def __init__(self, url: str, *, losses: int) -> None:
        self._port = int(url.rpartition(":")[2])
        self._losses = losses
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self.lost = 0
        self.base_url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"

    def __enter__(self) -> LosingProxy:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each in (self._listener, *self._open):
            each.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return  # closed
            far = socket.create_connection(("127.0.0.1", self._port))
            self._open += [near, far]
            for source, sink, is_answer in ((near, far, False), (far, near, True)):
                threading.Thread(target=self._pass_on, args=(source, sink, is_answer), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket, is_answer: bool) -> None:
        with contextlib.suppress(OSError):  # the other end is gone
            while data := source.recv(65536):
                if is_answer and self._loses():
                    break
                sink.sendall(data)
        for each in (source, sink):
            with contextlib.suppress(OSError):  # it was closed already
                each.shutdown(socket.SHUT_RDWR)

    def _loses(self) -> bool:
        with self._lock:
            if self.lost == self._losses:
                return False
            self.lost += 1
            return True

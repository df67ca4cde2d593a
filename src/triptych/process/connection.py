"""The parent's end of one child process: its pipes, its clock and its death."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections import deque
from typing import Any, cast

from triptych.process import frame

GONE = b""
"""The kind that ``Connection.receive`` gives when the child is dead."""

_STDIN, _STDOUT = 0, 1
_PAUSE_BYTES = 1 << 20
_TAIL_BYTES = 8192
_GRACE_SECONDS = 1.0


class Connection(asyncio.SubprocessProtocol):
    """One child process, one call at a time.

    Reading stops while a whole message waits to be taken, so a child that is faster than its listener is held up by
    its pipe.

    Attributes:
        expired: its time was up, and it was killed for that.
        ended: ``end`` was called.
    """

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self._loop = loop
        self._decoder = frame.Decoder()
        self._frames: deque[tuple[bytes, Any]] = deque()
        self._waiting_bytes = 0
        self._paused = False
        self._error: frame.FrameError | None = None
        self._tail = bytearray()
        self._news = asyncio.Event()
        self._exited: asyncio.Future[None] = loop.create_future()
        self._closed: asyncio.Future[None] = loop.create_future()
        self._over = False
        self._clock: asyncio.TimerHandle | None = None
        self.expired = False
        self.ended = False

    @property
    def alive(self) -> bool:
        """Whether it can take another call."""
        return not self._exited.done() and not self._over and not self.expired and self._error is None

    @property
    def pid(self) -> int:
        """Its process id, which is that of its group too."""
        return self._transport.get_pid()

    @property
    def status(self) -> int | None:
        """Exit status; minus the signal's number when it died by one."""
        return self._transport.get_returncode()

    @property
    def last_words(self) -> str:
        """The end of what it printed."""
        return self._tail.decode("utf-8", "replace")

    def begin(self, request: bytes, wall_seconds: float | None) -> None:
        """Send a request and start its clock."""
        self._tail.clear()
        if wall_seconds is not None:
            self._clock = self._loop.call_later(wall_seconds, self._expire)
        stdin = cast(asyncio.WriteTransport, self._transport.get_pipe_transport(_STDIN))  # by the protocol's contract
        stdin.write(request)

    async def receive(self) -> tuple[bytes, Any]:
        """The next message, or ``GONE`` when the child is dead and everything it sent has been taken.

        Raises:
            FrameError: it sent something else.
        """
        while not self._frames:
            if self._error is not None:
                raise self._error
            if self._over:
                await self._wait_for_exit()
                return GONE, None
            self._resume()
            self._news.clear()
            await self._news.wait()
        return self._frames.popleft()

    def finish(self) -> None:
        """Stop the clock of the call."""
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def kill(self) -> None:
        """Kill the child and everything that it started and that did not leave its group."""
        if self._exited.done():
            return  # its number may be somebody else's by now
        # EPERM: macOS says that of a group in which everybody is dead and not yet reaped.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    async def end(self) -> None:
        """Kill it and reap it."""
        self.ended = True
        self.finish()
        try:
            self.kill()
            await asyncio.shield(self._exited)
        finally:
            self._transport.close()
        await asyncio.wait([self._closed], timeout=_GRACE_SECONDS)

    async def _wait_for_exit(self) -> None:
        """It said that it is done; see how it ended. One that only closed its pipe is killed."""
        await asyncio.wait([self._exited], timeout=_GRACE_SECONDS)
        if not self._exited.done():
            self.kill()
            await asyncio.shield(self._exited)

    def _expire(self) -> None:
        self.expired = True
        self.kill()

    def _resume(self) -> None:
        self._waiting_bytes = 0
        if self._paused:
            self._paused = False
            self._stdout().resume_reading()

    def _stdout(self) -> asyncio.ReadTransport:
        return cast(asyncio.ReadTransport, self._transport.get_pipe_transport(_STDOUT))  # by the protocol's contract

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The process runs."""
        self._transport = cast(asyncio.SubprocessTransport, transport)  # by the protocol's contract

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """It sent something, or printed something."""
        if fd != _STDOUT:
            self._tail += data
            del self._tail[:-_TAIL_BYTES]
            return
        if self._error is not None:
            return
        try:
            self._frames.extend(self._decoder.feed(data))
        except frame.FrameError as error:
            self._error = error
            self.kill()
        self._waiting_bytes += len(data)
        if self._frames and self._waiting_bytes > _PAUSE_BYTES and not self._paused:
            self._paused = True
            self._stdout().pause_reading()
        self._news.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """It closed a pipe."""
        if fd == _STDOUT:
            self._end_of_output()

    def process_exited(self) -> None:
        """It is dead and reaped."""
        self.kill()  # whatever it started must not hold its pipes, or run on
        if not self._exited.done():
            self._exited.set_result(None)
        # Something that left its group may still hold the pipe; nobody waits for that.
        self._loop.call_later(_GRACE_SECONDS, self._end_of_output)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is dead, and every pipe is closed."""
        self._end_of_output()
        if not self._closed.done():
            self._closed.set_result(None)

    def _end_of_output(self) -> None:
        self._over = True
        self._news.set()

"""Pieces of finished jobs, made when somebody asks for one, once, and kept as long as the job."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

from triptych.errors import InvalidRequest, NoResult, NotReady, Problem
from triptych.jobs.bind import Arrival
from triptych.jobs.content import Content
from triptych.jobs.pending import NoSoundError, known
from triptych.jobs.store import Store, Stored
from triptych.task import Blob, Job, Output, Probe, Status


class Derived(Protocol):
    """A piece that was made, as ``media.derive`` gives it."""

    @property
    def blob(self) -> Blob:
        """Its bytes, in ``content``."""
        ...

    @property
    def probe(self) -> Probe:
        """What is in it."""
        ...

    @property
    def media_type(self) -> str:
        """MIME type."""
        ...


Derive = Callable[[Path, str], Awaitable[Derived]]
"""Makes a piece of a video file: the file, and which piece."""

_ENDINGS = {
    "video/mp4": "mp4",
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/webp": "webp",
    "audio/wav": "wav",
}


class PieceMaker:
    """Finds and makes pieces.

    Args:
        store: remembers them.
        content: keeps them.
        derive: makes them.
    """

    def __init__(self, store: Store, content: Content, derive: Derive) -> None:
        self._store = store
        self._content = content
        self._derive = derive
        self._making: dict[tuple[str, str, int], asyncio.Task[Stored]] = {}

    async def piece(self, job: Job, variant: str, index: int) -> Stored:
        """One piece of a job.

        Raises:
            InvalidRequest: there is no such piece.
            NotReady: the job has not ended.
            NoResult: it failed.
            NoSoundError: the sound of a silent video is wanted.
        """
        output = _output(job, known(variant), index)
        if variant == "video":
            return _stored(job, variant, index, self._content, _blob(output), output.media_type)
        found = self._find(job, variant, index)
        if found is not None:
            return found
        # Whoever else wants it meanwhile waits for the same one, also when the first to ask goes away.
        key = (job.id, variant, index)
        if key not in self._making:
            making = asyncio.create_task(self._make(job, variant, index, output))
            self._making[key] = making
            making.add_done_callback(lambda _: self._making.pop(key, None))
        return await asyncio.shield(self._making[key])

    async def of_output(self, output: Output, variant: str) -> Arrival:
        """A piece of a finished video, whichever job made it, and what is in it."""
        if variant == "video":
            return Arrival(blob=self._content.place(_blob(output)), probe=output.probe)
        made = await self._derive(self._content.path(output.sha256), variant)
        return Arrival(blob=self._content.place(made.blob), probe=made.probe)

    async def close(self) -> None:
        """Stop what is being made."""
        making = list(self._making.values())
        for task in making:
            task.cancel()
        await asyncio.gather(*making, return_exceptions=True)

    def _find(self, job: Job, variant: str, index: int) -> Stored | None:
        found = self._store.piece(job.id, variant, index)
        if found is None or not self._content.has(found[0].sha256):
            return None
        return _stored(job, variant, index, self._content, *found)

    async def _make(self, job: Job, variant: str, index: int, output: Output) -> Stored:
        made = await self._derive(self._content.path(output.sha256), variant)
        await self._store.add_piece(job.id, variant, index, made.blob, made.media_type)
        return _stored(job, variant, index, self._content, made.blob, made.media_type)


def _output(job: Job, variant: str, index: int) -> Output:
    if job.status is Status.FAILED:
        reason = f": {job.error.message}" if job.error else ""
        raise NoResult(f"{job.id} failed{reason}")
    if job.result is None:
        raise NotReady(f"{job.id} is {job.status}; ask again when it is completed")
    outputs = job.result.outputs
    if not 0 <= index < len(outputs):
        message = f"there is no output {index}; {job.id} has {len(outputs)}, counted from 0"
        problem = Problem(code="invalid_value", field="index", message=message, value=index, limit=len(outputs) - 1)
        raise InvalidRequest([problem])
    if variant == "audio" and not outputs[index].probe.has_sound:
        raise NoSoundError(f"{job.id} has no sound")
    return outputs[index]


def _blob(output: Output) -> Blob:
    return Blob(path=output.path, sha256=output.sha256, size_bytes=output.size_bytes)


def _stored(job: Job, variant: str, index: int, content: Content, blob: Blob, media_type: str) -> Stored:
    number = f"_{index}" if index else ""
    which = "" if variant == "video" else f"_{variant}"
    return Stored(
        path=content.path(blob.sha256),
        sha256=blob.sha256,
        media_type=media_type,
        size_bytes=blob.size_bytes,
        file_name=f"{job.id}{number}{which}.{_ENDINGS.get(media_type, 'bin')}",
    )

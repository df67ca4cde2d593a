"""Finds what a caller names by id: an uploaded file, a finished result, or one that is still being made."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from triptych.errors import Expired, NotFound
from triptych.jobs.content import Content
from triptych.jobs.pending import NoSoundError, expected, failed_source, no_result, refusal
from triptych.jobs.store import Stored, StoredFile
from triptych.task import Blob, Job, Pending, ResultSource, Status
from triptych.task.piece import FILE_PREFIX, PIECES, piece_id, source_of, variant_of


class StoredResolver:
    """What one caller may name. ``task.Resolver`` says what it does.

    Args:
        content: keeps the files.
        file: finds the caller's uploaded file; raises ``NotFound`` or ``Expired``.
        job: finds the caller's job; raises them too.
        piece: makes a piece of a finished job; runs in ``loop``.
        loop: of the service.
    """

    def __init__(
        self,
        *,
        content: Content,
        file: Callable[[str], StoredFile],
        job: Callable[[str], Job],
        piece: Callable[[Job, str], Coroutine[Any, Any, Stored]],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._content = content
        self._file = file
        self._job = job
        self._piece = piece
        self._loop = loop

    def resolve(self, source: ResultSource, *, field: str) -> Blob | Pending:
        """The bytes of an uploaded file or of a piece of a result, or what they will be.

        Called in a thread that is not the service's own: it may wait for a piece to be made.

        Raises:
            InvalidRequest: there is none of that id, or it is not the caller's, or its time is over; all read the
                same. Or its job failed, or its video has no sound.
        """
        try:
            found = self._find(source.id, field)
        except NoSoundError as silent:
            raise refusal(field, source.id, silent.message) from None
        except (NotFound, Expired):
            raise no_result(field, source.id) from None
        # It may be that nothing but this request needs the file any more when it comes to be stored.
        if isinstance(found, Blob) and not self._content.renew(found.sha256):
            raise no_result(field, source.id)
        return found

    def _find(self, id: str, field: str) -> Blob | Pending:
        if id.startswith(FILE_PREFIX):
            return self._file(id).blob
        variant = variant_of(id)
        if variant not in PIECES:
            raise NotFound(id)
        job = self._job(source_of(id))
        if job.status is Status.FAILED:
            raise failed_source(field, id, job.error.message if job.error else "")
        if not job.status.ended:
            return Pending(id=piece_id(job.id, variant), probe=expected(job.plan, variant))
        made = asyncio.run_coroutine_threadsafe(self._piece(job, variant), self._loop).result()
        return Blob(path=str(made.path), sha256=made.sha256, size_bytes=made.size_bytes)

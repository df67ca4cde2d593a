"""Clears up: takes back the jobs of dead processes, lets expire what has had its time, removes what nobody needs."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Callable

from triptych.errors import TriptychError
from triptych.jobs.content import Folder
from triptych.jobs.presence import Presence
from triptych.jobs.store import Store
from triptych.jobs.term import Terms
from triptych.media.spool import INCOMING

_log = logging.getLogger("triptych.jobs")


class Sweeper:
    """Clears up one data folder. Every process on it does that; none relies on another.

    Args:
        folder: the data folder.
        store: remembers jobs.
        presence: tells who is alive.
        terms: the figures.
        touched: called with the ids of jobs that changed.
    """

    def __init__(
        self,
        *,
        folder: Folder,
        store: Store,
        presence: Presence,
        terms: Terms,
        touched: Callable[[tuple[str, ...]], None],
    ) -> None:
        self._folder = folder
        self._store = store
        self._presence = presence
        self._terms = terms
        self._touched = touched
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Go on doing it."""
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Stop doing it."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def tend(self) -> None:
        """Take back the jobs of dead processes, and remove what those left."""
        for worker in self._store.workers():
            if not self._presence.is_alive(worker):
                self._taken(await self._store.take_back(worker))
        if self._store.has_overdue():
            self._taken(await self._store.take_back(None))
        for other in self._presence.others():
            if not other.alive:
                if other.folder:
                    await asyncio.to_thread(shutil.rmtree, self._folder.work / other.folder, ignore_errors=True)
                self._presence.forget(other.worker)

    async def sweep(self) -> None:
        """Remove what has expired, and every file and folder that nobody needs."""
        self._touched(await self._store.expire())
        await self._store.sweep()
        async with self._presence.alone():
            await asyncio.to_thread(self._remove_folders)

    def clear_spool(self) -> None:
        """Remove half-written files, if nobody is alive who may be writing one. Call it while ``alone``."""
        if not any(other.alive for other in self._presence.others()):
            for path in self._folder.content.glob(f"{INCOMING}*"):
                path.unlink(missing_ok=True)

    def _remove_folders(self) -> None:
        """Private folders that no living process wrote down as its own. Nobody comes meanwhile."""
        living = {other.folder for other in self._presence.others() if other.alive} | {self._presence.folder}
        for path in self._folder.work.iterdir():
            if path.name not in living:
                shutil.rmtree(path, ignore_errors=True)

    def _taken(self, ids: tuple[str, ...]) -> None:
        if ids:
            _log.warning("taken back from processes that are gone: %s", ", ".join(ids))
        self._touched(ids)

    async def _run(self) -> None:
        clock = asyncio.get_running_loop().time
        next_sweep = clock()
        while True:
            try:
                await self.tend()
                if clock() >= next_sweep:
                    next_sweep = clock() + self._terms.sweep_seconds
                    await self.sweep()
            except (TriptychError, OSError) as error:
                _log.error("clearing up failed, and is tried again: %s", error)
            await asyncio.sleep(self._terms.tend_seconds)

"""A store with many jobs in it: copies of a real one, under ids of their own."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from triptych.jobs.content import Folder
from triptych.jobs.id import ulid


def grow(data: Path, id: str, *, to: int) -> list[str]:
    """Copy a finished job until there are so many; all ids, in order. Nobody else may have the folder open."""
    with closing(sqlite3.connect(Folder(data.resolve()).database)) as db:
        columns = [row[1] for row in db.execute("PRAGMA table_info(job)")]
        others = ", ".join(name for name in columns if name not in ("id", "once_key"))
        now = time.time()
        new = sorted(f"video_{ulid(now)}" for _ in range(to - 1))
        with db:
            db.executemany(
                f"INSERT INTO job (id, {others}) SELECT ?, {others} FROM job WHERE id = ?",
                ((each, id) for each in new),
            )
        return [each for (each,) in db.execute("SELECT id FROM job ORDER BY id")]

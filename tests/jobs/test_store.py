"""What every store must do; the one on SQLite does."""

from __future__ import annotations

import inspect
from pathlib import Path

from triptych.jobs.content import Content, Folder
from triptych.jobs.sqlite import SqliteStore
from triptych.jobs.store import Counts, Store
from triptych.jobs.term import Terms
from triptych.jobs.transition import Bench


def test_the_store_has_every_method_with_the_same_arguments(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    store: Store = SqliteStore(folder, Bench(content=Content(folder.content), terms=Terms(), clock=lambda: 0.0))
    for name, wanted in inspect.getmembers(Store, inspect.isfunction):
        if not name.startswith("_"):
            found = getattr(type(store), name)
            assert inspect.signature(found) == inspect.signature(wanted), name
            assert inspect.iscoroutinefunction(found) == inspect.iscoroutinefunction(wanted), name


def test_no_job_counts_as_none() -> None:
    assert Counts() == Counts(queued=0, in_progress=0, completed=0, failed=0)

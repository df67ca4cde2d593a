"""The files of a data folder, each named by its content, so that one that is used twice is there once.

Who may remove a file: nobody while a row of the database refers to it, and nobody before its lease is over. A file's
lease runs from its time stamp: whoever brings it in, or finds it for a request that is not stored yet, renews it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from triptych.errors import EngineFailed, StorageFailed
from triptych.task import Blob, Output


@dataclass(frozen=True)
class Folder:
    """A data folder.

    Attributes:
        root: where it is, absolute.
    """

    root: Path

    @property
    def database(self) -> Path:
        """The database."""
        return self.root / "jobs.sqlite3"

    @property
    def content(self) -> Path:
        """Files by content."""
        return self.root / "content"

    @property
    def work(self) -> Path:
        """Private folders of running processes."""
        return self.root / "work"

    @property
    def run(self) -> Path:
        """Locks of running processes."""
        return self.root / "run"

    def make(self) -> None:
        """Make what is not there, for its owner alone.

        Raises:
            StorageFailed: it cannot be made.
        """
        try:
            for folder in (self.root, self.content, self.work, self.run):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StorageFailed(f"the data folder {self.root} cannot be made: {error.strerror}") from error


class Content:
    """The files below ``content``.

    Args:
        folder: that folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, sha256: str) -> Path:
        """Where a file is, if it is there."""
        return self.folder / sha256

    def has(self, sha256: str) -> bool:
        """Whether it is there."""
        return self.path(sha256).is_file()

    def renew(self, sha256: str) -> bool:
        """Renew the lease of a file; whether it is there."""
        try:
            os.utime(self.path(sha256))
        except FileNotFoundError:
            return False
        return True

    def take(self, output: Output) -> None:
        """Move a finished output here. On one file system that cannot be half done."""
        path = Path(output.path)
        os.utime(path)
        path.chmod(0o600)
        path.replace(self.path(output.sha256))

    def settle(self) -> None:
        """Wait until the names here survive a power cut."""
        descriptor = os.open(self.folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def stamp(self, sha256: str) -> float:
        """When its lease was last renewed, in seconds since 1970; 0 when it is not there."""
        try:
            return self.path(sha256).stat().st_mtime
        except FileNotFoundError:
            return 0.0

    def remove(self, sha256: str) -> None:
        """Remove a file. The caller holds the write lock, and has seen that no row refers to it."""
        self.path(sha256).unlink(missing_ok=True)

    def names(self) -> Iterator[tuple[str, float]]:
        """Every name here, half-written ones too, and its time stamp."""
        with os.scandir(self.folder) as entries:
            for entry in entries:
                with contextlib.suppress(FileNotFoundError):  # it went in this moment
                    yield entry.name, entry.stat(follow_symlinks=False).st_mtime

    def place(self, blob: Blob) -> Blob:
        """A blob with its path here."""
        return blob if blob.awaits else replace(blob, path=str(self.path(blob.sha256)))


def without_paths(document: Any) -> Any:
    """A dumped value, its files named by their hash alone: where the folder is today is not remembered."""
    return _rename(document, None)


def with_paths(document: Any, content: Content) -> Any:
    """The inverse of ``without_paths``."""
    return _rename(document, f"{content.folder}{os.sep}")


def _rename(document: Any, before: str | None) -> Any:
    if isinstance(document, list):
        return [_rename(item, before) for item in document]
    if isinstance(document, dict):
        changed = {
            key: _rename(item, before) if isinstance(item, (dict, list)) else item for key, item in document.items()
        }
        if {"path", "sha256", "size_bytes"} <= document.keys():
            sha256 = changed["sha256"]
            changed["path"] = "" if before is None or not sha256 else f"{before}{sha256}"
        return changed
    return document


def seal(output: Output) -> None:
    """See that a finished output is what its maker says, and that it survives a power cut.

    Raises:
        EngineFailed: it is not there, or has another hash.
    """
    try:
        with Path(output.path).open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
            os.fsync(file.fileno())
    except FileNotFoundError as error:
        raise EngineFailed("the engine says that it made a file, and there is none") from error
    if found != output.sha256:
        raise EngineFailed("the engine made another file than it says: their hashes differ")

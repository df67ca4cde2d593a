"""Uploaded files, and removal: what expires, and what nothing refers to. Functions over an open transaction.

A row goes first, and its files after it, in a commit of their own: a death between the two leaves a file too
many, never a row whose file is gone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from triptych.jobs.id import ulid
from triptych.jobs.pending import refusal
from triptych.jobs.store import Freed, Removal, StoredFile
from triptych.jobs.transition import SQL, Bench, let_go, remove
from triptych.media.spool import INCOMING
from triptych.task import Blob
from triptych.task.piece import FILE_PREFIX

MOST_AT_ONCE = 200
"""Records that expire in one transaction."""


def add_file(
    db: sqlite3.Connection, bench: Bench, blob: Blob, *, owner: str, file_name: str, media_type: str, purpose: str
) -> StoredFile:
    """Remember an uploaded file."""
    if not bench.content.has(blob.sha256):
        raise refusal("file", blob.sha256, "its bytes are not here any more", "Send it again")
    now = bench.clock()
    keep = bench.terms.keep_files_seconds
    id = f"{FILE_PREFIX}{ulid(now)}"
    db.execute(
        SQL["add_file"],
        {
            "id": id,
            "owner": owner,
            "file_name": file_name,
            "media_type": media_type,
            "purpose": purpose,
            "sha256": blob.sha256,
            "size_bytes": blob.size_bytes,
            "packed": int(blob.packed),
            "frame_rate": blob.frame_rate,
            "created_at": now,
            "expires_at": None if keep is None else now + keep,
        },
    )
    db.execute(SQL["hold"], {"holder": id, "sha256": blob.sha256, "made_at": None})
    return read_file(db.execute(SQL["file"], {"id": id}).fetchone(), bench)


def read_file(row: tuple[object, ...], bench: Bench) -> StoredFile:
    """The columns of the statements about files."""
    id, owner, file_name, media_type, purpose, sha256, size_bytes, packed, frame_rate, created_at, expires_at = row
    blob = Blob(
        path=str(bench.content.path(str(sha256))),
        sha256=str(sha256),
        size_bytes=int(str(size_bytes)),
        packed=bool(packed),
        frame_rate=None if frame_rate is None else float(str(frame_rate)),
    )
    return StoredFile(
        id=str(id),
        owner=str(owner),
        file_name=str(file_name),
        media_type=str(media_type),
        purpose=str(purpose),
        blob=blob,
        created_at=float(str(created_at)),
        expires_at=None if expires_at is None else float(str(expires_at)),
    )


def delete_file(db: sqlite3.Connection, id: str, owner: str) -> Removal | None:
    """Forget an uploaded file; jobs that use its bytes hold them themselves."""
    if db.execute(SQL["remove_file"], {"id": id, "owner": owner}).rowcount == 0:
        return None
    return Removal(freed=let_go(db, id))


def add_piece(
    db: sqlite3.Connection, bench: Bench, job: str, variant: str, number: int, blob: Blob, media_type: str
) -> None:
    """Remember a piece that was made of a finished job, if the job is still there."""
    if db.execute(SQL["state"], {"id": job}).fetchone() is None or not bench.content.has(blob.sha256):
        return
    row = {"job": job, "variant": variant, "number": number, "sha256": blob.sha256}
    db.execute(SQL["add_piece"], {**row, "size_bytes": blob.size_bytes, "media_type": media_type})
    db.execute(SQL["hold"], {"holder": job, "sha256": blob.sha256, "made_at": bench.content.stamp(blob.sha256)})


def expire(db: sqlite3.Connection, bench: Bench) -> tuple[tuple[str, ...], tuple[Freed, ...]]:
    """Remove the records of what was kept for its time: their ids and their files."""
    now = bench.clock()
    ids: list[str] = []
    freed: list[Freed] = []
    for id, owner in db.execute(SQL["expired"], {"now": now, "limit": MOST_AT_ONCE}).fetchall():
        freed += remove(db, id)
        db.execute(SQL["bury"], {"id": id, "owner": owner, "now": now})
        ids.append(id)
    for id, owner in db.execute(SQL["expired_files"], {"now": now, "limit": MOST_AT_ONCE}).fetchall():
        db.execute(SQL["remove_file"], {"id": id, "owner": owner})
        freed += let_go(db, id)
        db.execute(SQL["bury"], {"id": id, "owner": owner, "now": now})
        ids.append(id)
    db.execute(SQL["forget"], {"before": now - bench.terms.tombstone_seconds})
    return tuple(ids), tuple(freed)


def release(db: sqlite3.Connection, bench: Bench, freed: Iterable[Freed]) -> None:
    """Remove those of these files that nothing refers to any more.

    One that was made here goes at once, unless its lease was renewed since: somebody may be about to store a request
    that uses it. One that was brought in may be in that state from the beginning, and waits until its lease is over.
    """
    for one in freed:
        if db.execute(SQL["is_held"], {"sha256": one.sha256}).fetchone() is not None:
            continue
        stamp = bench.content.stamp(one.sha256)
        untouched = one.made_at is not None and stamp <= one.made_at
        if untouched or stamp + bench.terms.content_lease_seconds <= bench.clock():
            bench.content.remove(one.sha256)


def unneeded(db: sqlite3.Connection, bench: Bench) -> list[str]:
    """Names below ``content`` that nothing refers to, and whose lease is over. Read without the write lock."""
    before = bench.clock() - bench.terms.content_lease_seconds
    old = [name for name, stamp in bench.content.names() if stamp <= before]
    return [name for name in old if name.startswith(INCOMING) or not _is_held(db, name)]


def sweep(db: sqlite3.Connection, bench: Bench, names: Sequence[str]) -> int:
    """Remove those of these files of which that is still true; how many."""
    removed = 0
    for name in names:
        over = bench.content.stamp(name) + bench.terms.content_lease_seconds <= bench.clock()
        if over and (name.startswith(INCOMING) or not _is_held(db, name)):
            bench.content.remove(name)
            removed += 1
    return removed


def _is_held(db: sqlite3.Connection, sha256: str) -> bool:
    return db.execute(SQL["is_held"], {"sha256": sha256}).fetchone() is not None

"""Copies into the spool: whole, private, named by content, or not there."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
from pathlib import Path

import pytest

from triptych.errors import InvalidRequest, TriptychError
from triptych.media.spool import Batch, begin, copying


def test_a_finished_copy_is_private_and_named_by_its_content(tmp_path: Path) -> None:
    with copying(tmp_path, field="f", max_bytes=10) as (copy, finish):
        copy.write(b"hello")
        copy.write(memoryview(b"world"))
        blob = finish(packed=True, frame_rate=12.0)
    digest = hashlib.sha256(b"helloworld").hexdigest()
    assert (blob.sha256, blob.size_bytes, blob.packed, blob.frame_rate) == (digest, 10, True, 12.0)
    assert blob.path == str(tmp_path / digest)
    assert Path(blob.path).read_bytes() == b"helloworld"
    assert Path(blob.path).stat().st_mode & 0o777 == 0o600
    assert len(list(tmp_path.iterdir())) == 1


def test_nothing_is_left_without_the_last_call_or_after_an_error(tmp_path: Path) -> None:
    with copying(tmp_path, field="f", max_bytes=10) as (copy, _):
        copy.write(b"hello")
    with pytest.raises(KeyboardInterrupt), copying(tmp_path, field="f", max_bytes=10):
        raise KeyboardInterrupt
    with pytest.raises(InvalidRequest) as caught, copying(tmp_path, field="f", max_bytes=10) as (copy, _):
        copy.write(bytes(11))
    assert caught.value.problems[0].code == "media_too_large"
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = 0

    def write(descriptor: int, data: memoryview) -> int:
        nonlocal written
        if written >= 8:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written += 4
        return 4

    monkeypatch.setattr(os, "write", write)
    with (
        pytest.raises(TriptychError, match="f: no room left on the disk"),
        copying(tmp_path, field="f", max_bytes=100) as (copy, _),
    ):
        copy.write(bytes(20))
    assert list(tmp_path.iterdir()) == []


def test_a_copy_can_be_written_bit_by_bit_and_given_up(tmp_path: Path) -> None:
    copy = begin(tmp_path, field="f", max_bytes=10)
    copy.write(b"hello")
    assert [path.name.startswith("incoming-") for path in tmp_path.iterdir()] == [True]
    copy.discard()
    copy.discard()
    assert list(tmp_path.iterdir()) == []
    kept = begin(tmp_path, field="f", max_bytes=10)
    path = Path(kept.finish().path)
    kept.discard()  # it is finished
    assert path.read_bytes() == b""


def stored(batch: Batch, data: bytes) -> Path:
    copy = batch.begin(field="f")
    copy.write(data)
    return Path(batch.finish(copy).path)


def test_a_batch_removes_what_it_alone_put_there(tmp_path: Path) -> None:
    before = stored(Batch(tmp_path, max_bytes=10), b"before")
    batch = Batch(tmp_path, max_bytes=10)
    assert stored(batch, b"before") == before
    stored(batch, b"new")
    stored(batch, b"new")
    both = stored(batch, b"both")
    batch.drop(batch.begin(field="f"))
    batch.begin(field="f").write(b"half")
    assert stored(Batch(tmp_path, max_bytes=10), b"both") == both
    batch.discard()
    batch.discard()
    assert sorted(path.read_bytes() for path in tmp_path.iterdir()) == [b"before", b"both"]


def test_what_another_keeps_is_not_removed_however_their_steps_fall(tmp_path: Path) -> None:
    """Two requests bring in the same bytes again and again; one keeps them, the other gives up. They stay."""
    lost: list[int] = []

    def keep() -> None:
        for number in range(200):
            path = stored(Batch(tmp_path, max_bytes=10), b"x")
            if not path.exists():
                lost.append(number)
            path.unlink(missing_ok=True)

    def give_up() -> None:
        while keeper.is_alive():
            batch = Batch(tmp_path, max_bytes=10)
            stored(batch, b"x")
            batch.discard()

    keeper = threading.Thread(target=keep)
    keeper.start()
    give_up()
    keeper.join()
    assert lost == []


def test_a_file_brought_in_anew_counts_as_new(tmp_path: Path) -> None:
    path = stored(Batch(tmp_path, max_bytes=10), b"x")
    os.utime(path, (1, 1))
    stored(Batch(tmp_path, max_bytes=10), b"x")
    assert path.stat().st_mtime > 1_000_000

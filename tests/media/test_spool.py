"""Copies into the spool: whole, private, named by content, or not there."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

import pytest

from triptych.errors import InvalidRequest, TriptychError
from triptych.media.spool import copying


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

"""Files by content: moved whole, leased, and never remembered by path."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

from triptych.errors import EngineFailed, StorageFailed
from triptych.jobs.content import Content, Folder, seal, with_paths, without_paths
from triptych.task import Blob, Modality, Output, Probe


def output(path: Path, data: bytes = b"video") -> Output:
    path.write_bytes(data)
    sha256 = hashlib.sha256(data).hexdigest()
    probe = Probe(modality=Modality.VIDEO, container="mov", media_type="video/mp4")
    return Output(path=str(path), media_type="video/mp4", sha256=sha256, size_bytes=len(data), probe=probe)


def test_the_folder_is_its_owners_alone_and_says_when_it_cannot_be_made(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "data")
    folder.make()
    folder.make()
    for path in (folder.root, folder.content, folder.work, folder.run):
        assert path.is_dir() and path.stat().st_mode & 0o777 == 0o700
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageFailed, match="cannot be made"):
        Folder(tmp_path / "file" / "data").make()


def test_an_output_is_moved_and_its_lease_begins(tmp_path: Path) -> None:
    content = Content(tmp_path / "content")
    content.folder.mkdir()
    made = output(tmp_path / "double.mp4")
    os.utime(made.path, (1, 1))
    content.take(made)
    content.settle()
    assert content.has(made.sha256) and content.path(made.sha256).read_bytes() == b"video"
    assert not Path(made.path).exists()
    assert content.stamp(made.sha256) == pytest.approx(time.time(), abs=5)
    assert [name for name, _ in content.names()] == [made.sha256]


def test_a_lease_is_renewed_where_there_is_a_file(tmp_path: Path) -> None:
    content = Content(tmp_path)
    path = content.path("ab")
    path.write_bytes(b"")
    os.utime(path, (1, 1))
    assert content.renew("ab") and path.stat().st_mtime > 1
    content.remove("ab")
    content.remove("ab")
    assert not content.renew("ab") and content.stamp("ab") == 0


def test_an_output_that_is_not_what_its_maker_says_is_refused(tmp_path: Path) -> None:
    made = output(tmp_path / "double.mp4")
    seal(made)
    Path(made.path).write_bytes(b"other")
    with pytest.raises(EngineFailed, match="hashes differ"):
        seal(made)
    Path(made.path).unlink()
    with pytest.raises(EngineFailed, match="there is none"):
        seal(made)


def test_paths_are_left_out_and_put_back(tmp_path: Path) -> None:
    blob = {"path": "/secret/place/ab", "sha256": "ab", "size_bytes": 3}
    waiting = {"path": "", "sha256": "", "size_bytes": 0, "awaits": "video_x"}
    document = {"slots": [{"blob": blob}, {"blob": waiting}], "prompt": "/secret is a word", "n": 1}
    kept = without_paths(document)
    assert "/secret/place" not in str(kept) and kept["prompt"] == "/secret is a word"
    back = with_paths(kept, Content(tmp_path))
    assert back["slots"][0]["blob"] == {**blob, "path": str(tmp_path / "ab")}
    assert back["slots"][1]["blob"] == waiting


def test_a_blob_is_placed_by_its_hash_unless_it_is_still_awaited(tmp_path: Path) -> None:
    content = Content(tmp_path)
    assert content.place(Blob(path="/else/where", sha256="ab", size_bytes=1)).path == str(tmp_path / "ab")
    waiting = Blob(path="", sha256="", size_bytes=0, awaits="video_x")
    assert content.place(waiting) == waiting

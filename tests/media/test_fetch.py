"""Bringing bytes in: every kind of source, bounded, hashed, whole or not at all."""

from __future__ import annotations

import base64
import hashlib
import os
from pathlib import Path

import pytest

from triptych.errors import InputChanged, InvalidRequest, Problem
from triptych.media.fetch import Policy, fetch, head, unreachable
from triptych.media.folder import iter_packed
from triptych.media.sniff import HEAD_BYTES
from triptych.task import Blob, BlobSource, BytesSource, DataURLSource, PathSource, ResultSource, Source, URLSource

ANY = Policy(roots=None, max_bytes=10 << 20)


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    folder = tmp_path / "spool"
    folder.mkdir()
    return folder


def refused(source: Source, spool: Path, policy: Policy = ANY) -> Problem:
    with pytest.raises(InvalidRequest) as caught:
        fetch(source, field="--clip 1", policy=policy, spool=spool)
    assert list(spool.iterdir()) == []
    (problem,) = caught.value.problems
    assert problem.field == "--clip 1"
    return problem


@pytest.mark.parametrize("size", [0, 1, (1 << 20) - 1, 1 << 20, (3 << 20) + 5])
def test_every_source_gives_the_same_bytes(tmp_path: Path, spool: Path, size: int) -> None:
    data = bytes(range(251)) * (size // 251 + 1)
    data = data[:size]
    path = tmp_path / "My Cat.PNG"
    path.write_bytes(data)
    url = "data:image/gif;base64," + base64.b64encode(data).decode()
    sources: list[Source] = [PathSource(str(path)), BytesSource(data), DataURLSource(url)]
    blobs = [fetch(source, field="f", policy=ANY, spool=spool) for source in sources]
    digest = hashlib.sha256(data).hexdigest()
    assert blobs == [Blob(path=str(spool / digest), sha256=digest, size_bytes=size)] * 3
    assert [found.name for found in spool.iterdir()] == [digest]  # nothing of the caller's name
    assert Path(blobs[0].path).read_bytes() == data
    assert Path(blobs[0].path).stat().st_mode & 0o777 == 0o600
    assert head(blobs[0]) == data[:HEAD_BYTES]


def test_the_cap_holds_for_every_source(tmp_path: Path, spool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(1001))
    exact, less = Policy(roots=None, max_bytes=1001), Policy(roots=None, max_bytes=1000)
    sources: list[Source] = [
        PathSource(str(path)),
        BytesSource(bytes(1001)),
        DataURLSource("data:;base64," + "A" * 1335),
    ]
    assert len({fetch(source, field="f", policy=exact, spool=spool) for source in sources}) == 1
    for found in spool.iterdir():
        found.unlink()

    def unread(*args: object) -> int:
        raise AssertionError("read before its size was looked at")

    monkeypatch.setattr(os, "readv", unread)
    for source in sources:
        problem = refused(source, spool, less)
        assert (problem.code, problem.value, problem.limit) == ("media_too_large", 1001, 1000)


def test_a_file_that_grows_is_capped_while_it_is_read(
    tmp_path: Path, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(1000))
    honest = os.readv
    reads = 0

    def grow(descriptor: int, buffers: list[memoryview]) -> int:
        nonlocal reads
        reads += 1
        with path.open("ab") as file:
            file.write(bytes(1000))
        return honest(descriptor, buffers)

    monkeypatch.setattr(os, "readv", grow)
    assert refused(PathSource(str(path)), spool, Policy(roots=None, max_bytes=5000)).code == "media_too_large"
    assert reads <= 6


def test_a_file_that_changes_while_it_is_read_is_found_out(
    tmp_path: Path, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(1000))
    honest = os.readv

    def cut(descriptor: int, buffers: list[memoryview]) -> int:
        count = honest(descriptor, buffers)
        os.truncate(path, 10)
        return count

    monkeypatch.setattr(os, "readv", cut)
    with pytest.raises(InputChanged, match="--clip 1: the file changed while it was read"):
        fetch(PathSource(str(path)), field="--clip 1", policy=ANY, spool=spool)
    assert list(spool.iterdir()) == []


def test_files_that_only_seem_empty_are_not_read(spool: Path, root: Path) -> None:
    proc = Path("/proc/self/environ")
    if proc.exists():  # a system without /proc has no such files
        assert fetch(PathSource(str(proc)), field="f", policy=ANY, spool=spool).size_bytes == 0


def test_policy_decides_about_paths(tmp_path: Path, spool: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a").write_bytes(b"in")
    (tmp_path / "out").write_bytes(b"out")
    below = Policy(roots=(tmp_path / "in",), max_bytes=100)
    assert refused(PathSource(str(tmp_path / "out")), spool, below).code == "path_not_allowed"
    assert (
        refused(PathSource(str(tmp_path / "in" / "a")), spool, Policy(roots=(), max_bytes=9)).code == "path_not_allowed"
    )
    assert fetch(PathSource(str(tmp_path / "in" / "a")), field="f", policy=below, spool=spool).size_bytes == 2


def test_addresses_are_refused_by_name_and_without_secrets(spool: Path) -> None:
    url = URLSource("https://user:hunter2@example.com/cat.png?token=hunter2#hunter2")
    closed = refused(url, spool)
    assert closed.code == "url_not_allowed"
    assert closed.message == "addresses are not fetched here: 'https://example.com/cat.png'"
    assert "hunter2" not in str(closed.as_json())
    allowed = refused(url, spool, Policy(roots=None, max_bytes=9, allow_urls=True))
    assert allowed.message == "it holds a user or a password, and none is sent: 'https://example.com/cat.png'"
    assert "hunter2" not in str(allowed.as_json())
    assert "only http and https" in refused(URLSource("ftp://example.com/x"), spool).message
    assert "only http and https" in refused(URLSource("nonsense"), spool).message


def test_results_are_somebody_elses(spool: Path) -> None:
    problem = refused(ResultSource("video_1"), spool)
    assert problem.code == "media_not_found"
    assert "no store of results here" in problem.message
    assert "video_1" in problem.message


def test_a_data_url_is_refused_by_its_own_rules(spool: Path) -> None:
    assert refused(DataURLSource("data:image/png,abc"), spool).code == "invalid_data_url"


def test_a_folder_becomes_a_packed_clip(tmp_path: Path, spool: Path) -> None:
    folder = tmp_path / "frames"
    folder.mkdir()
    for number in range(3):
        (folder / f"frame_{number:06d}.ppm").write_bytes(b"P6 1 1 255\n" + bytes((number,) * 3))
    for source, frame_rate in ((PathSource(str(folder)), 24.0), (PathSource(str(folder), frame_rate=12.5), 12.5)):
        blob = fetch(source, field="f", policy=Policy(roots=(tmp_path,), max_bytes=10_000), spool=spool)
        assert (blob.packed, blob.frame_rate) == (True, frame_rate)
        assert [data[-1] for _, data in iter_packed(blob.path)] == [0, 1, 2]


def test_a_frame_rate_is_for_folders(tmp_path: Path, spool: Path) -> None:
    (tmp_path / "a.mp4").write_bytes(b"x")
    problem = refused(PathSource(str(tmp_path / "a.mp4"), frame_rate=25.0), spool)
    assert problem.code == "invalid_value"
    assert "a frame rate (25) is for a folder of frames" in problem.message


def test_what_can_be_said_unread_is_what_fetch_says(tmp_path: Path, spool: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(101))
    (tmp_path / "good").write_bytes(bytes(100))
    policy = Policy(roots=None, max_bytes=100)
    bad: list[Source] = [
        PathSource(str(tmp_path / "large")),
        PathSource(str(tmp_path / "no")),
        URLSource("https://example.com/a"),
        BytesSource(bytes(101)),
    ]
    for source in bad:
        assert unreachable(source, field="--clip 1", policy=policy) == (refused(source, spool, policy),)
    good: list[Source] = [PathSource(str(tmp_path / "good")), PathSource(str(tmp_path)), BytesSource(bytes(100))]
    assert [unreachable(source, field="f", policy=policy) for source in good] == [(), (), ()]


def test_a_file_address_is_answered_with_what_to_give_instead(tmp_path: Path) -> None:
    policy = Policy(roots=None, max_bytes=100)
    with pytest.raises(InvalidRequest, match="Give the plain path of the file"):
        fetch(URLSource(url="file:///some/where.png"), field="image", policy=policy, spool=tmp_path)


def test_what_was_brought_in_before_is_taken_as_it_is_and_capped(tmp_path: Path, spool: Path) -> None:
    """An upload was hashed while it arrived; it is not copied again."""
    data = bytes(1001)
    path = tmp_path / "kept"
    path.write_bytes(data)
    blob = Blob(path=str(path), sha256=hashlib.sha256(data).hexdigest(), size_bytes=len(data))
    exact, less = Policy(roots=(), max_bytes=1001), Policy(roots=(), max_bytes=1000)
    assert fetch(BlobSource(blob), field="f", policy=exact, spool=spool) is blob
    assert list(spool.iterdir()) == []
    assert unreachable(BlobSource(blob), field="f", policy=exact) == ()
    problem = refused(BlobSource(blob), spool, less)
    assert problem.code == "media_too_large"
    assert unreachable(BlobSource(blob), field="--clip 1", policy=less) == (problem,)

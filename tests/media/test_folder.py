"""A folder of frames: what is one, what is not, and that packing keeps every byte."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from triptych.errors import InputChanged, InvalidRequest, OutputExists, Problem
from triptych.media import folder as media_folder
from triptych.media.folder import FrameFolderWriter, iter_packed, pack_folder
from triptych.task import Blob


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    made = tmp_path / "spool"
    made.mkdir()
    return made


@pytest.fixture
def frames(tmp_path: Path) -> Path:
    made = tmp_path / "frames"
    made.mkdir()
    return made


def fill(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_bytes(b"P6 1 1 255\n" + name.encode()[:3])


def pack(folder: Path, spool: Path, **settings: Any) -> Blob:
    return pack_folder(folder, **{"field": "--clip 1", "spool": spool, "max_bytes": 1 << 20, **settings})


def refused(folder: Path, spool: Path, **settings: Any) -> Problem:
    with pytest.raises(InvalidRequest) as caught:
        pack(folder, spool, **settings)
    assert list(spool.iterdir()) == []
    (problem,) = caught.value.problems
    return problem


@pytest.mark.parametrize("suffix", ["ppm", "png"])
def test_what_is_written_is_read_back(tmp_path: Path, spool: Path, suffix: Any) -> None:
    pictures = np.random.default_rng(0).integers(0, 256, (5, 7, 9, 3), np.uint8)
    writer = FrameFolderWriter(tmp_path / "deep" / "out", suffix)
    names = [writer.write(picture).name for picture in pictures]
    assert names == [f"frame_{number:06d}.{suffix}" for number in range(5)]
    assert writer.count == 5
    blob = pack(tmp_path / "deep" / "out", spool)
    assert (blob.packed, blob.frame_rate) == (True, 24.0)
    assert blob.size_bytes == Path(blob.path).stat().st_size
    back = [np.asarray(Image.open(io.BytesIO(data))) for _, data in iter_packed(blob.path)]
    assert np.array_equal(back, pictures)
    assert [index for index, _ in iter_packed(blob.path)] == list(range(5))


def test_frames_that_are_not_contiguous_in_memory_are_written_right(tmp_path: Path) -> None:
    picture = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)[::-1, ::-1]
    path = FrameFolderWriter(tmp_path / "out").write(picture)
    assert np.array_equal(np.asarray(Image.open(path)), picture)


def test_only_a_new_or_an_empty_folder_is_written_into(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    FrameFolderWriter(empty).write(np.zeros((2, 2, 3), np.uint8))
    with pytest.raises(OutputExists, match="not empty"):
        FrameFolderWriter(empty)
    with pytest.raises(OutputExists, match="this is a file"):
        FrameFolderWriter(empty / "frame_000000.ppm")
    writer = FrameFolderWriter(tmp_path / "two")
    for wrong in (np.zeros((2, 2), np.uint8), np.zeros((2, 2, 4), np.uint8), np.zeros((2, 2, 3), np.float32)):
        with pytest.raises(ValueError, match=r"a frame is uint8 \[H, W, 3\]"):
            writer.write(wrong)  # type: ignore[arg-type]  # one of them is of another type on purpose
    assert list((tmp_path / "two").iterdir()) == []


def test_the_same_frames_give_the_same_bytes(tmp_path: Path, spool: Path) -> None:
    blobs = set()
    for name, start in (("frame_%06d.ppm", 0), ("x%d.PPM", 1), ("shot 1 - %03d.ppm", 1)):
        made = tmp_path / f"made{len(list(tmp_path.iterdir()))}"
        made.mkdir()
        for number in range(12):
            (made / (name % (number + start))).write_bytes(b"P6 1 1 255\n" + bytes((number,) * 3))
        blobs.add(pack(made, spool))
    assert len(blobs) == 1  # whatever the names, the times and the order in the folder
    (blob,) = blobs
    with tarfile.open(blob.path) as tar:
        members = tar.getmembers()
    assert [member.name for member in members] == [f"{number:06d}.ppm" for number in range(12)]
    assert {(member.mtime, member.uid, member.gid, member.uname) for member in members} == {(0, 0, 0, "")}


def test_hidden_files_and_results_are_passed_over(frames: Path, spool: Path) -> None:
    fill(frames, "f0.ppm", "f1.ppm", ".DS_Store", "result.json", "._f0.ppm")
    assert len(list(iter_packed(pack(frames, spool).path))) == 2


@pytest.mark.parametrize(
    ("names", "code", "words"),
    [
        ([], "media_empty", "the folder holds no frames"),
        (["result.json"], "media_empty", "the folder holds no frames"),
        (["f0.ppm", "f1.ppm", "f3.ppm"], "media_unreadable", "frame 2 is missing: after 'f1.ppm' comes 'f3.ppm'"),
        (["f000000.ppm", "f000002.ppm"], "media_unreadable", "frame 1 is missing"),
        (["f5.ppm", "f6.ppm"], "media_unreadable", "its first frame is 'f5.ppm'; the numbers begin at 0 or 1"),
        (["f0.ppm", "f1.png"], "media_unreadable", "'f0.ppm' and 'f1.png' are frames of two kinds"),
        (["f0.ppm", "g1.ppm"], "media_unreadable", "'f0.ppm' and 'g1.ppm' are frames of two kinds"),
        (["f1.ppm", "f01.ppm"], "media_unreadable", "frame 1 is there twice: 'f01.ppm' and 'f1.ppm'"),
        (["f0.ppm", "notes.txt"], "media_not_supported", "'notes.txt' is not a numbered frame"),
        (["f0.ppm", "cover.png"], "media_not_supported", "'cover.png' is not a numbered frame"),
        (["f0.jpg"], "media_not_supported", "'f0.jpg' is not a numbered frame"),
    ],
)
def test_what_is_no_clip(frames: Path, spool: Path, names: list[str], code: str, words: str) -> None:
    fill(frames, *names)
    problem = refused(frames, spool)
    assert problem.code == code
    assert words in problem.message


def test_only_regular_files_are_frames(frames: Path, spool: Path, tmp_path: Path) -> None:
    fill(frames, "f0.ppm")
    fill(tmp_path, "secret.ppm")
    (frames / "f1.ppm").symlink_to(tmp_path / "secret.ppm")
    assert "links are not followed" in refused(frames, spool).message
    (frames / "f1.ppm").unlink()
    (frames / "f1.ppm").mkdir()
    assert "'f1.ppm' is not a regular file" in refused(frames, spool).message
    (frames / "f1.ppm").rmdir()
    (frames / "f1.ppm").touch()
    assert "'f1.ppm' is empty" in refused(frames, spool).message


def test_bounds(frames: Path, spool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(frames, "f0.ppm", "f1.ppm", "f2.ppm")
    blob = pack(frames, spool)
    Path(blob.path).unlink()
    assert pack(frames, spool, max_bytes=blob.size_bytes) == blob
    Path(blob.path).unlink()
    problem = refused(frames, spool, max_bytes=blob.size_bytes - 1)
    assert (problem.code, problem.value) == ("media_too_large", blob.size_bytes)
    for frame_rate in (0, -1, float("nan"), float("inf")):
        assert "frame rate" in refused(frames, spool, frame_rate=frame_rate).message
    monkeypatch.setattr(media_folder, "MOST_FRAMES", 2)
    assert refused(frames, spool).message == "the folder holds more than 2 frames"
    monkeypatch.setattr(media_folder, "MOST_FRAMES", 3)
    monkeypatch.setattr(media_folder, "MOST_FRAME_BYTES", 5)
    assert refused(frames, spool).code == "media_too_large"
    with pytest.raises(InvalidRequest, match="no such folder"):
        pack(frames / "deeper", spool)


def test_a_frame_that_changes_while_the_folder_is_read(
    frames: Path, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(frames, "f0.ppm", "f1.ppm")
    honest = media_folder._size

    def grow(*args: Any) -> int:
        size = honest(*args)
        with (frames / "f1.ppm").open("ab") as file:
            file.write(b"more")
        return size

    monkeypatch.setattr(media_folder, "_size", grow)
    with pytest.raises(InputChanged, match=r"'f1\.ppm' changed"):
        pack(frames, spool)
    assert list(spool.iterdir()) == []


def test_only_what_was_packed_here_is_unpacked(frames: Path, spool: Path, tmp_path: Path) -> None:
    fill(frames, "f0.ppm", "f1.ppm")
    whole = Path(pack(frames, spool).path).read_bytes()
    bad = tmp_path / "bad"
    for data, words in (
        (whole[:600], "ends within frame 0"),
        (whole[1024:], "member 0 is '000001.ppm'"),
        (b"x" * 512, "not a packed folder"),
        (b"x" * 5, "not a packed folder"),
    ):
        bad.write_bytes(data)
        with pytest.raises(ValueError, match=words):
            list(iter_packed(bad))
    with tarfile.open(bad, "w") as tar:
        link = tarfile.TarInfo("000000.ppm")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    with pytest.raises(ValueError, match="not a packed folder"):
        list(iter_packed(bad))

"""A result is written whole or not at all, and where it cannot be written is known before anything runs."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from triptych.cli.destination import Destination
from triptych.cli.parser import build
from triptych.errors import OutputExists, TriptychError
from triptych.task import Modality, PathSource, Reference, Request, Role

DOCUMENT = {"seed": 7, "name": "ü\ud800"}


def destination(*typed: str, inputs: tuple[str, ...] = ()) -> Destination:
    references = tuple(
        Reference(role=Role.REFERENCE, source=PathSource(path), field=f"--image {path}", modality=Modality.IMAGE)
        for path in inputs
    )
    return Destination.of(build().parse_args(["video", "x", *typed]), Request(references=references))


def problems(*typed: str, inputs: tuple[str, ...] = ()) -> list[str]:
    return [str(problem) for problem in destination(*typed, inputs=inputs).problems]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def made(tmp_path: Path) -> Path:
    path = tmp_path / "made"
    path.write_bytes(b"the video")
    return path


@pytest.fixture
def frames(tmp_path: Path) -> Path:
    folder = tmp_path / "frames"
    folder.mkdir()
    for number in range(3):
        (folder / f"frame_{number:06d}.ppm").write_bytes(b"P6")
    return folder


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_without_a_name_it_is_out_mp4() -> None:
    there = destination()
    assert (there.video, there.document, there.frames) == (Path("out.mp4"), Path("out.json"), None)
    assert there.problems == ()


def test_the_result_file_stands_beside_the_video_under_its_name() -> None:
    assert destination("-o", "a.b.MP4").document == Path("a.b.json")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("-o", ""), "-o: the name is empty. Name a file."),
        (("-o", "a.mov"), "-o a.mov: the video is an MP4, and this name ends in .mov. Call it a.mp4."),
        (("-o", "a"), "-o a: the video is an MP4, and this name has no ending. Call it a.mp4."),
        (("-o", "folder"), "-o folder: it is a folder. Name a file in it, such as folder/out.mp4."),
        (("-o", "/"), "-o /: it is a folder. Name a file in it, such as /out.mp4."),
        (("-o", "no/a.mp4"), "-o no/a.mp4: there is no folder no. Make it first."),
        (("-o", "file/a.mp4"), "-o file/a.mp4: file is a file, not a folder."),
        (("-o", "there.mp4"), "-o there.mp4: there.mp4 exists. Use --force to replace it."),
        (("-o", "both.mp4"), "-o both.mp4: both.mp4 and both.json exist. Use --force to replace them."),
        (("-o", "text.mp4"), "-o text.mp4: text.json exists. Use --force to replace it."),
        (("-o", "dangling.mp4"), "-o dangling.mp4: dangling.mp4 exists. Use --force to replace it."),
        (
            ("-o", "odd.mp4", "--force"),
            "-o odd.mp4: the result file beside it, odd.json, is a folder. Choose another name.",
        ),
        (("--frames-out", ""), "--frames-out: the name is empty. Name a folder."),
        (("--frames-out", "file"), "--frames-out file: it is a file, not a folder. Name a new folder."),
        (("--frames-out", "file/a/b"), "--frames-out file/a/b: file is a file, not a folder."),
        (("--frames-out", "full"), "--frames-out full: it is not empty. Name a new folder, or an empty one."),
        (
            ("--frames-out", "folder", "-o", "folder/a.mp4"),
            "--frames-out folder: the video goes into the same folder, and frames stand alone. Name a folder in it.",
        ),
    ],
)
def test_where_it_cannot_go_is_told(here: Path, typed: tuple[str, ...], said: str) -> None:
    for folder in ("folder", "full/in", "odd.json"):
        (here / folder).mkdir(parents=True)
    for file in ("file", "there.mp4", "both.mp4", "both.json", "text.json"):
        (here / file).write_text("x")
    (here / "dangling.mp4").symlink_to("nowhere")
    assert problems(*typed) == [said]


def test_a_name_too_long_is_told_and_not_raised() -> None:
    name = "x" * 300
    (said,) = problems("-o", f"{name}.mp4")
    assert said == f"-o {name}.mp4: cannot be written: File name too long."


def test_a_folder_that_may_not_be_written_is_told(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system is asked, so that this holds for a read-only disk too. Whoever runs the tests may write anywhere."""
    (here / "locked").mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "locked")
    assert problems("-o", "locked/a.mp4") == ["-o locked/a.mp4: nothing can be written to locked."]
    assert problems("--frames-out", "locked/a/b") == ["--frames-out locked/a/b: nothing can be written to locked."]


@pytest.mark.parametrize("name", ["in.mp4", "in.json", "./folder/../in.mp4", "link.mp4"])
def test_an_input_is_never_replaced(here: Path, name: str) -> None:
    (here / "folder").mkdir()
    (here / "in.mp4").write_text("x")
    (here / "in.json").write_text("x")
    (here / "link.mp4").symlink_to("in.mp4")
    output = "in.mp4"
    (said,) = problems("-o", output, "--force", inputs=(name, "another.png"))
    replaced = "in.json" if name == "in.json" else "in.mp4"
    assert said == (
        f"-o in.mp4: {replaced} is an input, --image {name}, and would be replaced. Write it under another name."
    )


def test_a_name_that_only_looks_like_an_input_is_free(here: Path) -> None:
    for name in ("in.mp4", "ref=in.mp4", "other.mp4"):
        (here / name).write_text(name)
    assert problems("-o", "in.mp4", "--force", inputs=("ref=in.mp4", "other.mp4")) == []


def test_the_video_and_the_result_file_are_written(here: Path, made: Path) -> None:
    destination("-o", "a.mp4").keep(made, DOCUMENT, None)
    assert names(here) == ["a.json", "a.mp4"]
    assert (here / "a.mp4").read_bytes() == b"the video"
    assert json.loads((here / "a.json").read_text(encoding="utf-8")) == DOCUMENT
    assert (here / "a.mp4").stat().st_mode & 0o777 == 0o666 & ~umask()


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_frames_are_written_into_folders_that_are_made(here: Path, made: Path, frames: Path) -> None:
    destination("-o", "a.mp4", "--frames-out", "x/y").keep(made, DOCUMENT, frames)
    found = ["x", "x/y", *(f"x/y/frame_{number:06d}.ppm" for number in range(3))]
    assert names(here) == ["a.json", "a.mp4", *found]


def test_with_force_both_files_are_replaced(here: Path, made: Path) -> None:
    for name in ("a.mp4", "a.json"):
        (here / name).write_text("old")
    destination("-o", "a.mp4", "--force").keep(made, DOCUMENT, None)
    assert names(here) == ["a.json", "a.mp4"]
    assert (here / "a.mp4").read_bytes() == b"the video"
    assert json.loads((here / "a.json").read_text(encoding="utf-8")) == DOCUMENT


@pytest.mark.parametrize("name", ["a.mp4", "a.json"])
def test_what_was_made_meanwhile_is_not_replaced_and_nothing_else_is_left(
    here: Path, made: Path, frames: Path, name: str
) -> None:
    there = destination("-o", "a.mp4", "--frames-out", "x/y")
    assert there.problems == ()
    (here / name).write_text("somebody else's")
    with pytest.raises(OutputExists, match=f"{name} was made while this ran"):
        there.keep(made, DOCUMENT, frames)
    assert names(here) == [name]
    assert (here / name).read_text() == "somebody else's"


@pytest.mark.parametrize("name", ["a.mp4", "a.json"])
def test_without_links_what_was_made_meanwhile_is_not_replaced_either(
    here: Path, made: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", no_links)
    destination("-o", "b.mp4").keep(made, DOCUMENT, None)
    there = destination("-o", "a.mp4")
    (here / name).write_text("somebody else's")
    with pytest.raises(OutputExists):
        there.keep(made, DOCUMENT, None)
    assert names(here) == [name, "b.json", "b.mp4"]


def no_links(source: Path, target: Path, **_: Any) -> None:
    """A file system that has no links, and knows what is there."""
    if not os.path.lexists(source):
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", str(source))
    raise OSError(errno.EPERM, "Operation not permitted")


def full_at(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The disk is full when the file of that name is put in place."""
    real = Path.replace

    def replace(self: Path, target: Path) -> Path:
        if Path(target).name == name and "before" not in self.name:
            raise OSError(errno.ENOSPC, "No space left on device", str(self))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("name", ["a.mp4", "a.json"])
def test_when_replacing_fails_half_way_the_old_files_are_there_again(
    here: Path, made: Path, frames: Path, name: str, links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in ("a.mp4", "a.json"):
        (here / file).write_text(f"old {file}")
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    full_at(monkeypatch, name)
    with pytest.raises(TriptychError) as caught:
        destination("-o", "a.mp4", "--force", "--frames-out", "x").keep(made, DOCUMENT, frames)
    assert caught.value.message == (
        "the result could not be written: there is no room left on the disk. Nothing was kept of it"
    )
    assert names(here) == ["a.json", "a.mp4"]
    assert [(here / file).read_text() for file in ("a.mp4", "a.json")] == ["old a.mp4", "old a.json"]


def test_when_there_were_no_old_files_none_are_there_again(
    here: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full_at(monkeypatch, "a.json")
    with pytest.raises(TriptychError, match="no room left"):
        destination("-o", "a.mp4", "--force").keep(made, DOCUMENT, None)
    assert names(here) == []


def test_a_disk_that_fills_up_while_frames_are_written_is_told(
    here: Path, made: Path, frames: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = shutil.move

    def move(source: Path, target: Path) -> Any:
        if Path(target).name == "frame_000002.ppm":
            Path(target).write_bytes(b"P")
            raise OSError(errno.ENOSPC, "No space left on device", str(source))
        return real(source, target)

    monkeypatch.setattr(shutil, "move", move)
    with pytest.raises(TriptychError, match=r"no room left on the disk\. Nothing was kept of it"):
        destination("-o", "a.mp4", "--frames-out", "x").keep(made, DOCUMENT, frames)
    assert names(here) == []


def test_a_folder_that_went_away_is_told(here: Path, made: Path) -> None:
    (here / "folder").mkdir()
    there = destination("-o", "folder/a.mp4")
    (here / "folder").rmdir()
    with pytest.raises(TriptychError, match="could not be written: No such file or directory"):
        there.keep(made, DOCUMENT, None)

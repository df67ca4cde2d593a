"""Which paths are opened, and what is said of the others."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import psutil
import pytest

from triptych.errors import InvalidRequest, Problem
from triptych.media.path import open_path, without_secrets


def opened(text: str | Path, roots: tuple[Path, ...] | None = None) -> bytes:
    descriptor = open_path(str(text), field="--image 1", roots=roots)
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def refused(text: str | Path, roots: tuple[Path, ...] | None = None) -> Problem:
    before = psutil.Process().num_fds()
    with pytest.raises(InvalidRequest) as caught:
        open_path(str(text), field="--image 1", roots=roots)
    assert psutil.Process().num_fds() == before  # every descriptor is closed again
    (problem,) = caught.value.problems
    assert problem.field == "--image 1"
    return problem


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A root with a file and a folder, a secret beside it, and links both ways."""
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "cat.png").write_bytes(b"cat")
    (tmp_path / "secret.png").write_bytes(b"secret")
    (root / "inside.png").symlink_to("sub/cat.png")
    (root / "outside.png").symlink_to(tmp_path / "secret.png")
    (root / "way_out").symlink_to(tmp_path)
    (root / "circle").symlink_to("circle")
    return root


def test_files_below_a_root_are_opened(tree: Path) -> None:
    assert opened(tree / "sub" / "cat.png", (tree,)) == b"cat"
    assert opened(tree / "inside.png", (Path("/nowhere"), tree)) == b"cat"
    assert opened(tree / "sub" / ".." / "sub" / "cat.png", (tree,)) == b"cat"
    (tree.parent / "alias").symlink_to(tree)
    assert opened(tree.parent / "alias" / "sub" / "cat.png", (tree,)) == b"cat"
    assert opened(tree / "sub" / "cat.png", (tree.parent / "alias",)) == b"cat"


def test_outside_and_absent_and_unreadable_read_the_same(tree: Path) -> None:
    outside: list[Path | str] = [
        tree.parent / "secret.png",
        tree / "outside.png",
        tree / "way_out" / "secret.png",
        tree / ".." / "secret.png",
        "/etc/passwd",
        tree.with_name("root2") / "x",
    ]
    absent: list[Path | str] = [
        tree / "no.png",
        tree / "sub" / "cta.png",
        tree / "sub" / "cat.png" / "x",
        tree / "circle",
        "/nowhere",
    ]
    problems = {str(path): refused(path, (tree,)) for path in (*outside, *absent)}
    said = {
        (problem.code, problem.message.replace(repr(path), "PATH"), problem.fix) for path, problem in problems.items()
    }
    assert said == {
        ("path_not_allowed", "there is no file of that path in a folder that may be read: PATH", "Send the file itself")
    }


def test_a_link_that_appears_after_the_check_is_not_followed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = os.path.realpath

    def swap(path: str | Path) -> str:
        found = honest(path)
        if found.endswith("cat.png"):
            (tree / "sub" / "cat.png").unlink()
            (tree / "sub").rmdir()
            (tree / "sub").symlink_to(tree.parent)
            (tree.parent / "cat.png").write_bytes(b"secret")
        return found

    monkeypatch.setattr(os.path, "realpath", swap)
    assert refused(tree / "sub" / "cat.png", (tree,)).code == "path_not_allowed"


def test_no_roots_is_no_path(tree: Path) -> None:
    problem = refused(tree / "sub" / "cat.png", ())
    assert problem.code == "path_not_allowed"
    assert "paths are not read here" in problem.message


def test_a_person_may_follow_links_and_is_helped(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert opened(tree / "outside.png") == b"secret"
    problem = refused(tree / "sub" / "Cta.png")
    assert problem.code == "media_not_found"
    assert problem.fix == "Did you mean 'cat.png'?"
    assert refused(tree / "sab" / "cat.png").fix == f"There is no folder {str(tree / 'sab')!r}"
    assert "'~' is not expanded" in refused("~/cat.png").fix
    assert refused(tree / "sub" / "zebra.mp4").fix == ""
    assert "circle" in refused(tree / "circle").message
    monkeypatch.chdir(tree)
    assert opened("sub/cat.png") == b"cat"
    assert refused("sub/cta.png").fix == "Did you mean 'cat.png'?"


def test_a_file_that_may_not_be_read_is_said(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*args: object, **kwargs: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", denied)  # the permissions of a file do not bind root
    problem = refused(tree / "sub" / "cat.png")
    assert problem.code == "path_not_allowed"
    assert "permission denied" in problem.message


@pytest.mark.parametrize("roots", [False, True])
def test_pipes_devices_and_sockets_are_refused_without_waiting(
    tree: Path, roots: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tree / "pipe")
    allowed = (tree, Path("/dev")) if roots else None
    assert "a named pipe" in refused(tree / "pipe", allowed).message
    assert "a device" in refused("/dev/zero", allowed).message
    with socket.socket(socket.AF_UNIX) as listener:
        monkeypatch.chdir(tree)  # a socket's path must be short
        listener.bind("socket")
        expected = "no file of that path" if roots else "a socket"
        assert expected in refused(tree / "socket", allowed).message


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("", "invalid_value", "the path is empty"),
        ("a\0b", "invalid_value", "NUL"),
        ("caf\udce9.png", "invalid_value", "not valid Unicode"),
        ("\ud800", "invalid_value", "not valid Unicode"),
        ("https://me:pw@host/a.png?key=1", "url_not_allowed", "'https://host/a.png'"),
        ("ftp://host/a.png", "url_not_allowed", "'ftp'"),
        ("rtmp://host/live", "url_not_allowed", "'rtmp'"),
        ("file:///etc/passwd", "path_not_allowed", "'file:'"),
        ("FILE:/etc/passwd", "path_not_allowed", "'FILE:'"),
        ("concat:a.mp4|b.mp4", "path_not_allowed", "'concat:'"),
        ("subfile,,start,0,end,9,,:a.mp4", "path_not_allowed", "'subfile,'"),
        ("pipe:0", "path_not_allowed", "'pipe:'"),
        ("data:image/png;base64,AAAA", "path_not_allowed", "'data:'"),
        ("x" * 5000, "media_not_found", "longer than a path can be"),
    ],
)
def test_what_is_no_path(text: str, code: str, words: str) -> None:
    for roots in (None, (Path("/"),)):
        problem = refused(text, roots)
        if roots and code == "media_not_found":
            continue  # below roots there is one answer
        assert problem.code == code
        assert words in problem.message
        assert "pw" not in str(problem)
        assert "key=1" not in str(problem)


def test_a_file_with_the_name_of_an_instruction_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("concat:a").write_bytes(b"x")
    assert opened("./concat:a") == b"x"


def test_addresses_are_shown_without_secrets() -> None:
    assert without_secrets("https://u:p@h:1/a/b@c?k=v#f") == "https://h:1/a/b@c"
    assert without_secrets("https://h?k=v") == "https://h"
    assert len(without_secrets("https://h/" + "x" * 999)) == 200


def test_a_link_to_nothing_is_called_that(tmp_path: Path) -> None:
    (tmp_path / "link.png").symlink_to("gone.png")
    with pytest.raises(InvalidRequest, match=r"a link to 'gone\.png', which is not there"):
        open_path(str(tmp_path / "link.png"), field="image", roots=None)

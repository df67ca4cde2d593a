"""``triptych probe``: what is seen in a file."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.cli.conftest import Cli


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("cat.png", ["image in png (image/png)", "upright 96x64"]),
        ("clip.mp4", ["upright 96x64", "24 frames at 24.000 fps, h264", "sound: 48000 Hz, stereo, aac"]),
        ("hum.wav", ["audio in wav (audio/wav)", "0.500 s of sound: 48000 Hz, stereo"]),
    ],
)
def test_each_kind_is_described(cli: Cli, here: Path, name: str, lines: list[str]) -> None:
    done = cli("probe", name)
    assert (done.code, done.err) == (0, "")
    for line in lines:
        assert line in done.out
    assert f"sha256 {hashlib.sha256((here / name).read_bytes()).hexdigest()}" in done.out


def test_as_json_it_is_the_probe(cli: Cli, here: Path) -> None:
    document = cli("probe", "cat.png", "--json").json()
    assert (document["modality"], document["width"], document["height"]) == ("image", 96, 64)
    assert document["size_bytes"] == (here / "cat.png").stat().st_size


def test_a_part_is_looked_at_alone(cli: Cli, here: Path) -> None:
    assert cli("probe", "clip.mp4#t=0,0.5", "--json").json()["frames"] == 12


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "FILE: the path is empty."),
        ("cta.png", "cta.png: no such file: 'cta.png'. Did you mean 'cat.png'?"),
        ("cat.png#fit=pad", "cat.png#fit=pad: how it meets a frame (#fit) says nothing here: there is no frame."),
        ("clip.mp4#t=x", "clip.mp4#t=x: 'x' is not a part such as #t=2,7. Give a part such as #t=2,7."),
        ("cat.png#t=1,2", "cat.png#t=1,2: a still has no length, and a part of it in seconds was asked for."),
        ("hum.wav#t=0.1,9", "hum.wav#t=0.1,9: the part ends at 9 s, and the file at 0.500 s."),
        ("hum.wav#t=2", "hum.wav#t=2: the part begins at 2 s, and the file ends at 0.500 s."),
        ("clip.mp4#t=0.5,3", "clip.mp4#t=0.5,3: the part ends at 3 s, and the file at 1.000 s."),
        ("https://me:word@h/x.png", "https://h/x.png: addresses are not fetched here: 'https://h/x.png'."),
        ("text.png", "text.png: it is plain text, not media."),
        ("/dev/zero", "/dev/zero: it is a device, not a file: '/dev/zero'."),
    ],
)
def test_what_cannot_be_looked_at_is_told(cli: Cli, here: Path, typed: str, said: str) -> None:
    (here / "text.png").write_text("a picture, they said")
    (problem,) = cli("probe", typed).problems()
    assert problem.startswith(said)


def test_as_json_a_refusal_is_json(cli: Cli, here: Path) -> None:
    done = cli("probe", "no.png", "--json")
    assert (done.code, done.err) == (1, "")
    assert done.json()["error"]["code"] == "media_not_found"

"""What an input may be is told from its bytes, or stays open."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from tests.wire.asking import FILE_ID, ID, png, wav
from triptych.media.fetch import Policy
from triptych.task import (
    Blob,
    BlobSource,
    BytesSource,
    DataURLSource,
    Modality,
    PathSource,
    ResultSource,
    Source,
    URLSource,
)
from triptych.testing.media import make_clip
from triptych.wire.kind import UNKNOWN, kinds_of

PICTURE, SOUND, CLIP = (frozenset((kind,)) for kind in (Modality.IMAGE, Modality.AUDIO, Modality.VIDEO))
MOVIE = CLIP | SOUND


def blob(path: Path, data: bytes) -> Blob:
    path.write_bytes(data)
    return Blob(path=str(path), sha256="", size_bytes=len(data))


def data_url(data: bytes) -> DataURLSource:
    return DataURLSource("data:text/plain;base64," + base64.b64encode(data).decode())


def test_bytes_that_are_at_hand(tmp_path: Path) -> None:
    for data, kinds in ((png(), PICTURE), (wav(), SOUND), (b"what is this", UNKNOWN), (b"", UNKNOWN)):
        assert kinds_of(BytesSource(data)) == kinds
        assert kinds_of(data_url(data)) == kinds
        assert kinds_of(BlobSource(blob(tmp_path / "named.mp4", data))) == kinds
    movie = make_clip(tmp_path / "clip.png", container="mp4").read_bytes()
    assert kinds_of(BlobSource(blob(tmp_path / "x", movie))) == MOVIE
    assert kinds_of(BlobSource(Blob(path="", sha256="", size_bytes=1, packed=True))) == CLIP
    assert kinds_of(BlobSource(Blob(path=str(tmp_path / "gone"), sha256="", size_bytes=1))) == UNKNOWN
    assert kinds_of(DataURLSource("data:image/png,plain")) == UNKNOWN


def test_paths_are_opened_only_where_they_may_be(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside.png"
    (root / "frames").mkdir(parents=True)
    (root / "a.mp4").write_bytes(png())
    outside.write_bytes(png())
    policy = Policy(roots=(root,), max_bytes=1 << 20)
    assert kinds_of(PathSource(str(root / "a.mp4")), policy=policy) == PICTURE
    assert kinds_of(PathSource(str(root / "frames")), policy=policy) == CLIP
    for path in (outside, root / "none.png", root / ".." / "outside.png"):
        assert kinds_of(PathSource(str(path)), policy=policy) == UNKNOWN
    assert kinds_of(PathSource(str(root / "a.mp4"))) == UNKNOWN
    assert kinds_of(PathSource(str(root / "a.mp4")), policy=Policy(roots=(), max_bytes=1)) == UNKNOWN


@pytest.mark.parametrize(
    ("id", "kinds"),
    [
        (ID, CLIP), (f"{ID}.video", CLIP), (f"{ID}.1", CLIP), (f"{ID}.last_frame", PICTURE), (f"{ID}.audio", SOUND),
        (f"{ID}.thumbnail", PICTURE), (FILE_ID, UNKNOWN), ("x", UNKNOWN),
    ],
)  # fmt: skip
def test_results_are_what_their_ids_say(id: str, kinds: frozenset[Modality]) -> None:
    assert kinds_of(ResultSource(id)) == kinds


def test_uploaded_files_are_found_by_who_keeps_them(tmp_path: Path) -> None:
    kept = {FILE_ID: blob(tmp_path / "x", wav())}
    assert kinds_of(ResultSource(FILE_ID), blob_of=kept.get) == SOUND
    assert kinds_of(ResultSource("file_other"), blob_of=kept.get) == UNKNOWN


def test_addresses_stay_open() -> None:
    source: Source = URLSource("https://a.example/a.png")
    assert kinds_of(source) == UNKNOWN

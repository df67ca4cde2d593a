from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from triptych.task import Blob, BlobSource, BytesSource, DataURLSource, PathSource, ResultSource, URLSource


def test_a_source_does_not_change() -> None:
    for source in (PathSource("a.png"), BytesSource(b"x"), DataURLSource("data:,"), URLSource("x"), ResultSource("i")):
        for name in vars(source):
            with pytest.raises(FrozenInstanceError):
                setattr(source, name, "other")


def test_what_is_shown_of_a_source_holds_no_payload() -> None:
    assert "secret" not in repr(BytesSource(b"secret"))
    assert "secret" not in repr(DataURLSource("data:text/plain;base64,secret"))
    assert "a.png" in repr(PathSource("a.png"))


def test_a_path_is_a_file_until_it_says_more() -> None:
    assert PathSource("frames").frame_rate is None
    blob = Blob(path="p", sha256="0" * 64, size_bytes=3)
    assert (blob.packed, blob.frame_rate) == (False, None)
    with pytest.raises(TypeError):
        Blob("p", "0" * 64, 3)  # type: ignore[call-arg]  # keywords only, which is tried here


def test_an_upload_is_a_source_like_the_others() -> None:
    source = BlobSource(Blob(path="p", sha256="0" * 64, size_bytes=3))
    assert source == BlobSource(Blob(path="p", sha256="0" * 64, size_bytes=3))
    with pytest.raises(FrozenInstanceError):
        source.blob = Blob(path="q", sha256="1" * 64, size_bytes=3)  # type: ignore[misc]  # which is tried here


def test_bytes_are_here_unless_they_say_what_they_wait_for() -> None:
    assert Blob(path="p", sha256="0" * 64, size_bytes=3).awaits is None
    assert Blob(path="", sha256="", size_bytes=0, awaits="video_1").awaits == "video_1"

"""Every way to say an input ends in the same reference."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from triptych.task import (
    Blob,
    BlobSource,
    BytesSource,
    DataURLSource,
    Modality,
    PathSource,
    Reference,
    ResultSource,
    Role,
    Source,
    URLSource,
)
from triptych.testing.media import make_clip, picture_bytes, quarters, tone, wav_bytes
from triptych.wire.body import Upload
from triptych.wire.field import INPUTS
from triptych.wire.reference import Reading, kinds_of

PNG = picture_bytes(quarters())
URL = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
VIDEO = "video_" + "0" * 26


def read(value: Any, name: str = "reference_images") -> Reading:
    reading = Reading()
    reading.read(value, INPUTS[name], (name,))
    return reading


def one(value: Any, name: str = "reference_images") -> Reference:
    reading = read(value, name)
    assert [str(problem) for problem in reading.problems] == []
    (found,) = reading.references
    return found


@pytest.mark.parametrize(
    ("value", "source"),
    [
        ("a/b.png", PathSource("a/b.png")),
        ("https://example.org/a.png", URLSource("https://example.org/a.png")),
        ("file:///etc/passwd", URLSource("file:///etc/passwd")),
        (URL, DataURLSource(URL)),
        (VIDEO, ResultSource(VIDEO)),
        (f"{VIDEO}.last_frame", ResultSource(f"{VIDEO}.last_frame")),
        ({"url": "https://example.org/a.png"}, URLSource("https://example.org/a.png")),
        ({"image_url": URL}, DataURLSource(URL)),
        ({"image_url": {"url": URL}}, DataURLSource(URL)),
        (
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
            URLSource("https://example.org/a.png"),
        ),
        ({"file_id": "file_x"}, ResultSource("file_x")),
        ({"video_id": VIDEO}, ResultSource(VIDEO)),
        ({"artifact_id": f"{VIDEO}.audio"}, ResultSource(f"{VIDEO}.audio")),
        ({"path": "a.png"}, PathSource("a.png")),
        ({"data": base64.b64encode(PNG).decode()}, BytesSource(PNG)),
        ({"data": URL}, DataURLSource(URL)),
        ('{"file_id": "file_x"}', ResultSource("file_x")),
        ('["a.png"]', PathSource("a.png")),
        (["a.png"], PathSource("a.png")),
    ],
)
def test_an_input_is_found_where_it_is_said_to_be(value: Any, source: Source) -> None:
    found = one(value)
    assert found.source == source
    assert (found.role, found.modality) == (Role.REFERENCE, Modality.IMAGE)
    assert found.field.startswith("reference_images")


def test_an_upload_is_bytes_that_are_here() -> None:
    blob = Blob(path="/x", sha256="ab", size_bytes=1)
    assert one(Upload(blob=blob, how="file")).source == BlobSource(blob)


def test_what_is_said_of_an_input_reaches_it() -> None:
    found = one(
        {
            "type": "video", "role": "motion", "url": "https://example.org/a.mp4", "name": "walk",
            "start_time_seconds": "1.5", "seconds": 2, "soundtrack": True, "fit": "pad",
        },
        "references",
    )  # fmt: skip
    assert (found.role, found.modality, found.name) == (Role.REFERENCE, Modality.VIDEO, "walk")
    assert (found.start_seconds, found.seconds, found.sound, found.fit) == (1.5, 2, True, "pad")


def test_a_folder_of_frames_has_a_rate() -> None:
    assert one({"path": "frames", "frame_rate": 12}, "reference_videos").source == PathSource("frames", frame_rate=12)


@pytest.mark.parametrize(("index", "role"), [(0, Role.FIRST_FRAME), (-1, Role.LAST_FRAME)])
def test_a_key_frame_says_which_by_its_number(index: int, role: Role) -> None:
    said = {"type": "image", "uri": "https://example.org/a.png", "role": "keyframe", "frame_index": index}
    assert one(said, "conditions").role is role


def test_a_soundtrack_of_its_own_belongs_to_its_clip() -> None:
    reading = read([{"path": "a.mp4", "soundtrack": {"path": "a.wav"}}], "reference_videos")
    clip, sound = reading.references
    assert (sound.role, sound.soundtrack_of, sound.source) == (Role.SOUNDTRACK, clip.field, PathSource("a.wav"))


@pytest.mark.parametrize(
    ("value", "name", "code", "field"),
    [
        ({}, "first_frame", "missing_required_parameter", "first_frame"),
        ({"url": "https://a/b", "path": "c"}, "first_frame", "conflicting_parameters", "first_frame"),
        ({"path": "a", "colour": "red"}, "first_frame", "unknown_parameter", "first_frame.colour"),
        ({"path": "a"}, "references", "role_required", "references"),
        ({"path": "a", "role": "hero"}, "references", "invalid_value", "references.role"),
        ({"path": "a", "type": "smell", "role": "reference"}, "references", "invalid_value", "references.type"),
        ({"path": "a", "role": "last_frame"}, "first_frame", "conflicting_parameters", "first_frame.role"),
        ({"path": "a", "type": "video"}, "reference_images", "conflicting_parameters", "reference_images.type"),
        ({"path": "a", "frame_index": 3}, "conditions", "invalid_value", "conditions.frame_index"),
        ({"url": "https://a/b", "frame_rate": 3}, "reference_videos", "unsupported_parameter", "reference_videos"),
        ({"data": "-_-_"}, "reference_images", "invalid_value", "reference_images.data"),
        ("", "reference_images", "invalid_value", "reference_images"),
        (["a", 3], "reference_images", "invalid_value", "reference_images[1]"),
        ("{not json", "reference_images", "invalid_value", "reference_images"),
        ("x" * 5000, "reference_images", "invalid_value", "reference_images"),
        ({"path": "a", "start_seconds": "soon"}, "reference_videos", "invalid_value", "reference_videos.start_seconds"),
        ({"type": "text", "text": "a"}, "content", "unsupported_parameter", "content"),
    ],
)
def test_what_cannot_be_read_is_refused_where_it_stands(value: Any, name: str, code: str, field: str) -> None:
    problems = read(value, name).problems
    assert (code, field) in [(problem.code, problem.field) for problem in problems]


def stored(folder: Path, name: str, data: bytes) -> BlobSource:
    path = folder / name
    path.write_bytes(data)
    return BlobSource(Blob(path=str(path), sha256="", size_bytes=len(data)))


def test_the_kind_of_an_input_comes_from_its_bytes_or_its_id(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "c.mp4", frames=4).read_bytes()
    assert kinds_of(stored(tmp_path, "a", PNG)) == {Modality.IMAGE}
    assert Modality.IMAGE not in kinds_of(stored(tmp_path, "b", clip))
    assert kinds_of(stored(tmp_path, "c", wav_bytes(tone(0.1)))) == {Modality.AUDIO}
    assert kinds_of(DataURLSource(URL)) == {Modality.IMAGE}
    assert kinds_of(ResultSource(VIDEO)) == {Modality.VIDEO}
    assert kinds_of(ResultSource(f"{VIDEO}.last_frame")) == {Modality.IMAGE}
    assert kinds_of(ResultSource(f"{VIDEO}.audio")) == {Modality.AUDIO}
    assert kinds_of(stored(tmp_path, "d", b"words")) == frozenset()
    assert kinds_of(PathSource("a.png")) == frozenset()


@pytest.mark.parametrize(("name", "role"), [("a", Role.FIRST_FRAME), ("b", Role.REFERENCE), ("c", Role.REFERENCE)])
def test_an_input_reference_is_a_first_frame_only_if_it_is_a_picture(tmp_path: Path, name: str, role: Role) -> None:
    data = {
        "a": PNG,
        "b": make_clip(tmp_path / "c.mp4", frames=4).read_bytes(),
        "c": wav_bytes(tone(0.1)),
    }[name]
    upload = Upload(blob=stored(tmp_path, name, data).blob, how="file")
    assert one(upload, "input_reference").role is role

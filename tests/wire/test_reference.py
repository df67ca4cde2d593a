"""Every way in which an input can be said."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

import pytest

from tests.wire.asking import FILE_ID, ID, inputs_of, png, typed, wav
from triptych.task import (
    Blob,
    BlobSource,
    BytesSource,
    DataURLSource,
    Fit,
    Modality,
    PathSource,
    ResultSource,
    Role,
    URLSource,
)
from triptych.wire.body import Upload
from triptych.wire.reference import MOST_INPUTS

DATA_URL = "data:image/png;base64," + base64.b64encode(png()).decode()
RAW = base64.b64encode(b"some bytes").decode()


def upload(path: Path, data: bytes) -> Upload:
    path.write_bytes(data)
    return Upload(blob=Blob(path=str(path), sha256=path.name, size_bytes=len(data)), how="file", file_name="../x")


def refused(values: dict[str, Any]) -> list[tuple[str, str]]:
    return [(problem.code, problem.field) for problem in typed(values).problems]


@pytest.mark.parametrize(
    ("said", "source"),
    [
        ("https://a.example/x.png", URLSource("https://a.example/x.png")),
        (DATA_URL, DataURLSource(DATA_URL)),
        ("DATA:image/png;base64,AAAA", DataURLSource("DATA:image/png;base64,AAAA")),
        ("pictures/x.png", PathSource("pictures/x.png")),
        ("file:///x.png", URLSource("file:///x.png")),
        (ID, ResultSource(ID)),
        (f"{ID}.last_frame", ResultSource(f"{ID}.last_frame")),
        (FILE_ID, ResultSource(FILE_ID)),
        ("video_first.mp4", PathSource("video_first.mp4")),
        (f"base64:{RAW}", BytesSource(b"some bytes")),
        ({"url": "https://a.example/x.png"}, URLSource("https://a.example/x.png")),
        ({"url": DATA_URL, "file_id": None}, DataURLSource(DATA_URL)),
        ({"image_url": "https://a.example/x.png"}, URLSource("https://a.example/x.png")),
        ({"image_url": {"url": DATA_URL, "detail": "high"}}, DataURLSource(DATA_URL)),
        ({"file_id": FILE_ID}, ResultSource(FILE_ID)),
        ({"video_id": "anything"}, ResultSource("anything")),
        ({"artifact_id": f"{ID}.last_frame"}, ResultSource(f"{ID}.last_frame")),
        ({"id": ID}, ResultSource(ID)),
        ({"path": ID}, PathSource(ID)),
        ({"data": RAW}, BytesSource(b"some bytes")),
        ({"data": DATA_URL}, DataURLSource(DATA_URL)),
        ({"b64_json": RAW}, BytesSource(b"some bytes")),
    ],
)
def test_where_it_is(said: Any, source: object) -> None:
    for name in ("reference_images", "first_frame"):
        (one,) = typed({name: said}).request.references
        assert one.source == source
    (one,) = typed({"reference_images": [said]}).request.references
    assert one.source == source
    (one,) = typed(
        {"references": [{"role": "last_frame", **(said if isinstance(said, dict) else {"url": said})}]}
    ).request.references
    assert (one.role, one.source) == (Role.LAST_FRAME, source)


@pytest.mark.parametrize("name", ["start_image", "end_image", "audio"])
def test_plain_base64_is_read_where_the_name_says_so(name: str) -> None:
    (one,) = typed({name: RAW}).request.references
    assert one.source == BytesSource(b"some bytes")
    assert refused({name: "no/path.png"}) == [("invalid_value", name)]


def test_files_are_taken_under_every_name(tmp_path: Path) -> None:
    file = upload(tmp_path / "a", png())
    for name in ("input_reference", "first_frame", "reference_images", "image_reference", "start_image"):
        (one,) = typed({name: file}).request.references
        assert one.source == BlobSource(file.blob)
    (one,) = typed({"references": [{"role": "reference", "data": file}]}).request.references
    assert one.source == BlobSource(file.blob)


def test_input_reference_is_what_its_bytes_are(tmp_path: Path) -> None:
    assert inputs_of(typed({"input_reference": upload(tmp_path / "a", png())})) == ["first_frame image input_reference"]
    assert inputs_of(typed({"input_reference": upload(tmp_path / "b", wav())})) == ["reference audio input_reference"]
    assert inputs_of(typed({"input_reference": DATA_URL})) == ["first_frame image input_reference"]
    assert inputs_of(typed({"input_reference": upload(tmp_path / "c", b"?")})) == ["first_frame ? input_reference"]
    assert inputs_of(typed({"input_reference": ID})) == ["reference video input_reference"]
    assert inputs_of(typed({"input_reference": f"{ID}.last_frame"})) == ["first_frame image input_reference"]
    assert inputs_of(typed({"input_reference": {"type": "video", "path": "x"}})) == ["reference video input_reference"]
    assert inputs_of(typed({"input_reference": {"role": "last_frame", "path": "x"}})) == [
        "last_frame ? input_reference"
    ]
    assert inputs_of(typed({"extra_params": {"input_reference": "x"}})) == [
        "first_frame ? extra_params.input_reference"
    ]


def test_who_can_look_at_paths_and_ids_says_what_they_are() -> None:
    kinds = {PathSource("x"): Modality.VIDEO, ResultSource(FILE_ID): Modality.AUDIO}
    both: Any = typed({"references": []}, kinds_of=lambda source: frozenset((kinds[source],)))
    assert both.request.references == ()
    for said, kind in (("x", "video"), (FILE_ID, "audio")):
        one = typed({"input_reference": said}, kinds_of=lambda source: frozenset((kinds[source],)))
        assert inputs_of(one) == [f"reference {kind} input_reference"]


def test_what_is_said_of_an_input() -> None:
    said = {
        "path": "a.mp4", "type": "video", "role": "reference", "start_time_seconds": "1.5", "seconds": 2, "name": "dog",
        "fit": "pad", "soundtrack": True,
    }  # fmt: skip
    (one,) = typed({"references": [said]}).request.references
    assert (one.start_seconds, one.seconds, one.name, one.fit, one.sound) == (1.5, 2, "dog", Fit.PAD, True)
    (one,) = typed({"references": [{"path": "frames", "role": "reference", "frame_rate": 12}]}).request.references
    assert one.source == PathSource("frames", frame_rate=12)


@pytest.mark.parametrize("word", ["driving_audio", "motion", "subject", "style", "reference_image"])
def test_words_of_others_are_references(word: str) -> None:
    (one,) = typed({"references": [{"path": "a", "role": word}]}).request.references
    assert one.role is Role.REFERENCE


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ([{"path": "a"}], ("role_required", "references[0]")),
        (["a"], ("role_required", "references[0]")),
        ([{"path": "a", "role": "hero"}], ("invalid_value", "references[0].role")),
        ([{"path": "a", "role": "keyframe"}], ("role_required", "references[0]")),
        ([{"role": "reference"}], ("missing_required_parameter", "references[0]")),
        ([{"role": "reference", "url": "x", "path": "y"}], ("conflicting_parameters", "references[0]")),
        ([{"path": "a", "role": "reference", "rle": "x"}], ("unknown_parameter", "references[0].rle")),
        ([{"path": "a", "role": "reference", "seconds": "2s"}], ("invalid_value", "references[0].seconds")),
        ([{"path": "a", "role": "reference", "fit": "stretch"}], ("invalid_value", "references[0].fit")),
        ([{"path": "a", "role": "first_frame", "frame_index": -1}],
         ("conflicting_parameters", "references[0].frame_index")),
        ([{"path": "a", "role": "reference", "sound": True, "soundtrack": False}],
         ("conflicting_parameters", "references[0].soundtrack")),
        ([{"url": "https://a.example/x", "role": "reference", "frame_rate": 5}],
         ("unsupported_parameter", "references[0].frame_rate")),
        ([{"image_url": {"url": "x", "weight": 1}, "role": "reference"}],
         ("unknown_parameter", "references[0].image_url.weight")),
        ([{"data": "@@@", "role": "reference"}], ("invalid_value", "references[0].data")),
        ([["a"]], ("invalid_value", "references[0]")),
        ([5], ("invalid_value", "references[0]")),
        ([True], ("invalid_value", "references[0]")),
        ([{"path": {"a": 1}, "role": "reference"}], ("invalid_value", "references[0].path")),
        ([{"id": "x" * 1000, "role": "reference"}], ("invalid_value", "references[0].id")),
        (["x" * 5000], ("invalid_value", "references[0]")),
        ("[{", ("invalid_value", "references")),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_named(said: Any, problem: tuple[str, str]) -> None:
    assert refused({"references": said}) == [problem]


def test_a_name_that_says_the_role_takes_no_other() -> None:
    assert refused({"reference_images": [{"path": "a", "role": "first_frame"}]}) == [
        ("conflicting_parameters", "reference_images[0].role")
    ]
    assert refused({"reference_images": [{"path": "a", "type": "video"}]}) == [
        ("conflicting_parameters", "reference_images[0].type")
    ]
    assert refused({"reference_images": [{"path": "a", "type": "image", "role": "subject"}]}) == []


def test_two_names_of_one_input_say_the_same_or_are_refused(tmp_path: Path) -> None:
    file = upload(tmp_path / "a", b"some bytes")
    file = Upload(blob=Blob(path=file.blob.path, sha256=_sha256(b"some bytes"), size_bytes=10), how="file")
    one = typed({"reference_images": [file, "b.png"], "reference_image_urls": [{"data": RAW}, "b.png"]})
    assert one.problems == ()
    assert [each.field for each in one.request.references] == ["reference_images[0]", "reference_images[1]"]
    assert [(each.code, each.field) for each in one.warnings] == [("said_twice", "reference_image_urls")]
    for other in (["b.png"], ["b.png", {"data": RAW}], [{"data": RAW, "name": "x"}, "b.png"]):
        values = {"reference_images": [file, "b.png"], "reference_image_urls": other}
        assert refused(values) == [("conflicting_parameters", "reference_image_urls")]
        assert "reference_images" in typed(values).problems[0].message


def test_a_great_many_inputs_are_refused_without_looking_at_each() -> None:
    one = typed({"input_references": ["a"] * 90_000})
    assert len(one.request.references) == MOST_INPUTS
    assert [(each.code, each.field) for each in one.problems] == [("reference_limit_exceeded", "input_references")]


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

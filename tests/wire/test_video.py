"""A body as one request: what it becomes, what is kept of it, and what is said of it. The tables stand beside this."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import time
from pathlib import Path
from typing import Any

import pytest

from tests.rules.example import H3_LIKE
from tests.wire.asking import FILE_ID, ID, inputs_of, png, spec_of, told, typed
from triptych.errors import InvalidRequest
from triptych.media.fetch import Policy
from triptych.run import prepare
from triptych.studio import Studio
from triptych.task import Blob, BlobSource, Fit, PathSource, ResultSource, Role, Tags
from triptych.testing.double import DoubleEngine
from triptych.testing.media import make_clip
from triptych.wire.body import Document, Upload
from triptych.wire.video import Typed, parse, parse_clip, parse_remix


def clip_of(values: dict[str, Any]) -> Typed:
    return parse_clip(Document(values={"prompt": "on", **values}), default_engine="h3-like", registry_specs=spec_of)


def refused(one: Typed) -> list[tuple[str, str]]:
    return [(problem.code, problem.field) for problem in one.problems]


def test_every_setting_speaks_the_callers_words() -> None:
    body = {
        "prompt": "a boat", "size": "1280x704", "height": 640, "duration_seconds": 8, "num_outputs_per_prompt": 1,
        "fit": "pad", "tags": "verbatim", "model": "h3-like",
        "extra_params": {"seed": 3, "flow_shift": 2, "task": "t2va"},
    }  # fmt: skip
    request = typed(body).request
    assert {name: request.called(name) for name in ("width", "height", "seconds", "n", "seed", "task", "engine")} == {
        "width": "size", "height": "height", "seconds": "duration_seconds", "n": "num_outputs_per_prompt",
        "seed": "extra_params.seed", "task": "extra_params.task", "engine": "model",
    }  # fmt: skip
    assert request.fields["options.flow_shift"] == "extra_params.flow_shift"
    assert (request.fit, request.tags) == (Fit.PAD, Tags.VERBATIM)


def test_what_was_sent_is_told_again_as_it_was_sent() -> None:
    one = typed(
        {"seconds": "8.0", "size": "1280X704", "width": 704, "user": "ann", "extra_params": {"flow_shift": "2"}}
    )
    assert one.asked["requested"] == {
        "seconds": "8.0", "size": "1280X704", "width": 704, "extra_params.flow_shift": "2",
    }  # fmt: skip
    assert one.asked["user"] == "ann"
    assert [(each["code"], each["param"]) for each in one.asked["warnings"]] == [("overridden", "size")]


def test_inputs_are_in_the_order_of_the_body() -> None:
    body = {
        "reference_audio": "a.wav", "extra_params": {"reference_images": ["b.png"]},
        "metadata": {"input_reference_video": "c"}, "references": [{"path": "d", "role": "reference"}],
        "reference_videos": ["e"],
    }  # fmt: skip
    assert [one.rpartition(" ")[2] for one in inputs_of(typed(body))] == [
        "reference_audio", "extra_params.reference_images[0]", "metadata.input_reference_video", "references[0]",
        "reference_videos[0]",
    ]  # fmt: skip


def test_W05_seconds_may_be_a_number_or_text() -> None:
    assert {typed({"seconds": value}).request.seconds for value in (8, 8.0, "8", "8.0")} == {8}


def test_S15_a_file_under_a_foreign_name_is_refused_with_the_names_there_are() -> None:
    file = Upload(blob=Blob(path="x", sha256="a" * 64, size_bytes=1), how="file")
    for name in ("image", "referenceImages", "upload"):
        (problem,) = typed({name: file}).problems
        assert (problem.code, problem.field) == ("unknown_parameter", name)
        assert "image" in problem.fix


def test_S16_two_files_in_input_reference_are_refused() -> None:
    one = typed({"input_reference": ["a.png", "a.png"]})
    assert refused(one) == [("role_required", "input_reference")]
    assert "reference_images" in one.problems[0].fix and "first_frame" in one.problems[0].fix


@pytest.mark.parametrize(
    "said",
    [
        "a.png",
        "https://a.example/a.png",
        {"image_url": "https://a.example/a"},
        {"file_id": FILE_ID},
        {"id": f"{ID}.last_frame"},
    ],
)
def test_W02_W03_S05_strings_objects_and_ids_are_all_a_first_frame(said: Any) -> None:
    one = typed({"input_reference": said})
    assert one.problems == ()
    assert [each.role for each in one.request.references] == [Role.FIRST_FRAME]


def test_W07_a_data_url_and_plain_base64_are_the_same_bytes() -> None:
    text = base64.b64encode(png()).decode()
    both = [{"data": f"data:image/png;base64,{text}"}, {"data": text}]
    one = typed({"first_frame": both[0], "references": [{**both[1], "role": "first_frame"}]})
    assert refused(one) == []
    assert len(one.request.references) == 1


def test_W09_any_mix_is_one_list_of_references() -> None:
    one = typed({"reference_images": ["a"], "input_references": [{"video_url": "data:video/mp4;base64,AAAA"}]})
    assert [each.split(" ")[:2] for each in inputs_of(one)] == [["reference", "image"], ["reference", "video"]]


def test_a_prompt_that_looks_like_json_is_a_prompt() -> None:
    assert typed({"prompt": '{"a": 1}'}).request.prompt == '{"a": 1}'
    assert refused(typed({"prompt": 5})) == [("invalid_value", "prompt")]
    assert refused(typed({"content": [{"type": "text", "text": "other words"}]})) == [
        ("conflicting_parameters", "content[0].text")
    ]


def test_a_model_that_there_is_not_is_for_the_registry_to_refuse() -> None:
    one = typed({"model": "nobody", "negative_prompt": "x", "unheard_of": 1})
    assert one.request.engine == "nobody"
    assert refused(one) == [("unknown_parameter", "unheard_of")]
    assert typed({}, engine=None).request.engine is None


def test_problems_of_what_was_read_and_of_the_rules_come_together() -> None:
    assert told(typed({"seconds": "8s", "size": "7x7", "colour": "red"})) == [
        ("invalid_value", "seconds"), ("unknown_parameter", "colour"), ("size_not_supported", "size"),
    ]  # fmt: skip


def test_a_body_of_nothing_but_rubbish_is_refused_soon() -> None:
    begun = time.process_time()
    one = typed({f"num_frame{index}": index for index in range(90_000)})
    assert len(one.problems) == 101
    assert time.process_time() - begun < 15


def test_a_clip_to_work_on_is_an_input() -> None:
    ways: list[Any] = [ID, {"id": ID}, {"video_id": ID}]
    for said in ways:
        one = clip_of({"video": said, "seconds": "8"})
        assert (refused(one), one.request.seconds) == ([], 8)
        (clip,) = one.request.references
        assert (clip.role, clip.source, clip.field) == (Role.INPUT, ResultSource(ID), "video")
    file = Upload(blob=Blob(path="x", sha256="a" * 64, size_bytes=1), how="file")
    assert clip_of({"video": file}).request.references[0].source == BlobSource(file.blob)
    assert clip_of({"video": "clips/a.mp4"}).request.references[0].source == PathSource("clips/a.mp4")
    nothing: list[dict[str, Any]] = [{}, {"video": None}]
    for values in nothing:
        assert refused(clip_of(values)) == [("missing_required_parameter", "video")]
    assert refused(clip_of({"video": ""})) == [("invalid_value", "video")]
    assert refused(clip_of({"video": [ID, ID]})) == [("role_required", "video")]


def test_elsewhere_a_clip_to_work_on_is_refused_with_where_to_send_it() -> None:
    (problem,) = typed({"video": {"id": ID}}).problems
    assert (problem.code, problem.field) == ("unsupported_parameter", "video")
    assert "/v1/videos/edits" in problem.fix


@pytest.mark.parametrize(
    ("values", "prompt", "problems"),
    [
        ({"prompt": "a ship"}, "a ship", []),
        ({"prompt": "a ship", "model": None}, "a ship", []),
        ({}, "", [("missing_required_parameter", "prompt")]),
        ({"prompt": " "}, "", [("missing_required_parameter", "prompt")]),
        ({"prompt": 5}, "", [("invalid_value", "prompt")]),
        ({"prompt": "a ship", "size": "1x1"}, "a ship", [("unknown_parameter", "size")]),
    ],
)
def test_remix(values: dict[str, Any], prompt: str, problems: list[tuple[str, str]]) -> None:
    words, found = parse_remix(Document(values=values))
    assert (words, [(one.code, one.field) for one in found]) == (prompt, problems)


def test_real_inputs_arrive_in_the_plan_and_an_illegal_pair_starts_nothing(tmp_path: Path) -> None:
    picture, movie = tmp_path / "a.png", make_clip(tmp_path / "b.mp4", frames=72)
    picture.write_bytes(png())
    engine = DoubleEngine(H3_LIKE)

    async def planned(values: dict[str, Any]) -> list[tuple[str, str]]:
        async with Studio(registry=engine.registry(), policy=Policy(roots=(tmp_path,), max_bytes=1 << 20)) as studio:
            one = typed(values)
            plan = await prepare(one.request, studio, found=one.problems)
            return [(str(slot.role), slot.blob.sha256) for slot in plan.slots]

    digests = {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in (picture, movie)}
    data = "data:application/octet-stream;base64," + base64.b64encode(picture.read_bytes()).decode()
    for said in (str(picture), data):
        assert asyncio.run(planned({"input_reference": said})) == [("first_frame", digests[picture])]
    assert asyncio.run(planned({"metadata": {"input_reference_video": str(movie)}})) == [("reference", digests[movie])]
    with pytest.raises(InvalidRequest) as illegal:
        asyncio.run(planned({"input_reference": data, "metadata": {"input_reference_video": str(movie)}}))
    assert [problem.code for problem in illegal.value.problems] == ["unsupported_combination"]
    assert "metadata.input_reference_video" in illegal.value.message
    assert engine.calls == 0


def test_the_documents_own_problems_are_left_to_who_read_it() -> None:
    assert parse(Document(), default_engine=None, registry_specs=spec_of).problems == ()

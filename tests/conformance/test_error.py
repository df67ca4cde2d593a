"""What the server refuses arrives as the client's own exception, with the reason readable in it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.caller import Client, Raised
from tests.conformance.sample import Sample
from triptych.testing.server import LiveServer


@pytest.mark.parametrize(
    ("body", "extra", "code", "param", "words"),
    [
        ({"prompt": ""}, {}, "missing_required_parameter", "prompt", "the prompt is empty"),
        ({"prompt": "x", "size": "1281x721"}, {}, "size_not_supported", "size", "1281x721"),
        ({"prompt": "x", "seconds": "soon"}, {}, "invalid_value", "seconds", "soon"),
        ({"prompt": "x"}, {"reference_imagse": ["a"]}, "unknown_parameter", "reference_imagse", "reference_images"),
        ({"prompt": "x"}, {"generate_audio": False}, "unsupported_parameter", "generate_audio", "always have sound"),
        ({"prompt": "x"}, {"reference_images": ["data:image/png;base64,AAAA"]}, None, "reference_images[0]", "image"),
        ({"prompt": "x"}, {"reference_images": ["https://127.0.0.1/a.png"]}, None, "reference_images[0]", ""),
        ({"prompt": "x"}, {"reference_images": ["/etc/passwd"]}, "path_not_allowed", "reference_images[0]", ""),
        ({"prompt": "Image 1"}, {}, "unknown_tag", "prompt", "Image 1"),
    ],
    ids=["prompt", "size", "seconds", "name", "sound", "broken", "address", "path", "tag"],
)
def test_a_refusal(
    client: Client,
    shelf: LiveServer,
    body: dict[str, Any],
    extra: dict[str, Any],
    code: str | None,
    param: str,
    words: str,
) -> None:
    with pytest.raises(Raised) as refused:
        client.call("videos.create", shelf.base_url, body=body, extra=extra)
    assert (refused.value.kind, refused.value.status) == ("BadRequestError", 400)
    assert refused.value.type == "invalid_request_error"
    assert refused.value.param == param
    assert code in (None, refused.value.code)
    assert words in str(refused.value)
    assert words in (refused.value.text or "")


def test_an_engine_that_is_not_there(client: Client, shelf: LiveServer) -> None:
    with pytest.raises(Raised) as refused:
        client.call("videos.create", shelf.base_url, body={"prompt": "x", "model": "animatik"})
    assert refused.value.param == "model"
    assert "Did you mean animatic?" in str(refused.value)


def test_a_model_of_openais_is_stood_in_for_and_that_is_told(client: Client, shelf: LiveServer) -> None:
    body = {"prompt": "x", "model": "sora-2", "size": "720x1280", "seconds": "4"}
    job = client.call("videos.create", shelf.base_url, body=body)
    assert (job["model"], job["size"], job["seconds"]) == ("animatic", "720x1280", "4")
    assert "model_stands_in" in [warning["code"] for warning in job["warnings"]]


@pytest.mark.parametrize("method", ["retrieve", "delete", "download_content"])
def test_a_video_that_is_not_there(client: Client, shelf: LiveServer, method: str) -> None:
    saved = {"save": "nowhere"} if method == "download_content" else {}
    with pytest.raises(Raised) as refused:
        client.call(f"videos.{method}", shelf.base_url, "video_nothing", **saved)
    assert (refused.value.kind, refused.value.status) == ("NotFoundError", 404)
    assert "video_nothing" in str(refused.value)


def test_a_video_that_is_not_ready_is_told_at_once(client: Client, shelf: LiveServer) -> None:
    """The client would ask three times when it is not told that asking again is of no use."""
    job = client.call("videos.create", shelf.base_url, body={"prompt": "x"})
    before = shelf.logged().count(f"/v1/videos/{job['id']}/content")
    with pytest.raises(Raised) as refused:
        client.call("videos.download_content", shelf.base_url, job["id"], save="nowhere")
    assert (refused.value.kind, refused.value.status, refused.value.code) == ("ConflictError", 409, "video_not_ready")
    assert shelf.logged().count(f"/v1/videos/{job['id']}/content") - before <= 1


def test_a_file_that_is_none_of_the_kinds(client: Client, shelf: LiveServer, inputs: dict[str, Sample]) -> None:
    text = inputs["image"].path.with_name("words.txt")
    text.write_text("no picture", encoding="utf-8")
    body = {"prompt": "x", "input_reference": {"$": "object", "file": str(text)}}
    with pytest.raises(Raised) as refused:
        client.call("videos.create", shelf.base_url, body=body)
    assert (refused.value.kind, refused.value.param) == ("BadRequestError", "input_reference")

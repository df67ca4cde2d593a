"""Every way in which the clients can send an input arrives, as what it is, or is refused; none is lost on the way."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conformance.caller import Client, Raised
from tests.conformance.sample import Sample
from triptych.testing.server import LiveServer

KINDS = ("image", "video", "audio")
LISTS = {"image": "reference_images", "video": "reference_videos", "audio": "reference_audio"}
NUMBERED = {"image": "Image 1", "video": "Video 1", "audio": "Audio 1"}
JSON = {"Content-Type": "application/json"}


def arrived(job: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(one["role"], one["type"], one["sha256"]) for one in job["references"]]


def create(client: Client, server: LiveServer, **said: Any) -> list[tuple[str, str, str]]:
    """What arrived of a request's inputs."""
    body = {"prompt": "a boat", **said.pop("body", {})}
    return arrived(client.call("videos.create", server.base_url, body=body, **said))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["object", "path", "bytes", "tuple"])
def test_a_file(client: Client, shelf: LiveServer, inputs: dict[str, Sample], how: str, kind: str) -> None:
    """A picture is the first frame; a clip or a sound is a reference."""
    one = inputs[kind]
    role = "first_frame" if kind == "image" else "reference"
    found = create(client, shelf, body={"input_reference": one.given(how)})
    assert found == [(role, kind, one.sha256)]


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_file_claims_to_be_is_not_believed(
    client: Client, shelf: LiveServer, inputs: dict[str, Sample], kind: str
) -> None:
    one = inputs[kind]
    named = one.given("tuple", name="../../etc/passwd", type="text/plain")
    assert [found[1:] for found in create(client, shelf, body={"input_reference": named})] == [(kind, one.sha256)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", ["", "large "], ids=["small", "large"])
def test_data_urls(client: Client, shelf: LiveServer, inputs: dict[str, Sample], size: str, kind: str) -> None:
    """In a list, in an object, and in a list of objects; in a form or in JSON, whichever the client sends."""
    one = inputs[f"{size}{kind}"]
    frame = "first_frame" if kind == "image" else "reference"
    assert create(client, shelf, extra={LISTS[kind]: [one.data_url]}) == [("reference", kind, one.sha256)]
    nested = {"input_reference": {f"{kind}_url": one.data_url}}
    assert create(client, shelf, extra=nested) == [(frame, kind, one.sha256)]
    listed = [{"type": kind, "role": "reference", "url": one.data_url, "name": "anna"}]
    found = create(client, shelf, body={"prompt": "@anna waits"}, extra={"references": listed})
    assert found == [("reference", kind, one.sha256)]


@pytest.mark.parametrize("kind", KINDS)
def test_files_by_their_id(client: Client, shelf: LiveServer, inputs: dict[str, Sample], kind: str) -> None:
    one = inputs[kind]
    body = {"file": one.given("object"), "purpose": "user_data"}
    kept = client.call("files.create", shelf.base_url, body=body)
    assert (kept["object"], kept["bytes"], kept["filename"]) == ("file", one.path.stat().st_size, one.path.name)
    frame = "first_frame" if kind == "image" else "reference"
    found = create(client, shelf, extra={"input_reference": {"file_id": kept["id"]}})
    assert found == [(frame, kind, one.sha256)]
    assert create(client, shelf, extra={LISTS[kind]: [{"file_id": kept["id"]}]}) == [("reference", kind, one.sha256)]
    gone = client.call("files.delete", shelf.base_url, kept["id"])
    assert gone["deleted"] is True


@pytest.mark.parametrize("kind", KINDS)
def test_text_that_is_json(client: Client, shelf: LiveServer, inputs: dict[str, Sample], kind: str) -> None:
    """As other servers want it in a form."""
    one = inputs[kind]
    text = json.dumps([{"type": kind, "role": "reference", "url": one.data_url}])
    assert create(client, shelf, extra={"references": text}) == [("reference", kind, one.sha256)]


def test_several_of_each_kind_keep_their_order(client: Client, shelf: LiveServer, inputs: dict[str, Sample]) -> None:
    listed = [
        {"type": one.kind, "role": "reference", "url": one.data_url}
        for one in (inputs["audio"], inputs["image"], inputs["video"], inputs["large image"])
    ]
    found = create(client, shelf, extra={"references": listed})
    assert [(kind, digest) for _, kind, digest in found] == [
        (inputs[name].kind, inputs[name].sha256) for name in ("audio", "image", "video", "large image")
    ]


def test_a_member_that_only_some_items_have_is_not_given_to_another(
    client: Client, shelf: LiveServer, inputs: dict[str, Sample]
) -> None:
    """The newer clients in Python send each member of all items in a row, which does not tell whose it is."""
    listed = [
        {"role": "reference", "url": inputs["image"].data_url, "name": "anna"},
        {"role": "reference", "url": inputs["large image"].data_url},
    ]
    if client.kind.language == "python" and not client.kind.is_old:
        with pytest.raises(Raised) as refused:
            create(client, shelf, body={"prompt": "@anna"}, extra={"references": listed})
        assert (refused.value.status, refused.value.code) == (400, "invalid_value")
        assert "Give each item the same members, or send JSON" in str(refused.value)
        found = client.call(
            "videos.create", shelf.base_url, body={"prompt": "@anna"}, extra={"references": listed}, headers=JSON
        )
    else:
        found = client.call("videos.create", shelf.base_url, body={"prompt": "@anna"}, extra={"references": listed})
    assert [(one["sha256"], one["name"]) for one in found["references"]] == [
        (inputs["image"].sha256, "anna"),
        (inputs["large image"].sha256, None),
    ]


def test_a_file_beside_lists(client: Client, shelf: LiveServer, inputs: dict[str, Sample]) -> None:
    found = create(
        client,
        shelf,
        body={"input_reference": inputs["image"].given("object")},
        extra={LISTS[kind]: [inputs[kind].data_url] for kind in ("video", "audio")},
    )
    assert sorted(found) == [  # in a form, files come last
        (role, kind, inputs[kind].sha256)
        for role, kind in (("first_frame", "image"), ("reference", "audio"), ("reference", "video"))
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_json_by_a_plain_post(newer_client: Client, shelf: LiveServer, inputs: dict[str, Sample], kind: str) -> None:
    one = inputs[kind]
    body = {"prompt": NUMBERED[kind], LISTS[kind]: [{"url": one.data_url}]}
    found = arrived(newer_client.call("post", shelf.base_url, path="/videos", body=body))
    assert found == [("reference", kind, one.sha256)]


@pytest.mark.parametrize("kind", KINDS)
def test_json_by_a_header(python_client: Client, shelf: LiveServer, inputs: dict[str, Sample], kind: str) -> None:
    one = inputs[kind]
    listed = {"references": [{"type": kind, "role": "reference", "url": one.data_url, "name": "anna"}]}
    found = create(python_client, shelf, body={"prompt": "@anna"}, extra=listed, headers=JSON)
    assert found == [("reference", kind, one.sha256)]


def test_settings_beside_those_of_the_client_arrive(client: Client, shelf: LiveServer) -> None:
    body = {"prompt": "a boat\r\nat 日本 «ünï»", "seconds": "2", "size": "96x64"}
    extra = {"seed": 7, "fps": 12, "motion_gain": 0.5, "camera": "still", "audio_pulse": False, "user": "u"}
    job = client.call("videos.create", shelf.base_url, body=body, extra=extra)
    assert (job["prompt"], job["seed"], job["fps"], job["num_frames"], job["user"]) == (body["prompt"], 7, 12, 24, "u")
    assert job["requested"]["audio_pulse"] in (False, "false")  # as it was sent: a form has text alone


def test_a_list_under_a_name_for_one_is_refused(
    newer_client: Client, shelf: LiveServer, inputs: dict[str, Sample]
) -> None:
    """Two pictures as input_reference: which is what, nobody said; neither is lost without a word."""
    both = [inputs["image"].given("object"), inputs["large image"].given("object")]
    with pytest.raises(Raised) as refused:
        create(newer_client, shelf, body={"input_reference": both})
    assert (refused.value.status, refused.value.code) == (400, "role_required")
    assert "reference_images" in str(refused.value)


def test_bytes_in_extra_body_are_refused(python_client: Client, shelf: LiveServer, inputs: dict[str, Sample]) -> None:
    """A form turns them into their Python spelling, which no decoder reads; JSON cannot hold them."""
    garbage = {"reference_images": [inputs["image"].given("bytes")]}
    with pytest.raises(Raised) as refused:
        create(python_client, shelf, extra=garbage)
    assert refused.value.kind in ("BadRequestError", "TypeError")
    if refused.value.kind == "BadRequestError":
        assert (refused.value.param or "").startswith("reference_images")


def test_a_file_and_an_object_under_one_name_are_refused(
    newer_client: Client, shelf: LiveServer, inputs: dict[str, Sample]
) -> None:
    if newer_client.kind.language == "node":  # its caller can say a name once only
        both: dict[str, Any] = {"input_reference": inputs["image"].given("object")}
        extra: dict[str, Any] = {"reference_url": inputs["large image"].data_url}
    else:
        both = {"input_reference": inputs["image"].given("object")}
        extra = {"input_reference": {"image_url": inputs["large image"].data_url}}
    with pytest.raises(Raised) as refused:
        create(newer_client, shelf, body=both, extra=extra)
    assert (refused.value.status, refused.value.code) == (400, "conflicting_parameters")

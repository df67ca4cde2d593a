"""A video from the first call to the last, with every method that the clients have."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.conformance.caller import Client, Raised
from tests.conformance.sample import Sample
from triptych.testing.server import LiveServer

WIDTH, HEIGHT = 96, 64
SIZE = f"{WIDTH}x{HEIGHT}"
VIDEO_KEYS = (
    *("id", "object", "model", "status", "progress", "created_at", "completed_at", "expires_at", "error", "prompt"),
    *("remixed_from_video_id", "seconds", "size"),
)
VARIANTS = {"video": "video/mp4", "thumbnail": "image/webp", "spritesheet": "image/jpeg"}
WITHIN_SECONDS = 60


def until_ended(client: Client, server: LiveServer, job: dict[str, Any]) -> dict[str, Any]:
    """The job when it has ended, as the client sees it."""
    deadline = time.monotonic() + WITHIN_SECONDS
    while job["status"] in ("queued", "in_progress"):
        assert time.monotonic() < deadline, job
        time.sleep(0.05)
        job = client.call("videos.retrieve", server.base_url, job["id"])
    return job


def seen(path: Path) -> tuple[list[NDArray[np.uint8]], bool]:
    """Every frame, and whether there is sound."""
    with av.open(str(path)) as video:
        has_sound = bool(video.streams.audio)
        return [frame.to_ndarray(format="rgb24").astype(np.uint8) for frame in video.decode(video=0)], has_sound


def psnr_db(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """How alike two pictures are, in dB."""
    error = float(np.mean((one.astype(np.float64) - other.astype(np.float64)) ** 2))
    return float(10 * np.log10(255**2 / max(error, 1e-9)))


def test_a_video_is_made_of_everything_that_was_sent(
    client: Client, server: LiveServer, inputs: dict[str, Sample], tmp_path: Path
) -> None:
    """A first frame beside a clip and a voice: completed, and each of them used."""
    job = client.call(
        "videos.create",
        server.base_url,
        body={
            "prompt": "Video 1 beside Audio 1",
            "input_reference": inputs["image"].given("object"),
            "seconds": "1",
            "size": SIZE,
        },
        extra={
            "reference_videos": [inputs["video"].data_url],
            "reference_audio": [inputs["audio"].data_url],
            "metadata": {"order": "17"},
        },
    )
    assert [name for name in VIDEO_KEYS if name not in job] == []
    assert (job["object"], job["status"] in ("queued", "in_progress"), job["error"]) == ("video", True, None)
    assert (job["seconds"], job["size"], job["metadata"]) == ("1", SIZE, {"order": "17"})
    done = until_ended(client, server, job)
    assert (done["status"], done["progress"], done["error"]) == ("completed", 100, None)
    used = {one["type"]: (one["role"], one["how"], one["sha256"]) for one in done["references"]}
    assert used == {  # in a form, files come last
        "image": ("first_frame", "consumed", inputs["image"].sha256),
        "video": ("reference", "consumed", inputs["video"].sha256),
        "audio": ("reference", "consumed", inputs["audio"].sha256),
    }
    assert len(done["references"]) == 3
    path = tmp_path / "video.mp4"
    fetched = client.call("videos.download_content", server.base_url, job["id"], save=str(path))
    assert fetched["content_type"] == "video/mp4"
    frames, has_sound = seen(path)
    assert (len(frames), frames[0].shape, has_sound) == (24, (HEIGHT, WIDTH, 3), True)
    shown = np.asarray(Image.open(inputs["image"].path).convert("RGB"))
    assert psnr_db(frames[0], shown) > 25


def test_every_piece_of_a_finished_video_is_fetched(client: Client, server: LiveServer, tmp_path: Path) -> None:
    body = {"prompt": "a boat", "seconds": "1", "size": SIZE}
    job = until_ended(client, server, client.call("videos.create", server.base_url, body=body))
    for variant, media_type in VARIANTS.items():
        path = tmp_path / variant
        found = client.call(
            "videos.download_content", server.base_url, job["id"], body={"variant": variant}, save=str(path)
        )
        assert found["content_type"] == media_type
        if variant == "video":
            assert len(seen(path)[0]) == 24
        else:
            with Image.open(path) as picture:
                assert Image.MIME[picture.format or ""] == media_type
                picture.load()
    with pytest.raises(Raised) as refused:
        client.call("videos.download_content", server.base_url, job["id"], body={"variant": "film"}, save="nowhere")
    assert (refused.value.kind, refused.value.status, refused.value.param) == ("BadRequestError", 400, "variant")


def test_polling_ends_with_the_finished_video(python_client: Client, server: LiveServer) -> None:
    body = {"prompt": "a boat", "seconds": "1", "size": SIZE, "poll_interval_ms": 50}
    done = python_client.call("videos.create_and_poll", server.base_url, body=body)
    assert (done["status"], done["progress"], done["seconds"]) == ("completed", 100, "1")
    again = python_client.call("videos.poll", server.base_url, done["id"])
    assert again == done
    assert python_client.call("videos.retrieve", server.base_url, done["id"]) == done


def test_a_video_is_made_again_with_other_words(client: Client, server: LiveServer, inputs: dict[str, Sample]) -> None:
    body = {"prompt": "a boat", "seconds": "1", "size": SIZE, "input_reference": inputs["image"].given("bytes")}
    first = until_ended(client, server, client.call("videos.create", server.base_url, body=body))
    again = client.call("videos.remix", server.base_url, first["id"], body={"prompt": "a ship"})
    assert (again["prompt"], again["remixed_from_video_id"], again["size"]) == ("a ship", first["id"], SIZE)
    done = until_ended(client, server, again)
    assert done["status"] == "completed"
    assert [one["sha256"] for one in done["references"]] == [inputs["image"].sha256]
    assert done["references"][0]["how"] == "consumed"


def test_a_list_pages_by_itself_and_a_deleted_video_is_gone(client: Client, shelf: LiveServer) -> None:
    body = {"prompt": f"a boat of {client.kind.name}", "seconds": "1", "size": SIZE}
    made = [client.call("videos.create", shelf.base_url, body=body)["id"] for _ in range(3)]
    page = client.call("videos.list", shelf.base_url, body={"limit": 2})
    assert page == {"data": [made[2], made[1]], "has_more": True, "last_id": made[1]}
    after = client.call("videos.list", shelf.base_url, body={"limit": 1, "after": made[1]})
    assert after["data"] == [made[0]]
    assert client.call("videos.list_all", shelf.base_url, body={"limit": 2})[:3] == made[::-1]
    assert client.call("videos.list_all", shelf.base_url, body={"limit": 2, "order": "asc"})[-3:] == made
    for one in made:
        gone = client.call("videos.delete", shelf.base_url, one)
        assert (gone["id"], gone["object"], gone["deleted"]) == (one, "video.deleted", True)
    assert not set(made) & set(client.call("videos.list_all", shelf.base_url, body={"limit": 100}))
    with pytest.raises(Raised) as refused:
        client.call("videos.retrieve", shelf.base_url, made[0])
    assert (refused.value.kind, refused.value.status) == ("NotFoundError", 404)


def test_an_edit_is_refused_by_an_engine_that_does_none(
    newer_client: Client, shelf: LiveServer, inputs: dict[str, Sample]
) -> None:
    with pytest.raises(Raised) as refused:
        newer_client.call(
            "videos.edit", shelf.base_url, body={"prompt": "a ship", "video": inputs["video"].given("object")}
        )
    assert (refused.value.kind, refused.value.status, refused.value.param) == ("BadRequestError", 400, "video")
    assert refused.value.code == "unsupported_task"
    assert "animatic does not do edit" in str(refused.value)


def test_a_clip_is_gone_on_from(newer_client: Client, shelf: LiveServer, inputs: dict[str, Sample]) -> None:
    job = newer_client.call(
        "videos.extend",
        shelf.base_url,
        body={"prompt": "on", "seconds": "4", "video": inputs["video"].given("object")},
    )
    assert [(one["role"], one["sha256"]) for one in job["references"]] == [("input", inputs["video"].sha256)]
    assert float(job["seconds"]) > 4


def test_a_character_is_kept_and_found(newer_client: Client, shelf: LiveServer, inputs: dict[str, Sample]) -> None:
    made = newer_client.call(
        "videos.create_character", shelf.base_url, body={"name": "anna", "video": inputs["video"].given("object")}
    )
    assert made["name"] == "anna"
    assert newer_client.call("videos.get_character", shelf.base_url, made["id"]) == made
    extra = {"reference_videos": [{"file_id": made["id"]}]}
    job = newer_client.call("videos.create", shelf.base_url, body={"prompt": "Video 1"}, extra=extra)
    assert [one["sha256"] for one in job["references"]] == [inputs["video"].sha256]

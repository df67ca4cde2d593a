"""What a caller sees of a job."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.wire.example import ID, SECRET_PATH, completed, job, slot
from triptych.task import JobError, Status
from triptych.wire.job import JobDocument, in_text, render_job

SDK_KEYS = {
    "id",
    "completed_at",
    "created_at",
    "error",
    "expires_at",
    "model",
    "object",
    "progress",
    "prompt",
    "remixed_from_video_id",
    "seconds",
    "size",
    "status",
}


def test_every_key_is_there_from_the_beginning() -> None:
    waiting, done = render_job(job(slot()), position=2), render_job(completed(slot()))
    assert set(waiting) == set(done) == set(JobDocument.__annotations__) >= SDK_KEYS
    assert [waiting[key] for key in ("completed_at", "error", "expires_at", "remixed_from_video_id")] == [None] * 4
    assert (waiting["status"], waiting["progress"], waiting["queue_position"]) == ("queued", 0, 2)


def test_seconds_and_size_are_what_it_will_be_and_requested_what_was_sent() -> None:
    told = render_job(job())
    assert (told["seconds"], told["size"]) == ("4.458", "1280x720")
    assert told["requested"] == {"size": "1280x704", "seconds": "4.5"}
    assert told["adjustments"] == [{"param": "size", "asked": "1280x704", "got": [1280, 720], "reason": "the nearest"}]


@pytest.mark.parametrize(
    ("seconds", "text"), [(5.0, "5"), (107 / 24, "4.458"), (10.0, "10"), (0.5, "0.5"), (100.0, "100")]
)
def test_seconds_have_three_decimals_at_most(seconds: float, text: str) -> None:
    assert in_text(seconds) == text


def test_a_done_job_has_outputs_with_ids_that_can_go_back_in() -> None:
    (output,) = render_job(completed(slot()))["outputs"]
    assert output["id"] == ID
    assert output["artifacts"] == {
        "video": ID,
        "last_frame": f"{ID}.last_frame",
        "thumbnail": f"{ID}.thumbnail",
        "audio": f"{ID}.audio",
    }
    assert (output["bytes"], output["has_audio"]) == (99, True)


def test_a_silent_video_offers_no_sound() -> None:
    told = render_job(completed(channels=0))
    assert told["has_audio"] is False
    assert "audio" not in told["outputs"][0]["artifacts"]


def test_references_are_told_in_order_with_what_became_of_them() -> None:
    first, second = render_job(completed(slot(0), slot(1)))["references"]
    assert (first["index"], first["tag"], first["source_field"]) == (0, "<Picture 1>", "reference_images[0]")
    assert (second["sha256"], second["how"], second["used_sha256"]) == (f"{1:064x}", "consumed", "e" * 64)
    (waiting,) = render_job(job(slot()))["references"]
    assert (waiting["how"], waiting["used_sha256"], waiting["bytes"]) == (None, None, 10)


def test_what_is_still_being_made_is_named_and_has_no_bytes() -> None:
    (told,) = render_job(job(slot(awaits="video_x.last_frame")))["references"]
    assert (told["waits_for"], told["bytes"], told["sha256"]) == ("video_x.last_frame", None, None)


def test_warnings_of_the_body_come_before_those_of_the_plan() -> None:
    assert [each["code"] for each in render_job(job())["warnings"]] == ["override", "unnamed_reference"]


def test_a_failed_job_says_why() -> None:
    error = JobError(code="cancelled", message="Stopped on request.", param=None)
    told = render_job(replace(job(), status=Status.FAILED, error=error))
    assert told["error"] == {"code": "cancelled", "message": "Stopped on request.", "param": None}


def test_no_path_of_the_server_is_told() -> None:
    assert SECRET_PATH not in json.dumps(render_job(completed(slot())))


def test_metadata_and_user_come_back_and_times_are_whole() -> None:
    told = render_job(completed())
    assert (told["metadata"], told["user"]) == ({"project": "boats"}, "ann")
    assert (told["created_at"], told["completed_at"], told["expires_at"]) == (1000, 1002, 9000)


def test_a_job_of_another_says_which() -> None:
    assert render_job(replace(job(), parent="video_1"))["remixed_from_video_id"] == "video_1"

"""The schema of a request for a video: it is one, it takes what the parser takes, and it knows every name."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, meta

from triptych.wire.field import ALIASES, INPUTS, NESTED, SETTINGS
from triptych.wire.schema import video_schema

SCHEMA = Draft202012Validator(video_schema())


def test_it_is_a_schema() -> None:
    meta.validate(video_schema())


def test_every_name_that_means_something_is_in_it() -> None:
    assert set(video_schema()["properties"]) == {*SETTINGS, *ALIASES, *INPUTS, *NESTED, "metadata"}


@pytest.mark.parametrize(
    "body",
    [
        {"prompt": "a", "seconds": "4", "size": "1280x720"},
        {"prompt": "a", "duration": 2.5, "width": 640, "height": 360, "generate_audio": "true", "fit": "pad"},
        {"prompt": "a", "input_reference": {"image_url": "data:image/png;base64,AAAA"}},
        {"prompt": "a", "reference_images": ["a.png", {"file_id": "file_1", "name": "anna"}]},
        {"prompt": "a", "references": [{"type": "video", "role": "reference", "path": "a.mp4", "soundtrack": True}]},
    ],
)
def test_what_clients_send_is_taken(body: dict[str, Any]) -> None:
    assert [error.message for error in SCHEMA.iter_errors(body)] == []


@pytest.mark.parametrize(
    "body", [{}, {"prompt": 1}, {"prompt": "a", "seconds": "8s"}, {"prompt": "a", "references": [{"rôle": "x"}]}]
)
def test_what_the_parser_refuses_is_refused(body: dict[str, Any]) -> None:
    assert list(SCHEMA.iter_errors(body))

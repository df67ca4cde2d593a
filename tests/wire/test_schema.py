"""The schemas of the bodies: they are some, they take what the parser takes, and they know every name."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, meta

from tests.wire.asking import typed
from triptych.wire.field import known
from triptych.wire.schema import clip_schema, remix_schema, video_schema

SCHEMA = Draft202012Validator(video_schema())
ROWS = tomllib.loads(Path(__file__).with_name("client_body.toml").read_text(encoding="utf-8"))["body"]
SENT = [row for row in ROWS if "json" in row and "problems" not in row]


@pytest.mark.parametrize("schema", [video_schema(), clip_schema(), remix_schema()], ids=["video", "clip", "remix"])
def test_each_is_a_schema(schema: dict[str, Any]) -> None:
    meta.validate(schema)
    assert json.loads(json.dumps(schema)) == schema


def test_every_name_that_means_something_is_in_it() -> None:
    assert set(video_schema()["properties"]) == set(known())
    assert set(clip_schema()["properties"]) == {*known(), "video"}


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


@pytest.mark.parametrize("row", SENT, ids=lambda row: str(row["name"]))
def test_what_other_servers_clients_send_is_taken(row: dict[str, Any]) -> None:
    body = {"prompt": "a boat", **json.loads(row["json"])}
    assert [error.message for error in SCHEMA.iter_errors(body)] == []


@pytest.mark.parametrize(
    "values",
    [
        {"prompt": 1}, {"seconds": "8s"}, {"seconds": " 5"}, {"n": 1.5}, {"size": "1280 x 720"}, {"fit": "stretch"},
        {"task": "i2v"}, {"generate_audio": "yes"}, {"references": [{"rôle": "x"}]}, {"metadata": {"a": 1}},
        {"references": [{"role": "hero", "path": "a"}]}, {"references": [5]}, {"input_reference": ["a", "b"]},
        {"references": [{"frame_index": 5, "path": "a"}]}, {"reference_images": [["a"]]}, {"soundtrack": 5},
        {"extra_params": [1]},
    ],
)  # fmt: skip
def test_what_the_parser_refuses_is_refused(values: dict[str, Any]) -> None:
    assert list(SCHEMA.iter_errors({"prompt": "a", **values}))
    assert typed(values).problems


def test_a_clip_is_wanted_where_one_is_worked_on() -> None:
    clip, remix = Draft202012Validator(clip_schema()), Draft202012Validator(remix_schema())
    for video in ("video_1", {"id": "video_1"}, {"path": "a.mp4"}):
        assert clip.is_valid({"prompt": "a", "video": video})
    assert not clip.is_valid({"prompt": "a"})
    assert not SCHEMA.is_valid({})
    assert remix.is_valid({"prompt": "a"})
    assert not any(map(remix.is_valid, ({}, {"prompt": ""}, {"prompt": "a", "size": "1x1"})))

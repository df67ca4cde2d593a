"""What a piece will be, and how one that cannot be had is refused."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.jobs.bench import ask
from triptych.errors import InvalidRequest
from triptych.jobs.pending import NoSoundError, expected, failed_source, no_result
from triptych.run import prepare
from triptych.studio import Studio
from triptych.task import Modality, Plan
from triptych.testing.job_double import JobDouble


def plan(**settings: object) -> Plan:
    async def run() -> Plan:
        async with Studio(registry=JobDouble().registry()) as studio:
            return await prepare(ask("a boat", **{"width": 1920, "height": 1080, "seconds": 2.0, **settings}), studio)

    return asyncio.run(run())


def test_each_piece_is_foretold_from_the_plan() -> None:
    it = plan()
    video, still, sound = expected(it, "video"), expected(it, "last_frame"), expected(it, "audio")
    assert (video.modality, video.width, video.height, video.seconds, video.frames) == (
        Modality.VIDEO,
        1920,
        1080,
        2,
        48,
    )
    assert video.has_sound and video.media_type == "video/mp4"
    assert (still.modality, still.width, still.height, still.media_type) == (Modality.IMAGE, 1920, 1080, "image/png")
    assert (sound.modality, sound.seconds, sound.sample_rate, sound.channels) == (Modality.AUDIO, 2, 48_000, 2)
    assert (expected(it, "thumbnail").width, expected(it, "thumbnail").height) == (512, 288)


def test_a_silent_video_has_no_sound_to_name() -> None:
    it = plan()
    silent = replace(it, settings=replace(it.settings, generate_audio=False))
    assert not expected(silent, "video").has_sound
    with pytest.raises(NoSoundError):
        expected(silent, "audio")


def test_an_unknown_piece_is_refused_naming_those_there_are() -> None:
    with pytest.raises(InvalidRequest, match="video, thumbnail, spritesheet, audio, last_frame"):
        expected(plan(), "poster")


def test_refusals_show_the_callers_field_and_no_endless_id() -> None:
    assert "references[0]: there is no file and no result 'x'" in no_result("references[0]", "x").message
    assert len(no_result("f", "x" * 5000).message) < 300
    assert (
        "video_x failed, so there is no 'video_x.audio': broken"
        in failed_source("f", "video_x.audio", "broken").message
    )

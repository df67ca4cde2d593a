"""What a piece of a result will be while its job still runs; and how one that cannot be had is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from triptych.errors import InvalidRequest, NotFound, Problem
from triptych.task import Modality, Plan, Probe
from triptych.task.piece import PIECES, source_of, thumbnail_size

_SHOWN_MOST = 80
_RATE_HZ = 48_000
_CHANNELS = 2


class NoSoundError(NotFound):
    """The sound of a silent video is wanted."""


def known(variant: str) -> str:
    """A variant, if there is one of that name.

    Raises:
        InvalidRequest: there is none.
    """
    if variant not in PIECES:
        message = f"no piece of a video is called {variant!r}; there are {', '.join(PIECES)}"
        problem = Problem(code="invalid_value", field="variant", message=message, value=variant, limit=list(PIECES))
        raise InvalidRequest([problem])
    return variant


def expected(plan: Plan, variant: str) -> Probe:
    """What a piece of a job that still runs will be, by its plan.

    Raises:
        InvalidRequest: no piece is called so.
        NoSoundError: the plan is for a video without sound, and the sound of it is wanted.
    """
    return _EXPECTED[known(variant)](plan)


def refusal(field: str, id: str, message: str, fix: str = "") -> InvalidRequest:
    """The refusal of an input that names a result."""
    problem = Problem(code="media_not_found", field=field, message=message, value=_shown(id), fix=fix)
    return InvalidRequest([problem])


def no_result(field: str, id: str) -> InvalidRequest:
    """The refusal of an id that names nothing, or nothing of the caller's."""
    message = f"there is no file and no result {_shown(id)!r}"
    return refusal(field, id, message, "It may have expired; ids are those of your own files and videos")


def failed_source(field: str, id: str, reason: str) -> InvalidRequest:
    """The refusal of a piece whose job failed."""
    message = f"{source_of(id)} failed, so there is no {id!r}{f': {reason}' if reason else ''}"
    return refusal(field, id, message, "Name the result of a job that has not failed")


def _shown(id: str) -> str:
    return id if len(id) <= _SHOWN_MOST else f"{id[:_SHOWN_MOST]}…"


def _video(plan: Plan) -> Probe:
    settings = plan.settings
    return Probe(
        modality=Modality.VIDEO,
        container="mov",
        media_type="video/mp4",
        width=settings.width,
        height=settings.height,
        seconds=settings.seconds,
        fps=settings.fps,
        frames=settings.num_frames,
        sample_rate=_RATE_HZ if settings.generate_audio else 0,
        channels=_CHANNELS if settings.generate_audio else 0,
        video_codec="h264",
        audio_codec="aac" if settings.generate_audio else "",
    )


def _last_frame(plan: Plan) -> Probe:
    return _still("png", plan.settings.width, plan.settings.height)


def _thumbnail(plan: Plan) -> Probe:
    return _still("webp", *thumbnail_size(plan.settings.width, plan.settings.height))


def _spritesheet(plan: Plan) -> Probe:
    return _still("jpeg", plan.settings.width, plan.settings.height)


def _still(container: str, width: int, height: int) -> Probe:
    return Probe(
        modality=Modality.IMAGE,
        container=container,
        media_type=f"image/{container}",
        width=width,
        height=height,
        frames=1,
    )


def _audio(plan: Plan) -> Probe:
    if not plan.settings.generate_audio:
        raise NoSoundError("the video will have no sound")
    return Probe(
        modality=Modality.AUDIO,
        container="wav",
        media_type="audio/wav",
        seconds=plan.settings.seconds,
        sample_rate=_RATE_HZ,
        channels=_CHANNELS,
        audio_codec="pcm_s16le",
    )


_EXPECTED: Mapping[str, Callable[[Plan], Probe]] = {
    "video": _video,
    "thumbnail": _thumbnail,
    "spritesheet": _spritesheet,
    "audio": _audio,
    "last_frame": _last_frame,
}

"""How results and uploads are called: ids, and the pieces that a finished video has."""

from __future__ import annotations

from collections.abc import Mapping

from triptych.task.role import Modality

VIDEO_PREFIX = "video_"
"""How the ids of jobs that make videos begin."""

FILE_PREFIX = "file_"
"""How the ids of uploaded files begin."""

PIECES: Mapping[str, Modality] = {
    "video": Modality.VIDEO,
    "thumbnail": Modality.IMAGE,
    "spritesheet": Modality.IMAGE,
    "audio": Modality.AUDIO,
    "last_frame": Modality.IMAGE,
}
"""The pieces of a finished video that can be fetched, and what each is."""

THUMBNAIL_SIDE = 512
"""Longest side of a thumbnail, in pixels."""


def piece_id(job: str, variant: str) -> str:
    """What a piece of a job is called; the video has the job's own id."""
    return job if variant == "video" else f"{job}.{variant}"


def source_of(piece: str) -> str:
    """The id of the job that a piece belongs to."""
    return piece.partition(".")[0]


def variant_of(piece: str) -> str:
    """Which piece of its job an id names. Not checked: see ``PIECES``."""
    return piece.partition(".")[2] or "video"


def thumbnail_size(width: int, height: int, most: int = THUMBNAIL_SIDE) -> tuple[int, int]:
    """A size made smaller, in its shape, until no side is longer than ``most``; at least 1 each way."""
    scale = min(1.0, most / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))

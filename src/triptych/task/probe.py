"""What was seen in an input's bytes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from triptych.task.role import Modality


@dataclass(frozen=True, kw_only=True)
class Probe:
    """A media file as it will be used: upright, square pixels, measured by decoding it to the end.

    Attributes:
        modality: image, video or audio; a container with pictures and sound is a video.
        container: short name of the format (``png``, ``mov``, ``matroska``, ``wav``, ``frames`` for a folder).
        media_type: MIME type of the bytes.
        sha256: of the bytes, as the reader that decoded them saw it.
        size_bytes: length of the file.
        width, height: upright size in square pixels; 0 for audio.
        seconds: measured length; 0 for an image.
        fps: mean frames per second, from time stamps; 0 for image and audio.
        frames: decoded frames; 1 for an image, 0 for audio.
        sample_rate: of the sound, in Hz; 0 without sound.
        channels: of the sound; 0 without sound.
        video_codec, audio_codec: names of the codecs; empty where there is none.
        rotation: degrees clockwise by which the stored picture was turned to be upright (0, 90, 180, 270).
        variable_rate: whether gaps between frames differ.
        has_alpha: whether anything was transparent.
        notes: what was put right on the way, one sentence each.
    """

    modality: Modality
    container: str
    media_type: str
    sha256: str = ""
    size_bytes: int = 0
    width: int = 0
    height: int = 0
    seconds: float = 0.0
    fps: float = 0.0
    frames: int = 0
    sample_rate: int = 0
    channels: int = 0
    video_codec: str = ""
    audio_codec: str = ""
    rotation: int = 0
    variable_rate: bool = False
    has_alpha: bool = False
    notes: tuple[str, ...] = ()

    @property
    def has_sound(self) -> bool:
        """Whether there is any sound in it."""
        return self.channels > 0

    def as_json(self) -> dict[str, Any]:
        """Every field as plain JSON, in the order above."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return {**values, "modality": str(self.modality), "notes": list(self.notes)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Probe:
        """The inverse of ``as_json``."""
        return cls(**{**data, "modality": Modality(data["modality"]), "notes": tuple(data["notes"])})

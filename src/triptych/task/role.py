"""The closed word lists of a request: what kind of media, what it is for, what is asked."""

from __future__ import annotations

from enum import StrEnum


class Modality(StrEnum):
    """What kind of thing an input is; told from its bytes, never from its name."""

    IMAGE = "image"
    VIDEO = "video"
    AUDIO = "audio"


class Role(StrEnum):
    """What an input is for. Stated by the caller, never guessed from counts."""

    FIRST_FRAME = "first_frame"
    """The picture that the video begins with, exactly."""
    LAST_FRAME = "last_frame"
    """The picture that the video ends with."""
    REFERENCE = "reference"
    """An image, clip or voice that conditions the video; tags count these."""
    SOUNDTRACK = "soundtrack"
    """The sound that belongs to one reference clip."""
    VOICE = "voice"
    """The timbre to speak with."""
    INPUT = "input"
    """What is worked on: speech to transcribe, a question, a clip to extend."""


class Task(StrEnum):
    """What is asked of an engine."""

    T2VA = "t2va"
    """Video with audio from text alone."""
    FL2VA = "fl2va"
    """Video with audio from a first frame, a last frame, or both."""
    REF2VA = "ref2va"
    """Video with audio from references (and, where an engine allows it, frames too)."""
    EXTEND = "extend"
    """A clip, and what comes after it."""
    EDIT = "edit"
    """A clip, changed."""
    TTS = "tts"
    ASR = "asr"
    S2S = "s2s"


class Fit(StrEnum):
    """How a picture meets a frame of another shape."""

    CROP = "crop"
    """Scale until the frame is covered; cut what hangs over."""
    PAD = "pad"
    """Scale until all of it is inside; fill the rest."""
    REFUSE = "refuse"
    """The shapes must agree."""


class Tags(StrEnum):
    """What happens to tags in a prompt."""

    READ = "read"
    """``<Picture 1>``, ``Image 1``, ``@Image1`` and ``@name`` are read and spelled for the engine."""
    VERBATIM = "verbatim"
    """The prompt goes to the engine untouched."""

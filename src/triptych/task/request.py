"""What a caller asks, whole: the one value that every surface ends in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from triptych.task.artifact import Artifact, Scalar
from triptych.task.reference import Reference
from triptych.task.role import Fit, Tags, Task


@dataclass(frozen=True, kw_only=True)
class Request:
    """A prompt, what is shown with it, and the settings. Nothing here has been checked.

    Attributes:
        prompt: the words.
        references: images, clips and voices, in the caller's order.
        artifacts: pieces of earlier results, in the caller's order.
        engine: which engine; ``None`` is the default one.
        task: stated task; ``None`` lets the roles say it.
        width, height: frame size in pixels; both or neither.
        loose_size: the size is a word of another vocabulary, and may stand for the engine's nearest one.
        aspect_ratio: shape of the frame (``16:9``), where no size is given.
        short_edge: short side of the frame in pixels, where no size is given.
        seconds: length of the video.
        num_frames: length in frames; must agree with ``seconds`` if both are given.
        fps: frames per second.
        seed: of every random choice; ``None`` takes the engine's rule.
        n: how many videos.
        fit: how pictures meet the frame, unless a reference says otherwise.
        tags: whether tags in the prompt are read.
        generate_audio: whether the video has sound; ``None`` takes the engine's way.
        require_speech: refuse, rather than warn, when quoted words cannot be spoken.
        ignore_artifacts: let the engine pass over artifacts that it does not read; each is then listed.
        options: the engine's own settings, by name.
        fields: the caller's own name for each setting (``{"width": "--size"}``); ``part`` is how they write a part
            of a file (``#t={start},{end}``).

    Raises:
        ValueError: a task, a fit or a way with tags that is no such word.
    """

    prompt: str = ""
    references: tuple[Reference, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    engine: str | None = None
    task: Task | None = None
    width: int | None = None
    height: int | None = None
    loose_size: bool = False
    aspect_ratio: str | None = None
    short_edge: int | None = None
    seconds: float | None = None
    num_frames: int | None = None
    fps: float | None = None
    seed: int | None = None
    n: int = 1
    fit: Fit | None = None
    tags: Tags = Tags.READ
    generate_audio: bool | None = None
    require_speech: bool = False
    ignore_artifacts: bool = False
    options: Mapping[str, Scalar] = field(default_factory=lambda: MappingProxyType({}))
    fields: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        # As in ``Reference``: a word given as plain text is that word.
        object.__setattr__(self, "task", None if self.task is None else Task(self.task))
        object.__setattr__(self, "fit", None if self.fit is None else Fit(self.fit))
        object.__setattr__(self, "tags", Tags(self.tags))

    def called(self, setting: str) -> str:
        """The caller's own name for a setting; the setting's name where none was given."""
        return self.fields.get(setting, setting)

    @property
    def inputs(self) -> tuple[Reference | Artifact, ...]:
        """Everything supplied, references first, each in the caller's order."""
        return (*self.references, *self.artifacts)

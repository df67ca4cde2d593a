"""What an engine can do, as data. Everything that ``rules`` decides, it decides from one of these.

All bounds are inclusive. ``None`` means that there is no such bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from triptych.task import Fit, Modality, Role, Scalar, Task

USES: Mapping[Modality, tuple[str, ...]] = MappingProxyType(
    {Modality.IMAGE: ("picture",), Modality.VIDEO: ("picture",), Modality.AUDIO: ("sound",)}
)
"""What is usually consumed of an input of each kind. A clip's own sound comes on top where it was asked for."""


@dataclass(frozen=True, kw_only=True)
class RoleRule:
    """What may stand in one role.

    Attributes:
        modalities: kinds that it takes.
        most: how many inputs of this role in one request.
        use: what becomes of it, for people (``pinned at frame 0``).
        uses: what the engine consumes of each kind, where it is not the usual ``USES``; receipts must say the same.
        fitted: pictures of this role are brought to the frame's shape.
        shown: the video begins with a clip of this role, whole: its frames, brought to the frame's shape, and its own
            sound where it has any. A length that is asked for is then that of what comes after it.
    """

    modalities: frozenset[Modality]
    most: int = 1
    use: str = ""
    uses: Mapping[Modality, tuple[str, ...]] = field(default_factory=lambda: USES)
    fitted: bool = True
    shown: bool = False


@dataclass(frozen=True, kw_only=True)
class Caps:
    """How many inputs of role ``reference``, per kind and in all."""

    image: int = 0
    video: int = 0
    audio: int = 0
    total: int | None = None

    def of(self, modality: Modality) -> int:
        """The cap of one kind."""
        return {Modality.IMAGE: self.image, Modality.VIDEO: self.video, Modality.AUDIO: self.audio}[modality]


@dataclass(frozen=True, kw_only=True)
class Exclusive:
    """Two groups of roles that may not meet in one request, and why."""

    one: frozenset[Role]
    other: frozenset[Role]
    reason: str


@dataclass(frozen=True, kw_only=True)
class MediaLimits:
    """Bounds for each input of one kind. Those that a header shows are checked before anything is decoded.

    Attributes:
        max_bytes: of the file.
        max_side, max_pixels: of a picture or of one frame.
        min_side: shortest side.
        min_aspect, max_aspect: width over height.
        min_seconds, max_seconds: of a clip or of sound, after cutting.
        total_seconds: of all inputs of this kind together, after cutting.
        total_bytes: of all inputs of this kind together.
        min_frames, max_frames: of a clip, as decoded.
        containers: formats that are taken; ``None`` takes all that ``media.sniff`` knows.
    """

    max_bytes: int | None = None
    max_side: int | None = None
    max_pixels: int | None = None
    min_side: int | None = None
    min_aspect: float | None = None
    max_aspect: float | None = None
    min_seconds: float | None = None
    max_seconds: float | None = None
    total_seconds: float | None = None
    total_bytes: int | None = None
    min_frames: int | None = None
    max_frames: int | None = None
    containers: frozenset[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Geometry:
    """Which frame sizes there are.

    Attributes:
        multiple: width and height are multiples of it.
        min_side, max_side: of either.
        max_pixels: width times height.
        min_aspect, max_aspect: width over height.
        default: width and height when nothing says otherwise.
        short_edge: with a first frame and no size, the short side of the size that is worked out.
        sizes: the only sizes there are; ``None`` when the grid above says it.
        aliases: sizes of other vocabularies → the legal size they mean (``(1280, 720) → (1344, 768)``).
    """

    multiple: int = 2
    min_side: int = 64
    max_side: int = 4096
    max_pixels: int | None = None
    min_aspect: float = 0.25
    max_aspect: float = 4.0
    default: tuple[int, int] = (1280, 720)
    short_edge: int = 720
    sizes: tuple[tuple[int, int], ...] | None = None
    aliases: Mapping[tuple[int, int], tuple[int, int]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Which lengths there are.

    Attributes:
        default_fps: frames per second when nothing says otherwise.
        min_fps, max_fps: range; equal when it is fixed. Whole numbers only.
        default_frames: length when nothing says otherwise; stretched to hold the inputs when ``stretches``.
        min_frames, max_frames: of what is rendered. A clip that is shown first counts towards the most alone.
        asked_min_frames: fewest frames that may be asked for, where the lattice then steps up; ``None`` is
            ``min_frames``.
        step, offset: the lattice ``step * k + offset`` on which frame counts lie, without those of a clip that is shown
            first; 1 and 0 for any.
        rounding: how a length off the lattice is met.
        stretches: without a stated length, the video becomes long enough for its clips and sound.
        inputs: how clips and sound share the video's length: ``together`` (one after another), ``each`` (all from
            the beginning), or ``free`` (they do not bind it). What does not fit is refused, never cut unasked.
        trained_seconds: range the model was trained on; outside it is a warning, not a refusal.
    """

    default_fps: int = 24
    min_fps: int = 24
    max_fps: int = 24
    default_frames: int = 120
    min_frames: int = 1
    max_frames: int = 14400
    asked_min_frames: int | None = None
    step: int = 1
    offset: int = 0
    rounding: Literal["nearest", "up"] = "nearest"
    stretches: bool = False
    inputs: Literal["together", "each", "free"] = "free"
    trained_seconds: tuple[float, float] | None = None


@dataclass(frozen=True, kw_only=True)
class Option:
    """A setting of one engine.

    Attributes:
        kind: type of its value.
        default: value when it is not given.
        minimum, maximum: range of a number.
        choices: the only values, when there are only some.
        help: one line for people.
    """

    kind: type[str] | type[int] | type[float] | type[bool]
    default: Scalar
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[Scalar, ...] | None = None
    help: str = ""


@dataclass(frozen=True, kw_only=True)
class ArtifactRule:
    """An artifact that an engine reads or makes: its id and the kinds of its payload."""

    id: str
    kinds: frozenset[str]
    most: int | None = None


@dataclass(frozen=True, kw_only=True)
class Speech:
    """Whether words quoted in a prompt are spoken.

    Attributes:
        speaks: the engine does that.
        available: a voice is installed here.
        install: what to type to get one.
        start_seconds: when the first line begins.
        gap_seconds: silence between two lines.
        max_lines: most lines that are spoken.
        max_line_chars: longest line that is spoken in one go.
    """

    speaks: bool = False
    available: bool = False
    install: str = ""
    start_seconds: float = 0.0
    gap_seconds: float = 0.0
    max_lines: int | None = None
    max_line_chars: int | None = None


@dataclass(frozen=True, kw_only=True)
class TagStyle:
    """How an engine's prompt spells a reference; ``{n}`` is its number among its kind, from 1."""

    image: str = "<Picture {n}>"
    video: str = "<Video {n}>"
    audio: str = "<Audio {n}>"

    def spell(self, modality: Modality, number: int) -> str:
        """The tag of the ``number``-th reference of one kind."""
        style = {Modality.IMAGE: self.image, Modality.VIDEO: self.video, Modality.AUDIO: self.audio}[modality]
        return style.format(n=number)


@dataclass(frozen=True, kw_only=True)
class EngineSpec:
    """One engine's capabilities.

    Attributes:
        name: what ``--engine`` and ``model`` say.
        summary: one line.
        description: what it is and what it is not, for help and docs.
        tasks: what it does.
        roles: what it takes, and for what; a role that is absent is refused.
        caps: how many references.
        exclusive: roles that may not meet.
        audio_alone: whether reference audio may stand without a picture or a clip.
        references_required: whether ``ref2va`` stated by the caller needs a reference.
        limits: per kind of input.
        geometry, timing: sizes and lengths.
        default_fit: how pictures meet the frame unless told.
        options: its own settings.
        artifacts_read, artifacts_made: pieces of earlier results.
        tags: spelling in its prompt.
        max_prompt_chars: longest prompt.
        prompt_required: whether the prompt may be empty.
        max_outputs: largest ``n``.
        max_total_bytes: of all inputs together.
        default_seed: when none is given; ``None`` draws one, which the plan then shows.
        speech: of quoted words.
        shows_every_input: each picture takes a frame of its own at least, and clips another one.
        sound: whether its videos have sound: ``always``, ``never``, or as asked (``choice``).
        uses_sound_of_clips: whether a clip's own sound can be used when asked for.
    """

    name: str
    summary: str
    description: str
    tasks: frozenset[Task]
    roles: Mapping[Role, RoleRule]
    caps: Caps = field(default_factory=Caps)
    exclusive: tuple[Exclusive, ...] = ()
    audio_alone: bool = True
    references_required: bool = True
    limits: Mapping[Modality, MediaLimits] = field(default_factory=lambda: MappingProxyType({}))
    geometry: Geometry = field(default_factory=Geometry)
    timing: Timing = field(default_factory=Timing)
    default_fit: Fit = Fit.CROP
    options: Mapping[str, Option] = field(default_factory=lambda: MappingProxyType({}))
    artifacts_read: tuple[ArtifactRule, ...] = ()
    artifacts_made: tuple[ArtifactRule, ...] = ()
    tags: TagStyle = field(default_factory=TagStyle)
    max_prompt_chars: int = 20_000
    prompt_required: bool = True
    max_outputs: int = 1
    max_total_bytes: int | None = None
    default_seed: int | None = None
    speech: Speech = field(default_factory=Speech)
    shows_every_input: bool = False
    sound: Literal["always", "never", "choice"] = "always"
    uses_sound_of_clips: bool = True

    def limits_of(self, modality: Modality) -> MediaLimits:
        """Bounds of one kind; without any, an empty ``MediaLimits``."""
        return self.limits.get(modality, MediaLimits())

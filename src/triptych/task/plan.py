"""A checked request, resolved: every input in exactly one slot, every setting final."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as default
from types import MappingProxyType
from typing import Any

from triptych.errors import InputNotUsed
from triptych.task.artifact import Scalar
from triptych.task.probe import Probe
from triptych.task.role import Fit, Modality, Role, Task
from triptych.task.source import Blob


@dataclass(frozen=True, kw_only=True)
class FitPlan:
    """How one picture meets the frame.

    Attributes:
        fit: the way.
        box: the part of the upright source that is used: left, top, width, height, in source pixels.
        inside: where it lands in the frame: left, top, width, height, in frame pixels.
        cut_fraction: the share of the source's area that is left out, 0..1.
    """

    fit: Fit
    box: tuple[float, float, float, float]
    inside: tuple[int, int, int, int]
    cut_fraction: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Slot:
    """The one place where one input goes.

    Attributes:
        key: canonical and unique (``first_frame``, ``reference_images[0]``, ``artifacts[2]``).
        position: index of the input in ``Request.inputs``.
        field: the caller's own name for it.
        role: what it is for; ``None`` for an artifact.
        modality: what its bytes are; ``None`` for an artifact.
        uses: what the engine must report having consumed: of ``picture``, ``motion``, ``sound``, ``payload``.
        blob: the bytes.
        probe: what was seen in them; ``None`` for an artifact.
        fit: how it meets the frame, for pictures.
        start_seconds, seconds: the part that is used, for clips and sound.
        name: the caller's name for the prompt.
        tag: canonical tag, for references (``<Picture 1>``).
        soundtrack_of: for a soundtrack, the key of its clip's slot.
        ignored: True when the caller allowed the engine to pass over it.
        id, kind, meta: of an artifact, as the caller said them.
    """

    key: str
    position: int
    field: str
    role: Role | None
    modality: Modality | None
    uses: tuple[str, ...]
    blob: Blob
    probe: Probe | None = None
    fit: FitPlan | None = None
    start_seconds: float = 0.0
    seconds: float = 0.0
    name: str | None = None
    tag: str | None = None
    soundtrack_of: str | None = None
    ignored: bool = False
    id: str | None = None
    kind: str | None = None
    meta: Mapping[str, Scalar] = default(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Every scalar of a request, final. Sizes in pixels, ``fps`` in frames per second."""

    width: int
    height: int
    fps: float
    num_frames: int
    seed: int
    n: int = 1
    generate_audio: bool = True
    require_speech: bool = False
    options: Mapping[str, Scalar] = default(default_factory=lambda: MappingProxyType({}))

    @property
    def seconds(self) -> float:
        """Exact length of the video."""
        return self.num_frames / self.fps


@dataclass(frozen=True, kw_only=True)
class Adjustment:
    """Something asked for (or left open) that was changed by a documented rule."""

    field: str
    asked: Any
    got: Any
    reason: str


@dataclass(frozen=True, kw_only=True)
class Warned:
    """Something that a person would want to know, and that stops nothing."""

    code: str
    field: str
    message: str


@dataclass(frozen=True, kw_only=True)
class Label:
    """What one tag means: canonical tag, the engine's spelling, the caller's field, and the bytes."""

    tag: str
    engine_tag: str
    field: str
    sha256: str
    name: str | None = None


@dataclass(frozen=True, kw_only=True)
class Spoken:
    """A line that the prompt quotes: the words, and how long they take to say (0 when no voice is here)."""

    text: str
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What will run. Building one that loses or doubles an input raises ``InputNotUsed``.

    Attributes:
        engine: its name.
        task: what is done.
        prompt: the caller's words.
        engine_prompt: the same words, with tags in the engine's own spelling.
        inputs: the caller's name of every input supplied, in order.
        slots: one for each input.
        settings: every scalar.
        spoken: lines to speak, when a voice is here.
        labels: what each tag means.
        adjustments, warnings: what the caller should know.
    """

    engine: str
    task: Task
    prompt: str
    engine_prompt: str
    inputs: tuple[str, ...]
    slots: tuple[Slot, ...]
    settings: Settings
    spoken: tuple[Spoken, ...] = ()
    labels: tuple[Label, ...] = ()
    adjustments: tuple[Adjustment, ...] = ()
    warnings: tuple[Warned, ...] = ()

    def __post_init__(self) -> None:
        placed = sorted(slot.position for slot in self.slots)
        if placed != list(range(len(self.inputs))):
            lost = [name for position, name in enumerate(self.inputs) if placed.count(position) == 0]
            doubled = [name for position, name in enumerate(self.inputs) if placed.count(position) > 1]
            raise InputNotUsed(
                f"the plan for {self.engine} does not hold each input once: lost {lost or 'none'}, "
                f"doubled {doubled or 'none'}, {len(self.slots)} slots for {len(self.inputs)} inputs"
            )
        if len({slot.key for slot in self.slots}) != len(self.slots):
            raise InputNotUsed(f"the plan for {self.engine} has two slots under one key")

    def slot(self, key: str) -> Slot:
        """The slot under ``key``. Raises ``KeyError`` naming the keys there are."""
        for slot in self.slots:
            if slot.key == key:
                return slot
        raise KeyError(f"no slot {key!r}; this plan has {', '.join(s.key for s in self.slots) or 'none'}")

    def in_role(self, role: Role, modality: Modality | None = None) -> tuple[Slot, ...]:
        """The slots of one role (and modality), in the caller's order."""
        found = (slot for slot in self.slots if slot.role == role)
        return tuple(slot for slot in found if modality is None or slot.modality == modality)

"""What is to be drawn and heard, and when: plain values that travel to the child process as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from triptych.rules.timing import allot, frames_of
from triptych.task import Fit, FitPlan, Modality, Plan, Role, Slot

Kind = Literal["continued", "first", "last", "image", "clip", "audio", "soundtrack"]

OPENING: tuple[Kind, ...] = ("continued", "first")
"""Kinds of which the first new frame is: the last frame of a clip that was shown, or a picture."""

STILLS: tuple[Kind, ...] = (*OPENING, "image", "last")
"""Kinds that lend a picture to a shot, in their order."""

GRADIENT = ""
"""Key of the picture that stands in where there is none."""

VIDEO_NAME = "video.mp4"
"""What the video is called in the scene's folder."""

FADE_FRAMES = 12
"""Longest cross-fade between two shots."""


@dataclass(frozen=True, kw_only=True)
class Input:
    """One slot of the plan, as the child needs it.

    Attributes:
        key, field: the slot's, for the report and for errors.
        kind: what it is for here.
        uses: what the plan expects to be consumed of it.
        path, sha256: where its bytes are, and what they must be.
        packed: a folder of numbered frames.
        frame_rate: frames per second of a packed folder.
        fps, width, height: of a clip; the size is upright.
        fit: how a picture meets the frame.
        start_seconds, seconds: the part that is used.
        at_seconds: where that part begins, counted from the first new frame.
    """

    key: str
    field: str
    kind: Kind
    uses: tuple[str, ...]
    path: str
    sha256: str
    packed: bool = False
    frame_rate: float | None = None
    fps: float = 0.0
    width: int = 0
    height: int = 0
    fit: FitPlan | None = None
    start_seconds: float = 0.0
    seconds: float = 0.0
    at_seconds: float = 0.0

    @property
    def is_still(self) -> bool:
        """Whether it is there for a picture: a still, or the last frame of a clip that was shown."""
        return self.kind in STILLS


@dataclass(frozen=True, kw_only=True)
class Scene:
    """The whole job, for ``render``.

    Attributes:
        width, height, fps, num_frames, seed: as the plan's.
        shown_frames: how many of them are the clip that is gone on from; the first of the new ones comes after them.
        words: the prompt, from which a picture is drawn where none was given.
        lines: words to speak, in order.
        prompt_field: the caller's name for the prompt.
        inputs: in the plan's order.
        motion_gain, camera, audio_pulse: the engine's options.
        folder: a private folder that exists; scratch files and the video go there.
    """

    width: int
    height: int
    fps: int
    num_frames: int
    seed: int
    words: str
    lines: tuple[str, ...]
    prompt_field: str
    inputs: tuple[Input, ...]
    motion_gain: float
    camera: str
    audio_pulse: bool
    folder: str
    shown_frames: int = 0

    @property
    def new(self) -> Scene:
        """What is made anew, as a scene of its own."""
        return replace(self, num_frames=self.num_frames - self.shown_frames, shown_frames=0)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.width, self.height

    def of_kind(self, *kinds: Kind) -> tuple[Input, ...]:
        """The inputs of some kinds: kind after kind, each in the plan's order."""
        return tuple(each for kind in kinds for each in self.inputs if each.kind == kind)

    def as_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Scene:
        """The inverse of ``as_json``."""
        inputs = tuple(_input_from_json(each) for each in data["inputs"])
        return cls(**{**data, "inputs": inputs, "lines": tuple(data["lines"])})


@dataclass(frozen=True, kw_only=True)
class Shot:
    """A stretch of the video that shows one picture.

    Attributes:
        key: of the input that it shows.
        start, end: first frame, and one past the last.
        fade: how many of its last frames dissolve into the next shot.
    """

    key: str
    start: int
    end: int
    fade: int = 0


def scene_of(plan: Plan, folder: str, *, prompt_field: str = "prompt") -> Scene:
    """The scene of a plan."""
    settings, options = plan.settings, plan.settings.options
    return Scene(
        width=settings.width,
        height=settings.height,
        fps=int(settings.fps),
        num_frames=settings.num_frames,
        seed=settings.seed,
        words=plan.prompt,
        lines=tuple(line.text for line in plan.spoken),
        prompt_field=prompt_field,
        inputs=_inputs(plan),
        motion_gain=float(options.get("motion_gain", 1.0)),
        camera=str(options.get("camera", "auto")),
        audio_pulse=bool(options.get("audio_pulse", True)),
        folder=folder,
        shown_frames=_shown_frames(plan),
    )


def _shown_frames(plan: Plan) -> int:
    """The frames of the clip that is gone on from, at the video's rate."""
    return sum(frames_of(slot.seconds, plan.settings.fps) for slot in plan.in_role(Role.INPUT))


def pinned_frames(scene: Scene) -> tuple[int, ...]:
    """Frames that show a picture exactly, of a scene that is all new."""
    ends = ((OPENING, 0), (("last",), scene.num_frames - 1))
    return tuple(frame for kinds, frame in ends if scene.of_kind(*kinds))


def shots(keys: Sequence[str], num_frames: int) -> tuple[Shot, ...]:
    """Equal shots, in order; every boundary is rounded from its absolute position."""
    count = len(keys)
    bounds = [(2 * index * num_frames + count) // (2 * count) for index in range(count + 1)]
    fade = min(FADE_FRAMES, num_frames // (4 * count))
    return tuple(
        Shot(key=key, start=start, end=end, fade=fade if end < num_frames else 0)
        for key, start, end in zip(keys, bounds, bounds[1:], strict=False)
    )


def clip_shots(clips: Sequence[Input], num_frames: int, fps: int) -> tuple[Shot, ...]:
    """Shots where clips lend their own pictures: each from its clip's beginning to the next one's."""
    bounds = [*(start for start, _ in allot([clip.seconds for clip in clips], fps)), num_frames]
    spans = zip(clips, bounds, bounds[1:], strict=False)
    return tuple(Shot(key=clip.key, start=start, end=end) for clip, start, end in spans if start < end)


_KINDS: dict[tuple[Role, Modality], Kind] = {
    (Role.INPUT, Modality.VIDEO): "continued",
    (Role.FIRST_FRAME, Modality.IMAGE): "first",
    (Role.LAST_FRAME, Modality.IMAGE): "last",
    (Role.REFERENCE, Modality.IMAGE): "image",
    (Role.REFERENCE, Modality.VIDEO): "clip",
    (Role.REFERENCE, Modality.AUDIO): "audio",
    (Role.SOUNDTRACK, Modality.AUDIO): "soundtrack",
}


def _inputs(plan: Plan) -> tuple[Input, ...]:
    """Every slot with its place on the timeline: clips in a row, sounds in a row, a soundtrack with its clip."""
    places: dict[str, Fraction] = {}
    for kind in ("clip", "audio"):
        position = Fraction(0)
        for slot in plan.slots:
            if _kind(slot) == kind:
                places[slot.key] = position
                position += Fraction(str(slot.seconds))
    return tuple(_input(slot, float(places.get(slot.soundtrack_of or slot.key, 0))) for slot in plan.slots)


def _kind(slot: Slot) -> Kind:
    if slot.role is None or slot.modality is None:
        raise ValueError(f"{slot.field}: the preview engine takes no artifacts")
    return _KINDS[slot.role, slot.modality]


def _input(slot: Slot, at_seconds: float) -> Input:
    probe = slot.probe
    return Input(
        key=slot.key,
        field=slot.field,
        kind=_kind(slot),
        uses=slot.uses,
        path=slot.blob.path,
        sha256=slot.blob.sha256,
        packed=slot.blob.packed,
        frame_rate=slot.blob.frame_rate,
        fps=probe.fps if probe else 0.0,
        width=probe.width if probe else 0,
        height=probe.height if probe else 0,
        fit=slot.fit,
        start_seconds=slot.start_seconds,
        seconds=slot.seconds,
        at_seconds=at_seconds,
    )


def _input_from_json(data: Mapping[str, Any]) -> Input:
    fit = data["fit"]
    return Input(**{**data, "uses": tuple(data["uses"]), "fit": None if fit is None else _fit_from_json(fit)})


def _fit_from_json(data: Mapping[str, Any]) -> FitPlan:
    left, top, width, height = data["box"]
    x, y, inside_width, inside_height = data["inside"]
    return FitPlan(
        fit=Fit(data["fit"]),
        box=(left, top, width, height),
        inside=(x, y, inside_width, inside_height),
        cut_fraction=data["cut_fraction"],
    )

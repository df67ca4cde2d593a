"""Draws the video frame by frame: which picture, seen how, and moved by what."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from triptych.engines.animatic.camera import PULSE_ZOOM, STILL, Bend, Camera, View, contain, draw, join, similarity
from triptych.engines.animatic.ledger import Ledger
from triptych.engines.animatic.morph import Morph
from triptych.engines.animatic.motion import REST_SECONDS, Motion, view_of
from triptych.engines.animatic.picture import Picture, ease, mix
from triptych.engines.animatic.scene import GRADIENT, OPENING, STILLS, Scene, Shot, clip_shots, pinned_frames, shots

_PIN_SECONDS = 0.25  # how long the sound's pulse keeps away from a pinned frame
_ROOM_SECONDS = 0.5  # how long the camera takes to make room for a clip's motion
_SEEN_PIXELS = 0.25  # a bend smaller than this is not drawn


@dataclass(frozen=True, kw_only=True)
class Drive:
    """A clip that moves the picture: its motion and where it lies on the timeline, in seconds."""

    key: str
    motion: Motion
    start: float
    end: float


class Stage:
    """Everything that is drawn from, and ``frame`` that draws.

    Args:
        scene: the job, or what is made anew of it.
        pictures: by key of input; ``GRADIENT`` where there is no other.
        drives: clips, in the order of the timeline.
        beat: how strongly the sound drives each frame, float64 [num_frames], 0..1.
        ledger: is told what each frame was drawn from.
    """

    def __init__(
        self,
        scene: Scene,
        pictures: Mapping[str, Picture],
        drives: Sequence[Drive],
        beat: NDArray[np.float64],
        ledger: Ledger,
    ) -> None:
        self._scene, self._pictures, self._drives, self._beat, self._ledger = scene, pictures, drives, beat, ledger
        self._first = next((each.key for each in scene.of_kind(*OPENING)), None)
        self._last = next((each.key for each in scene.of_kind("last")), None)
        self._shots, self._morph = _shots_of(scene, pictures)
        self._bend = Bend(scene.size)
        self._driven = self._driven_frames()
        self._leads = [self._lead(drive) for drive in drives]
        self._cameras = [self._camera(index, shot) for index, shot in enumerate(self._shots)]
        self._progress = [self._camera_progress(index) for index in range(len(self._shots))]

    def frame(self, number: int) -> Picture:
        """Frame ``number``, from 0."""
        for key, pinned in ((self._first, 0), (self._last, self._scene.num_frames - 1)):
            if key is not None and number == pinned:
                self._ledger.shown(key, number, "pinned")
                return self._pictures[key]
        index = next(index for index, shot in enumerate(self._shots) if number < shot.end)
        picture = self._in_shot(index, number)
        shot = self._shots[index]
        into = number - (shot.end - shot.fade) + 1
        if into > 0 and index + 1 < len(self._shots):
            picture = mix(picture, self._in_shot(index + 1, number), ease(into / (shot.fade + 1)))
        return picture

    def _in_shot(self, index: int, number: int) -> Picture:
        """One shot's picture as it is in one frame."""
        shot = self._shots[index]
        still, own = self._still(index, shot, number)
        moved, sway = self._motion(number)
        pulse = self._pulse(number)
        if pulse:
            own = join(own, similarity(self._scene.size, scale=1 / (1 + PULSE_ZOOM * pulse)))
        view = contain(join(own, moved), self._scene.size) if moved is not STILL else own
        if sway is not None:
            return self._bend.draw(still, self._bend.field(sway * np.float32(self._scene.width)), view)
        return draw(still, view)

    def _still(self, index: int, shot: Shot, number: int) -> tuple[Picture, View]:
        """The picture of a shot before it is moved by anything but its own camera."""
        if self._morph is not None and shot.key == self._last:
            before = self._scene.of_kind(*OPENING, "image")[-1]
            self._ledger.shown(before.key, number, f"shot {index + 1}")
            self._ledger.shown(shot.key, number, f"shot {index + 1}")
            return self._morph.frame((number - shot.start) / max(1, shot.end - 1 - shot.start)), STILL
        if shot.key != GRADIENT:
            self._ledger.shown(shot.key, number, f"shot {index + 1}")
        if self._scene.camera == "still" and shot.key != GRADIENT:
            return self._pictures[shot.key], STILL
        start, done = self._progress[index]
        share = float(done[min(max(number - start, 0), len(done) - 1)])
        return self._pictures[shot.key], self._cameras[index].view(share, self._scene.size)

    def _motion(self, number: int) -> tuple[View, NDArray[np.float32] | None]:
        """What the clips do to a frame: the view they ask for, and a bend where there is any to see."""
        seconds, scene = number / self._scene.fps, self._scene
        place, room, sway = np.zeros(4), 1.0, None
        calm = self._calm(number, REST_SECONDS, ends_only=True)
        for drive, lead in zip(self._drives, self._leads, strict=True):
            if not drive.start <= seconds < drive.end + REST_SECONDS:
                continue
            moved, field = drive.motion.at(seconds + lead - drive.start)
            place = place + moved * calm
            sway = field * np.float32(calm) if sway is None else sway + field * np.float32(calm)
            room = max(room, 1 + (drive.motion.room - 1) * calm * self._presence(drive, seconds + lead))
            if seconds < drive.end:
                self._ledger.shown(drive.key, number, "camera")
        if sway is not None:
            sway = sway * np.float32(0.6 + 0.8 * self._beat[number] if self._beat.any() else 1.0)
            if float(np.abs(sway).max()) * scene.width < _SEEN_PIXELS:
                sway = None
        if room == 1.0 and not place.any():
            return STILL, sway
        return view_of(place, room, scene.size), sway

    def _lead(self, drive: Drive) -> float:
        """How far ahead, in seconds, a clip is followed: one frame where nothing but its first one is free to move.

        A clip's first frame is where its motion starts from; alone it would move nothing.
        """
        fps, pinned = self._scene.fps, pinned_frames(self._scene)
        first, end = math.ceil(drive.start * fps - 1e-6), math.ceil(drive.end * fps - 1e-6)
        free = [number for number in range(first, min(end, self._scene.num_frames)) if number not in pinned]
        return 1 / fps if free == [first] else 0.0

    def _presence(self, drive: Drive, seconds: float) -> float:
        """0..1: how far the camera has made room for a clip; back out when the clip is over."""
        opens_free = drive.start == 0 and self._first is None
        into = 1.0 if opens_free else ease((seconds - drive.start) / _ROOM_SECONDS)
        return into * (1 - ease((seconds - drive.end) / REST_SECONDS))

    def _pulse(self, number: int) -> float:
        """0..1: how much closer the sound brings the camera; not while a clip moves it, nor by a pinned frame."""
        if self._driven[number]:
            return 0.0
        return float(self._beat[number]) * self._calm(number, _PIN_SECONDS)

    def _calm(self, number: int, seconds: float, *, ends_only: bool = False) -> float:
        """0 at a pinned frame, rising to 1 ``seconds`` away from it."""
        reach = max(1.0, min(seconds * self._scene.fps, self._scene.num_frames / 3))
        calm = 1.0
        if self._first is not None and not ends_only:
            calm *= ease(number / reach)
        if self._last is not None:
            calm *= ease((self._scene.num_frames - 1 - number) / reach)
        return calm

    def _driven_frames(self) -> NDArray[np.bool_]:
        """Whether a clip moves the camera, bool [num_frames]."""
        seconds = np.arange(self._scene.num_frames) / self._scene.fps
        driven = np.zeros(len(seconds), np.bool_)
        for drive in self._drives:
            driven |= (seconds >= drive.start) & (seconds < drive.end)
        return driven

    def _camera(self, index: int, shot: Shot) -> Camera:
        return Camera(
            self._scene.seed,
            index,
            begins_whole=shot.key == self._first,
            ends_whole=shot.key == self._last,
            wide=shot.key == GRADIENT,
        )

    def _camera_progress(self, index: int) -> tuple[int, NDArray[np.float64]]:
        """First frame of a shot's move (with the fade before it), and how much of the move is done by each frame.

        A shot's own camera holds still while a clip moves the picture.
        """
        shot = self._shots[index]
        start = shot.start - (self._shots[index - 1].fade if index else 0)
        free = ~self._driven[start : shot.end]
        done = np.concatenate([[0], np.cumsum(free[1:])]).astype(np.float64)
        if not done[-1]:
            return start, np.full(len(done), self._cameras[index].rest)
        return start, done / done[-1]


def _shots_of(scene: Scene, pictures: Mapping[str, Picture]) -> tuple[tuple[Shot, ...], Morph | None]:
    """The shots in order, and the morph that takes the place of the last two where their pictures correspond."""
    stills = scene.of_kind(*STILLS)
    keys = [each.key for each in stills]
    if not keys:
        clips = scene.of_kind("clip")
        return clip_shots(clips, scene.num_frames, scene.fps) or shots([GRADIENT], scene.num_frames), None
    plain = shots(keys, scene.num_frames)
    if stills[-1].kind != "last" or len(keys) < 2:
        return plain, None
    morph = Morph(pictures[keys[-2]], pictures[keys[-1]])
    if not morph.consistent:
        return plain, None
    merged = Shot(key=keys[-1], start=plain[-2].start, end=scene.num_frames)
    return (*plain[:-2], merged), morph

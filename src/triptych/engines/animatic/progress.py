"""How far a render is, over all its stages: never falls, and ends full."""

from __future__ import annotations

from typing import Any

from triptych.engines.animatic.scene import STILLS, Scene


class Meter:
    """Counts in frames: one for each picture decoded, each frame's time of a clip followed, and each frame drawn."""

    def __init__(self, scene: Scene) -> None:
        self._fps = scene.fps
        self._stills = len(scene.of_kind(*STILLS)) or 1
        self._clips = sum(self._frames(clip.seconds) for clip in scene.of_kind("clip"))
        self.total = self._stills + self._clips + scene.num_frames
        self._done = 0

    def decoded(self) -> dict[str, Any]:
        """One more picture is there."""
        return self._at("decode", min(self._done + 1, self._stills))

    def mixed(self) -> dict[str, Any]:
        """Some sound was laid."""
        return self._at("sound", self._stills)

    def followed(self, seconds: float) -> dict[str, Any]:
        """The clips were followed for so long, all together."""
        return self._at("motion", self._stills + min(self._frames(seconds), self._clips))

    def drawn(self, frames: int) -> dict[str, Any]:
        """So many frames are drawn."""
        return self._at("render", self._stills + self._clips + frames)

    def _frames(self, seconds: float) -> int:
        return round(seconds * self._fps)

    def _at(self, stage: str, done: int) -> dict[str, Any]:
        self._done = max(self._done, done)
        return {"stage": stage, "done": self._done, "total": self.total}

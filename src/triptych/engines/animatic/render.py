"""The whole job, in the child process: decode, lay down the sound, follow the clips, draw, encode."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import cv2
import numpy as np

from triptych.engines.animatic.ledger import Ledger
from triptych.engines.animatic.motion import Motion, flow_size
from triptych.engines.animatic.picture import Picture
from triptych.engines.animatic.progress import Meter
from triptych.engines.animatic.scene import VIDEO_NAME, Input, Scene, pinned_frames
from triptych.engines.animatic.sound import envelope, lay_sound
from triptych.engines.animatic.source import gray_frames, pictures_of, shown_frames
from triptych.engines.animatic.stage import Drive, Stage
from triptych.engines.animatic.tape import CEILING, DUCKED, Tape
from triptych.media.encode import ENCODER_THREADS, Movie, MovieWriter, samples_until

_THREADS = 2


def render(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Make the video of a scene.

    Args:
        params: ``Scene.as_json()``.

    Yields:
        ``{"stage", "done", "total"}`` while it goes on, and last ``{"made": …}``.

    Raises:
        InputChanged: an input is not the file that was checked.
        InvalidRequest: an input cannot be decoded.
    """
    cv2.setNumThreads(_THREADS)
    scene = Scene.from_json(params)
    with ExitStack() as stack:
        job = _Job(scene, stack)
        yield from job.decode()
        yield from job.lay_sound()
        yield from job.follow_clips()
        yield from job.draw()
        yield {"made": job.report()}


class _Job:
    """One render, stage by stage; ``stack`` closes what it opens."""

    def __init__(self, scene: Scene, stack: ExitStack) -> None:
        self._scene, self._stack = scene, stack
        self._meter = Meter(scene)
        self._ledger = stack.enter_context(Ledger())
        self._pictures: dict[str, Picture] = {}
        self._drives: list[Drive] = []
        self._warnings: list[dict[str, Any]] = []
        self._tape = Tape(self._scratch("sound"), samples_until(scene.num_frames, scene.fps))
        self._beat = np.zeros(scene.num_frames)
        self._peak = 0.0
        self._movie: Movie | None = None

    @property
    def _gain(self) -> float:
        """Less than 1 only where the sound would clip."""
        return min(1.0, CEILING / max(self._peak, CEILING))

    def decode(self) -> Iterator[dict[str, Any]]:
        """The pictures."""
        for key, picture in pictures_of(self._scene, self._ledger):
            self._pictures[key] = picture
            yield self._meter.decoded()

    def lay_sound(self) -> Iterator[dict[str, Any]]:
        """All sound, on the tape; then how loud it is when."""
        for warning in lay_sound(self._scene, self._tape, self._ledger):
            if warning:
                self._warnings.append(warning)
            yield self._meter.mixed()
        levels, self._peak = self._tape.measure(self._scene.num_frames, self._scene.fps)
        if self._scene.audio_pulse:
            # What was heard before has no part in how loud the new is for itself.
            new = self._scene.shown_frames
            self._beat[new:] = envelope(levels[new:], self._scene.fps)

    def follow_clips(self) -> Iterator[dict[str, Any]]:
        """The motion of each clip."""
        before = 0.0
        for clip in self._scene.of_kind("clip"):
            motion = Motion(
                flow_size(clip.width, clip.height),
                self._scratch(f"motion-{len(self._drives)}"),
                shape=self._scene.height / self._scene.width,
                gain=self._scene.motion_gain,
            )
            for seconds in motion.follow(gray_frames(clip, self._ledger, fps=self._scene.fps)):
                yield self._meter.followed(before + seconds)
            before += clip.seconds
            self._drives.append(_drive(clip, motion))

    def draw(self) -> Iterator[dict[str, Any]]:
        """Every frame, and the sound that belongs to it."""
        scene = self._scene
        new = scene.new
        writer = self._stack.enter_context(
            MovieWriter(
                Path(scene.folder) / VIDEO_NAME,
                width=scene.width,
                height=scene.height,
                fps=scene.fps,
                num_frames=scene.num_frames,
                pinned=tuple(number + scene.shown_frames for number in pinned_frames(new)),
            )
        )
        gain = np.float32(self._gain)
        for number, picture in enumerate(chain(self._shown(), self._drawn(new))):
            writer.add_frame(picture.pack())
            writer.add_sound(self._tape.read(number, scene.fps) * gain)
            if number + 1 < scene.num_frames:
                yield self._meter.drawn(number + 1)
        self._movie = writer.finish()
        yield self._meter.drawn(scene.num_frames)

    def _shown(self) -> Iterator[Picture]:
        """The frames of the clip that is gone on from; its last one is the first picture of what is new."""
        for number, (key, picture) in enumerate(shown_frames(self._scene, self._ledger)):
            self._ledger.shown(key, number, "shown whole")
            self._pictures[key] = picture
            yield picture

    def _drawn(self, new: Scene) -> Iterator[Picture]:
        """The frames that are made anew."""
        self._ledger.origin = self._scene.shown_frames
        stage = Stage(new, self._pictures, self._drives, self._beat[self._scene.shown_frames :], self._ledger)
        yield from map(stage.frame, range(new.num_frames))

    def report(self) -> dict[str, Any]:
        """What was made and of what, as plain JSON."""
        if self._movie is None:
            raise RuntimeError("a report before the video is finished")
        return {
            **asdict(self._movie),
            "peak": self._peak,
            "gain": self._gain,
            "ducked": DUCKED if self._tape.ducked else 1.0,
            "receipts": self._ledger.report(),
            "warnings": self._warnings,
            "versions": _versions(),
        }

    def _scratch(self, name: str) -> BinaryIO:
        return self._stack.enter_context((Path(self._scene.folder) / f"{name}.scratch").open("w+b"))


def _drive(clip: Input, motion: Motion) -> Drive:
    return Drive(key=clip.key, motion=motion, start=clip.at_seconds, end=clip.at_seconds + clip.seconds)


def _versions() -> dict[str, str]:
    """What the bytes of the video depend on, besides the plan."""
    import av

    return {
        "triptych": _version("triptych"),
        "av": av.__version__,
        "ffmpeg": str(av.ffmpeg_version_info),
        "libavcodec": ".".join(map(str, av.library_versions["libavcodec"])),
        "opencv": cv2.__version__,
        "numpy": np.__version__,
        "encoder": f"libx264 veryfast, {ENCODER_THREADS} threads, cpu-independent",
    }


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"

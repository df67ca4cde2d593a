"""Plans made by hand, and real files for them, so that the engine is tested by itself."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from triptych.engines.animatic import create
from triptych.engines.base import Context
from triptych.process.host import Host
from triptych.rules.geometry import fit_plan
from triptych.task import (
    Blob,
    Fit,
    FitPlan,
    Made,
    Modality,
    Plan,
    Probe,
    Progress,
    Role,
    Scalar,
    Settings,
    Slot,
    Spoken,
    Task,
)

Pixels = NDArray[np.uint8]
Wave = NDArray[np.float32]

RATE_HZ = 48_000


@dataclass
class Job:
    """A plan that grows input by input. Sizes are small: what is tested here does not need large pictures."""

    folder: Path
    size: tuple[int, int] = (320, 180)
    fps: int = 24
    num_frames: int = 48
    seed: int = 0
    prompt: str = "a test"
    options: dict[str, Scalar] = field(default_factory=dict)
    lines: tuple[Spoken, ...] = ()
    slots: list[Slot] = field(default_factory=list)

    def picture(self, pixels: Pixels, role: Role = Role.REFERENCE, fit: Fit = Fit.CROP) -> Job:
        """Add a PNG."""
        path = self._file("png")
        Image.fromarray(pixels).save(path, compress_level=1)
        height, width = pixels.shape[:2]
        probe = Probe(modality=Modality.IMAGE, container="png", media_type="image/png", width=width, height=height)
        key = str(role) if role is not Role.REFERENCE else f"reference_images[{self._count(Modality.IMAGE)}]"
        return self._add(key, role, path, probe, ("picture",), fit=fit_plan((width, height), self.size, fit))

    def clip(
        self,
        frames: Sequence[Pixels],
        *,
        fps: int = 24,
        sound: Wave | None = None,
        use_sound: bool = False,
        start: float = 0.0,
        seconds: float | None = None,
    ) -> Job:
        """Add a Matroska clip, lossless, with 16-bit sound."""
        path = self._file("mkv")
        write_clip(path, frames, fps=fps, sound=sound)
        height, width = frames[0].shape[:2]
        probe = Probe(
            modality=Modality.VIDEO,
            container="matroska",
            media_type="video/x-matroska",
            width=width,
            height=height,
            seconds=len(frames) / fps,
            fps=fps,
            frames=len(frames),
            channels=0 if sound is None else 2,
        )
        uses = ("motion", "sound") if use_sound else ("motion",)
        key = f"reference_videos[{self._count(Modality.VIDEO)}]"
        return self._add(key, Role.REFERENCE, path, probe, uses, start=start, seconds=seconds)

    def sound(
        self, wave: Wave, *, soundtrack_of: str | None = None, start: float = 0.0, seconds: float | None = None
    ) -> Job:
        """Add a 16-bit WAV: as reference audio, or as the soundtrack of a clip."""
        path = self._file("wav")
        write_wav(path, wave)
        probe = Probe(
            modality=Modality.AUDIO,
            container="wav",
            media_type="audio/wav",
            seconds=wave.shape[1] / RATE_HZ,
            sample_rate=RATE_HZ,
            channels=2,
        )
        role = Role.SOUNDTRACK if soundtrack_of else Role.REFERENCE
        stem = "soundtrack" if soundtrack_of else "reference_audio"
        key = f"{stem}[{sum(slot.key.startswith(stem) for slot in self.slots)}]"
        return self._add(key, role, path, probe, ("sound",), start=start, seconds=seconds, soundtrack_of=soundtrack_of)

    def plan(self) -> Plan:
        """The plan as it stands."""
        width, height = self.size
        return Plan(
            engine="animatic",
            task=Task.REF2VA,
            prompt=self.prompt,
            engine_prompt=self.prompt,
            inputs=tuple(slot.field for slot in self.slots),
            slots=tuple(self.slots),
            spoken=self.lines,
            settings=Settings(
                width=width,
                height=height,
                fps=self.fps,
                num_frames=self.num_frames,
                seed=self.seed,
                options=self.options,
            ),
        )

    def make(self) -> tuple[Made, list[Progress]]:
        """Run the engine to its end."""
        return asyncio.run(self._make())

    def made(self) -> Made:
        """What the engine makes of it."""
        return self.make()[0]

    async def _make(self) -> tuple[Made, list[Progress]]:
        work = self.folder / "work"
        work.mkdir(exist_ok=True)
        told: list[Progress] = []
        async with Host() as host, aclosing(create().run(self.plan(), Context(workdir=work, host=host))) as events:
            async for event in events:
                if isinstance(event, Made):
                    return event, told
                told.append(event)
        raise AssertionError("the engine ended without a result")

    def _add(
        self,
        key: str,
        role: Role,
        path: Path,
        probe: Probe,
        uses: tuple[str, ...],
        *,
        start: float = 0.0,
        seconds: float | None = None,
        soundtrack_of: str | None = None,
        fit: FitPlan | None = None,
    ) -> Job:
        data = path.read_bytes()
        blob = Blob(path=str(path), sha256=hashlib.sha256(data).hexdigest(), size_bytes=len(data))
        slot = Slot(
            key=key,
            position=len(self.slots),
            field=f"--{key}",
            role=role,
            modality=probe.modality,
            uses=uses,
            blob=blob,
            probe=probe,
            start_seconds=start,
            seconds=probe.seconds - start if seconds is None else seconds,
            soundtrack_of=soundtrack_of,
        )
        if probe.modality is Modality.IMAGE:
            slot = replace(slot, fit=fit, seconds=0.0)
        self.slots.append(slot)
        return self

    def _count(self, modality: Modality) -> int:
        return sum(slot.role is Role.REFERENCE and slot.modality is modality for slot in self.slots)

    def _file(self, suffix: str) -> Path:
        return self.folder / f"input-{len(self.slots)}.{suffix}"


def write_clip(path: Path, frames: Sequence[Pixels], *, fps: int, sound: Wave | None = None) -> None:
    """A clip in Matroska: FFV1, and PCM sound if there is any."""
    height, width = frames[0].shape[:2]
    with av.open(str(path), "w") as container:
        video = container.add_stream("ffv1", rate=fps)
        video.width, video.height, video.pix_fmt = width, height, "yuv420p"
        audio = container.add_stream("pcm_s16le", rate=RATE_HZ, layout="stereo") if sound is not None else None
        for number, pixels in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24").reformat(format="yuv420p")
            frame.pts, frame.time_base = number, Fraction(1, fps)
            container.mux(video.encode(frame))
        container.mux(video.encode(None))
        if audio is not None and sound is not None:
            samples = av.AudioFrame.from_ndarray(_interleaved(sound), format="s16", layout="stereo")
            samples.sample_rate, samples.pts, samples.time_base = RATE_HZ, 0, Fraction(1, RATE_HZ)
            container.mux(audio.encode(samples))
            container.mux(audio.encode(None))


def write_wav(path: Path, wave: Wave) -> None:
    """A 16-bit WAV: float32 [2, samples], 48 kHz."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=RATE_HZ, layout="stereo")
        frame = av.AudioFrame.from_ndarray(_interleaved(wave), format="s16", layout="stereo")
        frame.sample_rate, frame.pts, frame.time_base = RATE_HZ, 0, Fraction(1, RATE_HZ)
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def _interleaved(wave: Wave) -> NDArray[np.int16]:
    return np.ascontiguousarray((np.clip(wave, -1, 1) * 32767).round().astype(np.int16).T).reshape(1, -1)


def photo(size: tuple[int, int], seed: int = 0) -> Pixels:
    """Something like a photograph: shapes at every scale, soft noise, strong colours."""
    import cv2

    width, height = size
    draw = np.random.default_rng(seed)
    total = np.zeros((height, width, 3), np.float32)
    weight = 1.0
    cells = 4
    while cells < max(size):
        grain = draw.uniform(-1, 1, (max(2, cells * height // width), cells, 3)).astype(np.float32)
        total += weight * cv2.resize(grain, (width, height), interpolation=cv2.INTER_CUBIC)
        cells, weight = cells * 2, weight * 0.6
    total += draw.normal(0, 0.01, total.shape).astype(np.float32)
    return np.clip(120 + 70 * total, 0, 255).astype(np.uint8)


def flat(size: tuple[int, int], colour: tuple[int, int, int]) -> Pixels:
    """One colour."""
    return np.full((size[1], size[0], 3), colour, np.uint8)


def tone(seconds: float, *, hz: float = 440.0, bursts: Sequence[tuple[float, float]] | None = None) -> Wave:
    """A tone, loud during ``bursts`` (start, end in seconds) only, or all along: float32 [2, samples]."""
    time = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    wave = 0.5 * np.sin(2 * np.pi * hz * time)
    if bursts is not None:
        wave *= np.any([(time >= start) & (time < end) for start, end in bursts], axis=0)
    return np.stack([wave, wave]).astype(np.float32)


def panned(size: tuple[int, int], shifts: Sequence[float], seed: int = 5) -> list[Pixels]:
    """A clip whose camera pans over one picture: frame by frame, the content lies ``shifts`` pixels to the right."""
    import cv2

    width, height = size
    margin = int(max(abs(shift) for shift in shifts)) + 2
    wide, flags = photo((width + 2 * margin, height), seed), cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    views = [np.array([[1.0, 0, margin - shift], [0, 1, 0]]) for shift in shifts]
    return [np.asarray(cv2.warpAffine(wide, view, size, flags=flags), np.uint8) for view in views]


def frames_of(made: Made) -> list[Pixels]:
    """Every frame of the video: uint8 [height, width, 3], sRGB."""
    with av.open(made.outputs[0].path) as container:
        return [np.asarray(frame.to_ndarray(format="rgb24"), np.uint8) for frame in container.decode(video=0)]


def luma_of(made: Made) -> list[Pixels]:
    """Every frame's luma as it is coded: uint8 [height, width]."""
    with av.open(made.outputs[0].path) as container:
        return [np.array(frame.to_ndarray()[: frame.height], np.uint8) for frame in container.decode(video=0)]


def sound_of(made: Made) -> Wave:
    """All samples, decoded: float32 [2, samples]."""
    with av.open(made.outputs[0].path) as container:
        return np.concatenate([frame.to_ndarray() for frame in container.decode(audio=0)], axis=1)


def loudness(wave: Wave, start: float, end: float) -> float:
    """RMS between two times, in seconds."""
    part = wave[:, round(start * RATE_HZ) : round(end * RATE_HZ)]
    return float(np.sqrt(np.mean(np.square(part, dtype=np.float64))))


def psnr(one: Pixels, other: Pixels) -> float:
    """Peak signal to noise ratio, dB; 99 for equal arrays."""
    error = float(np.mean((one.astype(np.float64) - other.astype(np.float64)) ** 2))
    return 99.0 if error == 0 else 10 * float(np.log10(255**2 / error))

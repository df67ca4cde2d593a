"""Frames and sound to an MP4 that plays everywhere: H.264 and AAC, written as they come.

What is exact in the file: the number of frames; the number of samples, also when decoded back; both streams begin
at 0. AAC comes in packets of 1024 samples and with 1024 samples of run-in, so the sound is filled up with silence
at its *front* and the edit list starts behind it: a decoder that honours edit lists (browsers and FFmpeg do) gives
back exactly the samples asked for. The one exception is sound shorter than one packet, which decodes to a whole one;
the length that the file states is exact there too.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from triptych.errors import EngineFailed

if TYPE_CHECKING:
    import av
    import numpy as np
    from numpy.typing import NDArray

RATE_HZ = 48_000
PACKET_SAMPLES = 1024
"""Samples in one AAC packet."""
ENCODER_THREADS = 2
"""x264's output depends on it, so it is a constant and not the machine's core count."""

_BT709 = 1  # AVCOL_SPC_BT709, AVCOL_PRI_BT709 and AVCOL_TRC_BT709 alike
_LIMITED = 1  # AVCOL_RANGE_MPEG


@dataclass(frozen=True, kw_only=True)
class Movie:
    """A finished file, as counted while writing.

    Attributes:
        path: where it is.
        sha256: of the file, lower-case hex.
        size_bytes: its length.
        frames: pictures written.
        samples: per channel, written; 0 without sound.
    """

    path: str
    sha256: str
    size_bytes: int
    frames: int
    samples: int


def samples_until(frame: int, fps: int) -> int:
    """How many samples precede ``frame``, from its absolute position: rounding never adds up."""
    return (2 * frame * RATE_HZ + fps) // (2 * fps)


class MovieWriter:
    """Writes one MP4. Use it as a context manager: leaving by an error leaves no file.

    Args:
        path: the file to make; until ``finish`` it has a temporary name beside it.
        width, height: even, in pixels.
        fps: frames per second.
        num_frames: how many frames will come; exactly so many must.
        sound: whether there is a sound track.
        pinned: frames that are kept as close to the original as 4:2:0 allows.
        crf: x264's quality for all other frames; lower is better.
    """

    def __init__(
        self,
        path: Path,
        *,
        width: int,
        height: int,
        fps: int,
        num_frames: int,
        sound: bool = True,
        pinned: tuple[int, ...] = (),
        crf: int = 20,
    ) -> None:
        import av

        if width % 2 or height % 2:
            raise ValueError(f"a frame of {width}x{height} has an odd side; 4:2:0 needs even ones")
        self._path = path
        self._part = path.with_name(f".{path.name}.part")
        self._fps = fps
        self._num_frames = num_frames
        self._shape = (height * 3 // 2, width)
        self._frames = 0
        self._samples = 0
        self._total_samples = samples_until(num_frames, fps) if sound else 0
        self._ends: list[bool] = []
        self._container = av.open(
            str(self._part),
            "w",
            format="mp4",
            # The movie's clock counts both frames and samples in whole ticks, or lengths would be rounded to 1 ms.
            options={"movflags": "+faststart", "fflags": "+bitexact", "movie_timescale": str(math.lcm(fps, RATE_HZ))},
        )
        self._video = self._container.add_stream("libx264", rate=fps)
        self._video.width, self._video.height, self._video.pix_fmt = width, height, "yuv420p"
        self._video.options = _x264(crf, pinned)
        codec = self._video.codec_context
        codec.time_base = Fraction(1, fps)
        codec.thread_count = ENCODER_THREADS
        codec.color_range = _LIMITED
        codec.colorspace = codec.color_primaries = codec.color_trc = _BT709
        self._audio: av.AudioStream | None = None
        if sound:
            self._audio = self._container.add_stream("aac", rate=RATE_HZ, layout="stereo")
            self._audio.bit_rate = 160_000
        self._front = -self._total_samples % PACKET_SAMPLES if self._total_samples > PACKET_SAMPLES else 0
        self._pending = _Queue(self._front)
        self._packet_pts = -self._front

    def __enter__(self) -> MovieWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._ends:
            self.abort()

    def add_frame(self, planes: NDArray[np.uint8]) -> None:
        """The next frame: uint8 [height * 3 / 2, width], I420, BT.709, limited range."""
        import av

        if planes.shape != self._shape:
            raise ValueError(f"a frame of shape {planes.shape} where {self._shape} is due")
        frame = av.VideoFrame.from_ndarray(planes, format="yuv420p")
        frame.colorspace, frame.color_range = _BT709, _LIMITED
        frame.pts, frame.time_base = self._frames, Fraction(1, self._fps)
        self._frames += 1
        self._container.mux(self._video.encode(frame))

    def add_sound(self, wave: NDArray[np.float32]) -> None:
        """The next samples: float32 [2, samples], -1..1, 48 kHz. What lies beyond the video's end is left out."""
        wave = wave[:, : self._total_samples - self._samples]
        self._samples += wave.shape[1]
        self._pending.put(wave)
        self._encode_sound(PACKET_SAMPLES)

    def finish(self) -> Movie:
        """Write what is left and give the file its name.

        Raises:
            EngineFailed: not all frames came.
        """
        if self._frames != self._num_frames:
            raise EngineFailed(f"{self._frames} frames were drawn where {self._num_frames} are due")
        if self._audio is not None:
            import numpy as np

            self.add_sound(np.zeros((2, self._total_samples - self._samples), np.float32))
            self._encode_sound(1)
            self._container.mux(self._audio.encode(None))
        self._container.mux(self._video.encode(None))
        self._close()
        self._part.replace(self._path)
        with self._path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return Movie(
            path=str(self._path),
            sha256=digest,
            size_bytes=self._path.stat().st_size,
            frames=self._frames,
            samples=self._samples,
        )

    def abort(self) -> None:
        """Stop and leave nothing behind."""
        try:
            self._close()
        finally:
            self._part.unlink(missing_ok=True)

    def _close(self) -> None:
        if not self._ends:
            self._ends.append(True)
            self._container.close()

    def _encode_sound(self, least: int) -> None:
        """Encode whole packets while at least ``least`` samples wait; a shorter one only at the end."""
        import av

        if self._audio is None:
            return
        while self._pending.size >= least:
            block = self._pending.take(PACKET_SAMPLES)
            frame = av.AudioFrame.from_ndarray(block, format="fltp", layout="stereo")
            frame.sample_rate, frame.pts, frame.time_base = RATE_HZ, self._packet_pts, Fraction(1, RATE_HZ)
            self._packet_pts += block.shape[1]
            self._container.mux(self._audio.encode(frame))


class _Queue:
    """Samples that wait for a whole packet; begins with some silence."""

    def __init__(self, silence: int) -> None:
        import numpy as np

        self._parts: list[NDArray[np.float32]] = [np.zeros((2, silence), np.float32)]
        self.size = silence

    def put(self, wave: NDArray[np.float32]) -> None:
        self._parts.append(wave)
        self.size += wave.shape[1]

    def take(self, count: int) -> NDArray[np.float32]:
        """float32 [2, up to count], contiguous."""
        import numpy as np

        whole = np.concatenate(self._parts, axis=1, dtype=np.float32)
        self._parts = [whole[:, count:]]
        self.size = max(0, whole.shape[1] - count)
        return np.ascontiguousarray(whole[:, :count])


def _x264(crf: int, pinned: tuple[int, ...]) -> dict[str, object]:
    """x264's options: veryfast is the knee of size against time; the same bytes whatever the processor can do."""
    params = ["cpu-independent=1"]
    if pinned:
        # q=4 reaches what 4:2:0 alone allows; q=0 would switch to a lossless profile that browsers do not play.
        params.append("zones=" + "/".join(f"{frame},{frame},q=4" for frame in sorted(set(pinned))))
    return {"crf": str(crf), "preset": "veryfast", "x264-params": ":".join(params)}

"""A tape for the video's sound: laid down in a scratch file, measured, and read back; never whole in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from triptych.media.encode import RATE_HZ, samples_until

Wave = NDArray[np.float32]

CEILING = 0.98
"""Loudest sample; a louder mix is turned down as a whole."""

DUCKED = 0.25
"""What is left of all other sound under a voice."""

_BYTES = 8  # of one sample of both channels
_BLOCK = RATE_HZ  # samples in memory at once
_EDGE = RATE_HZ // 200  # 5 ms: a sound that begins or ends within a tone does not click
_DUCK_IN, _DUCK_OUT = 0.15, 0.25  # seconds it takes to go down and to come back


class Tape:
    """Stereo sound at 48 kHz, as long as the video, in a file; it starts as silence.

    Args:
        file: empty, open for reading and writing.
        samples: per channel.

    Attributes:
        ducked: whether sound was turned down under a voice.
    """

    def __init__(self, file: BinaryIO, samples: int) -> None:
        self._file = file
        self.ducked = False
        self.samples = samples
        file.truncate(samples * _BYTES)

    def lay(self, chunks: Iterable[Wave], *, at: int, most: int) -> Iterator[tuple[int, Wave]]:
        """Add sound from sample ``at`` on, ``most`` samples of it at most; yields each piece that was laid, and where.

        Args:
            chunks: float32 [2, n] each.
            at: where it begins.
            most: how much of it is wanted; its end is faded over 5 ms.
        """
        most = max(0, min(most, self.samples - at))
        done = 0
        for chunk in chunks:
            wave = chunk[:, : most - done]
            if not wave.shape[1]:
                return
            places = np.arange(done, done + wave.shape[1])
            edge = np.clip(np.minimum(places + 1, most - places) / _EDGE, 0, 1).astype(np.float32)
            self._write(at + done, self._samples(at + done, wave.shape[1]) + wave * edge)
            done += wave.shape[1]
            yield at + done - wave.shape[1], wave

    def duck(self, spans: list[tuple[int, int]]) -> None:
        """Turn everything down during some spans (first sample, one past the last)."""
        into, out = round(_DUCK_IN * RATE_HZ), round(_DUCK_OUT * RATE_HZ)
        for start in range(0, self.samples, _BLOCK):
            count = min(_BLOCK, self.samples - start)
            near = [(a, b) for a, b in spans if a - into < start + count and b + out > start]
            if near:
                places = np.arange(start, start + count)
                gains = [np.interp(places, (a - into, a, b, b + out), (1, DUCKED, DUCKED, 1)) for a, b in near]
                gain = np.min(gains, axis=0).astype(np.float32)
                wave = self._samples(start, count)
                self.ducked = self.ducked or bool(wave[:, gain < 1].any())
                self._write(start, wave * gain)

    def measure(self, num_frames: int, fps: int) -> tuple[NDArray[np.float64], float]:
        """Loudness (RMS) during each frame, float64 [num_frames]; and the loudest sample."""
        levels, peak = np.zeros(num_frames), 0.0
        for frame in range(num_frames):
            wave = self.read(frame, fps)
            if wave.size:
                levels[frame] = np.sqrt(np.mean(np.square(wave, dtype=np.float64)))
                peak = max(peak, float(np.abs(wave).max()))
        return levels, peak

    def read(self, frame: int, fps: int) -> Wave:
        """The samples during one frame: float32 [2, n]."""
        start, end = samples_until(frame, fps), samples_until(frame + 1, fps)
        return self._samples(start, min(end, self.samples) - start)

    def _samples(self, start: int, count: int) -> Wave:
        self._file.seek(start * _BYTES)
        return np.frombuffer(self._file.read(count * _BYTES), np.float32).reshape(-1, 2).T

    def _write(self, start: int, wave: Wave) -> None:
        self._file.seek(start * _BYTES)
        self._file.write(np.ascontiguousarray(wave.T, np.float32).data)

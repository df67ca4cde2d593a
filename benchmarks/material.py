"""Media to measure with: drawn here, the same every time, as plain or as hard as real ones."""

from __future__ import annotations

import wave
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
CLIP_SIZE = (640, 360)
CLIP_FPS = 24
RATE_HZ = 48_000


def texture(width: int, height: int, *, seed: int) -> NDArray[np.uint8]:
    """Detail at every scale, as in a photo: uint8 [height, width, 3]."""
    random = np.random.default_rng(seed)
    whole = np.zeros((height, width, 3), np.float32)
    for cells in (4, 16, 64, 256):
        rough = random.uniform(-1, 1, (cells, cells * 16 // 9, 3)).astype(np.float32)
        stretched = cv2.resize(rough, (width, height), interpolation=cv2.INTER_CUBIC)
        whole += np.asarray(stretched, np.float32) * (4 / cells**0.6)
    low, high = float(whole.min()), float(whole.max())
    return ((whole - low) * (255 / (high - low))).astype(np.uint8)


def photo(path: Path, *, width: int = 4000, height: int = 3000) -> Path:
    """A JPEG of 12 megapixels, as a phone takes it."""
    Image.fromarray(texture(width, height, seed=1)).save(path, quality=90)
    return path


def closer(path: Path, source: Path) -> Path:
    """A picture of the same scene from a little nearer, so that the two correspond point by point."""
    with Image.open(source) as opened:
        width, height = opened.size
        inner = opened.crop((width // 16, height // 20, width - width // 20, height - height // 16))
        inner.resize((width, height), Image.Resampling.LANCZOS).save(path, quality=92)
    return path


def clip(path: Path, *, seconds: float) -> Path:
    """A hand-held pan over a scene in which something sways: 640x360, 24 fps, H.264, silent."""
    width, height = CLIP_SIZE
    scene = texture(width * 2, height * 2, seed=2)
    leaf = texture(120, 120, seed=3)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=CLIP_FPS)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.options = {"preset": "veryfast", "crf": "23"}
        for number in range(round(seconds * CLIP_FPS)):
            at = number / CLIP_FPS
            x, y = width / 2 + 150 * np.sin(at * 0.9), height / 2 + 60 * np.sin(at * 1.3)
            frame = scene[round(y) : round(y) + height, round(x) : round(x) + width].copy()
            left = round(260 + 40 * np.sin(at * 4))
            frame[120:240, left : left + 120] = leaf
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
        container.mux(stream.encode(None))
    return path


def sound(path: Path, *, seconds: float) -> Path:
    """Something like speech: a tone that comes and goes; 48 kHz, mono, 16 bits."""
    times = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    loud = np.clip(np.sin(times * 7) + 0.3 * np.sin(times * 2.1), 0, 1)
    samples = (0.5 * loud * np.sin(2 * np.pi * 180 * times) * 32767).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes(samples.tobytes())
    return path

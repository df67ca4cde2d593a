"""Makes the samples again: ``clip.mp4`` and ``voice.wav`` from nothing, the photos from scikit-image's originals.

    python samples/make.py                      the clip and the voice
    python samples/make.py --photos FOLDER      the photos, from the folder skimage/data of that package

On one machine the same bytes come out each time. The voice needs the extra ``speech``.
"""

from __future__ import annotations

import argparse
import ctypes
import sys
import wave
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

HERE = Path(__file__).resolve().parent
WIDTH, HEIGHT, FPS, SECONDS = 640, 360, 24, 4
HZ = 48000
VOICE_HZ = 22050
LINE = "Three panels, one picture. What you show is what you see."
PHOTOS = {"rocket.jpg": "rocket.jpg", "coffee.png": "coffee.jpg", "chelsea.png": "cat.jpg"}

Plane = npt.NDArray[np.float32]
Picture = npt.NDArray[np.uint8]


def noise(rng: np.random.Generator, width: int, height: int, coarsest: int) -> Plane:
    """Smooth noise of several octaves: float32 [height, width], 0..1."""
    total = np.zeros((height, width), np.float32)
    cell, weight = coarsest, 1.0
    while cell >= 2:
        grid = rng.random((height // cell + 2, width // cell + 2), dtype=np.float32)
        total += weight * cv2.resize(grid, (width, height), interpolation=cv2.INTER_CUBIC)
        cell, weight = cell // 2, weight * 0.6
    lowest, highest = float(total.min()), float(total.max())
    return (total - lowest) / (highest - lowest)


def landscape(rng: np.random.Generator) -> list[tuple[float, Picture, Plane]]:
    """The layers of a valley at dusk, far to near: (how fast it passes, colour, opacity 0..1)."""
    width, height = WIDTH * 2, HEIGHT * 2
    down = np.linspace(0, 1, height, dtype=np.float32)[:, None]
    cloud = noise(rng, width, height, 128)[..., None]
    sky = np.array([58, 74, 128]) * (1 - down[..., None]) + np.array([250, 176, 120]) * down[..., None]
    sky = sky + (cloud - 0.5) * 70
    layers = [(0.8, np.clip(sky, 0, 255).astype(np.uint8), np.ones((height, width), np.float32))]
    hills = ((0.85, 0.50, (108, 98, 140)), (0.92, 0.60, (74, 92, 98)), (1.0, 0.74, (46, 70, 44)))
    for speed, top, colour in hills:
        ridge = noise(rng, width, 64, 64)[32] * 0.22 + top - 0.11
        opacity = np.clip((down - ridge[None, :]) * height / 3, 0, 1)
        texture = (noise(rng, width, height, 32)[..., None] - 0.5) * 90
        layers.append((speed, np.clip(np.array(colour) + texture, 0, 255).astype(np.uint8), opacity))
    return layers


def frame(layers: list[tuple[float, Picture, Plane]], at: float) -> Picture:
    """The view at ``at`` (0..1) of the way: uint8 [HEIGHT, WIDTH, 3], sRGB."""
    eased = at * at * (3 - 2 * at)
    zoom = 1.0 + 0.25 * eased
    view = np.zeros((HEIGHT, WIDTH, 3), np.float32)
    for speed, colour, opacity in layers:
        span = 2 / zoom
        left = WIDTH * (1 - 1 / zoom) + eased * speed * WIDTH * 0.5
        matrix = np.array([[span * 0.75, 0, left * 0.75], [0, span, HEIGHT * (1 - 1 / zoom)]], np.float32)
        flags = cv2.INTER_AREA | cv2.WARP_INVERSE_MAP
        moved = cv2.warpAffine(colour, matrix, (WIDTH, HEIGHT), flags=flags, borderMode=cv2.BORDER_REFLECT_101)
        share = cv2.warpAffine(opacity, matrix, (WIDTH, HEIGHT), flags=flags, borderMode=cv2.BORDER_REFLECT_101)
        view += (moved.astype(np.float32) - view) * share[..., None]
    return np.clip(view, 0, 255).astype(np.uint8)


def wind(rng: np.random.Generator) -> Plane:
    """Quiet wind and two soft bells: float32 [2, samples], -1..1."""
    samples = SECONDS * HZ
    seconds = np.arange(samples, dtype=np.float32) / HZ
    sides = []
    for _ in range(2):
        hiss = rng.standard_normal(samples).astype(np.float32)
        kernel = np.hanning(301).astype(np.float32)
        sides.append(np.convolve(hiss, kernel / kernel.sum(), mode="same") * (1 + 0.5 * np.sin(seconds * 1.7)))
    sound = np.stack(sides).astype(np.float32) * 0.35
    for begin, pitch in ((0.5, 523.25), (2.3, 659.25)):
        since = np.clip(seconds - begin, 0, None)
        sound += 0.12 * np.sin(2 * np.pi * pitch * since) * np.exp(-since * 2.5)
    fade = np.clip(np.minimum(seconds, SECONDS - seconds) / 0.1, 0, 1)
    return np.clip(sound * fade, -1, 1).astype(np.float32)


def make_clip(path: Path) -> None:
    """A camera that pans and closes in on a drawn valley: 640x360, 24 fps, 4 s, with sound."""
    rng = np.random.default_rng(3)
    layers, sound = landscape(rng), wind(rng)
    count = FPS * SECONDS
    with av.open(str(path), "w", options={"movflags": "+faststart", "fflags": "+bitexact"}) as container:
        video = container.add_stream("libx264", rate=FPS, options={"crf": "24", "preset": "slow"})
        video.width, video.height, video.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        video.codec_context.thread_count = 1
        audio = container.add_stream("aac", rate=HZ, layout="stereo")
        audio.bit_rate = 96_000
        for number in range(count):
            shown = av.VideoFrame.from_ndarray(frame(layers, number / (count - 1)), format="rgb24")
            shown.pts, shown.time_base = number, Fraction(1, FPS)
            container.mux(video.encode(shown))
        container.mux(video.encode(None))
        for begin in range(0, sound.shape[1], 1024):
            heard = av.AudioFrame.from_ndarray(sound[:, begin : begin + 1024].copy(), format="fltp", layout="stereo")
            heard.sample_rate, heard.pts, heard.time_base = HZ, begin, Fraction(1, HZ)
            container.mux(audio.encode(heard))
        container.mux(audio.encode(None))


def make_voice(path: Path) -> None:
    """One spoken line by espeak-ng: 22.05 kHz, mono, 16 bit."""
    import espeakng_loader

    espeak = ctypes.CDLL(espeakng_loader.get_library_path())
    pieces: list[bytes] = []

    def keep(samples: int | None, count: int, _events: int | None) -> int:
        if samples and count > 0:
            pieces.append(ctypes.string_at(samples, count * 2))
        return 0

    callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(keep)
    retrieval, utf8, rate = 1, 1, 1
    hz = espeak.espeak_Initialize(retrieval, 0, espeakng_loader.get_data_path().encode(), 0)
    if hz != VOICE_HZ:
        raise RuntimeError(f"espeak-ng speaks at {hz} Hz, {VOICE_HZ} Hz was expected")
    espeak.espeak_SetSynthCallback(callback)
    espeak.espeak_SetVoiceByName(b"en-gb")
    espeak.espeak_SetParameter(rate, 165, 0)
    text = LINE.encode()
    espeak.espeak_Synth(text, len(text) + 1, 0, 0, 0, utf8, None, None)
    espeak.espeak_Synchronize()
    espeak.espeak_Terminate()
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(hz)
        file.writeframes(b"".join(pieces))


def make_photos(folder: Path) -> None:
    """The photos, as JPEG no larger than 1280 pixels."""
    for source, name in PHOTOS.items():
        if source.endswith(".jpg"):
            (HERE / name).write_bytes((folder / source).read_bytes())
            continue
        with Image.open(folder / source) as opened:
            picture = opened.convert("RGB")
        picture.thumbnail((1280, 1280))
        picture.save(HERE / name, quality=88)


def main() -> int:
    """Make what was asked for."""
    parser = argparse.ArgumentParser(description="Make the sample media again.")
    parser.add_argument("--photos", type=Path, metavar="FOLDER", help="skimage/data of an unpacked scikit-image wheel")
    parser.add_argument("--out", type=Path, default=HERE, help="where the clip and the voice go")
    asked = parser.parse_args()
    if asked.photos:
        make_photos(asked.photos)
        return 0
    asked.out.mkdir(parents=True, exist_ok=True)
    make_clip(asked.out / "clip.mp4")
    make_voice(asked.out / "voice.wav")
    return 0


if __name__ == "__main__":
    sys.exit(main())

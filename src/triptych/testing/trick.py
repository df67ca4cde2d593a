"""Makers of the files in ``testing.trap``: each is a function that writes one file to a path."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image

from triptych.testing import media

Maker = Callable[[Path], object]


def holding(make: Callable[[], bytes]) -> Maker:
    """A file of the bytes that ``make`` gives."""
    return lambda path: path.write_bytes(make())


def clip(**options: Any) -> Maker:
    """``media.make_clip`` with these options."""
    return lambda path: media.make_clip(path, **options)


def sound(codec: str, **options: Any) -> Maker:
    """A second of tones, one a channel, through ``media.make_sound``."""
    samples = media.tone(1.0, rate=options.get("rate", 48_000), hz=options.pop("hz", (440.0, 660.0)))
    return lambda path: media.make_sound(path, samples, codec=codec, **options)


def wav(hz: tuple[float, ...] = (440.0, 660.0), **options: Any) -> Maker:
    """A second of tones, one a channel, through ``media.wav_bytes``."""
    samples = media.tone(1.0, rate=options.get("rate", 48_000), hz=hz)
    return holding(lambda: media.wav_bytes(samples, **options))


def cut(make: Maker, share: float) -> Maker:
    """The first part of what ``make`` writes."""

    def write(path: Path) -> None:
        make(path)
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])

    return write


def damaged(make: Maker, count: int) -> Maker:
    """What ``make`` writes, with ``count`` bytes changed in its second half."""

    def write(path: Path) -> None:
        make(path)
        data, chance = bytearray(path.read_bytes()), random.Random(1)
        for _ in range(count):
            data[chance.randrange(len(data) // 2, len(data))] = chance.randrange(256)
        path.write_bytes(data)

    return write


def flat_png(width: int, height: int) -> bytes:
    """A black 1-bit PNG of any size: a bomb when it is large."""
    rows = zlib.compressobj(9)
    row = b"\0" * (1 + (width + 7) // 8)
    body = b"".join(rows.compress(row) for _ in range(height)) + rows.flush()
    head = media.png_bytes(b"", width=width, height=height, depth=1, colour=0)
    start, end = head.index(b"IDAT") - 4, head.index(b"IEND") - 4
    return head[:start] + media.png_chunk(b"IDAT", body) + head[end:]


def text_bomb_png(size_bytes: int = 200_000_000) -> bytes:
    """A small PNG whose compressed text chunk unfolds to ``size_bytes``."""
    packed = zlib.compressobj(9)
    body = b"".join(packed.compress(bytes(1_000_000)) for _ in range(size_bytes // 1_000_000)) + packed.flush()
    rows = (b"\0" + b"\x80" * 32) * 32
    return media.png_bytes(
        rows, width=32, height=32, depth=8, colour=0, extra=media.png_chunk(b"zTXt", b"k\0\0" + body)
    )


def deep_grey(container: str) -> bytes:
    """A ramp over the whole range of 16-bit grey."""
    ramp = np.linspace(0, 65_535, 96).astype(np.uint16)[None, :].repeat(64, 0)
    return media.picture_bytes(Image.fromarray(ramp), container)


def deep_rgb() -> np.ndarray[Any, np.dtype[np.uint16]]:
    """``media.quarters`` in 16 bits: uint16 [64, 96, 3]."""
    return media.quarters().astype(np.uint16) * 257


def half_clear(container: str, mode: str = "RGBA", **options: Any) -> bytes:
    """``media.quarters`` with its lower half transparent."""
    image = Image.fromarray(media.quarters()).convert("RGBA")
    mask = np.zeros((64, 96), np.uint8)
    mask[:32] = 255
    image.putalpha(Image.fromarray(mask))
    return media.picture_bytes(image if mode == "RGBA" else image.convert(mode), container, **options)


def clear_palette_gif() -> bytes:
    """A GIF with a transparent palette entry."""
    palette = Image.fromarray(media.quarters()).convert("P", palette=Image.Palette.ADAPTIVE, colors=4)
    return media.picture_bytes(palette, "GIF", transparency=0)


def many_gif(path: Path) -> None:
    """A GIF of very many small frames."""
    frames = [Image.fromarray(np.full((24, 24), index * 7 % 256, np.uint8)) for index in range(1_500)]
    path.write_bytes(media.picture_bytes(frames[0], "GIF", save_all=True, append_images=frames[1:], duration=20))


def clear_clip(path: Path) -> None:
    """A VP8 clip whose lower half is transparent."""
    rgba = np.dstack([media.quarters(), np.zeros((64, 96), np.uint8)])
    rgba[:32, :, 3] = 255
    media.make_clip(path, codec="libvpx", pixel_format="yuva420p", options={"auto-alt-ref": "0"}, pictures=[rgba] * 12)


def turned(orientation: int) -> Maker:
    """A clip as a phone held at ``orientation`` stores it."""
    return lambda path: media.make_turned_clip(path, orientation)


def covered_song(path: Path) -> None:
    """An M4A with a picture of its cover."""
    bare = path.with_suffix(".bare.m4a")
    media.make_sound(bare, media.tone(), codec="aac", container="ipod")
    with av.open(str(bare)) as song, av.open(str(path), "w", format="mp4") as out:
        sound: Any = out.add_stream_from_template(song.streams.audio[0])
        cover: Any = out.add_stream("mjpeg", rate=1)
        cover.width, cover.height, cover.pix_fmt = 96, 64, "yuvj420p"
        cover.disposition = 1024  # attached_pic
        out.mux(cover.encode(av.VideoFrame.from_ndarray(media.quarters(), format="rgb24")))
        out.mux(cover.encode(None))
        for packet in song.demux():
            if packet.size:
                packet.stream = sound
                out.mux(packet)
    bare.unlink()


def list_of(text: str) -> Maker:
    """A text file."""
    return lambda path: path.write_text(text)


def roomy_gif(path: Path) -> None:
    """A small GIF with a canvas of 4000x4000 and 400 frames that each cover a corner of it: 6.4 gigapixels."""
    data = bytearray(media.animation_bytes("GIF", frames=400))
    data[6:10] = struct.pack("<HH", 4_000, 4_000)
    path.write_bytes(data)

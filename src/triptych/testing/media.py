"""Makes media files of every kind that people send: pictures, clips and sounds, all of them synthesised.

Every picture has a red, a green, a blue and a white quarter (top left, top right, bottom left, bottom right), so that a
turn, a mirror or a wrong colour shows. Frames of clips carry their number as well. What goes wrong on purpose is made
in ``testing.trap``.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image, TiffImagePlugin

from triptych.media.turn import SIDEWAYS

Pixels = NDArray[np.uint8]
Samples = NDArray[np.float32]

QUARTERS = ((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255))
"""Colours of the quarters: top left, top right, bottom left, bottom right."""

_BITS = 12
_ORIENTATION = 0x0112

_STORED = {
    1: lambda upright: upright,
    2: lambda upright: upright[:, ::-1],
    3: lambda upright: upright[::-1, ::-1],
    4: lambda upright: upright[::-1],
    5: lambda upright: upright.swapaxes(0, 1),
    6: lambda upright: np.rot90(upright, 1),
    7: lambda upright: upright[::-1, ::-1].swapaxes(0, 1),
    8: lambda upright: np.rot90(upright, -1),
}
"""How a camera that writes an orientation stores an upright picture."""

_MATRICES = {
    1: (1, 0, 0, 1),
    2: (-1, 0, 0, 1),
    3: (-1, 0, 0, -1),
    4: (1, 0, 0, -1),
    5: (0, 1, 1, 0),
    6: (0, 1, -1, 0),
    7: (0, -1, -1, 0),
    8: (0, -1, 1, 0),
}


def quarters(width: int = 96, height: int = 64) -> Pixels:
    """A picture in four colours: uint8 [height, width, 3]."""
    picture = np.zeros((height, width, 3), np.uint8)
    for index, colour in enumerate(QUARTERS):
        top, left = (index // 2) * (height // 2), (index % 2) * (width // 2)
        picture[top : height if index > 1 else height // 2, left : width if index % 2 else width // 2] = colour
    return picture


def corners(pixels: Pixels) -> tuple[tuple[int, int, int], ...]:
    """The nearest of the four colours in the middle of each quarter, in the order of ``QUARTERS``."""
    height, width = pixels.shape[:2]
    points = [(y, x) for y in (height // 4, 3 * height // 4) for x in (width // 4, 3 * width // 4)]
    found = [pixels[y, x].astype(int) for y, x in points]
    return tuple(min(QUARTERS, key=lambda colour: int(np.abs(value - colour).sum())) for value in found)


def numbered(number: int, width: int = 96, height: int = 64) -> Pixels:
    """``quarters`` with a number in black and white blocks along the middle: uint8 [height, width, 3]."""
    picture = quarters(width, height)
    top, bottom = height // 2 - height // 8, height // 2 + height // 8
    for bit in range(_BITS):
        left, right = bit * width // _BITS, (bit + 1) * width // _BITS
        picture[top:bottom, left:right] = 255 if number >> bit & 1 else 0
    return picture


def read_number(pixels: Pixels) -> int:
    """The number that ``numbered`` put into a picture, [H, W, 3] or [H, W], of any size."""
    height, width = pixels.shape[:2]
    middles = [pixels[height // 2, (2 * bit + 1) * width // (2 * _BITS)] for bit in range(_BITS)]
    return sum(1 << bit for bit, value in enumerate(middles) if float(np.mean(value)) > 127)


def picture_bytes(pixels: Pixels | Image.Image, container: str = "PNG", **options: Any) -> bytes:
    """A still in one of Pillow's formats."""
    image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(pixels)
    if container == "HEIF":
        from pillow_heif import register_heif_opener

        register_heif_opener()
    out = io.BytesIO()
    image.save(out, container, **options)
    return out.getvalue()


def turned_bytes(orientation: int, container: str = "JPEG", width: int = 96, height: int = 64) -> bytes:
    """``quarters`` as a camera stores it that was held at ``orientation`` (1 to 8) and says so in EXIF."""
    stored = np.ascontiguousarray(_STORED[orientation](quarters(width, height)))
    if container == "TIFF":
        info = TiffImagePlugin.ImageFileDirectory_v2()
        info[_ORIENTATION] = orientation
        return picture_bytes(stored, container, tiffinfo=info)
    exif = Image.Exif()
    exif[_ORIENTATION] = orientation
    options: dict[str, Any] = {"lossless": True} if container == "WEBP" else {"quality": 95}
    return picture_bytes(stored, container, exif=exif, **({} if container == "PNG" else options))


def png_bytes(rows: bytes, *, width: int, height: int, depth: int, colour: int, extra: bytes = b"") -> bytes:
    """A PNG of ready-made rows (each with its filter byte), with ``extra`` chunks behind the header."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    body = png_chunk(b"IDAT", zlib.compress(rows, 9))
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + extra + body + png_chunk(b"IEND", b"")


def png_chunk(kind: bytes, body: bytes) -> bytes:
    """One chunk of a PNG."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def deep_rgb_png(values: NDArray[np.uint16]) -> bytes:
    """A 16-bit RGB PNG of uint16 [H, W, 3]."""
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in values)
    return png_bytes(rows, width=values.shape[1], height=values.shape[0], depth=16, colour=2)


def animation_bytes(container: str, frames: int = 6, milliseconds: int | list[int] = 100) -> bytes:
    """An animated GIF, PNG, WEBP or AVIF of numbered frames."""
    pictures = [Image.fromarray(numbered(index)) for index in range(frames)]
    options: dict[str, Any] = {"lossless": True} if container == "WEBP" else {}
    return picture_bytes(
        pictures[0], container, save_all=True, append_images=pictures[1:], duration=milliseconds, **options
    )


def tone(
    seconds: float = 1.0, *, rate: int = 48_000, hz: Sequence[float] = (440.0, 660.0), level: float = 0.3
) -> Samples:
    """One sine a channel: float32 [channels, n]."""
    time = np.arange(round(seconds * rate)) / rate
    return np.stack([level * np.sin(2 * np.pi * pitch * time) for pitch in hz]).astype(np.float32)


def make_clip(
    path: Path,
    *,
    codec: str = "libx264",
    container: str | None = None,
    width: int = 96,
    height: int = 64,
    frames: int = 24,
    fps: int = 24,
    pixel_format: str = "yuv420p",
    sound: Samples | None = None,
    sound_codec: str = "aac",
    sound_rate: int = 48_000,
    sound_after_seconds: float = 0.0,
    milliseconds: Sequence[int] | None = None,
    pixel_aspect: tuple[int, int] | None = None,
    colours: dict[str, int] | None = None,
    options: dict[str, str] | None = None,
    faststart: bool = False,
    pictures: Sequence[Pixels] | None = None,
) -> Path:
    """A clip of numbered frames.

    Args:
        path: where; the suffix chooses the container unless ``container`` does.
        milliseconds: when each frame is shown, for a variable rate.
        pixel_aspect: shape of one pixel, width to height.
        colours: tags of the codec context (``colorspace``, ``color_trc``, ``color_primaries``, ``color_range``).
        options: of the encoder.
        pictures: frames instead of the numbered ones: uint8 [H, W, 3] or [H, W, 4].
    """
    with av.open(str(path), "w", format=container, options={"movflags": "+faststart"} if faststart else {}) as out:
        video: Any = out.add_stream(codec, rate=fps, options=options or {})
        video.width, video.height, video.pix_fmt = width, height, pixel_format
        video.codec_context.thread_count = 1
        if milliseconds is not None:
            video.codec_context.time_base = Fraction(1, 1000)
        if pixel_aspect is not None:
            video.codec_context.sample_aspect_ratio = Fraction(*pixel_aspect)
        for name, value in (colours or {}).items():
            setattr(video.codec_context, name, value)
        audio: Any = None
        if sound is not None:
            audio = out.add_stream(sound_codec, rate=sound_rate, layout=_layout(sound))
        count = frames if pictures is None else len(pictures)
        for index in range(count):
            picture = numbered(index, width, height) if pictures is None else pictures[index]
            frame = av.VideoFrame.from_ndarray(picture, format="rgba" if picture.shape[2] == 4 else "rgb24")
            frame = frame.reformat(format=pixel_format, **_conversion(pixel_format, colours or {}))
            frame.pts = index if milliseconds is None else milliseconds[index]
            frame.time_base = Fraction(1, fps) if milliseconds is None else Fraction(1, 1000)
            for name, value in (colours or {}).items():
                setattr(frame, name, value)
            out.mux(video.encode(frame))
        out.mux(video.encode(None))
        if sound is not None:
            _encode_sound(out, audio, sound, sound_rate, sound_after_seconds)
    return path


def turn_clip(path: Path, orientation: int) -> Path:
    """Give an MP4 or MOV a display matrix for ``orientation`` (1 to 8), as phones do; its frames stay as they are."""
    data = bytearray(path.read_bytes())
    start = data.index(b"tkhd") + 4 + 24 + 16
    a, b, c, d = (value * 0x10000 for value in _MATRICES[orientation])
    data[start : start + 36] = struct.pack(">9i", a, b, 0, c, d, 0, 0, 0, 0x40000000)
    path.write_bytes(data)
    return path


def make_turned_clip(path: Path, orientation: int, width: int = 96, height: int = 64) -> Path:
    """A clip of ``quarters``, upright ``width`` x ``height``, stored as a phone held at ``orientation`` stores it."""
    stored = np.ascontiguousarray(_STORED[orientation](quarters(width, height)))
    if orientation in SIDEWAYS:
        width, height = height, width
    return turn_clip(make_clip(path, width=width, height=height, pictures=[stored] * 12), orientation)


def make_sound(
    path: Path,
    samples: Samples,
    *,
    codec: str,
    rate: int = 48_000,
    container: str | None = None,
    sample_format: str | None = None,
    options: dict[str, str] | None = None,
) -> Path:
    """A sound file of float32 [channels, n]; one, two or six channels."""
    with av.open(str(path), "w", format=container) as out:
        stream: Any = out.add_stream(codec, rate=rate, layout=_layout(samples), options=options or {})
        if sample_format is not None:
            stream.format = sample_format
        _encode_sound(out, stream, samples, rate, 0.0)
    return path


def wav_bytes(
    samples: Samples,
    *,
    rate: int = 48_000,
    kind: str = "s16",
    data_size: int | None = None,
    riff_size: int | None = None,
    before: bytes = b"",
    extensible: bool = False,
    rf64: bool = False,
) -> bytes:
    """A WAV file written by hand.

    Args:
        samples: float32 [channels, n], -1..1.
        kind: ``u8``, ``s16``, ``s24`` or ``f32``.
        data_size, riff_size: what the header says instead of the truth.
        before: chunks between the format and the samples.
        extensible: the long form of the format chunk.
        rf64: the form for more than 4 GiB, with its sizes in a ``ds64`` chunk.
    """
    body, bits, tag = _pcm(samples, kind)
    channels = samples.shape[0]
    block = channels * bits // 8
    layout = struct.pack("<HHIIHH", 0xFFFE if extensible else tag, channels, rate, rate * block, block, bits)
    if extensible:
        mask = {1: 4, 2: 3, 6: 0x3F}[channels]
        guid = struct.pack("<H", tag) + bytes.fromhex("000000001000800000aa00389b71")
        layout += struct.pack("<HHI", 22, bits, mask) + guid
    chunks = b"fmt " + struct.pack("<I", len(layout)) + layout + before
    if rf64:
        whole = 4 + 36 + len(chunks) + 8 + len(body)
        chunks = b"ds64" + struct.pack("<IQQQI", 28, whole, len(body), samples.shape[1], 0) + chunks
        data_size, riff_size = 0xFFFFFFFF, 0xFFFFFFFF
    chunks += b"data" + struct.pack("<I", len(body) if data_size is None else data_size) + body
    size = 4 + len(chunks) if riff_size is None else riff_size
    return (b"RF64" if rf64 else b"RIFF") + struct.pack("<I", size) + b"WAVE" + chunks


def _pcm(samples: Samples, kind: str) -> tuple[bytes, int, int]:
    """Interleaved bytes, bits a sample, and the format tag."""
    flat = samples.T
    if kind == "f32":
        return flat.astype("<f4").tobytes(), 32, 3
    if kind == "u8":
        return (np.rint(flat * 127) + 128).astype(np.uint8).tobytes(), 8, 1
    if kind == "s24":
        whole = np.rint(flat * 8_388_607).astype("<i4")
        return whole.reshape(-1, 1).view(np.uint8)[:, :3].tobytes(), 24, 1
    return np.rint(flat * 32_767).astype("<i2").tobytes(), 16, 1


def _layout(samples: Samples) -> str:
    return {1: "mono", 2: "stereo", 6: "5.1"}[samples.shape[0]]


def _encode_sound(out: Any, stream: Any, samples: Samples, rate: int, after_seconds: float) -> None:
    frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples), format="fltp", layout=_layout(samples))
    frame.sample_rate, frame.time_base, frame.pts = rate, Fraction(1, rate), 0
    context = stream.codec_context
    resampler = av.AudioResampler(
        format=context.format, layout=_layout(samples), rate=rate, frame_size=context.frame_size or 1024
    )
    for piece in [*resampler.resample(frame), *resampler.resample(None)]:
        piece.pts = (piece.pts or 0) + round(after_seconds * rate)
        out.mux(stream.encode(piece))
    out.mux(stream.encode(None))


def _conversion(pixel_format: str, colours: dict[str, int]) -> dict[str, int]:
    if pixel_format.startswith(("rgb", "gbr", "bgr")):
        return {}
    matrix = {9: 9, 1: 1}.get(colours.get("colorspace", 5), 5)
    full = colours.get("color_range") == 2 or pixel_format.startswith("yuvj")
    return {"dst_colorspace": matrix, "src_color_range": 2, "dst_color_range": 2 if full else 1}

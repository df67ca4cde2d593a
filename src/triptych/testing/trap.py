"""Files that go wrong in the wild, each with its right outcome: what a probe must say, or how it must be refused.

``TRAPS`` is the table. The files are written by ``testing.trick`` and ``testing.media``; no binary is shipped.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from PIL import Image

from triptych.task import Modality
from triptych.testing import media, trick
from triptych.testing.trick import Maker, clip, cut, holding, list_of, sound, wav

PORT = "{port}"
"""Stands in the lists that dial; a test puts in the port of a socket of its own, and hears nothing."""


@dataclass(frozen=True, kw_only=True)
class Trap:
    """A file, and what must come of it.

    Attributes:
        name: of the file, suffix included; it may lie about what is inside.
        make: writes it to a path.
        as_: what it is asked for as.
        refused: problem code when it must be refused; empty when it is read.
        says: words that the refusal, or one of the notes, must have.
        seen: fields of the probe when it is read.
    """

    name: str
    make: Maker
    as_: Modality | None = None
    refused: str = ""
    says: str = ""
    seen: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


def _good(
    name: str, make: Maker, like: dict[str, Any], says: str = "", as_: Modality | None = None, **seen: Any
) -> Trap:
    return Trap(name=name, make=make, as_=as_, says=says, seen=MappingProxyType({**like, **seen}))


def _bad(name: str, make: Maker, code: str, says: str = "", as_: Modality | None = None) -> Trap:
    return Trap(name=name, make=make, as_=as_, refused=code, says=says)


def _still(image: Image.Image, container: str = "PNG") -> Maker:
    return holding(lambda: media.picture_bytes(image, container))


def _turned(container: str = "JPEG") -> Maker:
    return holding(lambda: media.turned_bytes(6, container))


def _moving(container: str) -> Maker:
    return holding(lambda: media.animation_bytes(container))


def _clear(container: str, mode: str = "RGBA", **options: Any) -> Maker:
    return holding(lambda: trick.half_clear(container, mode, **options))


def _huge_clip(path: Path) -> None:
    black = np.zeros((4_096, 8_192, 3), np.uint8)
    media.make_clip(path, width=8_192, height=4_096, pictures=[black] * 2, options={"preset": "ultrafast"})


_PICTURE = Image.fromarray(media.quarters())
_SIX = (440.0, 550.0, 660.0, 60.0, 770.0, 880.0)
_STILL = {"modality": Modality.IMAGE, "width": 96, "height": 64}
_SIDEWAYS = {**_STILL, "rotation": 90}
_CLEAR = {**_STILL, "has_alpha": True}
_CLIP = {"modality": Modality.VIDEO, "width": 96, "height": 64, "frames": 24, "seconds": 1.0, "fps": 24.0}
_HALF = {**_CLIP, "frames": 12, "seconds": 0.5}
_GIF = {**_CLIP, "frames": 6, "seconds": 0.6, "fps": 10.0}
_HEARD = {"modality": Modality.AUDIO, "seconds": 1.0}
_TONE = media.tone(1.0)
_FIVE_SECONDS = clip(frames=120, sound=media.tone(5.0), faststart=True)
_WEBM = clip(codec="libvpx-vp9", sound=_TONE, sound_codec="libopus")
_QUIET = {"x265-params": "log-level=none"}
_LIST = "ffconcat version 1.0\nfile "
_HLS = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n"
_KEY = '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-KEY:METHOD=AES-128,URI="'
_AT = f"http://127.0.0.1:{PORT}/"
_CUT, _LARGE, _ANIMATED, _OTHER = "media_unreadable", "media_too_large", "media_animated", "media_not_supported"
_POINTS = "points at other files"
_COUNTED = "does not know the length"

UPRIGHT: tuple[Trap, ...] = (
    _good("turned.jpg", _turned(), _SIDEWAYS, "turned 90°"),
    _good("turned.png", _turned("PNG"), _SIDEWAYS, "turned 90°"),
    _good("turned.webp", _turned("WEBP"), _SIDEWAYS, "turned 90°"),
    _good("turned.avif", _turned("AVIF"), _SIDEWAYS, "turned 90°"),
    _good("turned.heic", _turned("HEIF"), _SIDEWAYS, "turned 90°"),
    _good("turned.tiff", _turned("TIFF"), _SIDEWAYS, "turned 90°"),
    _good("turned.mp4", trick.turned(6), _HALF, "turned 90°", rotation=90),
    _good("square.mp4", clip(pixel_aspect=(2, 1)), _CLIP, "pixels are not square", width=192),
)
"""EXIF orientation, display matrix, pixels that are not square."""

COLOURS: tuple[Trap, ...] = (
    _good("gray16.png", holding(lambda: trick.deep_grey("PNG")), _STILL, "16-bit grey"),
    _good("gray16.tiff", holding(lambda: trick.deep_grey("TIFF")), _STILL, "16-bit grey"),
    _good("rgb16.png", holding(lambda: media.deep_rgb_png(trick.deep_rgb())), _STILL),
    _good("rgb16.ppm", holding(lambda: b"P6\n96 64\n65535\n" + trick.deep_rgb().astype(">u2").tobytes()), _STILL),
    _good("comment.ppm", holding(lambda: b"P6\n# a\n96 64\n# b\n255\n" + media.quarters().tobytes()), _STILL),
    _good("alpha.png", _clear("PNG"), _CLEAR, "laid on white"),
    _good("alpha.webp", _clear("WEBP", lossless=True), _CLEAR, "laid on white"),
    _good("la.png", _clear("PNG", "LA"), _CLEAR, "laid on white"),
    _good("trns.gif", holding(trick.clear_palette_gif), _CLEAR, "laid on white"),
    _good("gray.png", _still(_PICTURE.convert("L")), _STILL),
    _good("palette.png", _still(_PICTURE.convert("P")), _STILL),
    _good("bit.png", _still(_PICTURE.convert("1")), _STILL, "1 bit"),
    _good("cmyk.jpg", _still(_PICTURE.convert("CMYK"), "JPEG"), _STILL, "CMYK"),
    _good("alpha.webm", trick.clear_clip, _HALF, "laid on white", has_alpha=True),
    _good("plain.bmp", _still(_PICTURE, "BMP"), _STILL),
    _good("plain.avif", _still(_PICTURE, "AVIF"), _STILL),
    _good("plain.heic", _still(_PICTURE, "HEIF"), _STILL),
)
"""16 bits, alpha, palettes, one bit, CMYK."""

MOVING: tuple[Trap, ...] = (
    _bad("moving.gif", _moving("GIF"), _ANIMATED, "6 frames", as_=Modality.IMAGE),
    _bad("moving.webp", _moving("WEBP"), _ANIMATED, "6 frames", as_=Modality.IMAGE),
    _bad("moving.png", _moving("PNG"), _ANIMATED, "6 frames", as_=Modality.IMAGE),
    _bad("moving.avif", _moving("AVIF"), _ANIMATED, "6 frames", as_=Modality.IMAGE),
    _bad("many.gif", trick.many_gif, _ANIMATED, "1500 frames", as_=Modality.IMAGE),
    _good("clip.gif", _moving("GIF"), _GIF, as_=Modality.VIDEO),
    _good("unstated.gif", _moving("GIF"), _GIF),
    _good("clip.webp", _moving("WEBP"), _GIF, as_=Modality.VIDEO),
    _good("clip.png", _moving("PNG"), _GIF, as_=Modality.VIDEO),
    _good("clip.avif", _moving("AVIF"), _GIF, as_=Modality.VIDEO),
    _good("many_clip.gif", trick.many_gif, {"modality": Modality.VIDEO, "frames": 1_500}, as_=Modality.VIDEO),
)
"""Animated pictures: refused as stills, read as clips."""

BROKEN: tuple[Trap, ...] = (
    _bad("cut.png", cut(_still(_PICTURE), 0.5), _CUT, "cut short"),
    _bad("cut.jpg", cut(_turned(), 0.6), _CUT, "cut short"),
    _bad("cut.webp", cut(_turned("WEBP"), 0.6), _CUT),
    _bad("cut.avif", cut(_turned("AVIF"), 0.6), _CUT),
    _bad("cut.heic", cut(_turned("HEIF"), 0.6), _CUT),
    _bad("roomy_clip.gif", trick.roomy_gif, "media_too_large", "6.4 gigapixels", as_=Modality.VIDEO),
    _bad("cut.gif", cut(_moving("GIF"), 0.6), _CUT, as_=Modality.VIDEO),
    _bad("cut_moving.webp", cut(_moving("WEBP"), 0.6), _CUT, as_=Modality.VIDEO),
    _bad("cut_moving.png", cut(_moving("PNG"), 0.6), _CUT, as_=Modality.VIDEO),
    _bad("cut.mp4", cut(clip(sound=_TONE), 0.66), _CUT, "cut short"),
    _bad("cut_faststart.mp4", cut(_FIVE_SECONDS, 0.5), _CUT, "says 5.00 s, only"),
    _bad("cut.webm", cut(_WEBM, 0.4), _CUT),
    _bad("corrupt.mp4", trick.damaged(_FIVE_SECONDS, 400), _CUT, "says 5.00 s, only"),
    _bad("cut.mp3", cut(sound("libmp3lame", rate=44_100), 0.5), _CUT, "says 1.00 s, only"),
    _bad("cut.wav", cut(wav(), 0.5), _CUT, "says 1.00 s, only 0.50 s"),
    _bad("cut.flac", cut(sound("flac", sample_format="s16"), 0.5), _CUT, "says 1.00 s, only"),
    _bad("random.mp3", holding(lambda: random.Random(5).randbytes(5_000)), _CUT),
    _bad("empty.png", holding(bytes), "media_empty"),
    _bad("text.png", list_of("hello, this is no picture" * 20), _CUT, "text"),
    _bad("silent.wav", holding(lambda: media.wav_bytes(media.tone(0.0))), _CUT, "no sound"),
    _bad(
        "nan.wav",
        holding(lambda: media.wav_bytes(np.full((1, 4_800), np.nan, np.float32), kind="f32")),
        _CUT,
        "not num",
    ),
)
"""Cut short, corrupt, empty, not media: never half a picture, never a short clip."""

LIARS: tuple[Trap, ...] = (
    _good("jpeg.png", _turned(), _SIDEWAYS, container="jpeg"),
    _good("flac.wav", sound("flac", container="flac", sample_format="s16"), _HEARD, container="flac"),
    _good("wav.mp3", wav(), _HEARD, container="wav"),
)
"""The name says something else."""

BOMBS: tuple[Trap, ...] = (
    _bad("bomb.png", holding(lambda: trick.flat_png(12_000, 12_000)), _LARGE, "144 megapixels"),
    _bad("bigger.png", holding(lambda: trick.flat_png(20_000, 20_000)), _LARGE, "400 megapixels"),
    _bad("long.png", holding(lambda: trick.flat_png(17_000, 8)), _LARGE, "over the limit of 16,384"),
    _bad("header.ppm", holding(lambda: b"P6\n60000 60000\n255\n" + bytes(64)), _LARGE, "3600 megapixels"),
    _bad("text_bomb.png", holding(trick.text_bomb_png), _CUT, "too large"),
    _bad("bomb.mp4", _huge_clip, _LARGE, "8192x4096"),
)
"""Small files that unfold: refused by what their headers say."""

LISTS: tuple[Trap, ...] = (
    _bad("list.mp4", list_of(f"{_LIST}'secret.mp4'\n"), _OTHER, _POINTS),
    _bad("list.txt", list_of(f"{_LIST}'secret.mp4'\n"), _OTHER, _POINTS),
    _bad("dials.mp4", list_of(f"{_LIST}{_AT}cc.mp4\n"), _OTHER, _POINTS),
    _bad("playlist.mp4", list_of(f"{_HLS}secret.mp4\n#EXT-X-ENDLIST\n"), _OTHER, _POINTS),
    _bad("playlist.m3u8", list_of(f"{_HLS}file:///etc/passwd\n#EXT-X-ENDLIST\n"), _OTHER, _POINTS),
    _bad("dialling.m3u8", list_of(f"{_HLS}{_AT}seg.ts\n#EXT-X-ENDLIST\n"), _OTHER, _POINTS),
    _bad("dialling.mp4", list_of(f"{_HLS}{_AT}seg.ts\n#EXT-X-ENDLIST\n"), _OTHER, _POINTS),
    _bad("keyed", list_of(f'{_KEY}{_AT}key"\n#EXTINF:1,\n{_AT}seg.ts\n#EXT-X-ENDLIST\n'), _OTHER, _POINTS),
)
"""Lists that name other files and addresses: nothing that they name is opened or dialled."""

CLIPS: tuple[Trap, ...] = (
    _good("plain.mp4", clip(sound=_TONE), _CLIP, video_codec="h264", audio_codec="aac", channels=2),
    _good("plain.mov", clip(sound=_TONE), _CLIP, container="mov"),
    _good("plain.webm", _WEBM, _CLIP, video_codec="vp9", audio_codec="opus"),
    _good("plain.mkv", clip(codec="libx265", sound=_TONE, options=_QUIET), _CLIP, video_codec="hevc"),
    _good("av1.mp4", clip(codec="libsvtav1", options={"preset": "12"}), _CLIP, video_codec="av1"),
    _good("noaudio.mp4", clip(), _CLIP, channels=0),
    _good("uneven.mkv", clip(frames=6, milliseconds=(0, 10, 120, 200, 230, 500)), {}, frames=6, variable_rate=True),
    _good("odd.mkv", clip(codec="ffv1", width=97, height=65, pixel_format="yuv444p"), _CLIP, width=97, height=65),
    _good("odd.mp4", clip(width=97, height=65, pixel_format="yuv444p"), _CLIP, width=97, height=65),
    _good("ten.mp4", clip(codec="libx265", pixel_format="yuv420p10le", options=_QUIET), _CLIP),
    _good("prores.mov", clip(codec="prores_ks", pixel_format="yuv422p10le"), _CLIP, video_codec="prores"),
    _good("mjpeg.avi", clip(codec="mjpeg", pixel_format="yuvj420p"), _CLIP, container="avi"),
    _good("long.mp4", clip(width=32, height=32, frames=3_000, fps=240), {}, frames=3_000, seconds=12.5, fps=240.0),
    _good("short.mp4", clip(frames=3), _CLIP, frames=3, seconds=0.125),
)
"""Ordinary variety, read right."""

SOUNDS: tuple[Trap, ...] = (
    _good("s16.wav", wav(), _HEARD, sample_rate=48_000, channels=2),
    _good("s24.wav", wav(kind="s24", extensible=True), _HEARD),
    _good("f32.wav", wav(kind="f32", rate=44_100), _HEARD, sample_rate=44_100),
    _good("u8.wav", wav((440.0,), kind="u8", rate=8_000), _HEARD, "one channel", channels=1),
    _good("mulaw.wav", sound("pcm_mulaw", rate=8_000, hz=(440.0,)), _HEARD, channels=1),
    _good("s51.wav", wav(_SIX, extensible=True), _HEARD, "mixed down", channels=6),
    _good("big.wav", wav(rf64=True), _HEARD),
    _good("tagged.wav", wav(before=b"LIST" + (5).to_bytes(4, "little") + b"INFO1\0"), _HEARD),
    _good("stream_ffffffff.wav", wav(data_size=0xFFFFFFFF, riff_size=0xFFFFFFFF), _HEARD, _COUNTED),
    _good("stream_7fffffff.wav", wav(data_size=0x7FFFFFFF, riff_size=0x7FFFFFFF), _HEARD, _COUNTED),
    _good("stream_2e9.wav", wav(data_size=2_000_000_000), _HEARD, _COUNTED),
    _bad("stream_0.wav", wav(data_size=0, riff_size=0), "media_unreadable", "0 bytes of sound, and 192,000 follow"),
    _good("song.m4a", sound("aac", container="ipod", rate=44_100), _HEARD, media_type="audio/mp4"),
    _good("lossless.m4a", sound("alac", container="ipod", sample_format="s16p"), _HEARD, audio_codec="alac"),
    _good("surround.m4a", sound("aac", container="ipod", hz=_SIX), _HEARD, "mixed down", channels=6),
    _good("surround.mp4", sound("ac3", hz=_SIX), {"modality": Modality.AUDIO}, "mixed down", channels=6),
    _good("covered.m4a", trick.covered_song, _HEARD),
    _good("song.mp3", sound("libmp3lame", rate=44_100), _HEARD, container="mp3"),
    _good("song.flac", sound("flac", sample_format="s16"), _HEARD, container="flac"),
    _good("song.opus", sound("libopus", container="ogg"), _HEARD, container="ogg"),
    _good("call.amr", sound("libopencore_amrnb", rate=8_000, hz=(440.0,)), {"modality": Modality.AUDIO}),
    _good("sound_of.mp4", clip(sound=_TONE), _HEARD, as_=Modality.AUDIO),
    _bad("no_sound_of.mp4", clip(), "unsupported_modality", "has no sound", as_=Modality.AUDIO),
)
"""Widths, rates, channels, headers written before the length was known."""

TRAPS: tuple[Trap, ...] = (*UPRIGHT, *COLOURS, *MOVING, *BROKEN, *LIARS, *BOMBS, *LISTS, *CLIPS, *SOUNDS)
"""All of them."""

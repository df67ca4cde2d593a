"""Pieces of a finished video: its last frame, its sound, a thumbnail, a sheet of small frames.

The same video gives the same bytes each time, so a piece is stored once and named by its content.
"""

from __future__ import annotations

import io
import math
import wave
from collections.abc import Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from triptych.errors import EngineFailed
from triptych.media.audio import SoundReader
from triptych.media.probe import probe
from triptych.media.sniff import HEAD_BYTES, Sniffed, sniff
from triptych.media.spool import Copy, begin
from triptych.media.video import ClipReader
from triptych.process.host import Host
from triptych.process.limits import Limits
from triptych.rules.spec import MediaLimits
from triptych.task import Blob, Probe
from triptych.task.piece import PIECES, THUMBNAIL_SIDE, thumbnail_size

SHEET_SIDE = 5
"""Frames across and down a spritesheet, at most."""

SHEET_FRAME_SIDE = 320
"""Longest side of one frame of a spritesheet, in pixels."""

_TARGET = "triptych.media.derive:make"
_LIMITS = Limits(memory_bytes=4 << 30, wall_seconds=600, file_bytes=4 << 30)
_FIELD = "the video"
_MAX_BYTES = 4 << 30

Pixels = NDArray[np.uint8]


@dataclass(frozen=True, kw_only=True)
class Derived:
    """A piece that was made.

    Attributes:
        blob: its bytes, in the spool.
        probe: what is in it.
        media_type: MIME type.
    """

    blob: Blob
    probe: Probe
    media_type: str


async def derive(host: Host, path: Path, *, variant: str, spool: Path) -> Derived:
    """Make one piece of a video, in a child process.

    Args:
        host: where the child runs.
        path: of a video that an engine made.
        variant: ``last_frame`` (PNG, exact), ``audio`` (WAV, 48 kHz, stereo, 16 bits), ``thumbnail`` (WebP, of the
            first frame) or ``spritesheet`` (JPEG, of at most 25 frames, evenly in time, row by row).
        spool: where the piece goes, named by its content.

    Raises:
        KeyError: there is no such variant.
        InvalidRequest: the video cannot be read, or has no sound.
    """
    _MAKERS[variant]  # a name that is none is told before anything is begun
    blob: Blob | None = None
    params = {"path": str(path), "variant": variant, "spool": str(spool)}
    async with aclosing(host.call(_TARGET, params, limits=_LIMITS)) as told:
        async for item in told:
            blob = Blob(**item["blob"])
    if blob is None:
        raise EngineFailed(f"no {variant} could be made of the video")
    seen = await probe(host, blob, field=variant, as_=PIECES[variant])
    return Derived(blob=blob, probe=seen, media_type=seen.media_type)


def make(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Target of a child process: make one piece; yields where it is.

    Args:
        params: ``path`` of the video, ``variant``, and the ``spool``.
    """
    path, variant = Path(params["path"]), params["variant"]
    copy = begin(Path(params["spool"]), field=variant, max_bytes=_MAX_BYTES)
    try:
        with path.open("rb") as file:
            found = sniff(file.read(HEAD_BYTES), field=_FIELD, size_bytes=path.stat().st_size)
            file.seek(0)
            _MAKERS[variant](file, found, copy)
    except BaseException:
        copy.discard()
        raise
    blob = copy.finish()
    yield {"blob": {"path": blob.path, "sha256": blob.sha256, "size_bytes": blob.size_bytes}}


def _clip(file: BinaryIO, found: Sniffed) -> ClipReader:
    file.seek(0)
    return ClipReader(file, container=found.container, demuxer=found.demuxer, field=_FIELD, limits=MediaLimits())


def _last_frame(file: BinaryIO, found: Sniffed, copy: Copy) -> None:
    last: Pixels | None = None
    for _, pixels in _clip(file, found):
        last = pixels
    if last is None:
        raise EngineFailed("the video has no frames")
    _write(Image.fromarray(last), copy, "PNG")


def _thumbnail(file: BinaryIO, found: Sniffed, copy: Copy) -> None:
    for _, pixels in _clip(file, found):
        _write(_small(pixels, THUMBNAIL_SIDE), copy, "WEBP", quality=82)
        return
    raise EngineFailed("the video has no frames")


def _spritesheet(file: BinaryIO, found: Sniffed, copy: Copy) -> None:
    count = _clip(file, found).measure().frames
    shown = min(count, SHEET_SIDE**2)
    wanted = {index * count // shown for index in range(shown)}
    small = [
        _small(pixels, SHEET_FRAME_SIDE) for index, (_, pixels) in enumerate(_clip(file, found)) if index in wanted
    ]
    across = math.ceil(math.sqrt(len(small)))
    width, height = small[0].size
    sheet = Image.new("RGB", (across * width, math.ceil(len(small) / across) * height))
    for index, frame in enumerate(small):
        sheet.paste(frame, (index % across * width, index // across * height))
    _write(sheet, copy, "JPEG", quality=85)


def _audio(file: BinaryIO, found: Sniffed, copy: Copy) -> None:
    sound = SoundReader(file, demuxer=found.demuxer or "", field=_FIELD, limits=MediaLimits())
    chunks = [np.rint(np.clip(chunk, -1, 1) * 32767).astype("<i2").T.tobytes() for chunk in sound.chunks()]
    head = io.BytesIO()
    with wave.open(head, "wb") as header:
        header.setnchannels(sound.channels)
        header.setsampwidth(2)
        header.setframerate(sound.rate)
        header.setnframes(sum(map(len, chunks)) // (2 * sound.channels))
        header.writeframesraw(b"".join(chunks))
    copy.write(head.getbuffer())


_MAKERS: Mapping[str, Callable[[BinaryIO, Sniffed, Copy], None]] = {
    "last_frame": _last_frame,
    "audio": _audio,
    "thumbnail": _thumbnail,
    "spritesheet": _spritesheet,
}


def _small(pixels: Pixels, most: int) -> Image.Image:
    """A picture whose longest side is at most ``most`` pixels."""
    image = Image.fromarray(pixels)
    return image.resize(thumbnail_size(*image.size, most), Image.Resampling.BOX)


def _write(image: Image.Image, copy: Copy, container: str, **options: Any) -> None:
    encoded = io.BytesIO()
    image.save(encoded, container, **options)
    copy.write(encoded.getbuffer())

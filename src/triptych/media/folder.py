"""A folder of numbered frames is a clip: read as one packed file, and written.

    some/folder/
      frame_000000.ppm        any prefix, then a number, then .ppm or .png
      frame_000001.ppm        numbered without gaps, from 0 or from 1
      result.json             hidden files and .json files are passed over; anything else is refused

``FrameFolderWriter`` writes ``frame_%06d`` from 0, so that a file's number is the frame's own. Packed, a folder is an
uncompressed tar whose bytes depend on the frames alone: ``000000.ppm`` and on, no times, no owners.
"""

from __future__ import annotations

import os
import re
import stat
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from triptych.errors import InputChanged, InvalidRequest, OutputExists, Problem
from triptych.media.spool import Copy, copying, too_large
from triptych.task import Blob

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT_FRAME_RATE = 24.0
"""Frames per second of a folder that does not say."""
MOST_FRAMES = 36_000
MOST_FRAME_BYTES = 256 << 20

_NAME = re.compile(r"(?P<prefix>.*?)(?P<number>[0-9]{1,9})\.(?P<suffix>ppm|png)", re.IGNORECASE | re.DOTALL)
_MEMBER = re.compile(r"(?P<number>[0-9]{6})\.(?:ppm|png)")
_BLOCK = tarfile.BLOCKSIZE
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


def pack_folder(path: Path, *, field: str, spool: Path, max_bytes: int, frame_rate: float = DEFAULT_FRAME_RATE) -> Blob:
    """Pack a folder of numbered frames into ``spool``. The frames are copied as they are, not decoded.

    Args:
        field: the caller's own name for the input.
        max_bytes: of the packed file.
        frame_rate: frames per second.

    Raises:
        InvalidRequest: it is not a folder of numbered frames; the message names the file that is wrong.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise _refusal("media_not_found", field, f"no such folder: {str(path)!r}", str(path)) from error
    try:
        return pack_descriptor(descriptor, field=field, spool=spool, max_bytes=max_bytes, frame_rate=frame_rate)
    finally:
        os.close(descriptor)


def pack_descriptor(folder: int, *, field: str, spool: Path, max_bytes: int, frame_rate: float) -> Blob:
    """``pack_folder`` for a folder that is open already."""
    if not 0 < frame_rate <= 1000:
        message = f"a frame rate of {frame_rate:g} is not between 0 and 1000 frames per second"
        raise _refusal("invalid_value", field, message, f"{frame_rate:g}")
    frames = _frames(folder, field)
    sizes = [_size(folder, frame, field) for frame in frames]
    total_bytes = sum(_BLOCK + size + -size % _BLOCK for size in sizes) + 2 * _BLOCK
    if total_bytes > max_bytes:
        raise too_large(field, total_bytes, max_bytes)
    with copying(spool, field=field, max_bytes=max_bytes) as (copy, finish):
        for position, (frame, size) in enumerate(zip(frames, sizes, strict=True)):
            _pack(folder, frame, size, position, copy, field)
        copy.write(bytes(2 * _BLOCK))
        return finish(packed=True, frame_rate=float(frame_rate))


@dataclass(frozen=True)
class _Frame:
    number: int
    name: str
    prefix: str
    suffix: str


def _frames(folder: int, field: str) -> list[_Frame]:
    """The frames of a folder in order, when that is all there is in it."""
    frames: list[_Frame] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name.lower().endswith(".json"):
                continue
            match = _NAME.fullmatch(entry.name)
            if not match:
                message = f"{entry.name!r} is not a numbered frame (frame_000000.ppm or .png)"
                fix = "Take it out of the folder, or name the frames one after the other"
                raise _refusal("media_not_supported", field, message, ascii(entry.name), fix=fix)
            frames.append(_Frame(int(match["number"]), entry.name, match["prefix"], match["suffix"].lower()))
            if len(frames) > MOST_FRAMES:
                message = f"the folder holds more than {MOST_FRAMES} frames"
                problem = Problem(code="media_too_long", field=field, message=message, limit=MOST_FRAMES)
                raise InvalidRequest([problem])
    if not frames:
        raise _refusal("media_empty", field, "the folder holds no frames (frame_000000.ppm or .png, and on)", 0)
    frames.sort(key=lambda frame: (frame.number, frame.name))
    _check_order(frames, field)
    return frames


def _check_order(frames: list[_Frame], field: str) -> None:
    first = frames[0]
    if first.number > 1:
        message = f"its first frame is {first.name!r}; the numbers begin at 0 or 1"
        raise _refusal("media_unreadable", field, message, first.number)
    for before, frame in pairwise(frames):
        if frame.prefix != first.prefix or frame.suffix != first.suffix:
            message = f"{first.name!r} and {frame.name!r} are frames of two kinds in one folder"
            raise _refusal("media_unreadable", field, message, ascii(frame.name))
        if frame.number == before.number:
            message = f"frame {frame.number} is there twice: {before.name!r} and {frame.name!r}"
            raise _refusal("media_unreadable", field, message, frame.number)
        if frame.number != before.number + 1:
            message = f"frame {before.number + 1} is missing: after {before.name!r} comes {frame.name!r}"
            raise _refusal("media_unreadable", field, message, before.number + 1)


def _size(folder: int, frame: _Frame, field: str) -> int:
    """Bytes of one frame; a link, a folder or a pipe is no frame."""
    found = os.stat(frame.name, dir_fd=folder, follow_symlinks=False)
    if not stat.S_ISREG(found.st_mode):
        message = f"{frame.name!r} is not a regular file; links are not followed in a folder of frames"
        raise _refusal("path_not_allowed", field, message, ascii(frame.name))
    if found.st_size > MOST_FRAME_BYTES:
        raise too_large(f"{field} ({frame.name})", found.st_size, MOST_FRAME_BYTES)
    if not found.st_size:
        raise _refusal("media_empty", field, f"{frame.name!r} is empty (0 bytes)", ascii(frame.name))
    return found.st_size


def _pack(folder: int, frame: _Frame, size: int, position: int, copy: Copy, field: str) -> None:
    try:
        descriptor = os.open(frame.name, _FLAGS, dir_fd=folder)
    except PermissionError as error:
        message = f"{frame.name!r} may not be read (permission denied)"
        raise _refusal("path_not_allowed", field, message, ascii(frame.name)) from error
    except OSError as error:
        raise InputChanged(f"{field}: {frame.name!r} changed while the folder was read") from error
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(size + 1) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    if len(data) != size:
        raise InputChanged(f"{field}: {frame.name!r} changed while the folder was read")
    member = tarfile.TarInfo(f"{position:06d}.{frame.suffix}")
    member.size = size
    copy.write(member.tobuf(format=tarfile.USTAR_FORMAT))
    copy.write(data)
    copy.write(bytes(-size % _BLOCK))


def iter_packed(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """The frames of a packed folder in order: index from 0, and the bytes of its PPM or PNG file.

    One frame is in memory at a time. Frames may differ in size; who decodes them sees to that.

    Raises:
        ValueError: it is not a file that ``pack_folder`` made.
    """
    with Path(path).open("rb") as file:
        index = 0
        while any(header := file.read(_BLOCK)):
            yield index, _member(file, header, index)
            index += 1


def _member(file: BinaryIO, header: bytes, index: int) -> bytes:
    try:
        member = tarfile.TarInfo.frombuf(header, "ascii", "strict")
    except (tarfile.TarError, UnicodeDecodeError) as error:
        raise ValueError(f"not a packed folder of frames: {error}") from error
    match = _MEMBER.fullmatch(member.name)
    if not match or int(match["number"]) != index or not member.isreg() or not 0 <= member.size <= MOST_FRAME_BYTES:
        raise ValueError(f"not a packed folder of frames: member {index} is {member.name!r} of {member.size} bytes")
    data = file.read(member.size)
    padding = file.read(-member.size % _BLOCK)
    if len(data) != member.size or len(padding) != -member.size % _BLOCK:
        raise ValueError(f"a packed folder of frames that ends within frame {index}")
    return data


class FrameFolderWriter:
    """Writes frames into a folder as ``frame_000000.ppm`` and on: the layout that ``pack_folder`` reads.

    Args:
        path: a folder that is not there yet, or is empty.
        suffix: ``ppm`` (P6, 8 bits) or ``png``.

    Raises:
        OutputExists: there is something in the folder, or a file of that name.
    """

    def __init__(self, path: Path, suffix: Literal["ppm", "png"] = "ppm") -> None:
        if suffix not in ("ppm", "png"):
            raise ValueError(f"frames are written as ppm or png, not {suffix!r}")
        self._path = Path(path)
        self._suffix = suffix
        self.count = 0
        try:
            self._path.mkdir(parents=True, exist_ok=True)
        except FileExistsError as error:
            raise OutputExists(f"{path}: frames need a folder, and this is a file") from error
        with os.scandir(self._path) as entries:
            if next(entries, None) is not None:
                raise OutputExists(f"{path}: the folder for the frames is not empty; name a new one")

    def write(self, frame: NDArray[np.uint8]) -> Path:
        """Write one frame; its path.

        Args:
            frame: uint8 [H, W, 3], sRGB.
        """
        if frame.ndim != 3 or frame.shape[2] != 3 or frame.dtype.name != "uint8":
            raise ValueError(f"a frame is uint8 [H, W, 3], not {frame.dtype.name} {list(frame.shape)}")
        path = self._path / f"frame_{self.count:06d}.{self._suffix}"
        with path.open("xb") as file:
            self._encode(frame, file)
        self.count += 1
        return path

    def _encode(self, frame: NDArray[np.uint8], file: BinaryIO) -> None:
        if self._suffix == "ppm":
            height, width, _ = frame.shape
            file.write(b"P6\n%d %d\n255\n" % (width, height))
            file.write(frame.tobytes())
            return
        from PIL import Image

        Image.fromarray(frame).save(file, format="PNG")


def _refusal(code: str, field: str, message: str, value: Any, *, fix: str = "") -> InvalidRequest:
    return InvalidRequest([Problem(code=code, field=field, message=message, value=value, fix=fix)])

"""Reads the inputs of a scene through the media readers, each through the handle that was hashed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from triptych.engines.animatic.flow import Bytes
from triptych.engines.animatic.ledger import Ledger
from triptych.engines.animatic.motion import flow_size
from triptych.engines.animatic.picture import Picture, from_rgb, gradient
from triptych.engines.animatic.scene import GRADIENT, STILLS, Input, Scene
from triptych.engines.animatic.spec import animatic_spec
from triptych.errors import EngineFailed
from triptych.media.audio import SoundReader
from triptych.media.fit import apply_fit
from triptych.media.image import read_image
from triptych.media.sniff import HEAD_BYTES, Sniffed, sniff
from triptych.media.video import ClipReader
from triptych.rules.geometry import fit_plan
from triptych.task import Fit, Modality

_LIMITS = animatic_spec().limits


def pictures_of(scene: Scene, ledger: Ledger) -> Iterator[tuple[str, Picture]]:
    """Every picture of the scene by its input's key, fitted to the frame, in order.

    Without any still, each clip lends its first frame; without clips too, there is a field of colours. The last frame
    of a clip that is gone on from is not among them: ``shown_frames`` comes to it.
    """
    for still in scene.of_kind("first", "image", "last"):
        yield still.key, _still(scene, still, ledger)
    if scene.of_kind(*STILLS):
        return
    clips = scene.of_kind("clip")
    for clip in clips:
        yield clip.key, _clip_picture(scene, clip, ledger)
    if not clips:
        yield GRADIENT, gradient(scene.words, seed=scene.seed, size=scene.size)


def shown_frames(scene: Scene, ledger: Ledger) -> Iterator[tuple[str, Picture]]:
    """Every frame of the clip that is gone on from, at the video's rate and fitted to the frame; with its key.

    Without such a clip there are none; with one, ``scene.shown_frames`` of them.
    """
    for clip in scene.of_kind("continued"):
        reader = _clip(clip, ledger.open(clip))
        count, seen, picture = 0, None, None
        for _, pixels in reader.frames(clip.start_seconds, clip.seconds, fps=float(scene.fps)):
            if picture is None or seen is not pixels:
                seen, picture = pixels, _fitted(clip, pixels, scene)
            _used(clip, picture, ledger)
            yield clip.key, picture
            count += 1
            if count == scene.shown_frames:
                return
        if picture is None:
            raise EngineFailed(f"{clip.field}: planned as a clip, and has no frames")
        for _ in range(count, scene.shown_frames):  # its last one holds for what rounding adds
            yield clip.key, picture


def gray_frames(clip: Input, ledger: Ledger, *, fps: int) -> Iterator[tuple[float, Bytes]]:
    """A clip's frames as motion is read from them: seconds from the part's beginning, and uint8 [height, width]."""
    reader = _clip(clip, ledger.open(clip))
    # A clip with more frames than the video shows only needs as many.
    rate = float(fps) if clip.fps > fps * 1.01 else None
    size = flow_size(clip.width, clip.height)
    for seconds, gray in reader.frames(clip.start_seconds, clip.seconds, fps=rate, size=size, gray=True):
        frame = np.ascontiguousarray(gray)
        ledger.consume(clip.key, frame.data)
        yield seconds, frame


def sound_of(source: Input, ledger: Ledger) -> Iterator[NDArray[np.float32]]:
    """A sound's samples, or those of a clip: float32 [2, n], 48 kHz, from the part's beginning."""
    file = ledger.open(source)
    kind = _sniffed(source, file)
    modality = Modality.VIDEO if source.kind in ("clip", "continued") else Modality.AUDIO
    if kind.demuxer is None:
        raise EngineFailed(f"{source.field}: planned as sound, and is {kind.container}")
    reader = SoundReader(file, demuxer=kind.demuxer, field=source.field, limits=_LIMITS[modality], whole=False)
    yield from reader.chunks(source.start_seconds, source.seconds)


def _still(scene: Scene, still: Input, ledger: Ledger) -> Picture:
    read = read_image(ledger.open(still), field=still.field, limits=_LIMITS[Modality.IMAGE])
    picture = _fitted(still, read.pixels, scene)
    _used(still, picture, ledger)
    return picture


def _clip_picture(scene: Scene, clip: Input, ledger: Ledger) -> Picture:
    reader = _clip(clip, ledger.open(clip))
    _, pixels = next(reader.frames(clip.start_seconds, clip.seconds))
    picture = _fitted(clip, pixels, scene)
    _used(clip, picture, ledger)
    return picture


def _fitted(source: Input, pixels: Bytes, scene: Scene) -> Picture:
    height, width = pixels.shape[:2]
    fit = source.fit or fit_plan((width, height), scene.size, Fit.CROP)
    return from_rgb(apply_fit(pixels, fit, scene.size))


def _used(source: Input, picture: Picture, ledger: Ledger) -> None:
    ledger.consume(source.key, picture.luma.data)
    ledger.consume(source.key, picture.chroma.data)


def _clip(clip: Input, file: BinaryIO) -> ClipReader:
    container, demuxer = "frames", None
    if not clip.packed:
        kind = _sniffed(clip, file)
        container, demuxer = kind.container, kind.demuxer
    return ClipReader(
        file,
        container=container,
        demuxer=demuxer,
        field=clip.field,
        limits=_LIMITS[Modality.VIDEO],
        frame_rate=clip.frame_rate,
        whole=False,
    )


def _sniffed(source: Input, file: BinaryIO) -> Sniffed:
    """What the first bytes say, as ever; the plan's word is not taken for it."""
    head = file.read(HEAD_BYTES)
    size_bytes = file.seek(0, 2)
    file.seek(0)
    return sniff(head, field=source.field, size_bytes=size_bytes)

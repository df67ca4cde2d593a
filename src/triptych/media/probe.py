"""What is in a file: found out by decoding it, in a child process that a bad file cannot take anything else down with.

``probe`` is the parent's side and light to import; ``probe_blob`` runs in the child. The child opens the file once,
hashes it through that handle, and decodes it to the end of the part that is needed. What comes back is
measured, not read off a header.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import aclosing
from dataclasses import fields
from pathlib import Path
from typing import Any, BinaryIO

from triptych.errors import ChildCrashed, InputChanged, InvalidRequest, LimitExceeded
from triptych.media.bound import unreadable
from triptych.process.host import Host
from triptych.process.limits import Limits
from triptych.rules.spec import MediaLimits
from triptych.task import Blob, Modality, Probe

TARGET = "triptych.media.probe:probe_blob"

_SILENT_SECONDS = 0.25
"""A clip whose sound ends earlier than its pictures by less is an ordinary one."""

PROBE_LIMITS = Limits(memory_bytes=2 << 30, cpu_seconds=180, wall_seconds=300, file_bytes=0)
"""Of one file. The dearest that is legal, 50 megapixels with alpha, fits in well."""


async def probe(
    host: Host,
    blob: Blob,
    *,
    field: str,
    as_: Modality | None = None,
    limits: Mapping[Modality, MediaLimits] | None = None,
    start_seconds: float = 0.0,
    seconds: float | None = None,
    process_limits: Limits = PROBE_LIMITS,
) -> Probe:
    """What is in a blob, upright and measured.

    Args:
        host: where the child runs; it is kept warm.
        blob: from ``media.fetch``.
        field: the caller's name for it.
        as_: what it is to be used as. A clip used as ``audio`` is its sound; an animated picture is a clip only when
            it is used as ``video``. Where the bytes are something else, the probe says what they are.
        limits: the engine's bounds, per kind.
        start_seconds, seconds: the part that is to be used; it is decoded no further than that.
        process_limits: of the child.

    Raises:
        InvalidRequest: not media, damaged, cut short, over a bound, or too much for the child.
        InputChanged: its bytes are no longer those that were fetched.
    """
    params = {
        "path": blob.path,
        "field": field,
        "packed": blob.packed,
        "frame_rate": blob.frame_rate,
        "as": None if as_ is None else str(as_),
        "limits": {str(modality): _limits_json(bounds) for modality, bounds in (limits or {}).items()},
        "start_seconds": start_seconds,
        "seconds": seconds,
    }
    found: Probe | None = None
    try:
        async with aclosing(host.call(TARGET, params, limits=process_limits, warm=True)) as told:
            async for item in told:
                found = _told(item)
    except LimitExceeded as error:
        raise unreadable(
            field, f"decoding it takes too much: it {_without_target(error)}", fix="Use a smaller or shorter file."
        ) from error
    except ChildCrashed as error:
        raise unreadable(
            field, f"its decoder crashed: it {_without_target(error)}", fix="The file is damaged."
        ) from error
    if found is None:
        raise ChildCrashed(f"the probe of {field} ended without an answer")
    if found.sha256 != blob.sha256:
        raise InputChanged(f"{field}: the file is no longer the one that was fetched")
    return found


def _told(item: dict[str, Any]) -> Probe:
    try:
        return Probe.from_json(item["probe"])
    except (LookupError, TypeError, ValueError) as nonsense:
        raise ChildCrashed(f"{TARGET} sent what is no probe") from nonsense


def _without_target(error: LimitExceeded | ChildCrashed) -> str:
    """What happened, in words that leave out where in this program."""
    return error.message.removeprefix(TARGET).strip()


def describe(probe: Probe) -> list[str]:
    """What a probe says, in lines for people."""
    lines = [f"{probe.modality} in {probe.container} ({probe.media_type}), {probe.size_bytes:,} bytes"]
    turned = next((note for note in probe.notes if note.startswith("stored ")), "")
    if probe.modality is not Modality.AUDIO:
        lines.append(f"upright {probe.width}x{probe.height}{f' ({turned})' if turned else ''}")
    if probe.modality is Modality.VIDEO:
        pace = "variable rate, on average" if probe.variable_rate else "at"
        lines.append(f"{probe.seconds:.3f} s, {probe.frames} frames {pace} {probe.fps:.3f} fps, {probe.video_codec}")
    if probe.has_sound:
        length = f"{probe.seconds:.3f} s of " if probe.modality is Modality.AUDIO else ""
        channels = {1: "mono", 2: "stereo"}.get(probe.channels, f"{probe.channels} channels")
        lines.append(f"{length}sound: {probe.sample_rate} Hz, {channels}, {probe.audio_codec}")
    elif probe.modality is Modality.VIDEO:
        lines.append("no sound")
    lines.extend(f"note: {note}" for note in probe.notes if note != turned)
    lines.append(f"sha256 {probe.sha256}")
    return lines


def probe_blob(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """In the child: yield ``{"probe": …}`` of one file. ``params`` are those that ``probe`` sends."""
    import hashlib

    with Path(params["path"]).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        size_bytes = file.tell()
        file.seek(0)
        found = _Look(file, size_bytes, params).found()
    yield {"probe": {**found.as_json(), "sha256": digest, "size_bytes": size_bytes}}


class _Look:
    """One look at one open file."""

    def __init__(self, file: BinaryIO, size_bytes: int, params: dict[str, Any]) -> None:
        self._file, self._size_bytes, self._field = file, size_bytes, str(params["field"])
        self._packed, self._frame_rate = bool(params["packed"]), params["frame_rate"]
        self._as = None if params["as"] is None else Modality(params["as"])
        self._limits = {Modality(name): _limits_of(value) for name, value in params["limits"].items()}
        self._start, self._seconds = float(params["start_seconds"] or 0.0), params["seconds"]
        self._whole = self._seconds is None and not self._start

    def found(self) -> Probe:
        """What is there, decoded to the end of the part."""
        if self._packed:
            return self._clip("frames", "application/x-tar", None)
        from triptych.media.animation import ANIMATED
        from triptych.media.sniff import HEAD_BYTES, sniff

        sniffed = sniff(self._file.read(HEAD_BYTES), field=self._field, size_bytes=self._size_bytes)
        if sniffed.demuxer is None:
            # Where nobody says what it is, a picture that moves is a clip; given as a still, it is refused.
            clip_or_any = self._as in (Modality.VIDEO, None)
            if clip_or_any and sniffed.container in ANIMATED and self._moves(sniffed.container):
                return self._clip(sniffed.container, sniffed.media_type, None)
            return self._still(sniffed.media_type)
        if (
            self._as is Modality.AUDIO
            or sniffed.modalities == {Modality.AUDIO}
            or not self._has_picture(sniffed.demuxer)
        ):
            return self._sound(sniffed.container, sniffed.media_type, sniffed.demuxer)
        return self._clip(sniffed.container, sniffed.media_type, sniffed.demuxer)

    def _limits_for(self, modality: Modality) -> MediaLimits:
        return self._limits.get(modality, MediaLimits())

    def _still(self, media_type: str) -> Probe:
        from triptych.media.image import read_image

        picture = read_image(self._file, field=self._field, limits=self._limits_for(Modality.IMAGE))
        return Probe(
            modality=Modality.IMAGE,
            container=picture.container,
            media_type=media_type,
            width=picture.width,
            height=picture.height,
            frames=1,
            rotation=picture.rotation,
            has_alpha=picture.has_alpha,
            notes=picture.notes,
        )

    def _clip(self, container: str, media_type: str, demuxer: str | None) -> Probe:
        from triptych.media.video import ClipReader

        reader = ClipReader(
            self._file,
            container=container,
            demuxer=demuxer,
            field=self._field,
            limits=self._limits_for(Modality.VIDEO),
            frame_rate=self._frame_rate,
            whole=self._whole,
        )
        seen = reader.measure(self._start, self._seconds)
        width, height = reader.size
        rate, channels, codec, notes = 0, 0, "", list(reader.notes)
        if reader.has_sound and demuxer is not None:
            rate, channels, codec, more = self._sound_of_clip(demuxer, seen.seconds)
            notes.extend(f"sound: {note}" for note in more)
        return Probe(
            modality=Modality.VIDEO,
            container=container,
            media_type=media_type,
            width=width,
            height=height,
            seconds=seen.seconds if seen.complete else max(seen.seconds, reader.claimed_seconds or 0.0),
            fps=seen.fps,
            frames=seen.frames,
            sample_rate=rate,
            channels=channels,
            video_codec=reader.codec,
            audio_codec=codec,
            rotation=reader.rotation,
            variable_rate=seen.variable_rate,
            has_alpha=seen.has_alpha,
            notes=tuple(notes),
        )

    def _sound_of_clip(self, demuxer: str, seconds: float) -> tuple[int, int, str, list[str]]:
        """Rate, channels, codec and notes of a clip's sound, decoded as far as its pictures were."""
        from triptych.media.audio import SoundReader

        try:
            sound = SoundReader(self._file, demuxer=demuxer, field=self._field, limits=MediaLimits(), whole=False)
        except InvalidRequest as error:
            if error.problems[0].code != "media_not_supported":
                raise
            return 0, 0, "", [f"cannot be used: {error.problems[0].message}"]
        heard = sound.measure(0.0, seconds)
        notes = list(sound.notes)
        if self._whole and not heard.complete:
            notes.append("goes on after the last picture; that much is used only when the file is used as sound")
        elif self._whole and seconds - heard.seconds > _SILENT_SECONDS:
            notes.append(f"ends {seconds - heard.seconds:.2f} s before the pictures do")
        return sound.source_rate, sound.source_channels, sound.codec, notes

    def _sound(self, container: str, media_type: str, demuxer: str) -> Probe:
        from triptych.media.audio import SoundReader

        limits = self._limits_for(Modality.AUDIO)
        reader = SoundReader(self._file, demuxer=demuxer, field=self._field, limits=limits, whole=self._whole)
        seen = reader.measure(self._start, self._seconds)
        return Probe(
            modality=Modality.AUDIO,
            container=container,
            media_type=media_type,
            seconds=seen.seconds if seen.complete else max(seen.seconds, reader.claimed_seconds or 0.0),
            sample_rate=reader.source_rate,
            channels=reader.source_channels,
            audio_codec=reader.codec,
            notes=tuple(reader.notes),
        )

    def _moves(self, container: str) -> bool:
        from triptych.media.image import open_pillow, pillow_errors

        with pillow_errors(self._field, container):
            return int(getattr(open_pillow(self._file, container=container, field=self._field), "n_frames", 1)) > 1

    def _has_picture(self, demuxer: str) -> bool:
        from triptych.media.bound import CLIP_BOUND
        from triptych.media.stream import open_container, picture_stream

        most = CLIP_BOUND.max_pixels
        with open_container(self._file, demuxer=demuxer, field=self._field, max_pixels=most) as container:
            if not container.streams.video and not container.streams.audio:
                raise unreadable(self._field, "holds neither pictures nor sound")
            return picture_stream(container) is not None


def _limits_json(limits: MediaLimits) -> dict[str, Any]:
    values = {item.name: getattr(limits, item.name) for item in fields(limits)}
    containers = values["containers"]
    return {**values, "containers": None if containers is None else sorted(containers)}


def _limits_of(values: dict[str, Any]) -> MediaLimits:
    containers = values.get("containers")
    return MediaLimits(**{**values, "containers": None if containers is None else frozenset(containers)})

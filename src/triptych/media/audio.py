"""Reads sound: any rate, width and layout → float32 at one rate and layout, streamed, bounded, and to the end.

Sound is placed by its time stamps, so that a clip's sound stays with its pictures; what encoders add at either end is
taken off where the container says so; silence stands in for gaps. Whole files are never held in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Literal

import av
import numpy as np
from numpy.typing import NDArray

from triptych.errors import InvalidRequest
from triptych.media.bound import CLIP_BOUND, MAX_SECONDS, SLACK_SECONDS, check_seconds, refused, unreadable
from triptych.media.claim import NO_LENGTH, container_seconds, stream_seconds, wav_size
from triptych.media.ending import ogg_ending
from triptych.media.stream import (
    check_codec,
    check_ending,
    cut_short,
    falls_short,
    first_picture_seconds,
    open_container,
    shortfall_note,
    sound_stream,
)
from triptych.rules.spec import MediaLimits

Samples = NDArray[np.float32]

SAMPLE_RATE = 48_000

_STAMPED = frozenset(("mov", "matroska", "mpegts", "ogg", "avi"))
"""Containers that say when each piece of sound is heard; others are one stretch from the start."""

_GAP_SECONDS = 0.1
"""A longer hole between two pieces is filled with silence; shorter ones are rounding."""

_PADDING_SECONDS = 0.1
"""Most that an encoder's padding adds to the end; more than that over the stated length is sound."""


@dataclass(frozen=True, kw_only=True)
class MeasuredSound:
    """What decoding showed.

    Attributes:
        seconds: end of the last sample, from the beginning.
        peak: largest magnitude; 1.0 is full scale.
        complete: whether decoding reached the end of the file.
    """

    seconds: float
    peak: float
    complete: bool


class SoundReader:
    """The sound of one file, read once.

    One channel goes to both sides at its own level; more than two are mixed down so that they cannot overload
    (FFmpeg's matrix, normalised to a gain of at most 1).

    Args:
        file: seekable; it is read through this handle and nothing else is opened.
        demuxer: FFmpeg's name of the format.
        field: the caller's name for it.
        limits: the engine's bounds.
        rate: samples per second to give.
        channels: 1 or 2, to give.
        whole: whether all of it is to be used; its stated length is then held against the limits at once.

    Raises:
        InvalidRequest: it cannot be opened, has no sound, or is too long by its header.
    """

    def __init__(
        self,
        file: BinaryIO,
        *,
        demuxer: str,
        field: str,
        limits: MediaLimits,
        rate: int = SAMPLE_RATE,
        channels: Literal[1, 2] = 2,
        whole: bool = True,
    ) -> None:
        self.field, self.rate, self.channels, self._limits = field, rate, channels, limits
        most = CLIP_BOUND.max_pixels
        self._stamped = demuxer in _STAMPED
        # When a clip's picture begins; None for sound alone, which begins with its first sample.
        self._zero = (
            first_picture_seconds(file, demuxer=demuxer, field=field, max_pixels=most) if self._stamped else None
        )
        self._container = open_container(file, demuxer=demuxer, field=field, max_pixels=most)
        stream = sound_stream(self._container)
        if stream is None:
            raise refused("unsupported_modality", field, "has no sound", fix="Give a file with sound.", value=demuxer)
        self._stream = stream
        self.codec = check_codec(stream, field=field)
        self.source_rate = int(stream.codec_context.sample_rate or 0)
        self.source_channels = int(stream.codec_context.channels or 0)
        self.notes: list[str] = []
        self.claimed_seconds = stream_seconds(self._container, stream, file)
        self._claimed_whole = container_seconds(self._container)
        self._note_header(file, demuxer)
        if not self.source_rate or not self.source_channels:
            raise unreadable(field, "its header states no sample rate or no channels")
        if whole and self.claimed_seconds is not None:
            check_seconds(self.claimed_seconds, field=field, limits=limits)
        self._used = self._complete = False
        self._peak, self._decoded, self._end = 0.0, 0.0, 0

    def chunks(self, start_seconds: float = 0.0, seconds: float | None = None) -> Iterator[Samples]:
        """The sound of a part, as it is decoded: float32 [channels, n], -1..1, at ``rate``.

        Args:
            start_seconds: where the part begins (for a clip: counted from its first picture).
            seconds: how long it is; ``None`` is to the end.

        Raises:
            InvalidRequest: the sound is damaged, cut short, not a number, or longer than its limit.
        """
        if self._used:
            raise RuntimeError("a sound is read once; open it again")
        self._used = True
        longest = min(MAX_SECONDS, self._limits.max_seconds or MAX_SECONDS) + SLACK_SECONDS
        first = round(start_seconds * self.rate)
        end = round((start_seconds + (longest if seconds is None else seconds)) * self.rate)
        for at, chunk in self._trimmed(end):
            self._end = at + chunk.shape[1]
            part = chunk[:, max(0, first - at) : max(0, end - at)]
            if part.shape[1]:
                yield self._checked(part)
            if self._end > end:
                if seconds is not None:
                    return
                check_seconds(longest + SLACK_SECONDS, field=self.field, limits=self._limits, at_least=True)
        self._complete = True

    def measure(self, start_seconds: float = 0.0, seconds: float | None = None) -> MeasuredSound:
        """Decode the part (and 0.1 s more), and say what was found.

        Raises:
            InvalidRequest: as ``chunks``.
        """
        for _ in self.chunks(start_seconds, None if seconds is None else seconds + SLACK_SECONDS):
            continue
        return MeasuredSound(seconds=max(0, self._end) / self.rate, peak=self._peak, complete=self._complete)

    def _note_header(self, file: BinaryIO, demuxer: str) -> None:
        check_ending(file, demuxer=demuxer, field=self.field)
        if demuxer == "wav" and (size := wav_size(file)) is not None:
            if size.empty or not size.present_bytes:
                raise unreadable(self.field, "holds no sound: its data chunk is empty")
            if not size.claimed_bytes:
                message = f"its header says 0 bytes of sound, and {size.present_bytes:,} follow: it was never finished"
                raise unreadable(self.field, message, fix="Save it again, or convert it")
            if size.streaming:
                self.notes.append("its header does not know the length; the samples were counted")
        elif demuxer == "ogg":
            if ogg_ending(file) == "unmarked":
                self.notes.append("has no end mark, so a missing end would not show")
        elif self.claimed_seconds is None and self._claimed_whole is None:
            self.notes.append(NO_LENGTH)
        if self.source_channels == 1 and self.channels == 2:
            self.notes.append("one channel; it is heard on both sides at its own level")
        elif self.source_channels > self.channels:
            into = "stereo" if self.channels == 2 else "one channel"
            self.notes.append(
                f"{self.source_channels} channels are mixed down to {into}, at a level that cannot overload"
            )
        if len(self._container.streams.audio) > 1:
            self.notes.append(f"has {len(self._container.streams.audio)} sound tracks; one is used")

    def _trimmed(self, end: int) -> Iterator[tuple[int, Samples]]:
        """The stretches without an encoder's padding: what lies a little over the stated length is not sound."""
        stretches = self._stretches(end)
        if not self._stamped or self.claimed_seconds is None:
            yield from stretches
            return
        stated, spare = round(self.claimed_seconds * self.rate), round(_PADDING_SECONDS * self.rate)
        held: list[tuple[int, Samples]] = []
        for at, chunk in stretches:
            inside = max(0, min(chunk.shape[1], stated - at))
            if inside:
                yield at, chunk[:, :inside]
            if inside < chunk.shape[1]:
                held.append((at + inside, chunk[:, inside:]))
            if held and at + chunk.shape[1] > stated + spare:
                yield from held
                held, stated = [], at + chunk.shape[1] + (1 << 62)

    def _stretches(self, end: int) -> Iterator[tuple[int, Samples]]:
        """All of the sound at the wanted rate, with the position of each piece in samples; holes are silent.

        Positions below 0 lie before the clip's first picture. Silence is made up to ``end`` at most.
        """
        at: int | None = None
        resampler = _Resampler(self.rate, self.channels, self.source_channels)
        for seconds, frame in self._frames():
            wanted = None if seconds is None else round(seconds * self.rate)
            if at is None:
                at = wanted or 0
                if at < -_GAP_SECONDS * self.rate:
                    self._note(f"begins {-at / self.rate:.2f} s before the first picture; that much is not used")
                if at > 0:
                    at, start = 0, at
                    yield from self._silence(0, min(start, end + 1))
                    at = start
            hole = wanted is not None and wanted - at - resampler.waiting > _GAP_SECONDS * self.rate
            if hole or not resampler.fits(frame):
                for chunk in resampler.flush():
                    yield at, chunk
                    at += chunk.shape[1]
                if hole and wanted is not None:
                    yield from self._silence(at, min(wanted, end + 1))
                    at = max(at, wanted)
                    self._note("holes in the sound are filled with silence")
            for chunk in self._fed(resampler, frame):
                yield at, chunk
                at += chunk.shape[1]
        for chunk in resampler.flush():
            yield at or 0, chunk
            at = (at or 0) + chunk.shape[1]

    def _fed(self, resampler: _Resampler, frame: av.AudioFrame) -> list[Samples]:
        try:
            return list(resampler.feed(frame))
        except av.error.FFmpegError as error:
            raise refused(
                "media_not_supported",
                self.field,
                f"does not say where its {self.source_channels} channels are heard, so they cannot be mixed down",
                fix="Mix it down to stereo first.",
                value=self.source_channels,
            ) from error

    def _silence(self, begin: int, end: int) -> Iterator[tuple[int, Samples]]:
        for at in range(begin, end, self.rate):
            yield at, np.zeros((self.channels, min(self.rate, end - at)), np.float32)

    def _frames(self) -> Iterator[tuple[float | None, av.AudioFrame]]:
        """Decoded frames with the second at which each is heard; ``None`` where the container does not say.

        A damaged piece is only passed over at the very end, and only when all that the file states is there.
        """
        damage: av.error.FFmpegError | None = None
        zero, reached = self._zero, 0.0
        try:
            for packet in self._container.demux():
                if packet.stream.index != self._stream.index:
                    continue
                try:
                    frames = [frame for frame in packet.decode() if isinstance(frame, av.AudioFrame)]
                except av.error.FFmpegError as error:
                    if damage is None:
                        damage = error
                    continue
                for frame in frames:
                    if damage is not None or frame.is_corrupt:
                        raise self._cut(damage)
                    stamp = None if frame.pts is None else float(frame.time or 0.0)
                    if zero is None:
                        zero = stamp or 0.0
                    seconds = stamp - zero if self._stamped and stamp is not None else None
                    self._decoded += frame.samples / frame.sample_rate
                    reached = max(reached, (seconds or 0.0) + frame.samples / frame.sample_rate)
                    yield seconds, frame
        except av.error.FFmpegError as error:
            raise self._cut(error) from error
        if not self._decoded:
            raise unreadable(
                self.field, "holds no sound that can be decoded", fix="The file is damaged; get a whole one."
            )
        got = max(reached, self._decoded)
        short = falls_short(got, self.claimed_seconds)
        if short or (self.claimed_seconds is None and self._zero is None and falls_short(got, self._claimed_whole)):
            raise self._cut(damage)
        counted = self.codec.startswith("pcm_") or self.codec == "flac"
        if missing := shortfall_note(got, self.claimed_seconds, spare_seconds=0.01 if counted else 0.05):
            self._note(missing)
        if damage is not None:
            if self.claimed_seconds is None:
                raise self._cut(damage)
            self._note("damaged data after the end of the sound were passed over")

    def _checked(self, samples: Samples) -> Samples:
        """Finite samples within full scale."""
        largest = float(np.abs(samples).max())
        if not np.isfinite(largest):
            raise unreadable(
                self.field, "holds samples that are not numbers (NaN or infinite)", fix="Export the sound again."
            )
        self._peak = max(self._peak, largest)
        if largest <= 1.0:
            return samples
        if largest > 1.05:  # below that it is the ringing of a resampler
            self._note("goes over full scale; what does is clipped")
        return np.clip(samples, -1.0, 1.0)

    def _cut(self, cause: BaseException | None) -> InvalidRequest:
        claimed = self.claimed_seconds if self.claimed_seconds is not None else self._claimed_whole
        return cut_short(self.field, claimed=claimed, seconds=self._decoded, done="", cause=cause)

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


class _Resampler:
    """FFmpeg's resampler, which starts afresh when the frames change their format.

    One channel stays one and is doubled here: FFmpeg would take 3 dB off it.
    """

    def __init__(self, rate: int, channels: int, source_channels: int) -> None:
        self._rate, self._channels = rate, channels
        self._mono = source_channels == 1 or channels == 1
        self._mixes = source_channels > channels
        self._now: av.AudioResampler | None = None
        self._kind: tuple[str, str, int] | None = None
        self.waiting = 0

    def fits(self, frame: av.AudioFrame) -> bool:
        """Whether the frame has the format of those before it."""
        return self._kind in (None, _kind(frame))

    def feed(self, frame: av.AudioFrame) -> Iterator[Samples]:
        """The samples that are ready once ``frame`` is in."""
        if self._now is None:
            mono = self._mono or len(frame.layout.channels) == 1
            self._now = av.AudioResampler(
                format="fltp",
                layout="mono" if mono else "stereo",
                rate=self._rate,
                options={"rematrix_maxval": "1.0"} if self._mixes else None,
            )
            self._kind = _kind(frame)
        frame.pts = None
        self.waiting += round(frame.samples * self._rate / frame.sample_rate)
        for out in self._now.resample(frame):
            self.waiting -= out.samples
            yield self._shaped(out)

    def flush(self) -> Iterator[Samples]:
        """What is still inside; then it is new."""
        if self._now is not None:
            for out in self._now.resample(None):
                yield self._shaped(out)
        self._now, self._kind, self.waiting = None, None, 0

    def _shaped(self, frame: av.AudioFrame) -> Samples:
        samples = np.asarray(frame.to_ndarray(), np.float32)
        if samples.shape[0] != self._channels:
            samples = np.repeat(samples, self._channels, axis=0)
        return samples


def _kind(frame: av.AudioFrame) -> tuple[str, str, int]:
    return frame.format.name, frame.layout.name, frame.sample_rate


def read_sound(
    file: BinaryIO,
    *,
    demuxer: str,
    field: str,
    limits: MediaLimits,
    start_seconds: float = 0.0,
    seconds: float | None = None,
    rate: int = SAMPLE_RATE,
    channels: Literal[1, 2] = 2,
) -> Samples:
    """All of a part's sound at once: float32 [channels, n], -1..1. For long sound use ``SoundReader``.

    Raises:
        InvalidRequest: as ``SoundReader``.
    """
    whole = start_seconds == 0.0 and seconds is None
    reader = SoundReader(file, demuxer=demuxer, field=field, limits=limits, rate=rate, channels=channels, whole=whole)
    chunks = list(reader.chunks(start_seconds, seconds))
    return np.concatenate(chunks, axis=1) if chunks else np.zeros((channels, 0), np.float32)

"""A written movie, decoded back: what is exact, and what is left when it goes wrong."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from triptych.errors import EngineFailed
from triptych.media.encode import RATE_HZ, Movie, MovieWriter, samples_until

WIDTH, HEIGHT = 64, 66  # half of the height is odd: planes do not fill whole rows


def write(
    path: Path, frames: int, fps: int, *, sound: bool = True, pinned: tuple[int, ...] = (), level: float = 0.25
) -> Movie:
    """A movie whose frames brighten, with a click in the very first and in the very last 10 ms."""
    wave = np.zeros((2, samples_until(frames, fps)), np.float32)
    wave[:, :480] = wave[:, -480:] = level
    with MovieWriter(
        path, width=WIDTH, height=HEIGHT, fps=fps, num_frames=frames, sound=sound, pinned=pinned
    ) as writer:
        for number in range(frames):
            writer.add_frame(np.full((HEIGHT * 3 // 2, WIDTH), 40 + number % 150, np.uint8))
            if sound:
                writer.add_sound(wave[:, samples_until(number, fps) : samples_until(number + 1, fps)])
        return writer.finish()


@pytest.mark.parametrize(
    ("frames", "fps"),
    [(1, 8), (1, 24), (2, 24), (3, 24), (120, 24), (77, 23), (50, 11), (61, 60), (33, 50), (100, 30)],
)
def test_counts_and_lengths_are_exact(tmp_path: Path, frames: int, fps: int) -> None:
    movie = write(tmp_path / "out.mp4", frames, fps)
    samples = round(Fraction(frames, fps) * RATE_HZ)
    assert (movie.frames, movie.samples) == (frames, samples)
    with av.open(movie.path) as container:
        video, audio = container.streams.video[0], container.streams.audio[0]
        decoded = list(container.decode(video))
        assert [frame.time for frame in decoded] == pytest.approx([number / fps for number in range(frames)])
        assert (video.duration or 0) * (video.time_base or 0) == Fraction(frames, fps)
        assert (audio.duration or 0) * (audio.time_base or 0) * RATE_HZ == samples
        container.seek(0)
        wave = np.concatenate([frame.to_ndarray() for frame in container.decode(audio)], axis=1)
    assert wave.shape == (2, samples)
    assert np.abs(wave[:, :400]).mean() > 0.1, "the first samples are the first that were written"
    assert np.abs(wave[:, -400:]).mean() > 0.1, "the last samples are there"


def test_sound_shorter_than_a_packet_has_an_exact_stated_length(tmp_path: Path) -> None:
    movie = write(tmp_path / "out.mp4", 1, 60)
    with av.open(movie.path) as container:
        audio = container.streams.audio[0]
        assert (audio.duration or 0) * (audio.time_base or 0) * RATE_HZ == 800
        assert sum(frame.samples for frame in container.decode(audio)) == 1024


def test_frames_are_tagged_and_the_index_comes_first(tmp_path: Path) -> None:
    movie = write(tmp_path / "out.mp4", 5, 24)
    with av.open(movie.path) as container:
        frame = next(container.decode(video=0))
        codec = container.streams.video[0].codec_context
        assert (codec.name, codec.pix_fmt) == ("h264", "yuv420p")
        assert (frame.colorspace, frame.color_range, frame.color_primaries, frame.color_trc) == (1, 1, 1, 1)
        assert container.streams.audio[0].codec_context.name == "aac"
    data = Path(movie.path).read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")


def test_sound_is_written_between_the_frames(tmp_path: Path) -> None:
    movie = write(tmp_path / "out.mp4", 96, 24)
    with av.open(movie.path) as container:
        kinds = [packet.stream.type for packet in container.demux() if packet.size]
    last_sound = len(kinds) - 1 - kinds[::-1].index("audio")
    assert kinds.index("video") < len(kinds) // 4
    assert last_sound > len(kinds) * 3 // 4


def test_the_same_frames_give_the_same_bytes(tmp_path: Path) -> None:
    one, two = (write(tmp_path / f"{name}.mp4", 30, 24, pinned=(0, 29)) for name in ("one", "two"))
    assert one.sha256 == two.sha256


def test_a_pinned_frame_is_kept_and_costs_bytes(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).integers(60, 190, (HEIGHT * 3 // 2, WIDTH), np.uint8)

    def luma_error(pinned: tuple[int, ...]) -> float:
        path = tmp_path / f"pinned-{len(pinned)}.mp4"
        with MovieWriter(path, width=WIDTH, height=HEIGHT, fps=24, num_frames=10, pinned=pinned) as writer:
            for number in range(10):
                writer.add_frame(np.roll(noise, 3 * number, axis=1))
            writer.finish()
        with av.open(str(path)) as container:
            frames = [frame.to_ndarray()[:HEIGHT] for frame in container.decode(video=0)]
        return float(np.mean((frames[-1].astype(float) - np.roll(noise, 27, axis=1)[:HEIGHT]) ** 2))

    assert luma_error((9,)) < luma_error(()) / 4


def test_a_movie_without_sound_has_no_sound_stream(tmp_path: Path) -> None:
    movie = write(tmp_path / "out.mp4", 4, 24, sound=False)
    assert movie.samples == 0
    with av.open(movie.path) as container:
        assert not container.streams.audio


def test_missing_sound_becomes_silence_and_too_much_is_left_out(tmp_path: Path) -> None:
    for given in (100, 10_000):
        path = tmp_path / f"{given}.mp4"
        with MovieWriter(path, width=64, height=64, fps=24, num_frames=2) as writer:
            for _ in range(2):
                writer.add_frame(np.full((96, 64), 100, np.uint8))
            writer.add_sound(np.full((2, given), 0.1, np.float32))
            movie = writer.finish()
        assert movie.samples == 4000


def test_nothing_is_left_of_a_movie_that_was_not_finished(tmp_path: Path) -> None:
    with MovieWriter(tmp_path / "out.mp4", width=64, height=64, fps=24, num_frames=3) as writer:
        writer.add_frame(np.zeros((96, 64), np.uint8))
        with pytest.raises(EngineFailed, match="1 frames were drawn where 3 are due"):
            writer.finish()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", [(63, 64), (64, 63)])
def test_odd_sides_are_a_mistake_of_the_caller(tmp_path: Path, size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="odd side"):
        MovieWriter(tmp_path / "out.mp4", width=size[0], height=size[1], fps=24, num_frames=1)


def test_a_frame_of_another_shape_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    with MovieWriter(tmp_path / "out.mp4", width=64, height=64, fps=24, num_frames=1) as writer:
        wrong = np.zeros((64, 64), np.uint8)
        with pytest.raises(ValueError, match="shape"):
            writer.add_frame(wrong)
    assert list(tmp_path.iterdir()) == []


def test_positions_come_from_the_timeline_and_never_drift() -> None:
    for fps in (8, 11, 23, 24, 29, 60):
        assert samples_until(14_400, fps) == round(Fraction(14_400, fps) * RATE_HZ)
        assert all(abs(samples_until(frame, fps) - frame * RATE_HZ / fps) <= 0.5 for frame in range(500))

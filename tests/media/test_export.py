"""A finished video as a folder of frames, and that folder as a clip again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from triptych.errors import OutputExists
from triptych.media.encode import MovieWriter
from triptych.media.export import export_frames
from triptych.media.fetch import Policy, fetch
from triptych.task import PathSource

SIZE = (64, 48)
SHADES = (40, 90, 140, 190)


@pytest.fixture
def video(tmp_path: Path) -> Path:
    """Four plain frames of rising brightness."""
    path = tmp_path / "four.mp4"
    width, height = SIZE
    with MovieWriter(path, width=width, height=height, fps=24, num_frames=len(SHADES), sound=False) as writer:
        for shade in SHADES:
            planes = np.full((height * 3 // 2, width), 128, np.uint8)
            planes[:height] = shade
            writer.add_frame(planes)
        writer.finish()
    return path


def test_every_frame_comes_out_in_order_and_goes_back_in(video: Path, tmp_path: Path) -> None:
    folder = tmp_path / "frames"
    counts = [told["frames"] for told in export_frames({"path": str(video), "folder": str(folder)})]
    assert counts == [1, 2, 3, 4]
    assert sorted(path.name for path in folder.iterdir()) == [f"frame_{index:06d}.ppm" for index in range(4)]
    header = b"P6\n%d %d\n255\n" % SIZE
    means = []
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        assert data.startswith(header)
        means.append(float(np.frombuffer(data[len(header) :], np.uint8).mean()))
    wanted = [(shade - 16) * 255 / 219 for shade in SHADES]
    assert means == pytest.approx(wanted, abs=4)
    spool = tmp_path / "spool"
    spool.mkdir()
    blob = fetch(PathSource(str(folder)), field="clip", policy=Policy(roots=None, max_bytes=1 << 20), spool=spool)
    assert blob.packed


def test_a_folder_with_something_in_it_is_left_alone(video: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep me", encoding="utf-8")
    with pytest.raises(OutputExists):
        list(export_frames({"path": str(video), "folder": str(tmp_path)}))
    assert (tmp_path / "mine.txt").read_text(encoding="utf-8") == "keep me"

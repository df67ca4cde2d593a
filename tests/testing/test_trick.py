from __future__ import annotations

from pathlib import Path

import pytest

from triptych.testing import trick
from triptych.testing.media import picture_bytes, quarters


def test_bombs_are_small() -> None:
    assert len(trick.flat_png(12_000, 12_000)) < 20_000
    assert len(trick.text_bomb_png(50_000_000)) < 60_000


def test_cut_and_damaged(tmp_path: Path) -> None:
    whole = trick.holding(lambda: bytes(1_000))
    trick.cut(whole, 0.25)(tmp_path / "a")
    assert (tmp_path / "a").stat().st_size == 250
    trick.damaged(whole, 20)(tmp_path / "b")
    data = (tmp_path / "b").read_bytes()
    assert (len(data), any(data[:500]), any(data[500:])) == (1_000, False, True)


@pytest.mark.parametrize(
    "make",
    [trick.clear_clip, trick.covered_song, trick.turned(3), trick.list_of("x"), trick.wav(), trick.clip(frames=2)],
)
def test_makers_write_one_file(tmp_path: Path, make: trick.Maker) -> None:
    path = tmp_path / ("a.webm" if make is trick.clear_clip else "a.m4a" if make is trick.covered_song else "a.mp4")
    make(path)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert path.stat().st_size > 0


def test_the_deep_and_the_clear() -> None:
    assert trick.deep_rgb().max() == 65_535
    assert trick.half_clear("PNG") != picture_bytes(quarters())
    assert trick.deep_grey("PNG").startswith(b"\x89PNG")
    assert trick.clear_palette_gif().startswith(b"GIF8")

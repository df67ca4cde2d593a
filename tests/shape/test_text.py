"""The text of the project speaks of itself alone."""

from __future__ import annotations

from pathlib import Path

from tests.shape.test_tree import tracked

# In pieces, so that this file does not hold them.
FORBIDDEN = tuple(
    "".join(pieces)
    for pieces in (
        ("pypi", ".org"),
        ("python", "hosted.org"),
        ("/wo", "rk/"),
        ("/tmp", "/dev/"),
        ("/opt/", "wheels"),
        ("agent", " session"),
        ("../", "shared/"),
    )
)
BINARY = {".jpg", ".png", ".mp4", ".wav"}


def test_no_file_names_where_it_was_written(root: Path) -> None:
    found = []
    for path in tracked(root):
        if path.suffix in BINARY:
            continue
        text = path.read_text(encoding="utf-8").lower()
        found += [f"{path.relative_to(root)}: {word}" for word in FORBIDDEN if word in text]
    assert found == []

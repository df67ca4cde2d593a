"""The sample media: small, each with its origin, and really what they say."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from tests.shape.test_tree import tracked

MOST_BYTES = 1_500_000


def media(root: Path) -> list[Path]:
    """The sample files that are media."""
    return [path for path in tracked(root) if path.parent == root / "samples" and path.suffix not in {".md", ".py"}]


def test_samples_are_small(root: Path) -> None:
    files = media(root)
    assert {"clip.mp4", "voice.wav"} <= {path.name for path in files}
    assert sum(path.stat().st_size for path in files) < MOST_BYTES


def test_each_sample_has_its_origin(root: Path) -> None:
    text = (root / "samples" / "ORIGIN.md").read_text(encoding="utf-8")
    assert [path.name for path in media(root) if f"`{path.name}`" not in text] == []


def test_receipt_in_readme_is_of_a_sample(root: Path) -> None:
    shown = re.findall(r'"source_sha256": "([0-9a-f]{64})"', (root / "README.md").read_text(encoding="utf-8"))
    assert shown
    assert set(shown) <= {hashlib.sha256(path.read_bytes()).hexdigest() for path in media(root)}

"""Files of each kind, to be sent in each way."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from triptych.testing.media import make_clip, picture_bytes, quarters, tone, wav_bytes

LARGE = 1 << 20
"""Data URLs longer than this are refused by servers that read a form as text in memory."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A file of one kind.

    Attributes:
        kind: ``image``, ``video`` or ``audio``.
        path: where it is.
        media_type: of it.
    """

    kind: str
    path: Path
    media_type: str

    @property
    def sha256(self) -> str:
        """Of its bytes."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()

    @property
    def data_url(self) -> str:
        """All of it, as text."""
        return f"data:{self.media_type};base64,{base64.b64encode(self.path.read_bytes()).decode()}"

    def given(self, how: str, **said: str) -> dict[str, str]:
        """It, in one of the client's ways: ``object``, ``path``, ``bytes`` or ``tuple``."""
        return {"$": how, "file": str(self.path), "name": self.path.name, "type": self.media_type, **said}


def make_samples(folder: Path) -> dict[str, Sample]:
    """A small file of each kind (``image``), and a large one (``large image``): its data URL is more than 1 MiB."""
    noise = np.random.default_rng(1).integers(0, 256, (600, 600, 3), dtype=np.uint8)
    still = np.random.default_rng(2).integers(0, 256, (12, 256, 256, 3), dtype=np.uint8)
    (folder / "small.png").write_bytes(picture_bytes(quarters()))
    (folder / "large.png").write_bytes(picture_bytes(noise))
    make_clip(folder / "small.mp4", frames=12, sound=tone(0.5))
    make_clip(
        folder / "large.mp4", width=256, height=256, pictures=list(still), options={"crf": "1", "preset": "ultrafast"}
    )
    (folder / "small.wav").write_bytes(wav_bytes(tone(0.5)))
    (folder / "large.wav").write_bytes(wav_bytes(tone(1.5, rate=96_000), rate=96_000, kind="f32"))
    kinds = {"image": ("png", "image/png"), "video": ("mp4", "video/mp4"), "audio": ("wav", "audio/wav")}
    found = {
        f"{size}{kind}": Sample(kind=kind, path=folder / f"{size.strip() or 'small'}.{suffix}", media_type=media_type)
        for kind, (suffix, media_type) in kinds.items()
        for size in ("", "large ")
    }
    short = [name for name, one in found.items() if name.startswith("large") and len(one.data_url) <= LARGE]
    assert not short, short
    return found

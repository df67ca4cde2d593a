"""A finished video as a folder of numbered frames, which can go straight back in as a clip."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from triptych.media.folder import FrameFolderWriter
from triptych.media.sniff import HEAD_BYTES, sniff
from triptych.media.video import ClipReader
from triptych.rules.spec import MediaLimits


def export_frames(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Target of a child process: write every frame of ``path`` into ``folder``; yields the count as it grows.

    Args:
        params: ``path`` of a video that we made, ``folder`` that is empty.
    """
    writer = FrameFolderWriter(Path(params["folder"]))
    with Path(params["path"]).open("rb") as file:
        found = sniff(file.read(HEAD_BYTES), field="the video", size_bytes=Path(params["path"]).stat().st_size)
        file.seek(0)
        clip = ClipReader(
            file, container=found.container, demuxer=found.demuxer, field="the video", limits=MediaLimits()
        )
        for _, pixels in clip:
            writer.write(pixels)
            yield {"frames": writer.count}

"""What runs inside the processes that are measured: ``python -m benchmarks.work JOB FILE``."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def render(path: Path) -> dict[str, Any]:
    """A scene, drawn and encoded exactly as the engine's child process does; with the CPU time of each stage."""
    from triptych.engines.animatic.render import render as run

    stages: dict[str, float] = {"start": time.process_time()}
    before, made = time.process_time(), None
    with tempfile.TemporaryDirectory(prefix="triptych-bench-") as folder:
        for item in run({**json.loads(path.read_text(encoding="utf-8")), "folder": folder}):
            now = time.process_time()
            stage = item.get("stage", "render")
            stages[stage] = stages.get(stage, 0.0) + now - before
            before, made = now, item.get("made", made)
    if made is None:
        raise RuntimeError("no video was made")
    return {"sha256": made["sha256"], "stages": stages}


def capture(path: Path) -> dict[str, Any]:
    """A scene, rendered while every frame and sample that goes to the encoder is kept beside it; not measured."""
    from unittest import mock

    import numpy as np
    from numpy.typing import NDArray

    import triptych.engines.animatic.render as module
    from triptych.media.encode import MovieWriter

    kept: dict[str, Any] = {}
    with path.with_suffix(".frames").open("wb") as frames, path.with_suffix(".sound").open("wb") as sound:

        class Recorder(MovieWriter):
            def __init__(self, path: Path, **settings: Any) -> None:
                kept.update(settings)
                super().__init__(path, **settings)

            def add_frame(self, planes: NDArray[np.uint8]) -> None:
                frames.write(planes.tobytes())
                super().add_frame(planes)

            def add_sound(self, wave: NDArray[np.float32]) -> None:
                if self._frames > len(kept["waves"]):
                    kept["waves"].append(wave.shape[1])
                    sound.write(np.ascontiguousarray(wave, np.float32).tobytes())
                super().add_sound(wave)

        kept["waves"] = []
        with mock.patch.object(module, "MovieWriter", Recorder):
            made = render(path)
    path.with_suffix(".encode").write_text(json.dumps({**kept, "sha256": made["sha256"]}), encoding="utf-8")
    return made


def encode(path: Path) -> dict[str, Any]:
    """The floor: the captured frames and samples, read from disk and encoded with the same settings; nothing else.

    Raises:
        RuntimeError: the file differs from the one that was rendered, so the comparison would mean nothing.
    """
    import numpy as np

    from triptych.media.encode import MovieWriter

    settings = json.loads(path.with_suffix(".encode").read_text(encoding="utf-8"))
    waves, wanted = settings.pop("waves"), settings.pop("sha256")
    settings["pinned"] = tuple(settings["pinned"])
    rows, width = settings["height"] * 3 // 2, settings["width"]
    with (
        tempfile.TemporaryDirectory(prefix="triptych-bench-") as folder,
        path.with_suffix(".frames").open("rb") as frames,
        path.with_suffix(".sound").open("rb") as sound,
        MovieWriter(Path(folder, "video.mp4"), **settings) as writer,
    ):
        for count in waves:
            planes = np.fromfile(frames, np.uint8, rows * width).reshape(rows, width)
            writer.add_frame(planes)
            writer.add_sound(np.fromfile(sound, np.float32, 2 * count).reshape(2, count))
        made = writer.finish()
    if made.sha256 != wanted:
        raise RuntimeError(f"encoded {made.sha256[:12]}, rendered {wanted[:12]}: these are not the same frames")
    return {"sha256": made.sha256}


JOBS: dict[str, Callable[[Path], dict[str, Any]]] = {"render": render, "capture": capture, "encode": encode}


def peak_bytes() -> int:
    """Largest resident size of this process since it was started.

    ``VmHWM`` counts from the ``exec``; the figure that ``wait4`` gives includes the parent as it was at the fork.
    """
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    (kib,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(kib) * 1024


def main() -> None:
    """Do one job, and print what it says as JSON."""
    print(json.dumps({**JOBS[sys.argv[1]](Path(sys.argv[2])), "peak_bytes": peak_bytes()}))


if __name__ == "__main__":
    main()

"""Looks at a rendered video from outside, by decoding all of it, and at the result beside it.

    python scripts/check_video.py OUT.mp4 --size 1280x720 --seconds 5 --input A.jpg --input B.wav [--first F] [--last L]

Prints what it finds, and for each input what became of it. Exits 1 when anything is not as it should be.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
from PIL import Image

from triptych.media.fit import apply_fit
from triptych.task import Fit, FitPlan

Plane = npt.NDArray[np.uint8]

FIRST_DB, LAST_DB = 55.0, 50.0
LOUDEST_SILENCE_DBFS = -60.0
LUMA = np.array([0.2126, 0.7152, 0.0722]) * 219 / 255
"""BT.709, limited range: luma is 16 plus this times R, G, B of 0..255."""


@dataclass
class Seen:
    """What decoding showed.

    Attributes:
        frames: how many.
        size: width and height.
        fps: frames per second, as the container says.
        video, audio: codec names; empty when there is no such stream.
        sound_seconds: of the decoded samples.
        loudness_dbfs: root mean square of the sound.
        first, last: luma, uint8 [height, width].
    """

    frames: int = 0
    size: tuple[int, int] = (0, 0)
    fps: float = 0.0
    video: str = ""
    audio: str = ""
    sound_seconds: float = 0.0
    loudness_dbfs: float = -math.inf
    first: Plane = field(default_factory=lambda: np.zeros((0, 0), np.uint8))
    last: Plane = field(default_factory=lambda: np.zeros((0, 0), np.uint8))


def look(path: Path) -> Seen:
    """Decode the whole file."""
    seen = Seen()
    samples, energy = 0, 0.0
    with av.open(str(path)) as container:
        video, audio = container.streams.video, container.streams.audio
        seen.video = video[0].codec_context.name if video else ""
        seen.audio = audio[0].codec_context.name if audio else ""
        seen.fps = float(video[0].average_rate or 0) if video else 0.0
        for decoded in container.decode([*video, *audio]):
            if isinstance(decoded, av.VideoFrame):
                seen.size = (decoded.width, decoded.height)
                seen.last = luma_of(decoded)
                seen.first = seen.last if seen.frames == 0 else seen.first
                seen.frames += 1
            elif isinstance(decoded, av.AudioFrame):
                wave = decoded.to_ndarray().astype(np.float64)
                samples += decoded.samples
                seen.sound_seconds += decoded.samples / decoded.sample_rate
                energy += float(np.mean(wave**2)) * decoded.samples
    if samples and energy:
        seen.loudness_dbfs = 10 * math.log10(energy / samples)
    return seen


def luma_of(frame: av.VideoFrame) -> Plane:
    """The luma plane as it was coded, without its padding."""
    plane = frame.planes[0]
    rows: Plane = np.frombuffer(bytes(plane), np.uint8).reshape(plane.height, plane.line_size)
    return rows[:, : plane.width]


def fitted_luma(path: Path, fit: dict[str, Any], size: tuple[int, int]) -> npt.NDArray[np.float64]:
    """The luma that a picture has once it is cut and scaled as the plan says: float64 [height, width]."""
    with Image.open(path) as opened:
        pixels = np.asarray(opened.convert("RGB"))
    left, top, width, height = fit["box"]
    at_x, at_y, in_width, in_height = fit["inside"]
    plan = FitPlan(fit=Fit(fit["fit"]), box=(left, top, width, height), inside=(at_x, at_y, in_width, in_height))
    fitted: npt.NDArray[np.float64] = 16 + apply_fit(pixels, plan, size) @ LUMA
    return fitted


def psnr(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    """Peak signal to noise ratio of two planes of 0..255, in dB."""
    if one.shape != other.shape:
        return 0.0
    error = float(np.mean((one.astype(np.float64) - other.astype(np.float64)) ** 2))
    return 10 * math.log10(255**2 / error) if error else math.inf


def sha256(path: Path) -> str:
    """Of a file, lower-case hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Report:
    """Prints each finding with whether it is right, and remembers what is not."""

    def __init__(self) -> None:
        self.wrong = 0

    def say(self, name: str, found: object, right: bool) -> None:
        """One line."""
        self.wrong += not right
        print(f"  {'ok   ' if right else 'WRONG'} {name}: {found}")


def check_streams(report: Report, seen: Seen, size: tuple[int, int], seconds: float) -> None:
    """Codecs, size, length in frames and in samples, and that there is something to hear."""
    frames = round(seconds * seen.fps)
    report.say("picture", f"{seen.video} {seen.size[0]}x{seen.size[1]}", seen.video == "h264" and seen.size == size)
    report.say("frames", f"{seen.frames} at {seen.fps:g} fps", seen.frames == frames and frames > 0)
    report.say("sound", f"{seen.audio} {seen.sound_seconds:.3f} s", abs(seen.sound_seconds - seconds) <= 1 / 40)
    report.say("loudness", f"{seen.loudness_dbfs:.1f} dBFS", seen.loudness_dbfs > LOUDEST_SILENCE_DBFS)


def check_inputs(report: Report, result: dict[str, Any], inputs: list[Path]) -> None:
    """That each file has a receipt of its own bytes, and what it says."""
    receipts = list(result["receipts"])
    for path in inputs:
        mine = next((item for item in receipts if item["source_sha256"] == sha256(path)), None)
        if mine is None:
            report.say(path.name, "no receipt", right=False)
            continue
        receipts.remove(mine)
        told = f"{mine['how']} ({', '.join(mine['uses'])}), {mine['where']}; sha256 {mine['source_sha256']}"
        report.say(str(mine["field"]), told, mine["how"] == "consumed")
    for item in receipts:
        report.say(str(item["field"]), "a receipt of something that was not supplied", right=False)


def main() -> int:
    """Check one video."""
    parser = argparse.ArgumentParser(description="Check a rendered video and the result beside it.")
    parser.add_argument("video", type=Path)
    parser.add_argument("--size", required=True, metavar="WxH")
    parser.add_argument("--seconds", required=True, type=float)
    parser.add_argument("--input", action="append", default=[], type=Path, help="a file that was supplied; repeatable")
    parser.add_argument("--first", type=Path, help="the picture that the first frame must be")
    parser.add_argument("--last", type=Path, help="the picture that the last frame must be")
    asked = parser.parse_args()
    width, _, height = asked.size.partition("x")
    size = (int(width), int(height))

    result: dict[str, Any] = json.loads(asked.video.with_suffix(".json").read_text(encoding="utf-8"))
    seen, report = look(asked.video), Report()
    print(f"{asked.video} ({asked.video.stat().st_size} bytes)")
    check_streams(report, seen, size, asked.seconds)
    slots = {slot["key"]: slot for slot in result["plan"]["slots"]}
    for key, path, luma, least in (
        ("first_frame", asked.first, seen.first, FIRST_DB),
        ("last_frame", asked.last, seen.last, LAST_DB),
    ):
        if path is not None:
            got = psnr(luma, fitted_luma(path, slots[key]["fit"], size))
            report.say(key, f"{got:.1f} dB luma PSNR to {path.name}, at least {least:g} wanted", got >= least)
    check_inputs(report, result, [*asked.input, *(path for path in (asked.first, asked.last) if path)])
    for line in result["plan"]["spoken"]:
        report.say("spoken", f'"{line["text"]}" ({line["seconds"]:.2f} s)', line["seconds"] > 0)
    for item in result["adjustments"]:
        change = f"{item['asked']} -> {item['got']}: " if item["got"] is not None else ""
        print(f"  adjusted {item['field']}: {change}{item['reason']}")
    for item in result["warnings"]:
        print(f"  note {item['field']}: {item['message']}")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

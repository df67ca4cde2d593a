"""What is heard: the sounds laid on the tape, voices over them, and how their energy drives the picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from triptych.engines.animatic.ledger import Ledger
from triptych.engines.animatic.scene import Scene
from triptych.engines.animatic.source import sound_of
from triptych.engines.animatic.spec import SPEECH_GAP_SECONDS, SPEECH_START_SECONDS
from triptych.engines.animatic.tape import Tape
from triptych.media import voice
from triptych.media.encode import RATE_HZ, samples_until

_SILENT = 1e-4  # loudness (RMS) below which there is no sound
_RISE, _FALL = 0.6, 0.2  # of the way to the new level, in 1/24 s


def lay_sound(scene: Scene, tape: Tape, ledger: Ledger) -> Iterator[dict[str, Any]]:
    """Lay down every sound of the scene, then the spoken lines over them.

    Yields:
        after each piece a dict, empty or a warning (``code``, ``field``, ``message``).
    """
    origin = samples_until(scene.shown_frames, scene.fps)
    for source in scene.inputs:
        if "sound" not in source.uses:
            continue
        start, most = origin + round(source.at_seconds * RATE_HZ), round(source.seconds * RATE_HZ)
        if source.kind == "continued":
            start, most = 0, min(most, origin)
        for place, wave in tape.lay(sound_of(source, ledger), at=start, most=most):
            ledger.consume(source.key, np.ascontiguousarray(wave))
            ledger.heard(source.key, place, wave.shape[1])
            yield {}
    if scene.lines and not voice.available():
        yield _unspoken(scene, f"nothing is spoken: no voice is installed; {voice.INSTALL}")
    elif scene.lines:
        yield from _speak(scene, tape, origin)


def _speak(scene: Scene, tape: Tape, origin: int) -> Iterator[dict[str, Any]]:
    """Every line in turn, all other sound turned down under it."""
    spans, place = [], origin + round(SPEECH_START_SECONDS * RATE_HZ)
    for line in scene.lines:
        samples = len(voice.speak(line, field=scene.prompt_field))
        if samples:
            spans.append((place, place + samples))
            place += samples + round(SPEECH_GAP_SECONDS * RATE_HZ)
        else:
            yield _unspoken(scene, f'"{line}" is not spoken: nothing in it can be pronounced')
    tape.duck(spans)
    yield {}
    spoken = (wave for line in scene.lines if (wave := voice.speak(line, field=scene.prompt_field)).size)
    for (start, end), wave in zip(spans, spoken, strict=True):
        for _ in tape.lay([np.stack([wave, wave])], at=start, most=end - start):
            yield {}


def _unspoken(scene: Scene, message: str) -> dict[str, Any]:
    return {"code": "line_not_spoken", "field": scene.prompt_field, "message": message}


def envelope(levels: NDArray[np.float64], fps: int) -> NDArray[np.float64]:
    """How strongly the sound drives the picture in each frame: float64 [frames], 0..1; quick to rise, slow to fall."""
    driven = np.zeros(len(levels))
    if not len(levels) or levels.max() < _SILENT:
        return driven
    low, high = np.percentile(levels, 10), np.percentile(levels, 98)
    # A steady sound has no beat: without a floor its least wavering would be blown up to the full range.
    wanted = np.clip((levels - low) / max(high - low, 0.2 * high, _SILENT), 0, 1)
    rise, fall = (1 - (1 - share) ** (24 / fps) for share in (_RISE, _FALL))
    level = 0.0
    for frame, goal in enumerate(wanted):
        level += (goal - level) * (rise if goal > level else fall)
        driven[frame] = level
    return driven

"""The offline voice: words to sound with espeak-ng, from the extra ``[speech]``.

espeak-ng is licensed under GPL-3.0-or-later. That is why it is an extra and never a base dependency.
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from triptych.errors import EngineUnavailable, InvalidRequest, Problem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INSTALL = 'pip install "triptych[speech]"'
MAX_LINE_CHARS = 400
"""Longest line that is spoken in one go."""

_SYNCHRONOUS = 2  # espeak_AUDIO_OUTPUT: the callback runs inside espeak_Synth
_UTF8 = 1  # espeakCHARS_UTF8
_BUFFER_MS = 0  # espeak's own choice
_SILENT = 1e-4  # peak below which a line said nothing


def available() -> bool:
    """Whether a voice is installed. Loads nothing."""
    return importlib.util.find_spec("espeakng_loader") is not None


def speak(text: str, *, rate_hz: int = 48_000, field: str = "prompt") -> NDArray[np.float32]:
    """Say one line.

    The sound depends on the text alone: not on what was said before, nor on the process.

    Args:
        text: up to ``MAX_LINE_CHARS`` characters, of any script.
        rate_hz: samples per second of the sound.
        field: the caller's name for where the text stands.

    Returns:
        wave: float32 [samples], -1..1, mono; empty when nothing in ``text`` can be pronounced.

    Raises:
        EngineUnavailable: no voice is installed.
        InvalidRequest: the line is too long.
    """
    import numpy as np

    if len(text) > MAX_LINE_CHARS:
        message = f"a quoted line has {len(text)} characters; a line may have {MAX_LINE_CHARS}"
        raise InvalidRequest(
            [
                Problem(
                    code="speech_too_long",
                    field=field,
                    message=message,
                    value=len(text),
                    limit=MAX_LINE_CHARS,
                    fix="Quote it as two lines",
                )
            ]
        )
    said, hz = _synthesise(" ".join(text.split()))
    wave = said.astype(np.float32) / np.float32(32768)
    if not wave.size or float(np.abs(wave).max()) < _SILENT:
        return np.zeros(0, np.float32)
    return _resample(wave, hz, rate_hz)


def measure_lines(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """How long lines take to say, exactly as ``speak`` will say them; runs in a child process.

    Args:
        params: ``{"lines": [text, …], "field": the caller's name for the prompt}``.

    Yields:
        one ``{"seconds": [float, …]}``; 0 for a line in which nothing can be pronounced.
    """
    rate_hz = 48_000
    field = str(params.get("field", "prompt"))
    yield {"seconds": [len(speak(str(line), rate_hz=rate_hz, field=field)) / rate_hz for line in params["lines"]]}


def _synthesise(text: str) -> tuple[NDArray[np.int16], int]:
    """One line by a library that has said nothing yet: int16 [samples], and its rate in Hz."""
    import numpy as np

    parts: list[NDArray[np.int16]] = []

    def take(samples: Any, count: int, _events: int | None) -> int:
        if samples and count > 0:
            parts.append(np.ctypeslib.as_array(samples, (count,)).copy())
        return 0

    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)
    callback = kind(take)
    with _fresh_library() as (library, data_folder):
        hz = int(library.espeak_Initialize(_SYNCHRONOUS, _BUFFER_MS, data_folder.encode(), 1 << 15))
        if hz <= 0:
            raise EngineUnavailable(f"the voice could not start from its data folder; reinstall it: {INSTALL}")
        try:
            library.espeak_SetSynthCallback(callback)
            library.espeak_SetVoiceByName(b"en")
            encoded = text.encode("utf-8", "replace").replace(b"\0", b" ") + b"\0"
            library.espeak_Synth(encoded, len(encoded), 0, 0, 0, _UTF8, None, None)
            library.espeak_Synchronize()
        finally:
            library.espeak_Terminate()
    return (np.concatenate(parts) if parts else np.zeros(0, np.int16)), hz


@contextmanager
def _fresh_library() -> Iterator[tuple[ctypes.CDLL, str]]:
    """espeak-ng, loaded for one line and unloaded: its static state would make a line depend on those before it."""
    if not available():
        raise EngineUnavailable(f"no voice is installed; {INSTALL}")
    import espeakng_loader

    library = ctypes.CDLL(espeakng_loader.get_library_path())
    try:
        yield library, espeakng_loader.get_data_path()
    finally:
        close = ctypes.CDLL(None).dlclose
        close.argtypes = (ctypes.c_void_p,)
        close(library._handle)


def _resample(wave: NDArray[np.float32], from_hz: int, to_hz: int) -> NDArray[np.float32]:
    """float32 [samples] at one rate to another, whole."""
    import av
    import numpy as np

    resampler = av.AudioResampler(format="flt", layout="mono", rate=to_hz)
    frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(wave[None, :]), format="flt", layout="mono")
    frame.sample_rate = from_hz
    pieces = [*resampler.resample(frame), *resampler.resample(None)]
    return np.concatenate([piece.to_ndarray().reshape(-1) for piece in pieces])

"""The offline voice: what it says, how long that is, and that it depends on nothing but the words."""

from __future__ import annotations

import asyncio
import sys
from contextlib import aclosing

import numpy as np
import pytest

from triptych.errors import EngineUnavailable, InvalidRequest
from triptych.media import voice
from triptych.process.host import Host


def test_it_speaks_at_the_rate_asked_for() -> None:
    wave = voice.speak("Fail again. Fail better.")
    slow = voice.speak("Fail again. Fail better.", rate_hz=24_000)
    assert wave.dtype == np.float32
    assert wave.ndim == 1
    assert 1.0 < len(wave) / 48_000 < 3.0
    assert len(slow) == pytest.approx(len(wave) / 2, abs=4)
    assert 0.2 < float(np.abs(wave).max()) <= 1.0


def test_longer_words_take_longer() -> None:
    assert len(voice.speak("one two three four five six")) > 2 * len(voice.speak("one"))


def test_a_line_does_not_depend_on_those_before_it() -> None:
    first = voice.speak("Hello there")
    voice.speak("Something else entirely, and long")
    assert np.array_equal(voice.speak("Hello there"), first)


def test_another_process_says_the_same_and_measures_the_same() -> None:
    lines = ["Hello there", "...", "Something else"]

    async def measured() -> list[float]:
        call = "triptych.media.voice:measure_lines"
        async with Host() as host, aclosing(host.call(call, {"lines": lines})) as items:
            async for item in items:
                return [float(seconds) for seconds in item["seconds"]]
        raise AssertionError("nothing was measured")

    assert asyncio.run(measured()) == [len(voice.speak(line)) / 48_000 for line in lines]


@pytest.mark.parametrize("text", ["", "   ", "...", "\u202e\u200b", "\0"])
def test_what_cannot_be_pronounced_is_empty(text: str) -> None:
    assert voice.speak(text).size == 0


@pytest.mark.parametrize(
    "text", ["日本語", "😀", "Привет мир", "a\0b", "\udcff hello", "<speak>&[[", "مرحبا", "x" * 400]
)
def test_any_script_is_spoken(text: str) -> None:
    assert voice.speak(text).size > 4_000


def test_white_space_does_not_matter() -> None:
    assert np.array_equal(voice.speak("hello\n   there"), voice.speak("hello there"))


def test_a_long_line_is_refused_in_the_callers_words() -> None:
    with pytest.raises(InvalidRequest) as refusal:
        voice.speak("x" * 401, field="--prompt")
    problem = refusal.value.problems[0]
    assert (problem.code, problem.field, problem.value, problem.limit) == ("speech_too_long", "--prompt", 401, 400)


def test_without_a_voice_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "espeakng_loader", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert not voice.available()
    with pytest.raises(EngineUnavailable, match=r'pip install "triptych\[speech\]"'):
        voice.speak("hello")

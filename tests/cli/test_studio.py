"""The studio of a command line: what it may read, and how a signal ends it."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from triptych.cli.parser import build
from triptych.cli.studio import open_studio, run_until_done, settings_of
from triptych.config import Settings
from triptych.errors import Cancelled


def test_a_person_reads_their_own_files_and_nothing_is_fetched() -> None:
    policy = open_studio(Settings()).policy
    assert (policy.roots, policy.allow_urls, policy.max_bytes) == (None, False, Settings().max_input_bytes)


def test_addresses_are_fetched_for_whoever_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def policy(*typed: str) -> bool:
        return open_studio(settings_of(build().parse_args(["probe", "a.png", *typed]))).policy.allow_urls

    assert (policy(), policy("--allow-urls")) == (False, True)
    monkeypatch.setenv("TRIPTYCH_ALLOW_URLS", "true")
    assert policy()


def test_settings_bound_the_decoders(tmp_path: Path) -> None:
    settings = Settings(memory_bytes=1 << 30, decode_seconds=10, work_dir=str(tmp_path))
    studio = open_studio(settings)
    limits = studio._decode_limits
    assert (limits.memory_bytes, limits.cpu_seconds, limits.wall_seconds) == (1 << 30, 10, 30)
    free = open_studio(Settings(memory_bytes=0, decode_seconds=0))._decode_limits
    assert (free.memory_bytes, free.cpu_seconds, free.wall_seconds) == (None, None, None)


def test_what_it_runs_comes_back() -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return 7

    assert run_until_done(work()) == 7


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_it_once_and_waits_while_it_tidies_up(name: signal.Signals) -> None:
    told: list[str] = []

    async def work() -> None:
        try:
            os.kill(os.getpid(), name)
            await asyncio.sleep(3600)
        finally:
            told.append("tidying up")
            for _ in range(3):
                os.kill(os.getpid(), name)
                await asyncio.sleep(0.01)
            told.append("tidied up")

    before = signal.getsignal(name)
    with pytest.raises(Cancelled, match=r"Stopped\. Nothing was written") as caught:
        run_until_done(work())
    assert told == ["tidying up", "tidied up"]
    assert caught.value.exit_code == 130
    assert signal.getsignal(name) is before


def test_a_signal_that_is_to_be_ignored_stays_ignored() -> None:
    async def work() -> str:
        os.kill(os.getpid(), signal.SIGHUP)
        await asyncio.sleep(0.01)
        return "went on"

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert run_until_done(work()) == "went on"
    finally:
        signal.signal(signal.SIGHUP, before)


def test_an_error_of_the_work_comes_as_it_is() -> None:
    async def work() -> None:
        raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError):
        run_until_done(work())

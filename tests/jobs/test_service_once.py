"""A request that is sent twice is one job, and one that is meant twice is two."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.jobs.bench import QUICK, ask, create, once, open_service
from triptych.errors import Conflict
from triptych.run import prepare


def test_a_key_is_one_job_and_another_request_under_it_is_refused(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path, terms=replace(QUICK, workers=0)) as service:
            first = await create(service, once=once("k", "d1"))
            assert (await create(service, once=once("k", "d1"))).id == first.id
            assert service.duplicate(once("k", "d1"), "") == first
            with pytest.raises(Conflict, match="'k'"):
                await create(service, "other", once=once("k", "d2"))
            with pytest.raises(Conflict):
                service.duplicate(once("k", "d2"), "")
            assert (await create(service, owner="b", once=once("k", "d2"))).id != first.id
            assert service.duplicate(once("new", "d1"), "") is None

    asyncio.run(run())


def test_a_retry_is_the_first_job_for_a_quarter_of_an_hour(tmp_path: Path) -> None:
    now = [time.time()]

    async def run() -> None:
        async with open_service(tmp_path, terms=replace(QUICK, workers=0), clock=lambda: now[0]) as service:
            first = await create(service, once=once(at=now[0]))
            now[0] += 899
            assert (await create(service, once=once(retry=True, at=now[0]))).id == first.id
            assert (await create(service, owner="b", once=once(retry=True, at=now[0]))).id != first.id
            assert (await create(service, once=once(digest="e", retry=True, at=now[0]))).id != first.id
            assert (await create(service, once=once(at=now[0]))).id != first.id, "sent twice on purpose"
            now[0] += 902
            assert (await create(service, once=once(retry=True, at=now[0]))).id != first.id

    asyncio.run(run())


def test_an_original_that_comes_after_its_own_retry_is_the_same_job(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_service(tmp_path, terms=replace(QUICK, workers=0)) as service:
            received = time.time() - 5
            retried = await create(service, once=once(retry=True, at=time.time()))
            assert (await create(service, once=once(at=received))).id == retried.id
            assert (await create(service, once=once(at=time.time() + 1))).id != retried.id, "sent later, on purpose"

    asyncio.run(run())


def test_the_same_request_from_two_processes_at_once_is_one_job(tmp_path: Path) -> None:
    async def run() -> None:
        terms = replace(QUICK, workers=0)
        async with open_service(tmp_path, terms=terms) as one, open_service(tmp_path, terms=terms) as two:
            plan = await prepare(ask(), one.studio)
            for key in (f"k{n}" for n in range(20)):
                made = [
                    service.create(ask(), plan, owner="", asked={}, once=once(key, key))
                    for service in (one, two, one, two)
                ]
                assert len({job.id for job in await asyncio.gather(*made)}) == 1
                tries = [once(None, f"retry {key}", retry=again, at=0.0) for again in (True, False, True, False)]
                sent = [
                    service.create(ask(), plan, owner="", asked={}, once=attempt)
                    for service, attempt in zip((one, two, one, two), tries, strict=True)
                ]
                # An original that is first is a job of its own, and every retry is that one.
                assert len({job.id for job in await asyncio.gather(*sent)}) <= 2
            assert one.counts() == two.counts()

    asyncio.run(run())

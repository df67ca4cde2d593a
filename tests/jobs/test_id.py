"""Ids sort by time, whatever the clock does."""

from __future__ import annotations

import threading

import pytest

from triptych.jobs.id import is_id, made_at, ulid


def test_ids_sort_by_the_time_at_which_they_were_made() -> None:
    at = 4_000_000_000.0
    ids = [ulid(at + step / 100) for step in range(200)]
    assert ids == sorted(ids) and len(set(ids)) == 200
    assert made_at(f"video_{ids[0]}") == pytest.approx(at, abs=0.001)
    assert all(id == id.lower() and len(id) == 26 for id in ids)


def test_ids_of_one_instant_and_of_a_clock_set_back_keep_their_order() -> None:
    at = 4_100_000_000.0
    ids = [ulid(at) for _ in range(1000)] + [ulid(at - 3600) for _ in range(10)]
    assert ids == sorted(ids) and len(set(ids)) == len(ids)


def test_ids_made_in_many_threads_differ() -> None:
    found: list[str] = []

    def make() -> None:
        found.extend(ulid(4_200_000_000.0) for _ in range(500))

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 2000


@pytest.mark.parametrize(
    "text", ["", "video_", "video_xyz", "file_" + "0" * 26, "video_" + "u" * 26, "video_" + "8" * 26]
)
def test_what_is_no_id_is_told(text: str) -> None:
    assert not is_id(text, prefix="video_")


def test_an_id_is_known_by_its_prefix() -> None:
    assert is_id(f"video_{ulid(1.0)}", prefix="video_")
    with pytest.raises(ValueError, match="no id"):
        made_at("video_nothing")

"""Keys open a server, and nothing about them is told."""

from __future__ import annotations

import pytest

from triptych.errors import InvalidRequest, Unauthorized
from triptych.server.auth import NOBODY, Keys


def test_without_keys_everybody_is_nobody() -> None:
    keys = Keys(())
    assert not keys
    assert keys.owner(None) == keys.owner("Bearer whatever") == NOBODY


@pytest.mark.parametrize(
    ("entry", "sent", "owner"),
    [
        ("ann=sk-1", "sk-1", "ann"),
        ("ann=sk=1==", "sk=1==", "ann"),
        ("sk-1", "sk-1", "key-"),
        ("c2VjcmV0==", "c2VjcmV0==", "key-"),
    ],
)
def test_a_key_has_the_name_that_stands_before_it(entry: str, sent: str, owner: str) -> None:
    found = Keys((entry,)).owner(f"Bearer {sent}")
    assert found == owner or (owner == "key-" and found.startswith("key-") and sent not in found)


def test_a_key_without_a_name_is_the_same_owner_after_a_restart() -> None:
    assert Keys(("sk-1",)).owner("Bearer sk-1") == Keys(("sk-2", "sk-1")).owner("bearer  sk-1")


def test_two_keys_of_one_name_are_one_owner() -> None:
    keys = Keys(("ann=old", "ann=new", "bob=other"))
    assert [keys.owner(f"Bearer {key}") for key in ("old", "new", "other")] == ["ann", "ann", "bob"]


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Basic sk-1", "sk-1", "Bearer sk-2", "Bearer sk-1x", "Bearer ann=sk-1"]
)
def test_another_key_is_refused_and_not_repeated(header: str | None) -> None:
    with pytest.raises(Unauthorized) as refused:
        Keys(("ann=sk-1",)).owner(header)
    assert "sk-" not in refused.value.message


@pytest.mark.parametrize("entries", [("ann=a b",), ("ann=sk-1", "bob=sk-1"), ("",), ("schlüssel",), ("a\n",)])
def test_a_key_that_cannot_be_used_is_refused_without_being_shown(entries: tuple[str, ...]) -> None:
    with pytest.raises(InvalidRequest) as refused:
        Keys(entries)
    assert refused.value.problems[0].field == f"api_keys[{len(entries) - 1}]"
    assert "sk-1" not in str(refused.value.as_json())

"""An answer that is lost: the client asks again by itself, and there is one job."""

from __future__ import annotations

import pytest

from tests.conformance.caller import Client, Raised
from tests.conformance.proxy import LosingProxy
from tests.conformance.sample import Sample
from triptych.testing.server import LiveServer


@pytest.mark.parametrize("losses", [1, 2])
def test_a_lost_answer_makes_no_second_job(
    client: Client, shelf: LiveServer, inputs: dict[str, Sample], losses: int
) -> None:
    prompt = f"lost {losses} times by {client.kind.name}"
    body = {"prompt": prompt, "input_reference": inputs["image"].given("bytes")}
    before = set(client.call("videos.list_all", shelf.base_url, body={"limit": 100}))
    with LosingProxy(shelf.url, losses=losses) as proxy:
        job = client.call("videos.create", proxy.base_url, body=body)
        assert proxy.lost == losses
    after = set(client.call("videos.list_all", shelf.base_url, body={"limit": 100}))
    assert after - before == {job["id"]}
    assert job["prompt"] == prompt


def test_two_equal_requests_are_two_jobs(client: Client, shelf: LiveServer) -> None:
    """Only what the client marks as asked again is one."""
    made = {client.call("videos.create", shelf.base_url, body={"prompt": "the same"})["id"] for _ in range(2)}
    assert len(made) == 2


def test_a_refusal_is_not_asked_again(client: Client, shelf: LiveServer) -> None:
    with LosingProxy(shelf.url, losses=0) as proxy:
        with pytest.raises(Raised) as refused:
            client.call("videos.create", proxy.base_url, body={"prompt": ""})
        assert refused.value.status == 400

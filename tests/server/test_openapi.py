"""The OpenAPI document: whole, self-contained, and true to what is answered."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.server.conftest import Client, Place
from triptych.server.openapi import ERROR, OPERATIONS
from triptych.wire.job import JobDocument


@pytest.fixture
def document(place: Place) -> dict[str, Any]:
    async def work(client: Client) -> Any:
        return (await client("GET", "/openapi.json")).json()

    found: dict[str, Any] = place.run(work)
    return found


def operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {told["operationId"]: told for path in document["paths"].values() for told in path.values()}


def test_every_route_is_in_it_once_and_in_the_table(document: dict[str, Any]) -> None:
    told = operations(document)
    assert set(told) == set(OPERATIONS)
    assert len(told) == sum(len(path) for path in document["paths"].values())
    assert all(one["summary"] and one["description"] for one in told.values())


def test_no_422_of_the_framework_is_promised(document: dict[str, Any]) -> None:
    assert "HTTPValidationError" not in document["components"]["schemas"]
    with_422 = {name for name, told in operations(document).items() if "422" in told["responses"]}
    assert with_422 == {"create_video_sync", "download_video_content"}


def test_every_error_has_the_one_schema(document: dict[str, Any]) -> None:
    for name, told in operations(document).items():
        assert {"200", "400", "401", "403", "500"} <= set(told["responses"]), name
        for status, response in told["responses"].items():
            if status != "200":
                (schema,) = [each["schema"] for each in response["content"].values()]
                assert schema == {"$ref": "#/components/schemas/Error"}
                assert response["description"]
    assert document["components"]["schemas"]["Error"] == ERROR


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    names = set(re.findall(r"'#/components/schemas/(\w+)'", str(document)))
    assert names
    assert names <= set(document["components"]["schemas"])


def test_bodies_are_told_in_every_encoding(document: dict[str, Any]) -> None:
    body = operations(document)["create_video"]["requestBody"]
    assert set(body["content"]) == {
        "application/json",
        "multipart/form-data",
        "application/x-www-form-urlencoded",
    }
    assert body["content"]["application/json"]["example"]["prompt"]


def test_the_example_of_a_request_works_and_the_answer_has_the_promised_keys(
    place: Place, document: dict[str, Any]
) -> None:
    example = operations(document)["create_video"]["requestBody"]["content"]["application/json"]["example"]

    async def work(client: Client) -> Any:
        return await client("POST", "/v1/videos", document=example)

    reply = place.run(work)
    assert reply.status == 200
    promised = document["components"]["schemas"]["Job"]["properties"]
    assert set(reply.json()) == set(promised) == set(JobDocument.__annotations__)

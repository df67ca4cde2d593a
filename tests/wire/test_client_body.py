"""The bodies of other servers' clients (client_body.toml): each does what its sender meant, or is refused by name."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.wire.arrival import JSON, MULTIPART, form, part, read
from tests.wire.asking import inputs_of, pairs, png, problems_of, spec_of, warnings_of, wav
from triptych.wire.video import parse

ROWS: list[Mapping[str, Any]] = tomllib.loads(Path(__file__).with_name("client_body.toml").read_text(encoding="utf-8"))[
    "body"
]
FILES = {"FILE:png": png, "FILE:wav": wav}


def body_of(row: Mapping[str, Any]) -> tuple[str, bytes]:
    """A row's content type and bytes."""
    if "json" in row:
        return JSON, row["json"].encode()
    parts = []
    for name, text in row["parts"]:
        made = FILES.get(text)
        # As clients do: a name that says nothing, and a type that is none.
        octets = () if made is None else ("Content-Type: application/octet-stream",)
        parts.append(part(name, made() if made else text.encode(), *octets, file="upload" if made else None))
    return MULTIPART, form(*parts)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["name"]))
def test_body(row: Mapping[str, Any], tmp_path: Path) -> None:
    known = {"name", "engine", "json", "parts", "inputs", "request", "options", "warnings", "problems", "says"}
    assert set(row) <= known
    document, _ = read(*body_of(row), tmp_path)
    one = parse(document, default_engine=row.get("engine", "h3-like"), registry_specs=spec_of)
    problems = (*document.problems, *problems_of(one))
    assert [(problem.code, problem.field) for problem in problems] == pairs(row.get("problems", []))
    text = "\n".join(map(str, problems))
    assert [words for words in row.get("says", []) if words not in text] == []
    if "inputs" in row:
        assert inputs_of(one) == row["inputs"]
    asked = row.get("request", {})
    assert {name: getattr(one.request, name) for name in asked} == asked
    assert dict(one.request.options) == row.get("options", {})
    assert warnings_of(one) == pairs(row.get("warnings", []))


def test_every_server_is_there() -> None:
    names = [row["name"] for row in ROWS]
    assert len(set(names)) == len(names)
    assert {name.partition(":")[0] for name in names} >= {
        "openai", "openai-node", "vllm-omni", "sglang", "localai", "openrouter", "minimax", "vllm.cpp", "animatic",
    }  # fmt: skip

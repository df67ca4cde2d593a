"""Command lines in documents are such that the real parser reads them; nothing of them is run."""

from __future__ import annotations

import shlex

import pytest

from tests.shape.test_document import commands
from triptych.cli import request
from triptych.cli.parser import build
from triptych.config import Settings

LINES = [(page, words) for page, words in commands("triptych") if "…" not in words and "COMMAND" not in words]


def test_documents_show_every_command() -> None:
    assert {words[1] for _, words in LINES} >= {"video", "check", "probe", "engines"}


@pytest.mark.parametrize(("page", "words"), LINES, ids=[f"{page}: {shlex.join(words)}"[:90] for page, words in LINES])
def test_a_documented_command_line_can_be_read(page: str, words: list[str]) -> None:
    arguments = build().parse_args(words[1:])  # exits where it cannot be read, which fails the test
    if words[1] in ("video", "check"):
        typed = request.read(arguments, Settings())
        assert [str(problem) for problem in typed.problems] == []

"""The doubles of the host's tests, those that do no harm, in this process."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from triptych.errors import InvalidRequest, NotFound
from triptych.testing import child_target


def test_they_do_what_they_say(tmp_path: Path) -> None:
    assert list(child_target.echo({"a": 1})) == [{"params": {"a": 1}, "pid": os.getpid()}]
    assert [item["number"] for item in child_target.count({"n": 3})] == [0, 1, 2]
    assert list(child_target.write({"path": str(tmp_path / "x"), "bytes": 3})) == [{"written": 3}]
    with pytest.raises(NotFound, match="gone"):
        list(child_target.fail({"type": "NotFound", "message": "gone"}))
    with pytest.raises(InvalidRequest, match="f: m"):
        list(child_target.refuse({"problems": [{"code": "media_empty", "field": "f", "message": "m"}]}))

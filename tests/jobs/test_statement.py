"""The SQL of the store: shipped beside the code, each statement under its name."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest

from triptych.jobs import statement
from triptych.jobs.statement import statements


def test_every_statement_can_be_prepared_and_is_used(root: Path) -> None:
    found = statements("sqlite.sql")
    db = sqlite3.connect(":memory:")
    db.executescript(found["schema"])
    source = "".join(path.read_text(encoding="utf-8") for path in (root / "src/triptych/jobs").glob("*.py"))
    for name, text in found.items():
        if name != "schema":
            names = dict.fromkeys(re.findall(r":(\w+)", text))
            db.execute(f"EXPLAIN {text}", names)
            base = name.removesuffix("_asc").removesuffix("_desc")
            assert re.search(rf'f?"{base}(_{{order}})?"', source), f"{name} is used nowhere"
    db.close()


def test_look_ups_need_no_scan() -> None:
    found = statements("sqlite.sql")
    db = sqlite3.connect(":memory:")
    db.executescript(found["schema"])
    for name in ("state", "claim", "by_key", "first_of_retry", "page_desc", "before", "queued", "expired", "is_held"):
        names = dict.fromkeys(re.findall(r":(\w+)", found[name]))
        plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {found[name]}", names)]
        assert not [line for line in plan if line.startswith("SCAN") and "INDEX" not in line], (name, plan)
    db.close()


def test_two_statements_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "twice.sql").write_text("-- name: a\nSELECT 1\n-- name: a\nSELECT 2\n", encoding="utf-8")
    monkeypatch.setattr(statement, "files", lambda _: tmp_path)
    with pytest.raises(ValueError, match="one name"):
        statements("twice.sql")

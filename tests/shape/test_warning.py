"""Every warning that a plan can carry is explained on the page of the result file."""

from __future__ import annotations

import re
from pathlib import Path


def test_every_warning_is_explained(root: Path) -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in (root / "src").rglob("*.py"))
    codes = set(re.findall(r"Warned\(\s*code=\"([a-z_]+)\"", source))
    assert {"sound_not_used", "line_not_spoken"} <= codes
    page = (root / "docs" / "reference" / "result.md").read_text(encoding="utf-8")
    assert {code for code in codes if f"| `{code}` |" not in page} == set()

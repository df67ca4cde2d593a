"""Says, for files that you supplied, what became of them in a finished video.

python examples/read_result.py STORY.json FILE...
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path


def fate(result: Path, supplied: Path) -> str:
    """What the receipts of a result say of one file, found by its bytes and not by its name."""
    receipts = json.loads(result.read_text(encoding="utf-8"))["receipts"]
    sha256 = hashlib.sha256(supplied.read_bytes()).hexdigest()
    found = [
        f"{one['how']} ({', '.join(one['uses'])}): {one['where']}" for one in receipts if one["source_sha256"] == sha256
    ]
    return "; ".join(found) or "was not part of it"


def main() -> int:
    """Print one line for each file."""
    result, *supplied = (Path(argument) for argument in sys.argv[1:])
    for path in supplied:
        print(f"{path}: {fate(result, path)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs benchmarks by name, or all of them; prints Markdown, and keeps it in RESULTS.md."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from benchmarks import animatic, body, cli, decode
from benchmarks.server import run as server

BENCHMARKS = {
    "animatic": animatic.run,
    "body": body.run,
    "cli": cli.run,
    "decode": decode.run,
    "server": server.run,
}
RESULTS = Path(__file__).with_name("RESULTS.md")
HEAD = """\
# Measured

What `scripts/bench` wrote, each part on the machine and at the load that it names. What is measured, and against what,
is said at the top of each file in this folder.
"""


def main() -> None:
    """Run, print and keep."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("name", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)} (default: all)")
    parser.add_argument("--repeats", type=int, help="how often (default: each benchmark's own number)")
    asked = parser.parse_args()
    unknown = [name for name in asked.name if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there is {', '.join(BENCHMARKS)}")
    for name in asked.name or BENCHMARKS:
        run = BENCHMARKS[name]
        text = run() if asked.repeats is None else run(repeats=asked.repeats)
        print(f"# {name}\n\n{text}\n", flush=True)
        keep(name, text)


def keep(name: str, text: str) -> None:
    """Put one benchmark's text in its place in RESULTS.md; the others stay."""
    parts = dict(_parts(RESULTS.read_text(encoding="utf-8"))) if RESULTS.exists() else {}
    parts[name] = re.sub(r"^## ", "### ", text, flags=re.MULTILINE).strip()
    kept = [f"## {each}\n\n{parts[each]}\n" for each in BENCHMARKS if each in parts]
    RESULTS.write_text("\n".join((HEAD, *kept)), encoding="utf-8")


def _parts(text: str) -> list[tuple[str, str]]:
    found = re.split(r"^## (\w+)\n", text, flags=re.MULTILINE)[1:]
    return [(name, body.strip()) for name, body in zip(found[::2], found[1::2], strict=True)]


if __name__ == "__main__":
    main()

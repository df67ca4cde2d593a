"""Writes what can be written from the source: reference pages, and the tree in ARCHITECTURE.md.

``scripts/docs`` runs it; ``tests/shape/test_document.py`` fails when a page lags behind.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

from scripts.make_reference import reference_pages
from triptych.errors import PROBLEM_CODES, error_classes

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "triptych"
NOTE = "<!-- Written by scripts/docs; do not edit. -->"
TREE_BEGIN, TREE_END = "<!-- tree: written by scripts/docs -->", "<!-- end of tree -->"


def pages() -> dict[str, Callable[[], str]]:
    """Every generated file: path → what writes its text."""
    return {
        "docs/reference/errors.md": errors_page,
        "docs/reference/python.md": python_page,
        "ARCHITECTURE.md": architecture_page,
        **reference_pages(),
    }


def errors_page() -> str:
    """Every error class and every problem code."""
    lines = [
        "# Errors",
        "",
        NOTE,
        "",
        "Every error is a `TriptychError`. Its `code` is for programs; the exit code is that of the `triptych`",
        "command; the status is the one that an HTTP server answers with.",
        "",
        "| class | code | exit code | HTTP status | meaning |",
        "|---|---|---|---|---|",
    ]
    for kind in error_classes():
        meaning = first_line(kind.__doc__)
        lines.append(f"| `{kind.__name__}` | `{kind.code}` | {kind.exit_code} | {kind.status} | {meaning} |")
    lines += [
        "",
        "## Problem codes",
        "",
        "An `InvalidRequest` carries every problem of the request at once. Each has one of these codes, the caller's",
        "own name for what is wrong (`field`), the value, the limit, and what to do (`fix`).",
        "",
        "| code | meaning |",
        "|---|---|",
        *(f"| `{code}` | {meaning} |" for code, meaning in PROBLEM_CODES.items()),
    ]
    return "\n".join(lines) + "\n"


def python_page() -> str:
    """Every public name of the package."""
    package = importlib.import_module("triptych")
    lines = [
        "# Python names",
        "",
        NOTE,
        "",
        "What `import triptych` offers. Everything else may change without notice.",
        "",
        "| name | what it is |",
        "|---|---|",
    ]
    for name in sorted(getattr(package, "__all__", [])):
        value = getattr(package, name)
        described = inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value)
        meaning = first_line(value.__doc__) if described else f"`{value!r}`"
        lines.append(f"| `{name}` | {meaning} |")
    return "\n".join(lines) + "\n"


def architecture_page() -> str:
    """ARCHITECTURE.md with its tree written again."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    before, _, rest = text.partition(TREE_BEGIN)
    _, _, after = rest.partition(TREE_END)
    if not before or not after:
        raise ValueError(f"ARCHITECTURE.md lacks {TREE_BEGIN} or {TREE_END}")
    tree = "\n".join(tree_lines())
    return f"{before}{TREE_BEGIN}\n\n{tree}\n\n{TREE_END}{after}"


def layers() -> list[str]:
    """The layers of the import contract that exist, lowest first."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = config["tool"]["importlinter"]["contracts"]
    names: list[str] = []
    for row in reversed(next(item for item in contracts if item["id"] == "layers")["layers"]):
        names += [name.strip().strip("()") for name in row.split("|")]
    return [name for name in names if (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()]


def tree_lines() -> Iterator[str]:
    """One list item per module, in layer order, with the first line of its docstring."""
    for layer in layers():
        folder = PACKAGE / layer
        if not folder.is_dir():
            yield f"- `{layer}.py`: {described(folder.with_suffix('.py'))}"
            continue
        yield f"- `{layer}/`: {described(folder / '__init__.py')}"
        for path in sorted(folder.rglob("*.py"), key=lambda item: (item.parent, item.name)):
            depth = len(path.relative_to(folder).parts)
            if path == folder / "__init__.py":
                continue
            if path.name == "__init__.py":
                yield f"{'  ' * (depth - 1)}- `{path.parent.relative_to(PACKAGE)}/`: {described(path)}"
            else:
                yield f"{'  ' * depth}- `{path.relative_to(PACKAGE)}`: {described(path)}"


def described(path: Path) -> str:
    """The first line of a module's docstring."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    if not docstring:
        raise ValueError(f"{path.relative_to(ROOT)} has no docstring; its first line says what it is for")
    return first_line(docstring)


def first_line(docstring: str | None) -> str:
    """The first paragraph, on one line, fit for a table."""
    return " ".join((docstring or "").strip().split("\n\n")[0].split()).replace("|", "\\|")


def main() -> int:
    """Write every page that differs."""
    for name, write in pages().items():
        path, text = ROOT / name, write()
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

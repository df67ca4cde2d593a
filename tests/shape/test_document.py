"""Documents that lag fail here: generated pages, the commands that README types, links between pages."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.make_docs import layers, pages
from tests.shape.test_tree import tracked
from triptych.errors import PROBLEM_CODES, error_classes

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", list(pages()))
def test_generated_page_is_current(page: str) -> None:
    assert (ROOT / page).read_text(encoding="utf-8") == pages()[page](), "run scripts/docs"


def test_every_error_is_documented(root: Path) -> None:
    text = (root / "docs" / "reference" / "errors.md").read_text(encoding="utf-8")
    assert [kind.__name__ for kind in error_classes() if f"`{kind.__name__}`" not in text] == []
    assert [code for code in PROBLEM_CODES if f"`{code}`" not in text] == []


def test_architecture_names_every_module_in_layer_order(root: Path) -> None:
    text = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    package = root / "src" / "triptych"
    modules = [path.relative_to(package) for path in tracked(root) if path.is_relative_to(package)]
    named = [str(path) for path in modules if path.suffix == ".py" and not path.name.startswith("__")]
    assert [name for name in named if f"`{name}`: " not in text] == []
    places = [text.index(f"\n- `{layer}{'/' if (package / layer).is_dir() else '.py'}`: ") for layer in layers()]
    assert places == sorted(places)


def test_links_lead_somewhere(root: Path) -> None:
    broken = []
    for path in tracked(root):
        if path.suffix != ".md":
            continue
        targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
        local = [target for target in targets if "://" not in target]
        broken += [f"{path.relative_to(root)}: {target}" for target in local if not (path.parent / target).exists()]
    assert broken == []


def blocks(language: str) -> list[tuple[str, str]]:
    """Every fenced block of one language in README and docs: (page, text)."""
    found = []
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        found += [
            (str(path.relative_to(ROOT)), body) for body in re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
        ]
    return found


def commands(program: str) -> list[tuple[str, list[str]]]:
    """Every line of the documents' shell blocks that calls ``program``: (page, words)."""
    found = []
    for page, body in blocks("sh"):
        for line in body.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words and words[0].partition("/")[0] == program:
                found.append((page, words))
    return found


def test_scripts_in_documents_exist(root: Path) -> None:
    named = commands("scripts")
    assert {"scripts/demo", "scripts/test"} <= {words[0] for _, words in named}
    assert [f"{page}: {words[0]}" for page, words in named if not (root / words[0]).is_file()] == []


def test_commands_in_documents_are_known() -> None:
    helps: dict[str, str] = {}
    unknown = []
    for page, words in commands("triptych"):
        verb = words[1]
        if verb not in helps:
            done = subprocess.run(
                [sys.executable, "-m", "triptych", verb, "--help"],
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            helps[verb] = done.stdout if done.returncode == 0 else ""
        known = set(re.findall(r"--?[a-z][a-z-]*", helps[verb]))
        unknown += [f"{page}: triptych {verb}"] if not helps[verb] else []
        unknown += [
            f"{page}: triptych {verb} {word}" for word in words[2:] if re.match("--?[a-z]", word) and word not in known
        ]
    assert helps, "no document shows a triptych command"
    assert unknown == []


def test_transcripts_in_documents_are_what_happens(root: Path) -> None:
    transcripts = blocks("console")
    assert transcripts
    for page, body in transcripts:
        typed, _, shown = body.partition("\n")
        words = shlex.split(typed.removeprefix("$ triptych "))
        done = subprocess.run(
            [sys.executable, "-m", "triptych", *words],
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.stdout == shown, page


def test_python_in_documents_imports_what_exists() -> None:
    missing = []
    for page, body in blocks("python"):
        for node in ast.walk(ast.parse(body)):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "triptych":
                module = importlib.import_module(node.module)
                missing += [
                    f"{page}: {node.module}.{name.name}" for name in node.names if not hasattr(module, name.name)
                ]
    assert missing == []


def test_the_pages_can_be_followed_one_after_another() -> None:
    """A page that writes what another page wrote would be refused without ``--force``."""
    named = [name for page, text in blocks("sh") if "/how-to/" in page for name in re.findall(r"-o (\S+)", text)]
    assert len(named) > 10
    assert sorted(named) == sorted(set(named))

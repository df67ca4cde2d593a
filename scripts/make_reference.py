"""Reference pages that are written whole from the code: the command line, and the engines."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from scripts.make_list import LISTS, filled, table
from triptych.cli.parser import build
from triptych.engines.registry import Registry
from triptych.errors import TriptychError, error_classes
from triptych.rules.spec import EngineSpec, MediaLimits, Option

ROOT = Path(__file__).resolve().parent.parent
NOTE = "<!-- Written by scripts/docs; do not edit. -->"


def reference_pages() -> dict[str, Callable[[], str]]:
    """Path → what writes its text, for ``scripts.make_docs``."""
    return {
        "docs/reference/cli.md": cli_page,
        "docs/reference/engines.md": engines_page,
        **{page: partial(filled, page, lists) for page, lists in LISTS.items()},
    }


def cli_page() -> str:
    """Every command and every option, from the parser that reads them."""
    parser = build()
    lines = ["# Command line", "", NOTE, "", parser.description or "", ""]
    commands = _commands(parser)
    lines += table(
        ("command", "what it does"), [(f"[`triptych {n}`](#triptych-{n})", h) for n, (h, _) in commands.items()]
    )
    lines += ["", "`triptych --version` shows the version; `triptych COMMAND --help` shows what stands below.", ""]
    lines += ["## Exit codes", "", *exit_codes()]
    for name, (_, command) in commands.items():
        lines += ["", f"## triptych {name}", "", *_command(command)]
    return "\n".join(lines) + "\n"


def exit_codes() -> list[str]:
    """Exit code → when."""
    kinds: dict[int, list[str]] = {}
    for kind in error_classes():
        if kind is not TriptychError:
            kinds.setdefault(kind.exit_code, []).append(f"`{kind.__name__}`")
    rows = [("0", "done"), *((str(code), ", ".join(names)) for code, names in sorted(kinds.items()))]
    return [*table(("code", "when"), rows), "", "Each is explained in [errors](errors.md)."]


def _commands(parser: argparse.ArgumentParser) -> dict[str, tuple[str, argparse.ArgumentParser]]:
    """Name → its one-line help, and its parser."""
    (action,) = (one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
    return {name: (helps[name], command) for name, command in action.choices.items()}


def _command(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield from ("```text", *(parser.description or "").strip().splitlines(), "```")
    for group in parser._action_groups:
        actions = [action for action in group._group_actions if action.dest != "help"]
        if actions:
            yield from ("", f"### {_titled(group.title)}", "")
            yield from table(("option", "meaning"), [(_spelled(action), action.help or "") for action in actions])
    if parser.epilog:
        yield from ("", "### Examples", "", "```sh")
        yield from (line.strip() for line in parser.epilog.splitlines() if line.startswith("  "))
        yield "```"


def _titled(title: str | None) -> str:
    return {"positional arguments": "Arguments", "options": "Options", None: "Options"}.get(
        title, (title or "").capitalize()
    )


def _spelled(action: argparse.Action) -> str:
    value = f" {action.metavar}" if action.nargs != 0 and action.metavar else ""
    if not action.option_strings:
        return f"`{action.metavar or action.dest}`"
    return ", ".join(f"`{option}{value}`" for option in action.option_strings)


def engines_page() -> str:
    """Every engine that this package brings, from its spec."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    names = config["project"]["entry-points"]["triptych.engines"]
    lines = [
        "# Engines",
        "",
        NOTE,
        "",
        "What each engine takes and makes, from its spec. `triptych engines` shows the same for what is installed,",
        "engines of other packages too, and `triptych engines NAME --json` shows a spec whole. Bounds are inclusive;",
        "what lies outside is refused before anything runs.",
    ]
    for name in sorted(names):
        lines += ["", *_engine(Registry.installed().spec(name))]
    return "\n".join(lines) + "\n"


def _engine(spec: EngineSpec) -> Iterator[str]:
    yield from (f"## {spec.name}", "", spec.summary, "", spec.description, "")
    yield from ("### What it takes", "")
    yield from table(
        ("role", "kinds", "most", "what becomes of it"),
        [
            (f"`{role}`", ", ".join(sorted(rule.modalities)), str(rule.most), rule.use)
            for role, rule in spec.roles.items()
        ],
    )
    caps = spec.caps
    total = "" if caps.total is None else f", {caps.total} in all"
    yield from ("", f"References: {caps.image} pictures, {caps.video} clips, {caps.audio} sounds at most{total}.")
    if not spec.audio_alone:
        yield "Reference sound only beside a picture or a clip."
    yield from (
        f"Not together: {', '.join(sorted(pair.one))} and {', '.join(sorted(pair.other))} ({pair.reason})."
        for pair in spec.exclusive
    )
    yield from ("", "### Bounds of each input", "")
    yield from table(("kind", "bounds"), [(str(kind), "; ".join(_bounds(each))) for kind, each in spec.limits.items()])
    yield from ("", "### What it makes", "")
    yield from table(("", ""), _makes(spec))
    if spec.options:
        yield from ("", "### Its own options (`--option NAME=VALUE`)", "")
        yield from table(
            ("option", "values", "default", "meaning"),
            [(f"`{name}`", _values(each), _default(each), each.help) for name, each in spec.options.items()],
        )


def _makes(spec: EngineSpec) -> Iterator[tuple[str, str]]:
    geometry, timing, speech = spec.geometry, spec.timing, spec.speech
    yield "tasks", ", ".join(f"`{task}`" for task in sorted(spec.tasks))
    if geometry.sizes is not None:
        yield "size", ", ".join(f"{width}x{height}" for width, height in geometry.sizes)
    else:
        area = "" if geometry.max_pixels is None else f", at most {geometry.max_pixels:,} pixels"
        yield (
            "size",
            f"{geometry.min_side} to {geometry.max_side} a side in steps of {geometry.multiple}{area}, shape"
            f" {geometry.min_aspect:g}:1 to {geometry.max_aspect:g}:1",
        )
    yield (
        "size when none is given",
        f"the first frame's shape with a short side of {geometry.short_edge}, else"
        f" {geometry.default[0]}x{geometry.default[1]}",
    )
    yield "frames per second", f"{timing.min_fps} to {timing.max_fps}; {timing.default_fps} when nothing is said"
    stretch = ", or as long as its clips, sound and spoken words need" if timing.stretches else ""
    yield (
        "length",
        f"{timing.min_frames} to {timing.max_frames:,} frames; {timing.default_frames} when nothing is said{stretch}",
    )
    yield "fit of pictures", f"`{spec.default_fit}` unless told"
    yield (
        "seed",
        "drawn and shown when none is given" if spec.default_seed is None else f"{spec.default_seed} unless given",
    )
    if speech.speaks:
        yield (
            "quoted words",
            f"spoken from {speech.start_seconds:g} s on, {speech.gap_seconds:g} s between lines, when a voice is"
            f" installed (`{speech.install}`)",
        )
    yield "prompt", f"at most {spec.max_prompt_chars:,} characters{'' if spec.prompt_required else '; may be empty'}"


def _bounds(limits: MediaLimits) -> Iterator[str]:
    shown: tuple[tuple[object, str], ...] = (
        (limits.max_bytes and f"{limits.max_bytes / 2**20:,.0f}", "at most {} MiB"),
        (limits.max_pixels and f"{limits.max_pixels:,}", "at most {} pixels"),
        (limits.max_side and f"{limits.max_side:,}", "at most {} pixels a side"),
        (limits.min_side, "at least {} pixels a side"),
        (limits.min_seconds, "at least {} s"),
        (limits.max_seconds, "at most {} s"),
        (limits.total_seconds, "at most {} s in all"),
        (limits.min_frames, "at least {} frames"),
        (limits.max_frames and f"{limits.max_frames:,}", "at most {} frames"),
    )
    return (text.format(value) for value, text in shown if value is not None)


def _values(option: Option) -> str:
    if option.choices is not None:
        return ", ".join(f"`{choice}`" for choice in option.choices)
    if option.kind is bool:
        return "`true`, `false`"
    if option.minimum is None or option.maximum is None:
        return option.kind.__name__
    return f"{option.minimum:g} to {option.maximum:g}"


def _default(option: Option) -> str:
    return f"`{str(option.default).lower() if isinstance(option.default, bool) else option.default}`"

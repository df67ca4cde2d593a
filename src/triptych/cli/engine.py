"""``triptych engines``: specs, as a table or in full."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from triptych.cli import screen
from triptych.cli.output import table
from triptych.engines.registry import Registry
from triptych.errors import EngineUnavailable
from triptych.rules.spec import EngineSpec, MediaLimits, Option
from triptych.task import Modality, Scalar
from triptych.wire.document import render_spec


def run(arguments: argparse.Namespace) -> int:
    """Print them. Raises ``InvalidRequest`` when there is no engine of the name."""
    registry = Registry.installed()
    if arguments.name is not None:
        spec = registry.spec(arguments.name, field="NAME")
        if arguments.json:
            screen.show_json([render_spec(spec)])
        else:
            screen.show(full(spec))
        return 0
    found = [_spec(registry, name) for name in registry.names()]
    if arguments.json:
        screen.show_json([one if isinstance(one, dict) else render_spec(one) for one in found])
    else:
        rows = ((one["name"], "", "", one["unavailable"]) if isinstance(one, dict) else _row(one) for one in found)
        screen.show(table([("ENGINE", "TASKS", "TAKES", "IS"), *rows], indent=""))
        screen.show(["", "All of one engine: triptych engines NAME"])
    return 0


def _spec(registry: Registry, name: str) -> EngineSpec | dict[str, str]:
    """An engine's spec; for one that cannot be loaded, its name and why not."""
    try:
        return registry.spec(name)
    except EngineUnavailable as error:
        return {"name": name, "unavailable": error.message}


def _row(spec: EngineSpec) -> tuple[str, str, str, str]:
    return spec.name, " ".join(sorted(spec.tasks)), _takes(spec), spec.summary


def _takes(spec: EngineSpec) -> str:
    caps = spec.caps
    counted = [f"{caps.of(kind)} {word}" for kind, word in _WORDS.items() if caps.of(kind)]
    total = f" ({caps.total} in all)" if caps.total is not None else ""
    return ", ".join(counted) + total


_WORDS = {Modality.IMAGE: "pictures", Modality.VIDEO: "clips", Modality.AUDIO: "sounds"}


def full(spec: EngineSpec) -> Iterator[str]:
    """Everything that a spec says, for people."""
    geometry, timing = spec.geometry, spec.timing
    yield f"{spec.name}: {spec.summary}"
    yield ""
    yield from spec.description.splitlines()
    yield ""
    yield f"tasks: {', '.join(sorted(spec.tasks))}"
    yield "takes:"
    yield from table(
        (str(role), " or ".join(sorted(rule.modalities)), f"at most {rule.most}", rule.use)
        for role, rule in spec.roles.items()
    )
    yield f"references: {_takes(spec)}{'' if spec.audio_alone else '; sound only beside a picture or a clip'}"
    for kind, limits in spec.limits.items():
        yield f"each {kind}: {_bounds(limits)}"
    for pair in spec.exclusive:
        yield f"not together: {', '.join(sorted(pair.one))} with {', '.join(sorted(pair.other))}: {pair.reason}"
    yield (
        f"size: {geometry.min_side} to {geometry.max_side} a side in steps of {geometry.multiple},"
        f"{_area(geometry.max_pixels)} shape {geometry.min_aspect:g} to {geometry.max_aspect:g},"
        f" default {geometry.default[0]}x{geometry.default[1]}"
    )
    yield (
        f"length: {timing.min_frames} to {timing.max_frames} frames at {timing.min_fps} to {timing.max_fps} a second,"
        f" default {timing.default_frames / timing.default_fps:g} s at {timing.default_fps}"
    )
    yield f"fit: {spec.default_fit} unless told"
    if spec.speech.speaks:
        here = "installed" if spec.speech.available else f"not installed; {spec.speech.install}"
        yield f"quoted words are spoken; the voice is {here}"
    if spec.options:
        yield "options (--option NAME=VALUE):"
        yield from table(
            (name, _values(option), f"default {_word(option.default)}", option.help)
            for name, option in spec.options.items()
        )


def _area(most: int | None) -> str:
    return "" if most is None else f" at most {most:,} pixels,"


def _values(option: Option) -> str:
    """What an option can be set to, as it is typed."""
    if option.choices is not None:
        return " or ".join(_word(choice) for choice in option.choices)
    if option.kind is bool:
        return "true or false"
    if option.minimum is not None and option.maximum is not None:
        return f"{option.minimum:g} to {option.maximum:g}"
    return option.kind.__name__


def _word(value: Scalar) -> str:
    """A value as it is typed."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _bounds(limits: MediaLimits) -> str:
    most = (
        None if limits.max_bytes is None else f"{limits.max_bytes / 1e6:.0f} MB",
        None if limits.max_pixels is None else f"{limits.max_pixels:,} pixels",
        None if limits.max_side is None else f"{limits.max_side} a side",
        None if limits.max_seconds is None else f"{limits.max_seconds:g} s",
        None if limits.max_frames is None else f"{limits.max_frames} frames",
    )
    least = (
        None if limits.min_side is None else f"{limits.min_side} a side",
        None if limits.min_seconds is None else f"{limits.min_seconds:g} s",
        None if limits.min_frames is None else f"{limits.min_frames} frames",
    )
    told = ((name, [bound for bound in bounds if bound]) for name, bounds in (("at most", most), ("at least", least)))
    return "; ".join(f"{name} {', '.join(bounds)}" for name, bounds in told if bounds)

"""Requests that a spec rules out: each a legal one with a single thing wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from triptych.rules.spec import EngineSpec, Option
from triptych.task import Artifact, BytesSource, Modality, Reference, Request, Role, Scalar, Tags, Task

_UNREAD = BytesSource(b"not looked at")
_MOST_TRIED = 1100


def illegal(spec: EngineSpec, base: Request) -> Iterator[tuple[str, Request]]:
    """What is wrong, and the request that has it wrong.

    Args:
        spec: the capabilities.
        base: a request that they allow.
    """
    yield from _scalars(spec, base)
    yield from _options(spec, base)
    for role in Role:
        if role not in spec.roles:
            wrong = Reference(role=role, source=_UNREAD, field="wrong", modality=Modality.IMAGE)
            yield f"role {role}", replace(base, references=(*base.references, wrong))
    for role, rule in spec.roles.items():
        for modality in sorted(set(Modality) - rule.modalities):
            wrong = Reference(role=role, source=_UNREAD, field="wrong", modality=modality)
            yield f"{modality} as {role}", replace(base, references=(*base.references, wrong))
    for modality in Modality:
        most = spec.caps.of(modality)
        if Role.REFERENCE in spec.roles and most < _MOST_TRIED:
            yield f"{most + 1} references of kind {modality}", replace(base, references=_many(modality, most + 1))
    for pair in spec.exclusive:
        both = tuple(
            Reference(role=role, source=_UNREAD, field=str(role), modality=min(spec.roles[role].modalities))
            for role in (min(pair.one), min(pair.other))
        )
        yield f"{both[0].role} with {both[1].role}", replace(base, references=both)
    if not spec.audio_alone:
        yield "sound alone", replace(base, references=_many(Modality.AUDIO, 1))
    alien = Artifact(id="nobody.knows", kind="this", source=_UNREAD, field="artifacts[0]")
    yield "an artifact that nothing reads", replace(base, artifacts=(alien,))
    for task in Task:
        if task not in spec.tasks:
            yield f"task {task}", replace(base, task=task)


def _many(modality: Modality, count: int) -> tuple[Reference, ...]:
    return tuple(
        Reference(role=Role.REFERENCE, source=_UNREAD, field=f"many[{index}]", modality=modality)
        for index in range(count)
    )


def _scalars(spec: EngineSpec, base: Request) -> Iterator[tuple[str, Request]]:
    geometry, timing = spec.geometry, spec.timing
    width, height = geometry.default
    if spec.prompt_required:
        yield "an empty prompt", replace(base, prompt="  ")
    yield "a prompt too long", replace(base, prompt="x" * (spec.max_prompt_chars + 1))
    if geometry.multiple > 1 or geometry.sizes is not None:
        yield "a width off the grid", replace(base, width=width + 1, height=height)
    yield "a side too long", replace(base, width=geometry.max_side + geometry.multiple, height=height)
    yield "a width without a height", replace(base, width=width, height=None)
    yield "too many frames", replace(base, num_frames=timing.max_frames + timing.step, seconds=None)
    yield "too few frames", replace(base, num_frames=0, seconds=None)
    yield "a negative length", replace(base, seconds=-1.0, num_frames=None)
    yield "a length that is no number", replace(base, seconds=float("nan"), num_frames=None)
    yield "a rate out of range", replace(base, fps=timing.max_fps + 1)
    yield "too many videos", replace(base, n=spec.max_outputs + 1)
    yield "a negative seed", replace(base, seed=-1)
    yield "a tag that names nothing", replace(base, prompt=f"{base.prompt} <Picture 99>", tags=Tags.READ)


def _options(spec: EngineSpec, base: Request) -> Iterator[tuple[str, Request]]:
    yield "an option that is not there", replace(base, options={"no_such_option": 1})
    for name, option in spec.options.items():
        for value in _outside(option):
            yield f"{value!r} for option {name}", replace(base, options={name: value})


def _outside(option: Option) -> Iterator[Scalar]:
    """Values that an option does not take."""
    yield "no such value" if option.kind is not str or option.choices else 1
    if option.kind in (int, float) and option.minimum is not None:
        yield option.kind(option.minimum - 1)
    if option.kind in (int, float) and option.maximum is not None:
        yield option.kind(option.maximum + 1)

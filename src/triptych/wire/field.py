"""Every name that a request for a video may hold, in one table (``field.toml``): OpenAI's, our own, other servers'.

A name is a setting, an input, an engine's option, an object whose members are read as if they stood beside it, or is
known and cannot be honoured. What is none of them is refused with the closest name that is.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal

from triptych.task import Fit, Modality, Role, Scalar, Tags, Task
from triptych.wire.scalar import Kind

TABLE: Mapping[str, Any] = MappingProxyType(
    tomllib.loads(files("triptych.wire").joinpath("field.toml").read_text(encoding="utf-8"))
)

Way = Literal["text", "path", "id", "base64"]
"""How plain text is read that says where an input is: ``text`` is an address, an id of a result, or a path."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A plain value.

    Attributes:
        kind: of the value.
        sets: which part of ``Request`` it is; ``None`` where ``wire.precedence`` works it out.
        words: the only values, where there are only some.
        idle: values that ask for nothing.
        help: one line for people.
    """

    kind: Kind
    sets: str | None = None
    words: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    help: str


@dataclass(frozen=True, kw_only=True)
class Input:
    """A name under which images, clips and sound come.

    Attributes:
        name: the one that its aliases stand for. Two names of one input must say the same.
        role: what they are for; ``None`` where each says it.
        modality: what they are; ``None`` where the bytes say.
        unsaid: without a role, one is: the first frame if it is a picture, else a reference (``by_kind``); the first
            frame if it is the only input (``alone``); or refused (``refused``).
        single: a list of more than one is refused.
        plain: how plain text is read.
        help: one line for people.
    """

    name: str
    role: Role | None = None
    modality: Modality | None = None
    unsaid: Literal["by_kind", "alone", "refused"] = "refused"
    single: bool = False
    plain: Way = "text"
    help: str = ""


@dataclass(frozen=True, kw_only=True)
class Refused:
    """A name that nothing here can honour.

    Attributes:
        why: no engine and no setting does that.
        neutral: values with which it asks for nothing.
        fix: what to do instead.
    """

    why: str
    neutral: tuple[Scalar, ...]
    fix: str


_WORDS: Mapping[str, tuple[str, ...]] = {
    name: tuple(word.value for word in words) for name, words in (("task", Task), ("fit", Fit), ("tags", Tags))
}


def _setting(name: str, row: Mapping[str, Any]) -> Setting:
    given = {key: value for key, value in row.items() if key != "aliases"}
    return Setting(**{**given, "words": _WORDS.get(name, ()), "idle": tuple(row.get("idle", ()))})


def _input(name: str, row: Mapping[str, Any]) -> Input:
    given = {key: value for key, value in row.items() if key != "aliases"}
    role = Role(row["role"]) if "role" in row else None
    modality = Modality(row["modality"]) if "modality" in row else None
    return Input(**{**given, "name": name, "role": role, "modality": modality})


def _aliases(section: str) -> dict[str, str]:
    return {alias: name for name, row in TABLE[section].items() for alias in row.get("aliases", ())}


SETTINGS: Mapping[str, Setting] = {name: _setting(name, row) for name, row in TABLE["setting"].items()}

ALIASES: Mapping[str, str] = _aliases("setting")
"""Other names for settings."""

NESTED: tuple[str, ...] = tuple(TABLE["nested"])
"""Objects whose members are read as if they stood beside them."""

_NAMED = {name: _input(name, row) for name, row in TABLE["input"].items()}
INPUTS: Mapping[str, Input] = {
    **_NAMED,
    **{alias: replace(_NAMED[name], help=f"The same as {name}.") for alias, name in _aliases("input").items()},
}
"""Every name of an input, aliases too."""

CLIP = Input(name="video", role=Role.INPUT, modality=Modality.VIDEO, single=True, help="The video to work on.")
"""What ``/videos/edits`` and ``/videos/extensions`` take beside all else."""

LIFTED: Mapping[str, Input] = {
    name: Input(name=f"metadata.{name}", role=Role.REFERENCE, modality=modality, single=True)
    for name, modality in (("input_reference_video", Modality.VIDEO), ("input_reference_audio", Modality.AUDIO))
}
"""Keys of ``metadata`` that are inputs."""

PLACES: Mapping[str, Way] = TABLE["place"]
"""Members of an object that say where an input is."""

ATTRIBUTES: Mapping[str, tuple[Kind, str]] = {name: (kind, sets) for name, (kind, sets) in TABLE["attribute"].items()}
"""Members of an object that say something of an input: the kind of value, and what it sets."""

ROLES: Mapping[str, Role | None] = {
    **{role.value: role for role in Role},
    **{word: Role(role) if role else None for word, role in TABLE["role"].items()},
}
"""Words for what an input is for."""

TYPES: Mapping[str, Modality | None] = {
    **{modality.value: modality for modality in Modality},
    **{word: Modality(modality) if modality else None for word, modality in TABLE["type"].items()},
}
"""Words for what an input is."""

OPTIONS: Mapping[str, tuple[Scalar, ...]] = {
    name: tuple(row.get("neutral", ())) for name, row in TABLE["option"].items()
}
"""Settings of one engine or another, with the values that ask for nothing."""

OPTION_ALIASES: Mapping[str, str] = _aliases("option")
"""Other names for them."""

REFUSED: Mapping[str, Refused] = {
    name: Refused(why=row["why"], neutral=tuple(row.get("neutral", ())), fix=row.get("fix", "Leave it out"))
    for row in TABLE["refused"]
    for name in row["names"]
}
"""Names of other servers that cannot be honoured, and why."""


def asks_nothing(value: object, neutral: tuple[Scalar, ...] = ()) -> bool:
    """Whether a name with this value might as well have been left out."""
    if value is None or value is False or (isinstance(value, (str, list, tuple, Mapping)) and not value):
        return True
    return value == "false" or any(type(value) is type(one) and value == one for one in neutral)


def known() -> list[str]:
    """Every name that means something here."""
    return sorted({*SETTINGS, *ALIASES, *INPUTS, *NESTED, *OPTIONS, *OPTION_ALIASES, "metadata"})

"""The JSON Schema of a request for a video, made from the table of its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triptych.task import Fit, Tags, Task
from triptych.wire.field import ALIASES, INPUTS, NESTED, SETTINGS
from triptych.wire.reference import ATTRIBUTES, PLACES, WORDS
from triptych.wire.scalar import Kind

_KINDS: Mapping[Kind, dict[str, Any]] = {
    "text": {"type": "string"},
    "whole": {"type": ["integer", "string"], "pattern": r"^[+-]?[0-9]+(\.0+)?$"},
    "number": {"type": ["number", "string"], "pattern": r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"},
    "switch": {"type": ["boolean", "string"], "pattern": "^([tT][rR][uU][eE]|[fF][aA][lL][sS][eE])$"},
    "size": {"type": "string", "pattern": "^([0-9]+[xX×][0-9]+|auto)$"},
}
_ENUMS: Mapping[str, list[str]] = {
    "task": [word.value for word in Task],
    "fit": [word.value for word in Fit],
    "tags": [word.value for word in Tags],
}
_EXAMPLES: Mapping[str, Any] = {"prompt": "A quiet street", "seconds": 1, "size": "640x360"}


def video_schema() -> dict[str, Any]:
    """What ``POST /videos`` takes, as JSON Schema 2020-12. An engine's options may stand beside these."""
    settings = {name: _setting(name) for name in SETTINGS}
    aliases = {alias: {**_setting(name), "description": f"The same as {name}."} for alias, name in ALIASES.items()}
    inputs = {name: _input(one.help) for name, one in INPUTS.items()}
    nested = {
        name: {"type": "object", "description": "Its members are read as if they stood beside it."} for name in NESTED
    }
    return {
        "type": "object",
        "required": ["prompt"],
        "properties": {
            **settings,
            **inputs,
            "metadata": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "Kept word for word. input_reference_video and input_reference_audio are inputs too.",
            },
            **nested,
            **aliases,
        },
    }


def _setting(name: str) -> dict[str, Any]:
    schema = {**_KINDS[SETTINGS[name].kind], "description": SETTINGS[name].help}
    if name in _ENUMS:
        schema["enum"] = _ENUMS[name]
    if name in _EXAMPLES:
        schema["examples"] = [_EXAMPLES[name]]
    return schema


def _input(text: str) -> dict[str, Any]:
    one = [{"type": "string"}, _object()]
    return {"description": text, "anyOf": [*one, {"type": "array", "items": {"anyOf": one}}]}


def _object() -> dict[str, Any]:
    """An input that says where it is, and what it is for."""
    places: dict[str, Any] = {name: {"type": "string"} for name in PLACES}
    said: dict[str, Any] = {}
    for name, (kind, sets) in ATTRIBUTES.items():
        said[name] = {"enum": list(WORDS[sets])} if sets in WORDS and kind == "text" else dict(_KINDS[kind])
    return {"type": "object", "properties": {**places, **said}, "additionalProperties": False}

"""The JSON Schema of the bodies that ask for a video, made from the table of their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triptych.wire.field import ALIASES, ATTRIBUTES, CLIP, INPUTS, NESTED, OPTION_ALIASES, OPTIONS, PLACES, SETTINGS
from triptych.wire.reference import WORDS
from triptych.wire.scalar import Kind

_NUMBER = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_KINDS: Mapping[Kind, dict[str, Any]] = {
    "text": {"type": "string"},
    "whole": {"type": ["integer", "string"], "pattern": r"^[+-]?[0-9]+(\.0*)?$"},
    "number": {"type": ["number", "string"], "pattern": _NUMBER},
    "switch": {"type": ["boolean", "string"], "pattern": "^([tT][rR][uU][eE]|[fF][aA][lL][sS][eE])$"},
    "size": {"type": "string", "pattern": "^([0-9]{1,6}[xX×][0-9]{1,6}|auto)$"},
}
_EXAMPLES: Mapping[str, Any] = {"prompt": "A quiet street", "seconds": 1, "size": "640x360"}
_OPTION = {"type": ["string", "number", "boolean"], "description": "A setting of some engines; others refuse it."}
_WORDS: Mapping[str, Any] = {
    "type": "object",
    "properties": {"type": {"enum": ["text", "input_text"]}, "text": {"type": "string"}},
    "required": ["type", "text"],
    "additionalProperties": False,
    "description": "Words of the prompt.",
}


def video_schema() -> dict[str, Any]:
    """What ``POST /videos`` takes, as JSON Schema 2020-12. An engine's own options may stand beside these."""
    settings = {name: _setting(name) for name in SETTINGS}
    aliases = {alias: {**_setting(name), "description": f"The same as {name}."} for alias, name in ALIASES.items()}
    inputs = {name: _input(one.help, single=one.single) for name, one in INPUTS.items()}
    inputs["soundtrack"]["anyOf"].append({"type": "boolean"})
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
            **{name: dict(_OPTION) for name in (*OPTIONS, *OPTION_ALIASES)},
        },
    }


def clip_schema() -> dict[str, Any]:
    """What ``POST /videos/edits`` and ``/videos/extensions`` take: that, and the clip to work on."""
    whole = video_schema()
    video = _input(CLIP.help, single=True)
    return {**whole, "required": ["prompt", CLIP.name], "properties": {**whole["properties"], CLIP.name: video}}


def remix_schema() -> dict[str, Any]:
    """What ``POST /videos/{id}/remix`` takes."""
    prompt = {"type": "string", "minLength": 1, "description": "Takes the place of the earlier words."}
    return {"type": "object", "required": ["prompt"], "properties": {"prompt": prompt}, "additionalProperties": False}


def _setting(name: str) -> dict[str, Any]:
    row = SETTINGS[name]
    schema = {**_KINDS[row.kind], "description": row.help}
    if row.words:
        schema["enum"] = list(row.words)
    if name in _EXAMPLES:
        schema["examples"] = [_EXAMPLES[name]]
    return schema


def _input(text: str, *, single: bool) -> dict[str, Any]:
    one = [{"type": "string"}, _object()]
    most = {"maxItems": 1} if single else {}
    return {"description": text, "anyOf": [*one, {"type": "array", "items": {"anyOf": [*one, _WORDS]}, **most}]}


def _object() -> dict[str, Any]:
    """An input that says where it is, and what it is for."""
    within: dict[str, Any] = {
        "type": "object",
        "properties": {"url": {"type": "string"}, "detail": {"type": "string"}},
        "required": ["url"],
        "additionalProperties": False,
    }
    places: dict[str, Any] = {name: {"anyOf": [{"type": "string"}, within]} for name in PLACES}
    said: dict[str, Any] = {}
    for name, (kind, sets) in ATTRIBUTES.items():
        said[name] = {"enum": list(WORDS[sets])} if sets in WORDS and kind == "text" else dict(_KINDS[kind])
    said["frame_index"] = {"enum": [0, -1, "0", "-1"]}
    said["soundtrack"] = {"anyOf": [dict(_KINDS["switch"]), {"type": "string"}, {"type": "object"}]}
    return {"type": "object", "properties": {**places, **said}, "additionalProperties": False}

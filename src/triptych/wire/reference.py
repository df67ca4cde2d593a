"""Every way in which an input can be said, read as a ``Reference``.

An input is text (an address, a ``data:`` URL, a path on the server, the id of a result), an object that says where it
is and what it is for, a file of the body, or a list of these.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from triptych.errors import InvalidRequest, Problem
from triptych.media.dataurl import data_starts, decode_base64
from triptych.media.sniff import HEAD_BYTES, sniff
from triptych.task import (
    BlobSource,
    BytesSource,
    DataURLSource,
    Fit,
    Modality,
    PathSource,
    Reference,
    ResultSource,
    Role,
    Source,
    URLSource,
)
from triptych.wire import scalar
from triptych.wire.body import Upload
from triptych.wire.field import ROLES, TYPES, Input
from triptych.wire.json_body import parse_json_text
from triptych.wire.place import written

PLACES: Mapping[str, str] = {
    "url": "text", "image_url": "text", "video_url": "text", "audio_url": "text", "uri": "text", "path": "path",
    "file_id": "id", "video_id": "id", "artifact_id": "id", "id": "id", "data": "base64", "b64_json": "base64",
    "base64": "base64", "file": "text", "image": "text", "video": "text", "audio": "text",
}  # fmt: skip
"""Members of an object that say where the input is, and how the text in each is read."""

_ID = re.compile(r"(?:video|file)_[0-9a-hjkmnp-tv-z]{26}(?:\.\w+)?", re.ASCII)
_PIECES = {"last_frame": Modality.IMAGE, "thumbnail": Modality.IMAGE, "spritesheet": Modality.IMAGE}
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_LONGEST_PATH = 4096

Path_ = tuple[str | int, ...]


@dataclass(kw_only=True)
class Reading:
    """What was read so far, and what is wrong with it.

    Attributes:
        references: in the order of the body.
        problems: each under the caller's own name.
    """

    references: list[Reference] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def refuse(
        self, path: Path_, message: str, *, code: str = "invalid_value", value: Any = None, fix: str = ""
    ) -> None:
        """Note a problem."""
        self.problems.append(Problem(code=code, field=written(path), message=message, value=value, fix=fix))

    def read(self, value: object, meaning: Input, path: Path_) -> None:
        """Read one input, or a list of them."""
        if value is None:
            return
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            try:
                value = parse_json_text(value, field=written(path))
            except InvalidRequest as refusal:
                self.problems += refusal.problems
                return
        if isinstance(value, Sequence) and not isinstance(value, str):
            for index, item in enumerate(value):
                self.read(item, meaning, (*path, index))
        elif isinstance(value, Mapping):
            self._read_object(value, meaning, path)
        else:
            source = self._source(value, "text", path)
            if source is not None:
                self._add(source, meaning, path, {})

    def _read_object(self, value: Mapping[str, Any], meaning: Input, path: Path_) -> None:
        if value.get("type") == "text" and set(value) <= {"type", "text"}:
            self.refuse(path, "text stands in prompt, not among the inputs", code="unsupported_parameter")
            return
        places = [name for name in value if name in PLACES and value[name] is not None]
        said = {name: item for name, item in value.items() if name not in PLACES and item is not None}
        for name in said:
            if name not in ATTRIBUTES:
                near = difflib.get_close_matches(name, [*PLACES, *ATTRIBUTES], n=1)
                fix = f"Did you mean {near[0]}?" if near else f"There is {', '.join([*PLACES, *ATTRIBUTES])}"
                self.refuse((*path, name), "an input has no such member", code="unknown_parameter", fix=fix)
        if len(places) != 1:
            told = (
                f"says where it is in {len(places)} ways ({', '.join(places)})"
                if places
                else "does not say where it is"
            )
            self.refuse(path, told, code="conflicting_parameters" if places else "missing_required_parameter",
                        fix="Give one of url, data, path, file_id, video_id, artifact_id")  # fmt: skip
            return
        name = places[0]
        inner = value[name]
        if isinstance(inner, Mapping) and set(inner) == {"url"}:
            inner = inner["url"]
        source = self._source(inner, PLACES[name], (*path, name))
        if source is not None:
            implied = TYPES.get(name)
            if implied is not None and meaning.modality is None:
                meaning = replace(meaning, modality=implied)
            self._add(source, meaning, path, said)

    def _source(self, value: object, way: str, path: Path_) -> Source | None:
        """Where an input is."""
        if isinstance(value, Upload):
            return BlobSource(value.blob)
        if not isinstance(value, str) or not value:
            told = "it is empty" if value == "" else f"{value!r:.40} is no input"
            self.refuse(path, told, fix="Send a file, an address, a data URL, a path, or an id")
            return None
        if way == "id":
            return ResultSource(value)
        if value[:5].lower() == "data:":
            return DataURLSource(value)
        if way == "base64":
            try:
                return BytesSource(decode_base64(value, field=written(path)))
            except InvalidRequest as refusal:
                self.problems += refusal.problems
                return None
        if way == "text" and _ID.fullmatch(value):
            return ResultSource(value)
        if _ADDRESS.match(value):
            return URLSource(value)
        if len(value) > _LONGEST_PATH:
            self.refuse(path, f"text of {len(value)} characters is no address, no path and no data URL",
                        fix="Send the file itself, or a data: URL")  # fmt: skip
            return None
        return PathSource(value)

    def _add(self, source: Source, meaning: Input, path: Path_, said: Mapping[str, Any]) -> None:
        """One more input, with what was said of it."""
        given: dict[str, Any] = {}
        for name, item in said.items():
            if name in ATTRIBUTES:
                given.update(self._attribute(name, item, path))
        modality = given.pop("modality", None) or meaning.modality
        if meaning.modality is not None and modality is not meaning.modality:
            self.refuse((*path, "type"), f"{modality} was said, and {written(path[:1])} takes {meaning.modality}",
                        code="conflicting_parameters")  # fmt: skip
        role = given.pop("role", None)
        if meaning.role is not None and role not in (None, meaning.role):
            self.refuse((*path, "role"), f"{role} was said, and {written(path[:1])} is for {meaning.role}",
                        code="conflicting_parameters")  # fmt: skip
        role = meaning.role or role
        extra = given.pop("soundtrack_source", None)
        if isinstance(source, PathSource) and "frame_rate" in given:
            source = replace(source, frame_rate=given.pop("frame_rate"))
        elif "frame_rate" in given:
            self.refuse(path, "a frame rate is for a folder of frames", code="unsupported_parameter")
            given.pop("frame_rate")
        name = written(path)
        if role is None:
            role, modality = self._role_of(source, modality, path)
        if role is None:
            return
        self.references.append(Reference(role=role, source=source, field=name, modality=modality, **given))
        if extra is not None:
            self.references.append(
                Reference(
                    role=Role.SOUNDTRACK,
                    source=extra,
                    field=f"{name}.soundtrack",
                    modality=Modality.AUDIO,
                    soundtrack_of=name,
                )
            )

    def _role_of(self, source: Source, modality: Modality | None, path: Path_) -> tuple[Role | None, Modality | None]:
        """The role of an input that does not say one: only ``input_reference`` has a rule for that."""
        if path[0] not in ("input_reference", "image_reference"):
            self.refuse(path, "does not say what it is for", code="role_required",
                        fix='Add "role": first_frame, last_frame or reference')  # fmt: skip
            return None, None
        kinds = frozenset((modality,)) if modality else kinds_of(source)
        if not kinds or Modality.IMAGE in kinds:
            return Role.FIRST_FRAME, Modality.IMAGE
        return Role.REFERENCE, next(iter(kinds)) if len(kinds) == 1 else None

    def _attribute(self, name: str, value: object, path: Path_) -> Iterator[tuple[str, Any]]:
        kind, sets = ATTRIBUTES[name]
        place = (*path, name)
        if name == "soundtrack" and not isinstance(value, bool) and value not in ("true", "false"):
            source = self._sound_source(value, place)
            if source is not None:
                yield "soundtrack_source", source
            return
        read, problem = scalar.read(kind, value, field=written(place))
        if problem is not None:
            self.problems.append(problem)
            return
        if sets in WORDS and name != "frame_index":
            words = WORDS[sets]
            if read not in words:
                self.refuse(place, f"{read[:40]!r} is not one of {', '.join(words)}", value=read[:40])
                return
            read = words[read]
        if name == "frame_index":
            if read not in (0, -1):
                self.refuse(place, f"{read} is neither the first frame (0) nor the last (-1)", value=read)
                return
            read = Role.FIRST_FRAME if read == 0 else Role.LAST_FRAME
        if name == "type" and value == "video_audio":
            yield "sound", True
        if read is not None:
            yield sets, read

    def _sound_source(self, value: object, path: Path_) -> Source | None:
        inner: object = value
        way = "text"
        if isinstance(value, Mapping) and len(value) == 1:
            name, inner = next(iter(value.items()))
            way = PLACES.get(name, "text")
        return self._source(inner, way, path)


ATTRIBUTES: Mapping[str, tuple[scalar.Kind, str]] = {
    "type": ("text", "modality"),
    "role": ("text", "role"),
    "frame_type": ("text", "role"),
    "frame_index": ("whole", "role"),
    "start_time_seconds": ("number", "start_seconds"),
    "start_seconds": ("number", "start_seconds"),
    "seconds": ("number", "seconds"),
    "name": ("text", "name"),
    "fit": ("text", "fit"),
    "sound": ("switch", "sound"),
    "soundtrack": ("switch", "sound"),
    "soundtrack_of": ("text", "soundtrack_of"),
    "frame_rate": ("number", "frame_rate"),
}
"""Members of an object that say something of the input: the kind of value, and what it sets."""

WORDS: Mapping[str, Mapping[str, Any]] = {
    "role": {**ROLES, "keyframe": None},
    "modality": TYPES,
    "fit": {fit.value: fit for fit in Fit},
}


def kinds_of(source: Source) -> frozenset[Modality]:
    """What an input may be, where its first bytes are at hand or its id says it; nothing where they are not."""
    if isinstance(source, ResultSource):
        piece = source.id.partition(".")[2]
        if source.id.startswith("video_"):
            return frozenset((Modality.AUDIO if piece == "audio" else _PIECES.get(piece, Modality.VIDEO),))
        return frozenset()
    try:
        if isinstance(source, BlobSource):
            with Path(source.blob.path).open("rb") as file:
                return sniff(file.read(HEAD_BYTES), field="", size_bytes=source.blob.size_bytes).modalities
        if isinstance(source, DataURLSource):
            starts = data_starts(source.url, field="")
            head = decode_base64(source.url[starts : starts + HEAD_BYTES * 4 // 3 // 4 * 4], field="")
            return sniff(head, field="", size_bytes=len(source.url) * 3 // 4).modalities
        if isinstance(source, BytesSource):
            return sniff(source.data[:HEAD_BYTES], field="", size_bytes=len(source.data)).modalities
    except InvalidRequest:
        pass  # what is wrong with it is said where it is looked at, under its own name
    return frozenset()

"""Every way in which an input can be said, read as a ``Reference``.

An input is text (an address, a ``data:`` URL, a path on the server, the id of a result), an object that says where it
is and what it is for, a file of the body, or a list of these. Its ``field`` is its path in the body, with the member
that says its kind where there is one: ``input_reference``, ``reference_images[1]``, ``content[0].image_url``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from triptych.errors import InvalidRequest
from triptych.media.dataurl import decode_base64
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
from triptych.task.piece import FILE_PREFIX, VIDEO_PREFIX
from triptych.wire import scalar
from triptych.wire.body import Upload
from triptych.wire.field import ATTRIBUTES, PLACES, ROLES, TYPES, Input, Way
from triptych.wire.place import PathOfNames, written
from triptych.wire.reading import Reading, is_list
from triptych.wire.same import same_inputs
from triptych.wire.scalar import brief

MOST_INPUTS = 200
"""More than any engine takes. The rules name an engine's own limit; this bounds what they have to look at."""

WORDS: Mapping[str, Mapping[str, Any]] = {"role": ROLES, "modality": TYPES, "fit": {fit.value: fit for fit in Fit}}
"""What an attribute sets → the words for it, and what each means."""

_ID = re.compile(rf"(?:{VIDEO_PREFIX}|{FILE_PREFIX})[0-7][0-9a-hjkmnp-tv-z]{{25}}(?:\.\w+)?", re.ASCII)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_LONGEST_PATH = 4096
_LONGEST_ID = 200
_SAY_ROLE = 'Say "role": first_frame, last_frame or reference'
_SAY_PLACE = "Give one of url, data, path, file_id, video_id, artifact_id"


class Inputs:
    """The inputs of one body, as they are read.

    Args:
        reading: takes the problems.
        kinds_of: what an input may be, as far as can be told now (``wire.kind``).

    Attributes:
        found: in the order of the body.
        assumed: fields of those that are the first frame only because nothing else was said, and only if alone.
        words: text among the inputs, with the path of each.
    """

    def __init__(self, reading: Reading, kinds_of: Callable[[Source], frozenset[Modality]]) -> None:
        self.reading = reading
        self.kinds_of = kinds_of
        self.found: list[Reference] = []
        self.assumed: set[str] = set()
        self.words: list[tuple[PathOfNames, object]] = []
        self._items: dict[str, str] = {}
        """The path of each object that is an input → the field of the input."""
        self._given: dict[str, tuple[PathOfNames, list[Reference]]] = {}

    def read(self, value: object, meaning: Input, path: PathOfNames) -> None:
        """Read what stands under one name. What another name of the same input said already must be the same."""
        noted, before = len(self.reading.problems), len(self.found)
        self._read(value, meaning, path)
        new, clean = self.found[before:], noted == len(self.reading.problems)
        if meaning.name not in self._given:
            self._given[meaning.name] = (path, new)
            return
        other, given = self._given[meaning.name]
        del self.found[before:]
        if clean and same_inputs(given, new):
            self.reading.warn("said_twice", path, f"says the same as {written(other)}")
        else:
            message = f"is another name for {written(other)}, and the two do not say the same"
            fix = f"Send all of it in {written(other)}, or in references"
            self.reading.refuse(path, message, code="conflicting_parameters", fix=fix)

    def field_of(self, name: str) -> str | None:
        """The field of an input, found by its path, or by the path of the object that it stands in."""
        if any(one.field == name for one in self.found):
            return name
        return self._items.get(name)

    def _read(self, value: object, meaning: Input, path: PathOfNames, *, in_list: bool = False) -> None:
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and meaning.plain != "base64":
            value = self.reading.parsed(value, path)
        if value is None:
            return
        if not is_list(value):
            self.read_one(value, meaning, path)
        elif in_list:
            self.reading.refuse(path, "is a list within a list", fix="Send one list")
        elif meaning.single and len(value) > 1:
            fix = "Send pictures as reference_images, or as first_frame and last_frame; or say each role in references"
            message = f"holds {len(value)} inputs, and does not say what each is for"
            self.reading.refuse(path, message, code="role_required", fix=fix)
        else:
            for index, item in enumerate(value):
                if len(self.found) >= MOST_INPUTS:
                    self._refuse_many(path)
                    return
                self._read(item, meaning, (*path, index), in_list=True)

    def _refuse_many(self, path: PathOfNames) -> None:
        message = f"the request holds more than {MOST_INPUTS} inputs; what comes after them was not looked at"
        self.reading.refuse(path, message, code="reference_limit_exceeded", fix="Send fewer")

    def read_one(self, value: object, meaning: Input, path: PathOfNames) -> None:
        """Read what can be no list: an object, a file, or text that is no JSON."""
        if isinstance(value, Mapping):
            self._read_object(value, meaning, path)
            return
        source = self._source(value, meaning.plain, path)
        if source is not None:
            self._add(source, meaning, path, {}, item=path)

    def _read_object(self, value: Mapping[str, Any], meaning: Input, path: PathOfNames) -> None:
        given = {name: item for name, item in value.items() if item is not None}
        if given.get("type") in ("text", "input_text") and set(given) <= {"type", "text"}:
            self.words.append(((*path, "text"), given.get("text")))
            return
        places = [name for name in given if name in PLACES]
        said = {name: item for name, item in given.items() if name in ATTRIBUTES}
        self._refuse_unknown({*given} - {*places, *said}, path)
        if len(places) != 1:
            told = (
                f"says where it is in {len(places)} ways ({', '.join(places)})"
                if places
                else "does not say where it is"
            )
            code = "conflicting_parameters" if places else "missing_required_parameter"
            self.reading.refuse(path, told, code=code, fix=_SAY_PLACE)
            return
        place = (*path, places[0])
        source = self._source(self._inner(given[places[0]], place), PLACES[places[0]], place)
        implied = TYPES.get(places[0])
        if implied is not None and meaning.modality not in (None, implied):
            message = f"holds {places[0]}, and {written(path)} takes {meaning.modality}"
            self.reading.refuse(place, message, code="conflicting_parameters", fix="Send it under the name of its kind")
        elif source is not None:
            field = path if implied is None else place
            self._add(source, replace(meaning, modality=meaning.modality or implied), field, said, item=path)

    def _refuse_unknown(self, names: set[str], path: PathOfNames) -> None:
        for name in sorted(names):
            there = ", ".join([*PLACES, *ATTRIBUTES])
            fix = self.reading.closest(name, [*PLACES, *ATTRIBUTES], f"There is {there}")
            self.reading.refuse((*path, name), "an input has no such member", code="unknown_parameter", fix=fix)

    def _inner(self, value: object, path: PathOfNames) -> object:
        """What stands in a member such as ``image_url``: itself, or an object that holds its address."""
        if not isinstance(value, Mapping) or "url" not in value:
            return value
        for name, item in value.items():
            if name != "url" and not (name == "detail" and isinstance(item, str)) and item is not None:
                self._refuse_unknown({name}, path)
        return value["url"]

    def _source(self, value: object, way: Way, path: PathOfNames) -> Source | None:
        """Where an input is."""
        if isinstance(value, Upload):
            return BlobSource(value.blob)
        if not isinstance(value, str) or not value:
            told = "it is empty" if value == "" else f"{brief(value)} is no input"
            fix = "Send a file, an address, a data URL, a path, or an id"
            self.reading.refuse(path, told, fix=fix)
            return None
        if value[:5].lower() == "data:":
            return DataURLSource(value)
        if way == "id" or (way != "path" and _ID.fullmatch(value)):
            return self._result(value, path)
        if _ADDRESS.match(value):
            return URLSource(value)
        if way == "base64" or value[:7] == "base64:":
            return self._decoded(value.removeprefix("base64:"), path)
        if len(value) > _LONGEST_PATH:
            message = f"text of {len(value)} characters is no address, no path and no data URL"
            self.reading.refuse(path, message, fix="Send the file itself, or a data: URL")
            return None
        return PathSource(value)

    def _result(self, value: str, path: PathOfNames) -> Source | None:
        if len(value) > _LONGEST_ID:
            self.reading.refuse(path, f"{brief(value)} is no id", value=value, fix="Send the id of a video or a file")
            return None
        return ResultSource(value)

    def _decoded(self, value: str, path: PathOfNames) -> Source | None:
        try:
            return BytesSource(decode_base64(value, field=written(path)))
        except InvalidRequest as refusal:
            self.reading.note(*refusal.problems)
            return None

    def _add(
        self, source: Source, meaning: Input, path: PathOfNames, said: Mapping[str, Any], *, item: PathOfNames
    ) -> None:
        """One more input, with what was said of it."""
        noted = len(self.reading.problems)
        given = self._attributes(said, item)
        for name, fixed in (("modality", meaning.modality), ("role", meaning.role)):
            if fixed is not None and given.get(name) not in (None, fixed):
                told = "type" if name == "modality" else name
                message = f"{given[name]} was said, and {written(item)} is for {fixed}"
                fix = "Send it in references, where each says what it is for"
                self.reading.refuse((*item, told), message, code="conflicting_parameters", fix=fix)
                return
        modality = given.pop("modality", None) or meaning.modality
        role = given.pop("role", None) or meaning.role
        own_sound = given.pop("own_sound", None)
        if "frame_rate" in given:
            rate = given.pop("frame_rate")
            if isinstance(source, PathSource):
                source = replace(source, frame_rate=rate)
            else:
                message = "is for a folder of frames on the server"
                self.reading.refuse((*item, "frame_rate"), message, code="unsupported_parameter", value=rate)
        field = written(path)
        if role is None and {"role", "frame_type", "frame_index"} & said.keys() and len(self.reading.problems) > noted:
            return  # it was said, and could not be read
        if role is None:
            role, modality = self._unsaid(source, modality, meaning, path)
        if role is None:
            return
        self._items[written(item)] = field
        self.found.append(Reference(role=role, source=source, field=field, modality=modality, **given))
        if own_sound is not None:
            self.found.append(
                Reference(
                    role=Role.SOUNDTRACK,
                    source=own_sound,
                    field=f"{written(item)}.soundtrack",
                    modality=Modality.AUDIO,
                    soundtrack_of=field,
                )
            )

    def _unsaid(
        self, source: Source, modality: Modality | None, meaning: Input, path: PathOfNames
    ) -> tuple[Role | None, Modality | None]:
        """The role and the kind of an input that does not say what it is for."""
        if meaning.unsaid == "refused":
            self.reading.refuse(path, "does not say what it is for", code="role_required", fix=_SAY_ROLE)
            return None, None
        if meaning.unsaid == "alone":
            self.assumed.add(written(path))
            return Role.FIRST_FRAME, modality
        kinds = frozenset((modality,)) if modality else self.kinds_of(source)
        kind = next(iter(kinds)) if len(kinds) == 1 else None
        # What cannot be looked at yet is the picture that this name is for; bytes that are none are refused later.
        return (Role.FIRST_FRAME if not kinds or Modality.IMAGE in kinds else Role.REFERENCE), kind

    def _attributes(self, said: Mapping[str, Any], item: PathOfNames) -> dict[str, Any]:
        """What was said of an input, by what it sets; ``own_sound`` is the file that is its sound."""
        given: dict[str, Any] = {}
        by: dict[str, str] = {}
        for name, value in said.items():
            for sets, read in self._attribute(name, value, (*item, name)):
                if sets in given and given[sets] != read:
                    self.reading.conflict((*item, name), value, written((*item, by[sets])), said[by[sets]])
                else:
                    given[sets], by[sets] = read, name
        return given

    def _attribute(self, name: str, value: object, path: PathOfNames) -> Iterator[tuple[str, Any]]:
        kind, sets = ATTRIBUTES[name]
        if name == "soundtrack" and not isinstance(value, bool) and value not in ("true", "false"):
            source = self._sound(value, path)
            if source is not None:
                yield "own_sound", source
            return
        read, problem = scalar.read(kind, value, field=written(path))
        if problem is not None:
            self.reading.note(problem)
        elif name == "frame_index":
            if read in (0, -1):
                yield sets, Role.FIRST_FRAME if read == 0 else Role.LAST_FRAME
            else:
                message = f"{brief(read)} is neither the first frame (0) nor the last (-1)"
                self.reading.refuse(path, message, value=read, fix="Say 0 or -1")
        elif sets in WORDS and read not in WORDS[sets]:
            words = ", ".join(WORDS[sets])
            self.reading.refuse(path, f"{brief(read)} is not one of {words}", value=read, fix="Say one of them")
        else:
            if read == "video_audio":
                yield "sound", True
            read = WORDS[sets][read] if sets in WORDS else read
            if sets and read is not None:
                yield sets, read

    def _sound(self, value: object, path: PathOfNames) -> Source | None:
        """A file that is a clip's sound."""
        if not isinstance(value, Mapping):
            return self._source(value, "text", path)
        given = {name: item for name, item in value.items() if item is not None}
        places = [name for name in given if name in PLACES]
        self._refuse_unknown({*given} - {*places}, path)
        if len(places) != 1:
            code = "conflicting_parameters" if places else "missing_required_parameter"
            self.reading.refuse(path, f"says where it is in {len(places)} ways", code=code, fix=_SAY_PLACE)
            return None
        return self._source(self._inner(given[places[0]], path), PLACES[places[0]], (*path, places[0]))

"""How a prompt names references.

Read as tags: ``<Picture 1>``, ``<Image 1>``, ``<Video 1>``, ``<Audio 1>`` (in any case), ``Image 1``, ``Video 1``,
``Audio 1`` (as written), ``@Image1``, ``@Picture1``, ``@Video1``, ``@Audio1`` (in any case), and ``@name`` for a
reference's own name. A backslash before any of them says the words instead. Numbers count references of role
``reference``, per kind, in the caller's order, from 1; frames and soundtracks are never counted.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from triptych.errors import Problem
from triptych.rules.value import plain
from triptych.task import Modality, Reference, Role

KINDS: Mapping[str, Modality] = {
    "picture": Modality.IMAGE,
    "image": Modality.IMAGE,
    "video": Modality.VIDEO,
    "audio": Modality.AUDIO,
}
CANONICAL: Mapping[Modality, str] = {
    Modality.IMAGE: "<Picture {n}>",
    Modality.VIDEO: "<Video {n}>",
    Modality.AUDIO: "<Audio {n}>",
}
_ACCENTS = "\u0300-\u036f"
_SHOWN_MOST = 24
"""Tags of references that a refusal lists, and holds a mistyped one against: more help nobody, and take long."""
NAME = re.compile(rf"[^\W\d][\w{_ACCENTS}-]{{0,63}}")
"""What a reference's name may be: a letter or underscore, then letters, digits, ``_`` and ``-``; 64 at most."""

# Letters are compared as ASCII ones: without the ``a``, Python lets a dotless i stand for an i.
_TAG = re.compile(
    rf"""(?P<escape>\\)?
    (?: <\s*(?P<bracket>(?ai:picture|image|video|audio))\s+(?P<bracket_n>\d+)\s*>
      | (?<![\w@<]) (?P<bare>Image|Video|Audio)[ ](?P<bare_n>\d+)(?![\w]|\.\d)
      | (?<![\w@.]) @(?P<at>(?ai:picture|image|video|audio))[ ]?(?P<at_n>\d+)(?![\w-])
      | (?<![\w@.]) @(?P<name>[^\W\d][\w{_ACCENTS}-]*)
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True, kw_only=True)
class Tag:
    """One tag found in a prompt: where it stands, as written, and the reference it means."""

    start: int
    end: int
    text: str
    modality: Modality | None
    number: int
    name: str | None = None
    escaped: bool = False


@dataclass(frozen=True, kw_only=True)
class Numbered:
    """A reference with its number among its kind."""

    position: int
    reference: Reference
    modality: Modality
    number: int

    @property
    def tag(self) -> str:
        """Its canonical tag."""
        return CANONICAL[self.modality].format(n=self.number)


def number(references: Sequence[Reference], modalities: Sequence[Modality | None]) -> tuple[Numbered, ...]:
    """The references that tags count, numbered per kind in order. Those of unknown kind are left out."""
    counts = dict.fromkeys(Modality, 0)
    numbered = []
    for position, (reference, modality) in enumerate(zip(references, modalities, strict=True)):
        if reference.role is Role.REFERENCE and modality is not None:
            counts[modality] += 1
            numbered.append(
                Numbered(position=position, reference=reference, modality=modality, number=counts[modality])
            )
    return tuple(numbered)


def find(prompt: str) -> Iterator[Tag]:
    """Every tag in a prompt, escaped ones too, in order."""
    for match in _TAG.finditer(prompt):
        kind = match["bracket"] or match["bare"] or match["at"]
        digits = match["bracket_n"] or match["bare_n"] or match["at_n"] or "0"
        yield Tag(
            start=match.start(),
            end=match.end(),
            text=match.group().removeprefix("\\"),
            modality=KINDS[kind.lower()] if kind else None,
            number=int(digits[:9]),
            name=match["name"],
            escaped=match["escape"] is not None,
        )


class Known:
    """The references that tags can mean, looked up at once however many there are.

    Args:
        numbered: the references.
    """

    def __init__(self, numbered: Sequence[Numbered]) -> None:
        self._by_number = {(one.modality, one.number): one for one in reversed(numbered)}
        self._by_name = {_letters(one.reference.name): one for one in reversed(numbered) if one.reference.name}

    def means(self, tag: Tag) -> Numbered | None:
        """The reference that a tag means; ``None`` when there is none, or when the tag is only words."""
        if self.is_words(tag):
            return None
        if tag.name is not None:
            return self._by_name.get(_letters(tag.name))
        return None if tag.modality is None else self._by_number.get((tag.modality, tag.number))

    def is_words(self, tag: Tag) -> bool:
        """Whether a tag is only words: escaped, or an ``@name`` where no reference has a name."""
        return tag.escaped or (tag.name is not None and not self._by_name)


def _letters(name: str) -> str:
    """A name as it is compared: the same letters are the same, however their accents are encoded."""
    return unicodedata.normalize("NFC", name)


def problems(prompt: str, numbered: Sequence[Numbered], *, field: str) -> Iterator[Problem]:
    """One problem for each distinct tag that names no reference."""
    told: set[str] = set()
    there = Known(numbered)
    names = [one.reference.name for one in numbered if one.reference.name]
    every = [one.tag for one in numbered] + [f"@{name}" for name in names if NAME.fullmatch(name)]
    known, more = every[:_SHOWN_MOST], f" and {len(every) - _SHOWN_MOST} more" if len(every) > _SHOWN_MOST else ""
    for tag in find(prompt):
        if there.is_words(tag) or tag.text in told or there.means(tag) is not None:
            continue
        told.add(tag.text)
        close = difflib.get_close_matches(tag.text, known, n=1, cutoff=0.75) if len(known) > 1 else []
        has = "The request has no references"
        if known:
            has = f"The reference{'s are' if len(known) > 1 else ' is'} {', '.join(known)}{more}"
        hint = f"; did you mean {close[0]}?" if close else f"; write \\{tag.text} to say the words"
        yield Problem(
            code="unknown_tag",
            field=field,
            message=f"{tag.text} names a reference that was not given",
            value=tag.text,
            limit=known,
            fix=has + hint,
        )


def without_escapes(text: str) -> str:
    """A text with the backslash taken from before each tag that it keeps from being one."""
    pieces, end = [], 0
    for tag in find(text):
        if tag.escaped:
            pieces += [text[end : tag.start], tag.text]
            end = tag.end
    return "".join([*pieces, text[end:]])


def render(prompt: str, numbered: Sequence[Numbered], spell: Mapping[int, str]) -> str:
    """The prompt with each tag replaced by the engine's spelling, and escapes taken out.

    Args:
        prompt: the caller's words.
        numbered: the references.
        spell: position of a reference → how the engine writes it.
    """
    pieces, end, known = [], 0, Known(numbered)
    for tag in find(prompt):
        target = known.means(tag)
        text = tag.text if target is None else spell[target.position]
        pieces += [prompt[end : tag.start], text]
        end = tag.end
    return "".join([*pieces, prompt[end:]])


def cited(prompt: str, numbered: Sequence[Numbered]) -> frozenset[int]:
    """Positions of the references that some tag names."""
    known = Known(numbered)
    targets = map(known.means, find(prompt))
    return frozenset(target.position for target in targets if target is not None)


def name_problems(references: Sequence[Reference]) -> Iterator[Problem]:
    """Names that cannot be used as tags, are used twice, or stand on something that tags do not count."""
    seen: dict[str, str] = {}
    for reference in references:
        name = reference.name
        if name is None:
            continue
        if not NAME.fullmatch(name):
            reason = "a name is a letter, then letters, digits, '_' or '-', 64 at most"
            yield _name_problem(reference, f"{name!r} cannot be a name: {reason}")
        elif re.fullmatch(r"(?i)(picture|image|video|audio)\d*", name):
            yield _name_problem(reference, f"{name!r} reads as the beginning of a numbered tag, or all of one")
        elif reference.role is not Role.REFERENCE:
            yield _name_problem(reference, f"only references have names, and this is a {reference.role}")
        elif (same := unicodedata.normalize("NFC", name)) in seen:
            yield _name_problem(reference, f"{name!r} is already the name of {seen[same]}")
        seen.setdefault(unicodedata.normalize("NFC", name), reference.field)


def _name_problem(reference: Reference, message: str) -> Problem:
    return Problem(
        code="invalid_name",
        field=reference.field,
        message=message,
        value=plain(reference.name),
        fix="Choose another name",
    )

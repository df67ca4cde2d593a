"""A request beside its engine's spec, and what has been seen of its inputs so far: what every rule looks at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from triptych.rules.spec import EngineSpec
from triptych.rules.tags import Numbered, number
from triptych.rules.timing import OVER_SECONDS
from triptych.rules.value import finite
from triptych.task import Modality, Probe, Reference, Request, Role


@dataclass(frozen=True, kw_only=True)
class Case:
    """What is judged.

    Attributes:
        request: as the caller said it; rules look at the original lists, never at cut ones.
        spec: of the engine it is for.
        probes: what was seen, by position in ``request.references``; empty before any bytes were read.
        spoken_seconds: how long each quoted line takes to say; empty until measured.
    """

    request: Request
    spec: EngineSpec
    probes: Mapping[int, Probe] = field(default_factory=lambda: MappingProxyType({}))
    spoken_seconds: tuple[float, ...] = ()

    def modality(self, position: int) -> Modality | None:
        """What an input is: as seen, else as stated, else not known yet."""
        if position in self.probes:
            return self.probes[position].modality
        return self.request.references[position].modality

    def fitted(self, position: int) -> bool:
        """Whether an input is, as far as is known, a picture (or a shown clip) that is brought to the frame's shape."""
        rule, modality = self.spec.roles.get(self.request.references[position].role), self.modality(position)
        if rule is None:
            return False
        return (rule.fitted and modality is Modality.IMAGE) or (rule.shown and modality is Modality.VIDEO)

    @property
    def continued(self) -> int | None:
        """The position of the clip that the video begins with, whole, and goes on from."""
        rule, held = self.spec.roles.get(Role.INPUT), self.in_role(Role.INPUT)
        return held[0][0] if rule is not None and rule.shown and held else None

    @property
    def fit_is_idle(self) -> bool:
        """Whether the request's own ``fit`` has no picture to act on: none is fitted, or each has a fit of its own."""
        references = self.request.references
        return self.request.fit is not None and not any(
            one.fit is None and self.fitted(position) for position, one in enumerate(references)
        )

    @property
    def words(self) -> str:
        """The prompt as it is searched for tags and quotes: nothing of one that is over its limit, and refused for it.

        Searching it would take as long as somebody likes.
        """
        return self.request.prompt if len(self.request.prompt) <= self.spec.max_prompt_chars else ""

    @property
    def modalities(self) -> tuple[Modality | None, ...]:
        """``modality`` of every reference."""
        return tuple(self.modality(position) for position in range(len(self.request.references)))

    @property
    def numbered(self) -> tuple[Numbered, ...]:
        """The references that tags count, with their numbers."""
        return number(self.request.references, self.modalities)

    @property
    def kinds_known(self) -> bool:
        """Whether every reference's kind is known, so that counts and tags can be judged."""
        return None not in self.modalities

    def in_role(self, role: Role) -> tuple[tuple[int, Reference], ...]:
        """The inputs of one role, with their positions."""
        return tuple((i, one) for i, one in enumerate(self.request.references) if one.role is role)

    def part(self, end_seconds: float) -> str:
        """How the caller asks for a file's part from 0 to ``end_seconds``, in the words of where they are."""
        words = self.request.fields.get("part", "start_seconds 0 and seconds {end}")
        return words.format(start="0", end=f"{end_seconds:.6g}")

    def used_seconds(self, position: int) -> float:
        """Length of the part of a clip or sound that is to be used; 0 while it is not known, or makes no sense."""
        reference, probe = self.request.references[position], self.probes.get(position)
        if not sensible_part(reference):
            return 0.0
        if reference.seconds is not None:
            return reference.seconds
        return max(0.0, probe.seconds - (reference.start_seconds or 0.0)) if probe else 0.0

    def kept_seconds(self, position: int, *limits: float | None) -> float:
        """``used_seconds`` of an input that was seen, inside its file; a hair over one of some limits is cut to it."""
        start = self.request.references[position].start_seconds or 0.0
        length = min(self.used_seconds(position), self.probes[position].seconds - start)
        within = [limit for limit in limits if limit is not None and limit < length <= limit + OVER_SECONDS]
        return round(min([length, *within]), 6)


def sensible_part(reference: Reference) -> bool:
    """Whether the part that is asked for is a stretch of time at all, wherever the file ends."""
    start, seconds = reference.start_seconds, reference.seconds
    if any(value is not None and not (finite(value) and value >= 0) for value in (start, seconds)):
        return False
    return seconds is None or round(seconds, 6) > 0

"""What is each input for? Roles, kinds, counts, and which may not meet."""

from __future__ import annotations

from collections.abc import Iterator

from triptych.errors import Problem
from triptych.rules.case import Case
from triptych.rules.spec import RoleRule
from triptych.task import Modality, Reference, Role

PLURAL = {Modality.IMAGE: "images", Modality.VIDEO: "clips", Modality.AUDIO: "sounds"}
ROLE_HELP = {
    Role.VOICE: "To use it as sound, give it as reference audio",
    Role.INPUT: "To show it to the engine, give it as a reference",
}


def role_rule(case: Case) -> Iterator[Problem]:
    """Roles that the engine has no use for, kinds that a role does not take, and too many in one role."""
    for position, reference in enumerate(case.request.references):
        rule = case.spec.roles.get(reference.role)
        if rule is None:
            taken = ", ".join(sorted(case.spec.roles)) or "none"
            yield Problem(
                code="unsupported_role",
                field=reference.field,
                value=reference.role,
                limit=taken,
                message=f"{case.spec.name} has no use for {article(reference.role)}",
                fix=f"It takes {taken}. {ROLE_HELP.get(reference.role, '')}".rstrip(". "),
            )
        else:
            yield from _kind_problems(case, position, reference, rule)
    total = case.spec.caps.total
    for role, rule in case.spec.roles.items():
        held = case.in_role(role)
        if role is Role.REFERENCE and total is not None and total <= rule.most:
            continue  # ``caps_rule`` says it
        if len(held) > rule.most:
            named = ", ".join(reference.field for _, reference in held)
            yield Problem(
                code="reference_limit_exceeded",
                field=held[rule.most][1].field,
                value=len(held),
                limit=rule.most,
                message=f"{len(held)} inputs as {role} ({named}), and {case.spec.name} takes {rule.most}",
                fix=f"Leave out {len(held) - rule.most}",
            )


def _kind_problems(case: Case, position: int, reference: Reference, rule: RoleRule) -> Iterator[Problem]:
    modality = case.modality(position)
    probe = case.probes.get(position)
    if modality is not None and modality not in rule.modalities:
        taken = " or ".join(sorted(rule.modalities))
        yield Problem(
            code="unsupported_modality",
            field=reference.field,
            value=modality,
            limit=taken,
            message=f"is {article(modality)}, and {article(reference.role)} is {article(taken)}",
            fix=f"Give {article(taken)}",
        )
    elif probe is not None and reference.modality is not None and probe.modality is not reference.modality:
        yield Problem(
            code="unsupported_modality",
            field=reference.field,
            value=probe.modality,
            limit=reference.modality,
            message=f"was given as {article(reference.modality)}, and its bytes are {article(probe.modality)}"
            f" ({probe.container})",
            fix=f"Give {article(reference.modality)}, or name it as what it is",
        )


def article(word: str) -> str:
    """A word with its article, for messages; audio has none."""
    if word == Modality.AUDIO:
        return word
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def caps_rule(case: Case) -> Iterator[Problem]:
    """More references than the engine takes, of one kind or in all; audio without a picture."""
    caps, numbered = case.spec.caps, case.numbered
    for modality in Modality:
        held = [one for one in numbered if one.modality is modality]
        most = caps.of(modality)
        if len(held) > most:
            yield Problem(
                code="reference_limit_exceeded",
                field=held[most].reference.field,
                value=len(held),
                limit=most,
                message=f"{len(held)} reference {PLURAL[modality]}, and {case.spec.name} takes "
                + (f"at most {most}" if most else "none"),
                fix=f"Leave out {len(held) - most}",
            )
    references = case.in_role(Role.REFERENCE)
    if caps.total is not None and len(references) > caps.total:
        yield Problem(
            code="reference_limit_exceeded",
            field=references[caps.total][1].field,
            value=len(references),
            limit=caps.total,
            fix=f"Leave out {len(references) - caps.total}",
            message=f"{len(references)} references in all, and {case.spec.name} takes at most {caps.total}",
        )
    kinds = {one.modality for one in numbered}
    if case.kinds_known and kinds == {Modality.AUDIO} and not case.spec.audio_alone:
        yield Problem(
            code="audio_alone",
            field=numbered[0].reference.field,
            fix="Add an image or a clip",
            message=f"{case.spec.name} takes reference audio only beside a picture or a clip",
        )


def combination_rule(case: Case) -> Iterator[Problem]:
    """Roles that the engine cannot use together; both sides are named."""
    for pair in case.spec.exclusive:
        one = [reference.field for reference in case.request.references if reference.role in pair.one]
        other = [reference.field for reference in case.request.references if reference.role in pair.other]
        if one and other:
            yield Problem(
                code="unsupported_combination",
                field=one[0],
                value=[*one, *other],
                message=f"{', '.join(one)} cannot be used together with {', '.join(other)}: {pair.reason}",
                fix=f"Leave out {one[0]} or {other[0]}",
            )


def soundtrack_rule(case: Case) -> Iterator[Problem]:
    """A soundtrack without its clip, two for one clip, or one beside the clip's own sound; sound that is not there."""
    references = case.request.references
    clips = {one.field: one for _, one in case.in_role(Role.REFERENCE)}
    owners: dict[str, str] = {}
    for _, reference in case.in_role(Role.SOUNDTRACK):
        owner = reference.soundtrack_of
        if owner is None or owner not in clips:
            yield Problem(
                code="reference_required",
                field=reference.field,
                fix="Give it after the clip that it belongs to",
                message="a soundtrack belongs to a reference clip, and there is none before it",
            )
        elif owner in owners or clips[owner].sound:
            what = owners.get(owner, "its own sound, which was asked for")
            yield Problem(
                code="conflicting_parameters",
                field=reference.field,
                value=owner,
                fix="Keep one of the two",
                message=f"{owner} already has {what}",
            )
        else:
            owners[owner] = reference.field
            position = next(i for i, one in enumerate(references) if one.field == owner)
            if case.modality(position) not in (Modality.VIDEO, None):
                yield Problem(
                    code="unsupported_modality",
                    field=reference.field,
                    value=owner,
                    fix="Give it after a clip",
                    message=f"a soundtrack belongs to a clip, and {owner} is {article(str(case.modality(position)))}",
                )
    for position, reference in enumerate(references):
        if reference.soundtrack_of is not None and reference.role is not Role.SOUNDTRACK:
            yield Problem(
                code="conflicting_parameters",
                field=reference.field,
                value=reference.soundtrack_of,
                message=f"only a soundtrack belongs to a clip, and this is {article(reference.role)}",
                fix="Give it as a soundtrack, or on its own",
            )
        if not reference.sound:
            continue
        probe = case.probes.get(position)
        if case.modality(position) not in (Modality.VIDEO, None) or reference.role is not Role.REFERENCE:
            yield Problem(
                code="unsupported_modality",
                field=reference.field,
                value=str(case.modality(position)),
                message="only a reference clip has a sound of its own to use",
                fix="Give it without its sound",
            )
        elif not case.spec.uses_sound_of_clips:
            yield Problem(
                code="unsupported_parameter",
                field=reference.field,
                fix="Give the clip without its sound",
                message=f"{case.spec.name} does not use the sound of a clip",
            )
        elif probe is not None and not probe.has_sound:
            yield Problem(
                code="invalid_value",
                field=reference.field,
                fix="Give it as a clip without sound",
                message="its own sound was asked for, and it has none",
            )

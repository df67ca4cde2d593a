"""What is it called? Names, the tags that use them, and the ids of artifacts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from triptych.errors import Problem
from triptych.rules import tags
from triptych.rules.case import Case
from triptych.rules.spec import ArtifactRule
from triptych.rules.value import legible
from triptych.task import Artifact


def tag_rule(case: Case) -> Iterator[Problem]:
    """Names that are no names; tags in the prompt that name nothing."""
    yield from tags.name_problems(case.request.references)
    if case.request.tags == "read" and case.kinds_known:
        yield from tags.problems(case.words, case.numbered, field=case.request.called("prompt"))


def artifact_rule(case: Case) -> Iterator[Problem]:
    """Artifacts that the engine does not read, unless the caller lets it pass over them."""
    counts: dict[str, int] = {}
    for artifact in case.request.artifacts:
        rule = reader(artifact, case.spec.artifacts_read)
        if rule is None and not case.request.ignore_artifacts:
            read = ", ".join(one.id for one in case.spec.artifacts_read) or "none"
            yield Problem(
                code="unsupported_artifact",
                field=artifact.field,
                value=legible(artifact.id),
                limit=read,
                message=f"{case.spec.name} reads no artifact {artifact.id!r} of kind {artifact.kind!r}",
                fix=f"It reads {read}; {case.request.called('ignore_artifacts')} lets it pass over the others",
            )
        elif rule is not None:
            counts[rule.id] = counts.get(rule.id, 0) + 1
            if rule.most is not None and counts[rule.id] > rule.most:
                yield Problem(
                    code="reference_limit_exceeded",
                    field=artifact.field,
                    value=counts[rule.id],
                    limit=rule.most,
                    message=f"more than {rule.most} artifacts {rule.id!r}",
                    fix="Leave out the oldest",
                )


def reader(artifact: Artifact, rules: Sequence[ArtifactRule]) -> ArtifactRule | None:
    """The rule under which an engine reads an artifact; ``None`` when it does not."""
    return next((rule for rule in rules if rule.id == artifact.id and artifact.kind in rule.kinds), None)

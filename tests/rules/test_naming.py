from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.example import ANYTHING, AUDIO, case, ref, refs, sound, told
from triptych.rules.check import check
from triptych.rules.naming import artifact_rule, reader, tag_rule
from triptych.rules.spec import ArtifactRule
from triptych.task import Artifact, BytesSource, Request, Tags

SPEC = replace(
    ANYTHING,
    artifacts_read=(
        ArtifactRule(id="talk.reply", kinds=frozenset({"tokens"}), most=2),
        ArtifactRule(id="talk.note", kinds=frozenset({"text", "json"})),
    ),
)


def artifact(index: int, id: str = "talk.reply", kind: str = "tokens") -> Artifact:
    return Artifact(id=id, kind=kind, source=BytesSource(b""), field=f"artifacts[{index}]")


def test_what_is_cited_and_missing_is_refused_under_the_callers_word() -> None:
    request = Request(prompt="Image 1 speaks like <Audio 1> beside Image 2", references=refs(1))
    found = list(tag_rule(case(replace(request, fields={"prompt": "PROMPT"}))))
    assert told(found) == [("unknown_tag", "PROMPT"), ("unknown_tag", "PROMPT")]
    assert [problem.value for problem in found] == ["<Audio 1>", "Image 2"]


def test_tags_wait_until_every_kind_is_known() -> None:
    request = Request(prompt="Image 2", references=(ref("a"), ref("b", None)))
    assert not list(tag_rule(case(request)))
    assert told(tag_rule(case(request, probes={1: sound()}))) == [("unknown_tag", "prompt")]


def test_a_verbatim_prompt_is_not_read() -> None:
    request = Request(prompt="Image 2", references=refs(1), tags=Tags.VERBATIM)
    assert not list(tag_rule(case(request)))


def test_a_bad_name_is_told_in_a_verbatim_prompt_too() -> None:
    request = Request(prompt="x", references=(ref("a", AUDIO, name="a b"),), tags=Tags.VERBATIM)
    assert told(tag_rule(case(request))) == [("invalid_name", "a")]


@pytest.mark.parametrize(("id", "kind"), [("talk.reply", "text"), ("talk.other", "tokens"), ("", "")])
def test_an_artifact_that_the_engine_does_not_read_is_refused(id: str, kind: str) -> None:
    request = Request(prompt="x", artifacts=(artifact(0), artifact(1, id, kind)))
    (problem,) = artifact_rule(case(request, SPEC))
    assert (problem.code, problem.field) == ("unsupported_artifact", "artifacts[1]")
    assert "talk.reply, talk.note" in problem.fix
    assert not list(artifact_rule(case(replace(request, ignore_artifacts=True), SPEC)))


def test_ids_may_repeat_up_to_their_limit() -> None:
    request = Request(prompt="x", artifacts=tuple(artifact(index) for index in range(4)))
    found = list(artifact_rule(case(request, SPEC)))
    assert told(found) == [("reference_limit_exceeded", "artifacts[2]"), ("reference_limit_exceeded", "artifacts[3]")]
    assert found[0].limit == 2
    many = tuple(artifact(index, "talk.note", "json") for index in range(50))
    assert not list(artifact_rule(case(Request(prompt="x", artifacts=many), SPEC)))


def test_the_reader_is_told_by_id_and_kind() -> None:
    assert reader(artifact(0), SPEC.artifacts_read) is SPEC.artifacts_read[0]
    assert reader(artifact(0, kind="text"), SPEC.artifacts_read) is None


def test_a_prompt_over_its_limit_is_not_searched_for_tags() -> None:
    """It is refused for its length; how long it takes to say so must not be up to whoever sends it."""
    long = "Image 9 " * 200_000
    assert told(check(Request(prompt=long), ANYTHING)) == [("invalid_value", "prompt")]

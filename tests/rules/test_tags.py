from __future__ import annotations

import string
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.example import AUDIO, IMAGE, VIDEO, ref, told
from triptych.rules import tags
from triptych.task import Modality, Reference, Role

KINDS = {IMAGE: ("Picture", "Image"), VIDEO: ("Video",), AUDIO: ("Audio",)}
LETTERS = st.sampled_from("aZ_éßñ漢ж")
NAMES = st.builds(lambda first, rest: first + rest, LETTERS, st.text(st.sampled_from("aZ_é漢7-"), max_size=12))
PIECES = [*string.ascii_letters, *" .,;:!?\n'\"()<>é漢", "image 1 ", "IMAGE 2 ", "a@b.c ", "5 @ 7 "]
PROSE = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)


def numbered(*references: Reference) -> tuple[tags.Numbered, ...]:
    return tags.number(references, [one.modality for one in references])


MANY = numbered(
    *(ref(f"image[{i}]") for i in range(12)), ref("clip", VIDEO), ref("voice", AUDIO), ref("named", name="anna-marie")
)


def read(prompt: str) -> list[str]:
    """The field of each reference that a prompt's tags mean, or ``?``."""
    known = tags.Known(MANY)
    found = (tag for tag in tags.find(prompt) if not known.is_words(tag))
    return [target.reference.field if (target := known.means(tag)) else "?" for tag in found]


@pytest.mark.parametrize(
    ("prompt", "fields"),
    [
        ("<Picture 1> smiles", ["image[0]"]),
        ("<picture 2> and <IMAGE 3>", ["image[1]", "image[2]"]),
        ("< Video 1 >", ["clip"]),
        ("<Picture\t10>", ["image[9]"]),
        ("Image 1, Image 10 and Image 12.", ["image[0]", "image[9]", "image[11]"]),
        ("Video 1 with Audio 1's voice", ["clip", "voice"]),
        ("@Image1 @picture2 @VIDEO1 @audio 1", ["image[0]", "image[1]", "clip", "voice"]),
        ("@anna-marie's dog", ["named"]),
        ("(@anna-marie)", ["named"]),
        ("Image 14 and <Picture 0>", ["?", "?"]),
        ("<Picture 99999999999999999999>", ["?"]),
        ("Image 13, by number or by @anna-marie", ["named", "named"]),
        ("<Picture 1>Image 2", ["image[0]", "image[1]"]),
    ],
)
def test_a_tag_means_its_reference(prompt: str, fields: list[str]) -> None:
    assert read(prompt) == fields


@pytest.mark.parametrize(
    "prompt",
    [
        "an image 1 metre wide, IMAGE 2 and audio 3",
        "scaled by Image 1.5 times",
        "Images 1 and 2",
        "MyImage 1",
        "Image 1a, Image 1_2",
        "Image  1",
        "Image1 without an at sign",
        "write to anna@anna-marie.com or Image 1.5",
        "@@anna-marie",
        "a.@anna-marie",
        "100 @ 5 each, @ 7, @7",
        "<p\u0131cture 1> @\u0131mage1x",
        "<Picture one>",
        "<<Image 1",
    ],
)
def test_prose_is_left_alone(prompt: str) -> None:
    found = [tag.text for tag in tags.find(prompt) if tag.name is None]
    assert found == []
    unnamed = numbered(ref("image[0]"))
    assert tags.render(prompt, unnamed, {0: "X"}) == prompt
    assert list(tags.problems(prompt, unnamed, field="prompt")) == []


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        (r"\Image 1", "Image 1"),
        (r"\<Picture 1>", "<Picture 1>"),
        (r"\@Image1", "@Image1"),
        (r"\@anna-marie", "@anna-marie"),
        (r"a \Video 7, which is not given", "a Video 7, which is not given"),
        (r"\\Image 1", r"\Image 1"),
        (r"C:\files and \n", r"C:\files and \n"),
    ],
)
def test_a_backslash_says_the_words(prompt: str, said: str) -> None:
    assert tags.render(prompt, MANY, {one.position: "X" for one in MANY}) == said
    assert list(tags.problems(prompt, MANY, field="prompt")) == []
    assert tags.cited(prompt, MANY) == frozenset()


@given(
    st.lists(st.tuples(PROSE, st.sampled_from(list(Modality)), st.integers(1, 12), st.booleans(), st.integers(0, 3)))
)
def test_what_is_written_as_tags_is_found_and_rendered(
    parts: list[tuple[str, Modality, int, bool, int]],
) -> None:
    references = tuple(ref(f"{kind}[{i}]", kind) for kind in Modality for i in range(12))
    known = numbered(*references)
    spell = {one.position: f"{{{one.modality}:{one.number}}}" for one in known}
    prompt, expected = "", ""
    for prose, kind, number, escaped, form in parts:
        word = KINDS[kind][form % len(KINDS[kind])]
        bare = "Image" if word == "Picture" else word
        tag = [f"<{word} {number}>", f"{bare} {number}", f"@{word}{number}", f"<{word.lower()}  {number} >"][form]
        prompt += f"{prose} ; " + ("\\" if escaped else "") + tag + " ;"
        expected += f"{prose} ; " + (tag if escaped else f"{{{kind}:{number}}}") + " ;"
    assert tags.render(prompt, known, spell) == expected
    wanted = {(kind, number) for _, kind, number, escaped, _ in parts if not escaped}
    assert {(known[i].modality, known[i].number) for i in tags.cited(prompt, known)} == wanted
    assert list(tags.problems(prompt, known, field="prompt")) == []


@given(NAMES, PROSE)
def test_a_name_is_found_again(name: str, prose: str) -> None:
    if list(tags.name_problems([ref("one", name=name)])):
        return
    known = numbered(ref("one", name=name))
    prompt = f"{prose} ; @{name} ; \\@{name}"
    assert tags.cited(prompt, known) == {0}
    assert tags.render(prompt, known, {0: "<1>"}).endswith(f"; <1> ; @{name}")


@given(st.text())
def test_any_text_at_all_can_be_read(prompt: str) -> None:
    found = list(tags.find(prompt))
    assert all(prompt[tag.start : tag.end].endswith(tag.text) for tag in found)
    assert [tag.start for tag in found] == sorted(tag.start for tag in found)
    plain = tags.render(prompt, (), {})
    assert len(plain) == len(prompt) - sum(tag.escaped for tag in found)


def test_accents_are_one_letter_however_they_are_encoded() -> None:
    composed, apart = "José", unicodedata.normalize("NFD", "José")
    assert composed != apart
    for name, written in ((composed, apart), (apart, composed)):
        known = numbered(ref("other", name="Jose"), ref("right", name=name))
        assert tags.cited(f"@{written} walks", known) == {1}
    problems = tags.name_problems([ref("one", name=composed), ref("two", name=apart)])
    assert told(problems) == [("invalid_name", "two")]


def test_names_are_told_apart_by_case() -> None:
    known = numbered(ref("one", name="Anna"), ref("two", name="anna"))
    assert tags.cited("@anna", known) == {1}


def test_numbers_count_references_only_and_per_kind() -> None:
    inputs = (
        ref("first", role=Role.FIRST_FRAME),
        ref("clip", VIDEO),
        ref("track", AUDIO, Role.SOUNDTRACK, soundtrack_of="clip"),
        ref("a"),
        ref("voice", AUDIO),
        ref("unknown", None),
        ref("b"),
    )
    tagged = [(one.tag, one.reference.field, one.position) for one in numbered(*inputs)]
    assert tagged == [
        ("<Video 1>", "clip", 1),
        ("<Picture 1>", "a", 3),
        ("<Audio 1>", "voice", 4),
        ("<Picture 2>", "b", 6),
    ]


def test_a_name_follows_its_reference_when_another_goes() -> None:
    three = (ref("a", name="ann"), ref("b", name="bob"), ref("c", name="cy"))
    assert tags.render("@bob meets @cy", numbered(*three), {0: "1", 1: "2", 2: "3"}) == "2 meets 3"
    assert tags.render("@bob meets @cy", numbered(*three[1:]), {0: "1", 1: "2"}) == "1 meets 2"


def test_a_tag_that_names_nothing_is_told_once_with_what_there_is() -> None:
    known = numbered(ref("one", name="lamp"), ref("voice", AUDIO))
    found = list(tags.problems("Image 2, Image 2, <Audio 3>, @lamb and Video 1", known, field="PROMPT"))
    assert [problem.value for problem in found] == ["Image 2", "<Audio 3>", "@lamb", "Video 1"]
    assert {(problem.code, problem.field) for problem in found} == {("unknown_tag", "PROMPT")}
    assert all("<Picture 1>, <Audio 1>, @lamp" in problem.fix for problem in found)
    assert "did you mean <Audio 1>?" in found[1].fix
    assert "did you mean @lamp?" in found[2].fix
    assert "write \\Video 1 to say the words" in found[3].fix


def test_a_tag_with_no_references_at_all_says_so() -> None:
    problem = next(tags.problems("Audio 1 sings", (), field="prompt"))
    assert "The request has no references" in problem.fix


def test_a_name_that_is_refused_is_not_offered() -> None:
    known = numbered(ref("one", name="\ud800"), ref("two", name="lamp"))
    (problem,) = tags.problems("Image 9", known, field="prompt")
    assert problem.limit == ["<Picture 1>", "<Picture 2>", "@lamp"]


def test_an_at_word_is_words_while_nothing_has_a_name() -> None:
    assert list(tags.problems("thanks to @somebody", numbered(ref("one")), field="prompt")) == []
    assert told(tags.problems("thanks to @somebody", numbered(ref("one", name="x")), field="prompt")) == [
        ("unknown_tag", "prompt")
    ]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "cannot be a name"),
        ("7up", "cannot be a name"),
        ("-a", "cannot be a name"),
        ("two words", "cannot be a name"),
        ("a.b", "cannot be a name"),
        ("a" * 65, "64 at most"),
        ("a\n", "cannot be a name"),
        ("a\ud800", "cannot be a name"),
        ("Image1", "numbered tag"),
        ("VIDEO12", "numbered tag"),
        ("image", "numbered tag"),
    ],
)
def test_what_cannot_be_a_name_is_refused(name: str, words: str) -> None:
    (problem,) = tags.name_problems([ref("--ref 1", name=name)])
    assert (problem.code, problem.field) == ("invalid_name", "--ref 1")
    assert words in problem.message
    assert str(problem).encode("utf-8")


@pytest.mark.parametrize("name", ["a", "_x", "anna-marie", "漢字", "Zoë_2", "a" * 64, "image1b", "imaged"])
def test_what_can_be_a_name_is_taken(name: str) -> None:
    assert list(tags.name_problems([ref("one", name=name)])) == []


def test_a_name_twice_or_on_a_frame_is_refused() -> None:
    found = list(
        tags.name_problems([ref("one", name="a"), ref("two", name="a"), ref("f", role=Role.FIRST_FRAME, name="b")])
    )
    assert told(found) == [("invalid_name", "two"), ("invalid_name", "f")]
    assert "already the name of one" in found[0].message
    assert "this is a first_frame" in found[1].message


def test_no_prompt_takes_long_however_many_tags_and_references_it_has() -> None:
    """As slow as its length, not as its length times the references: 20,000 characters took 24 s of a server."""
    many = numbered(*(ref(f"image[{i}]", name=f"name{i}") for i in range(1_000)))
    prompt = " ".join(f"@zz{index}" for index in range(2_800))
    started = time.process_time()
    found = list(tags.problems(prompt, many, field="prompt"))
    assert time.process_time() - started < 5
    assert len(found) == 2_800
    assert found[0].fix.startswith("The references are <Picture 1>, <Picture 2>,")
    assert found[0].fix.endswith("<Picture 24> and 1976 more; write \\@zz0 to say the words")
    assert len(found[0].limit) == 24

"""Where a value stands in a JSON text that grows."""

from __future__ import annotations

import pytest

from triptych.wire.place import Fault, PathOfNames, Place, legible, written


@pytest.mark.parametrize(
    ("before", "path"),
    [
        ('{"a":"', ("a",)),
        ('{"a":1,"b":"', ("b",)),
        ('{"a":{"b":[0,{"c":1},"x","', ("a", "b", 3)),
        ('{"a":[[],[0,{"b":{}, "c" : "', ("a", 1, 1, "c")),
        ('{"a,{[":"]}\\"","\\u0062":["', ("b", 0)),
        ('{"a":{"b":1},"', None),
        ('{"', None),
    ],
)
def test_the_path_of_a_string(before: str, path: PathOfNames | None) -> None:
    text = bytearray(before.encode())
    assert Place(max_depth=9).of(text, len(text)) == path


def test_it_is_followed_in_steps() -> None:
    place, text = Place(max_depth=9), bytearray(b'{"a":["')
    assert place.of(text, len(text)) == ("a", 0)
    text += b'x",{"b":"'
    assert place.of(text, len(text)) == ("a", 1, "b")
    text += b'y"}],"a"'
    with pytest.raises(Fault) as caught:
        place.follow(text, len(text))
    assert (caught.value.path, caught.value.at, caught.value.code) == (("a",), 21, "conflicting_parameters")


@pytest.mark.parametrize("text", ["}", "]]]", '"a"', ",", "{,", "[:", '{"a"}', "{1:2}", '{"\\x":1}', "\\"])
def test_what_is_no_json_does_not_confuse_it(text: str) -> None:
    Place(max_depth=9).follow(text.encode(), len(text))


def test_paths_and_words_are_fit_to_be_shown() -> None:
    assert written(("a", 0, "b", 1)) == "a[0].b[1]"
    assert written(()) == ""
    assert legible("a\ud800" + "b" * 300) == "a\\ud800" + "b" * 193

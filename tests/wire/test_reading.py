"""Notes are under the caller's own names, and bounded."""

from __future__ import annotations

import time

from triptych.errors import Problem
from triptych.wire.reading import MOST_PROBLEMS, Reading


def test_a_name_that_is_not_known_gets_the_closest_ones() -> None:
    reading = Reading()
    known = ["num_frames", "start_image", "end_image", "reference_images", "seed"]
    assert reading.closest("num_frame", known, "none") == "Did you mean num_frames?"
    assert reading.closest("image", known, "none") == "Did you mean end_image, start_image?"
    assert reading.closest("referenceImages", known, "none") == "Did you mean reference_images?"
    assert reading.closest("qwerty", known, "none") == "none"
    assert reading.closest("seed" * 100, known, "none") == "none"


def test_a_great_many_problems_are_told_in_part() -> None:
    reading = Reading()
    begun = time.process_time()
    for index in range(50_000):
        fix = reading.closest(f"num_frame{index}", ["num_frames"] * 100, "none")
        reading.refuse((f"num_frame{index}",), "there is no such parameter", code="unknown_parameter", fix=fix)
    assert time.process_time() - begun < 10
    assert len(reading.problems) == MOST_PROBLEMS + 1
    assert (reading.problems[-1].code, reading.problems[-1].field) == ("invalid_body", "body")


def test_json_text_is_read_or_noted() -> None:
    reading = Reading()
    assert reading.parsed('{"a": [1]}', ("x",)) == {"a": [1]}
    assert reading.parsed({"a": 1}, ("x",)) == {"a": 1}
    assert reading.parsed("{", ("x",)) is None
    assert reading.parsed('{"a": 1, "a": 2}', ("x",)) is None
    assert [(one.code, one.field) for one in reading.problems] == [
        ("invalid_value", "x"),
        ("conflicting_parameters", "x.a"),
    ]


def test_what_is_noted_is_fit_to_be_sent() -> None:
    reading = Reading()
    reading.refuse(("a\ud800" * 500,), "no", value="\ud800" * 500)
    reading.refuse(("b",), "no", value=float("nan"))
    reading.note(Problem(code="invalid_value", field="c", message="no"))
    for problem in reading.problems:
        assert str(problem.as_json()).encode("utf-8")
        assert len(problem.field) <= 200
    reading.conflict(("d", 0), 5, "e", "x")
    assert reading.problems[-1].message == "5 was asked for here, and 'x' in e"
    reading.warn("overridden", ("d", 0), "by e")
    assert (reading.warnings[0].code, reading.warnings[0].field) == ("overridden", "d[0]")

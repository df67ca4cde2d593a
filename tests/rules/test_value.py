from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triptych.rules.value import finite, legible, plain, shown

HUGE = 10**400
SCALARS = st.one_of(st.text(), st.integers(), st.floats(), st.booleans(), st.just(HUGE), st.just(-HUGE))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, HUGE, -HUGE])
def test_what_no_arithmetic_can_use_is_not_finite(value: float) -> None:
    assert not finite(value)


def test_ordinary_numbers_are_finite() -> None:
    assert finite(0) and finite(-1.5) and finite(10**300)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1234567, "1234567"),
        (15.1, "15.1"),
        (0.1 + 0.2, "0.3"),
        (4.0, "4"),
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        (HUGE, "1e400"),
        (-(10**30), "-1e30"),
    ],
)
def test_numbers_read_as_people_write_them(value: float, text: str) -> None:
    assert shown(value) == text


@given(SCALARS)
def test_a_plain_value_is_json_and_can_be_encoded(value: str | float) -> None:
    text = json.dumps(plain(value), allow_nan=False, ensure_ascii=False)
    assert text.encode("utf-8")


@given(st.one_of(st.booleans(), st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False)))
def test_an_ordinary_value_stays_as_it_is(value: float) -> None:
    assert plain(value) == value
    assert type(plain(value)) is type(value)


def test_half_a_pair_is_written_out() -> None:
    assert legible("a\ud800b") == "a\\ud800b"
    assert legible("ordinary é 漢") == "ordinary é 漢"
    assert plain(None) is None


def test_numbers_that_python_itself_does_not_write_out_are_shown() -> None:
    assert shown(10**5000) == plain(10**5000) == "1e5000"

"""Frames: put together from any pieces, refused when they are none."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triptych.process import frame

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(bodies=st.lists(PLAIN, max_size=5), cut=st.integers(min_value=1, max_value=20))
def test_any_cutting_gives_the_same_frames(bodies: list[Any], cut: int) -> None:
    data = b"".join(frame.encode(frame.ITEM, body) for body in bodies)
    decoder = frame.Decoder()
    found = [item for start in range(0, len(data), cut) for item in decoder.feed(data[start : start + cut])]
    assert found == [(frame.ITEM, body) for body in bodies]


@pytest.mark.parametrize("body", [{1, 2}, object(), b"bytes"])
def test_what_is_not_json_is_refused(body: object) -> None:
    with pytest.raises(frame.FrameError, match="not plain JSON"):
        frame.encode(frame.ITEM, body)


def test_a_message_is_bounded_on_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame, "MOST_BYTES", 10)
    assert list(frame.Decoder().feed(frame.encode(frame.ITEM, "x" * 8))) == [(frame.ITEM, "x" * 8)]
    with pytest.raises(frame.FrameError, match="11 bytes; the most is 10"):
        frame.encode(frame.ITEM, "x" * 9)
    with pytest.raises(frame.FrameError, match="11 bytes; the most is 10"):
        list(frame.Decoder().feed(b"I\0\0\0\x0b"))


def test_what_is_not_a_frame_is_refused() -> None:
    with pytest.raises(frame.FrameError, match="unknown kind b'g'"):
        list(frame.Decoder().feed(b"garbage"))
    with pytest.raises(frame.FrameError, match="not JSON"):
        list(frame.Decoder().feed(b"I\0\0\0\x02{]"))

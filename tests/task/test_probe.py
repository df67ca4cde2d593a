from __future__ import annotations

import json
from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from triptych.task import Modality, Probe

PROBES = st.builds(
    Probe,
    modality=st.sampled_from(Modality),
    container=st.text(max_size=9),
    media_type=st.text(max_size=9),
    sha256=st.text("0123456789abcdef", min_size=64, max_size=64),
    size_bytes=st.integers(0, 2**60),
    width=st.integers(0, 10**5),
    height=st.integers(0, 10**5),
    seconds=st.floats(0, 1e6),
    fps=st.floats(0, 240),
    frames=st.integers(0, 10**6),
    sample_rate=st.integers(0, 10**6),
    channels=st.integers(0, 8),
    rotation=st.sampled_from([0, 90, 180, 270]),
    variable_rate=st.booleans(),
    has_alpha=st.booleans(),
    notes=st.lists(st.text(max_size=20)).map(tuple),
)


@given(PROBES)
def test_json_there_and_back_is_the_same(probe: Probe) -> None:
    assert Probe.from_json(json.loads(json.dumps(probe.as_json(), allow_nan=False))) == probe


def test_json_has_every_field() -> None:
    probe = Probe(modality=Modality.IMAGE, container="png", media_type="image/png")
    assert list(probe.as_json()) == [item.name for item in fields(Probe)]


def test_there_is_sound_where_there_are_channels() -> None:
    silent = Probe(modality=Modality.VIDEO, container="mov", media_type="video/mp4")
    assert not silent.has_sound
    assert Probe(modality=Modality.AUDIO, container="wav", media_type="audio/wav", channels=1).has_sound

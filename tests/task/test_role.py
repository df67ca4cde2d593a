from __future__ import annotations

import json

from triptych.task import Fit, Modality, Role, Tags, Task


def test_the_words_are_the_published_ones() -> None:
    assert [str(word) for word in Modality] == ["image", "video", "audio"]
    assert [str(word) for word in Role] == ["first_frame", "last_frame", "reference", "soundtrack", "voice", "input"]
    assert [str(word) for word in Task] == ["t2va", "fl2va", "ref2va", "extend", "edit", "tts", "asr", "s2s"]
    assert [str(word) for word in Fit] == ["crop", "pad", "refuse"]
    assert [str(word) for word in Tags] == ["read", "verbatim"]


def test_a_word_is_its_own_json() -> None:
    assert json.loads(json.dumps({"role": Role.FIRST_FRAME})) == {"role": "first_frame"}
    assert Role("voice") is Role.VOICE

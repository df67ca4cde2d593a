"""Text and binaries that are no media. The way through ``sniff`` is in ``test_sniff``."""

from __future__ import annotations

import time

from triptych.errors import PROBLEM_CODES
from triptych.media import stranger


def test_binary_data_is_not_text() -> None:
    for data in (b"\x00", b"abc\x00", b"\x89PNG\r\n\x1a\n", b"caf\xe9", b"\xff\xfe\x00\xd8", b"bell \x07"):
        assert stranger.text(data, whole=True) is None


def test_a_character_cut_in_two_at_the_end_of_a_longer_file_is_text() -> None:
    cut = "snow ☃".encode()[:-1]
    assert stranger.text(cut, whole=True) is None
    found = stranger.text(cut, whole=False)
    assert found is not None
    assert found.name == "plain text"


def test_unknown_binaries_are_left_to_others() -> None:
    assert stranger.binary(b"\x8e\x14\xdb\xcc") is None
    found = stranger.binary(b"\x7fELF\x02")
    assert found is not None
    assert found.code in PROBLEM_CODES


def test_text_made_to_take_long_does_not() -> None:
    started = time.process_time()
    for piece in (b"<!-- -->", b"<?xml ?>", b"#\n", b"\n", b"[" * 9, b"<!--", b"<a", b"# file "):
        stranger.text(piece * (4096 // len(piece)), whole=True)
    assert time.process_time() - started < 0.5

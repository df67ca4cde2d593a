from __future__ import annotations

from triptych.task.piece import PIECES, THUMBNAIL_SIDE, piece_id, source_of, thumbnail_size, variant_of


def test_a_piece_is_called_by_its_job_and_its_variant() -> None:
    for variant in PIECES:
        piece = piece_id("video_x", variant)
        assert (source_of(piece), variant_of(piece)) == ("video_x", variant)
    assert piece_id("video_x", "video") == "video_x"


def test_a_thumbnail_keeps_its_shape_and_is_never_enlarged() -> None:
    assert thumbnail_size(1920, 1080) == (THUMBNAIL_SIDE, 288)
    assert thumbnail_size(300, 200) == (300, 200)
    assert thumbnail_size(4000, 2) == (THUMBNAIL_SIDE, 1)

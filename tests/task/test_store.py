from __future__ import annotations

from dataclasses import replace

from tests.rules.example import image
from triptych.task import Blob, Pending, Resolver, ResultSource


class Shelf:
    def resolve(self, source: ResultSource, *, field: str) -> Blob:
        return Blob(path=f"{field}/{source.id}", sha256="0" * 64, size_bytes=0)


def test_whoever_finds_results_by_id_is_a_resolver() -> None:
    resolver: Resolver = Shelf()
    found = resolver.resolve(ResultSource("video_1"), field="references[0]")
    assert isinstance(found, Blob)
    assert found.path == "references[0]/video_1"


def test_a_result_that_is_still_being_made_says_what_it_will_be() -> None:
    pending = Pending(id="video_1.last_frame", probe=replace(image(), sha256=""))
    assert (pending.probe.modality, pending.probe.sha256) == ("image", "")

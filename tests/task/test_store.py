from __future__ import annotations

from triptych.task import Blob, Resolver, ResultSource


class Shelf:
    def resolve(self, source: ResultSource, *, field: str) -> Blob:
        return Blob(path=f"{field}/{source.id}", sha256="0" * 64, size_bytes=0)


def test_whoever_finds_results_by_id_is_a_resolver() -> None:
    resolver: Resolver = Shelf()
    assert resolver.resolve(ResultSource("video_1"), field="references[0]").path == "references[0]/video_1"

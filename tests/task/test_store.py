from __future__ import annotations

from triptych.task import Blob, Modality, Pending, Probe, Resolver, ResultSource


class Shelf:
    def resolve(self, source: ResultSource, *, field: str) -> Blob:
        return Blob(path=f"{field}/{source.id}", sha256="0" * 64, size_bytes=0)


def test_whoever_finds_results_by_id_is_a_resolver() -> None:
    resolver: Resolver = Shelf()
    found = resolver.resolve(ResultSource("video_1"), field="references[0]")
    assert isinstance(found, Blob)
    assert found.path == "references[0]/video_1"


PROBE = Probe(modality=Modality.IMAGE, container="png", media_type="image/png", width=64, height=36)


class Promise:
    def resolve(self, source: ResultSource, *, field: str) -> Pending:
        return Pending(id=source.id, probe=PROBE)


def test_a_result_that_is_still_being_made_is_told_by_what_it_will_be() -> None:
    resolver: Resolver = Promise()
    pending = resolver.resolve(ResultSource("video_1.last_frame"), field="first_frame")
    assert isinstance(pending, Pending)
    assert (pending.id, pending.probe.width, pending.probe.sha256) == ("video_1.last_frame", 64, "")

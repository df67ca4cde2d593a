"""What was waited for is put in its place, if it is what was counted on."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.jobs.bench import ask
from triptych.jobs.bind import Arrival, UnexpectedError, awaited, bind
from triptych.jobs.pending import expected
from triptych.run import prepare
from triptych.studio import Studio
from triptych.task import Blob, BytesSource, Modality, Pending, Plan, Probe, ResultSource
from triptych.task.piece import variant_of
from triptych.testing.job_double import JobDouble
from triptych.testing.media import picture_bytes, quarters


class Promises:
    """A resolver for whom everything is still being made."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def resolve(self, source: ResultSource, *, field: str) -> Pending:
        del field
        return Pending(id=source.id, probe=expected(self._plan, variant_of(source.id)))


def waiting(*pieces: str) -> Plan:
    async def run() -> Plan:
        async with Studio(registry=JobDouble().registry()) as studio:
            first = await prepare(ask("first", seconds=1.0), studio)
            still = BytesSource(picture_bytes(quarters()))
            request = ask("second <Picture 1>", still, *(ResultSource(piece) for piece in pieces))
            return await prepare(request, studio, resolver=Promises(first))

    return asyncio.run(run())


BLOB = Blob(path="/content/ab", sha256="ab", size_bytes=2)


def arrived(plan: Plan, **changes: object) -> Arrival:
    (slot,) = awaited(plan)
    assert slot.probe is not None
    return Arrival(blob=BLOB, probe=replace(slot.probe, **changes))  # type: ignore[arg-type]  # fields of a probe


def test_the_place_is_filled_and_the_label_says_the_bytes() -> None:
    plan = waiting("video_x.last_frame")
    assert [slot.blob.awaits for slot in plan.slots] == [None, "video_x.last_frame"]
    full = bind(plan, {"video_x.last_frame": arrived(plan)})
    assert awaited(full) == () and full.slots[1].blob == BLOB
    assert full.slots[1].probe is not None and full.slots[1].probe.sha256 == "ab"
    assert full.slots[0] == plan.slots[0], "what was there stays as it was"
    assert [label.sha256 for label in full.labels] == [plan.labels[0].sha256, "ab"]


def test_a_frame_less_is_used_to_its_end() -> None:
    plan = waiting("video_x")
    (slot,) = awaited(plan)
    assert slot.probe is not None
    shorter = slot.probe.seconds - 1 / 24
    full = bind(plan, {"video_x": arrived(plan, seconds=shorter)})
    assert full.slots[1].start_seconds + full.slots[1].seconds <= shorter + 1e-9


@pytest.mark.parametrize(
    ("piece", "changes", "says"),
    [
        ("video_x", {"seconds": 0.8}, "lasts 0.800 s, not 1.000 s"),
        ("video_x", {"width": 640}, "is 640x720, not 1280x720"),
        ("video_x", {"modality": Modality.IMAGE}, "is image, not video"),
        ("video_x.audio", {"seconds": 0.5}, "lasts 0.500 s, not 1.000 s"),
        ("video_x.audio", {"channels": 0}, "has no sound"),
    ],
)
def test_what_is_not_as_it_was_foretold_is_refused(piece: str, changes: dict[str, object], says: str) -> None:
    plan = waiting(piece)
    with pytest.raises(UnexpectedError, match=says) as refused:
        bind(plan, {piece: arrived(plan, **changes)})
    assert refused.value.field == "references[1]" and piece in refused.value.message


def test_a_probe_is_of_the_bytes_that_came() -> None:
    plan = waiting("video_x")
    found = bind(plan, {"video_x": arrived(plan, container="mov")}).slots[1].probe
    assert isinstance(found, Probe) and (found.sha256, found.size_bytes) == ("ab", 2)

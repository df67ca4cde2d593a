"""What every engine must keep, tried with small requests that use every role."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tests.engines.animatic.plan_builder import Job, photo, tone
from triptych.engines.animatic import create as animatic
from triptych.engines.base import Engine
from triptych.task import BytesSource, Modality, Reference, Request, Role
from triptych.testing.engine_contract import EngineContract


@cache
def _media() -> dict[str, bytes]:
    """Small files, made once."""
    with tempfile.TemporaryDirectory() as folder:
        job = Job(Path(folder), size=(64, 64))
        job.picture(photo((80, 64), 1)).clip([photo((64, 64), 2)] * 12, sound=tone(0.5)).sound(tone(0.5))
        image, clip, sound = (Path(slot.blob.path).read_bytes() for slot in job.slots)
    return {"image": image, "clip": clip, "sound": sound}


def _reference(
    role: Role, kind: str, field: str, *, sound: bool = False, soundtrack_of: str | None = None
) -> Reference:
    modality = {"image": Modality.IMAGE, "clip": Modality.VIDEO, "sound": Modality.AUDIO}[kind]
    source = BytesSource(_media()[kind])
    return Reference(role=role, source=source, field=field, modality=modality, sound=sound, soundtrack_of=soundtrack_of)


class TestAnimatic(EngineContract):
    def engine(self) -> Engine:
        return animatic()

    def requests(self) -> Sequence[Request]:
        everything = (
            _reference(Role.REFERENCE, "clip", "--clip 1"),
            _reference(Role.SOUNDTRACK, "sound", "--soundtrack 1", soundtrack_of="--clip 1"),
            _reference(Role.REFERENCE, "image", "--image 1"),
            _reference(Role.FIRST_FRAME, "image", "--first-frame"),
            _reference(Role.LAST_FRAME, "image", "--last-frame"),
            _reference(Role.REFERENCE, "sound", "--voice 1"),
        )
        sounded = (_reference(Role.REFERENCE, "clip", "--sounded-clip 1", sound=True),)
        return (
            Request(prompt='she says "hello"', references=everything, width=64, height=64, num_frames=40),
            Request(prompt="a boat", references=sounded, width=64, height=64, num_frames=12, fps=24.0),
            Request(prompt="a boat", width=64, height=64, num_frames=5),
            Request(prompt="and on", references=(_reference(Role.INPUT, "clip", "--extend"),), num_frames=9),
        )

"""A whole engine: a slide show that shows each reference picture for an equal part of the video.

``tests/examples/test_example.py`` holds it against ``EngineContract``. To offer an engine of your own to everybody,
name its class in your package's entry points ``triptych.engines``.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from triptych.engines.base import Context
from triptych.rules.spec import Caps, EngineSpec, Geometry, MediaLimits, RoleRule, Timing
from triptych.task import EngineEvent, Made, Modality, Output, Plan, Probe, Progress, Receipt, Role, Slot, Task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SPEC = EngineSpec(
    name="slides",
    summary="A slide show of your pictures.",
    description="Each picture is shown as it is, one after the other, without sound.",
    tasks=frozenset({Task.REF2VA}),
    roles={Role.REFERENCE: RoleRule(modalities=frozenset({Modality.IMAGE}), most=20, use="a slide, in order")},
    caps=Caps(image=20),
    limits={Modality.IMAGE: MediaLimits(max_pixels=50_000_000)},
    geometry=Geometry(multiple=2, min_side=64, max_side=1920, default=(1280, 720)),
    timing=Timing(default_fps=24, min_fps=24, max_fps=24, default_frames=48, min_frames=20, max_frames=1440),
    default_seed=0,
)
"""Everything outside of this is refused before ``run`` is called."""


class Slides:
    """The engine."""

    @property
    def spec(self) -> EngineSpec:
        """What it can do."""
        return SPEC

    async def run(self, plan: Plan, context: Context) -> AsyncGenerator[EngineEvent, None]:
        """Yield progress, and what was made last."""
        from triptych.media.encode import MovieWriter  # heavy, so only when there is something to do

        settings, slots = plan.settings, plan.slots
        path, receipts = context.workdir / "slides.mp4", []
        total = settings.num_frames
        with MovieWriter(
            path, width=settings.width, height=settings.height, fps=int(settings.fps), num_frames=total, sound=False
        ) as writer:
            for index, slot in enumerate(slots):
                planes, receipt = await asyncio.to_thread(self._slide, slot, index, plan, context)
                receipts.append(receipt)
                for frame in range(total * index // len(slots), total * (index + 1) // len(slots)):
                    await asyncio.to_thread(writer.add_frame, planes)  # whoever stops us, does so between frames
                    if frame + 1 < total:
                        yield Progress(stage="encode", done=frame + 1, total=total)
            movie = writer.finish()
        yield Progress(stage="encode", done=total, total=total)
        seen = Probe(
            modality=Modality.VIDEO,
            container="mov",
            media_type="video/mp4",
            sha256=movie.sha256,
            size_bytes=movie.size_bytes,
            width=settings.width,
            height=settings.height,
            seconds=settings.seconds,
            fps=settings.fps,
            frames=movie.frames,
            video_codec="h264",
        )
        made = Output(
            path=str(path), media_type="video/mp4", sha256=movie.sha256, size_bytes=movie.size_bytes, probe=seen
        )
        yield Made(outputs=(made,), receipts=tuple(receipts))

    @staticmethod
    def _slide(slot: Slot, index: int, plan: Plan, context: Context) -> tuple[NDArray[np.uint8], Receipt]:
        """A picture as the encoder takes it, uint8 [height * 3 / 2, width], and the receipt of its slot."""
        import av
        import numpy as np

        from triptych.media.fit import apply_fit
        from triptych.media.image import read_image

        size = (plan.settings.width, plan.settings.height)
        data = io.BytesIO(context.open(slot).read())
        read = read_image(data, field=slot.field, limits=SPEC.limits_of(Modality.IMAGE))
        assert slot.fit is not None  # pictures of a fitted role always have one
        pixels = apply_fit(read.pixels, slot.fit, size)
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="rgb24")
        planes = np.asarray(
            frame.reformat(format="yuv420p", dst_colorspace="ITU709", dst_color_range="MPEG").to_ndarray(), np.uint8
        )
        used = hashlib.sha256(pixels.tobytes()).hexdigest()
        return planes, context.receipt(slot, used_sha256=used, where=f"slide {index + 1}")

"""Hands a plan to the child process that makes the video, and turns its report into receipts."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any

from triptych.engines.animatic.scene import VIDEO_NAME, Scene, scene_of
from triptych.engines.animatic.spec import animatic_spec
from triptych.engines.base import Context
from triptych.errors import EngineFailed
from triptych.process.limits import Limits
from triptych.rules.geometry import fit_plan
from triptych.rules.spec import EngineSpec
from triptych.task import (
    Adjustment,
    EngineEvent,
    Fit,
    Made,
    Modality,
    Output,
    Plan,
    Probe,
    Progress,
    Receipt,
    Role,
    Warned,
)

_TARGET = "triptych.engines.animatic.render:render"
_GIB = 1 << 30
_MIB = 1 << 20
_RATE_HZ = 48_000


class Animatic:
    """The preview engine. See ``spec.description`` for what it is and is not."""

    @property
    def spec(self) -> EngineSpec:
        return animatic_spec()

    async def run(self, plan: Plan, context: Context) -> AsyncGenerator[EngineEvent, None]:
        folder = Path(tempfile.mkdtemp(prefix="animatic-", dir=context.workdir))
        try:
            scene = scene_of(plan, str(folder))
            made: Mapping[str, Any] | None = None
            async with aclosing(context.host.call(_TARGET, scene.as_json(), limits=_limits(scene))) as items:
                async for item in items:
                    if "made" in item:
                        made = item["made"]
                    else:
                        yield Progress(stage=item["stage"], done=item["done"], total=item["total"])
            if made is None:
                raise EngineFailed("the preview engine ended without a video")
            kept = context.workdir / f"{made['sha256']}.mp4"
            (folder / VIDEO_NAME).replace(kept)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        yield _made(plan, made, kept)


def _limits(scene: Scene) -> Limits:
    """Bounds of the child: generous for any real job, far below what would hurt the machine."""
    pixels = scene.width * scene.height
    frames_bytes = pixels * 3 // 2 * scene.num_frames
    tape_bytes = 8 * _RATE_HZ * scene.num_frames // scene.fps
    input_seconds = sum(each.seconds for each in scene.inputs)
    return Limits(
        # Libraries map some 2 GiB; each picture is held once, and warps of one frame take some 100 bytes a pixel.
        memory_bytes=5 * _GIB + pixels * (300 + 2 * len(scene.inputs)),
        wall_seconds=300 + 2.0 * scene.num_frames * max(1.0, pixels / 921_600) + 10 * input_seconds,
        file_bytes=max(frames_bytes, tape_bytes) + 64 * _MIB,
    )


def _made(plan: Plan, made: Mapping[str, Any], path: Path) -> Made:
    """The child's report as an engine's last word."""
    return Made(
        outputs=(_output(plan, made, path),),
        receipts=tuple(_receipts(plan, made["receipts"])),
        adjustments=(*_cut_clips(plan), *_mixed(made)),
        warnings=tuple(Warned(**warning) for warning in made["warnings"]),
        versions=made["versions"],
    )


def _receipts(plan: Plan, found: list[Mapping[str, Any]]) -> Iterator[Receipt]:
    """What the child says it used, in the plan's order. A slot that it says nothing of gets no receipt."""
    order = {slot.key: slot.position for slot in plan.slots}
    for each in sorted(found, key=lambda one: order.get(one["slot"], len(order))):
        yield Receipt(
            slot=each["slot"],
            source_sha256=each["source_sha256"],
            used_sha256=each["used_sha256"],
            how="consumed",
            uses=tuple(each["uses"]),
            where=each["where"],
        )


def _cut_clips(plan: Plan) -> Iterator[Adjustment]:
    """What is cut from clips that lend their own pictures, because no other was given."""
    if any(slot.modality is Modality.IMAGE or slot.role is Role.INPUT for slot in plan.slots):
        return
    size = (plan.settings.width, plan.settings.height)
    for slot in plan.slots:
        if slot.modality is not Modality.VIDEO or slot.probe is None or slot.fit is not None:
            continue
        source = (slot.probe.width, slot.probe.height)
        fit = fit_plan(source, size, Fit.CROP)
        if fit.cut_fraction > 0:
            left, top, width, height = (round(value) for value in fit.box)
            yield Adjustment(
                field=slot.field,
                asked=f"{source[0]}x{source[1]}",
                got=f"{width}x{height} from {left},{top}",
                reason=f"no picture was given, so the clip's first frame is shown: fit crop:"
                f" {fit.cut_fraction:.1%} of it is outside the frame",
            )


def _mixed(made: Mapping[str, Any]) -> Iterator[Adjustment]:
    """What was done to the level of the sounds."""
    if made["ducked"] < 1:
        yield Adjustment(
            field="sound",
            asked=1.0,
            got=made["ducked"],
            reason="the level of all other sound while the quoted words are spoken over it",
        )
    if made["gain"] < 1:
        yield Adjustment(
            field="sound",
            asked=round(made["peak"], 3),
            got=round(made["peak"] * made["gain"], 3),
            reason=f"together the sounds would clip: all of it is turned down to {made['gain']:.2f}",
        )


def _output(plan: Plan, made: Mapping[str, Any], path: Path) -> Output:
    settings = plan.settings
    return Output(
        path=str(path),
        media_type="video/mp4",
        sha256=made["sha256"],
        size_bytes=made["size_bytes"],
        probe=Probe(
            modality=Modality.VIDEO,
            container="mov",
            media_type="video/mp4",
            sha256=made["sha256"],
            size_bytes=made["size_bytes"],
            width=settings.width,
            height=settings.height,
            seconds=made["frames"] / settings.fps,
            fps=settings.fps,
            frames=made["frames"],
            sample_rate=_RATE_HZ,
            channels=2,
            video_codec="h264",
            audio_codec="aac",
            notes=() if made["peak"] > 0 else (f"the sound track is silent: {_why_silent(plan)}",),
        ),
    )


def _why_silent(plan: Plan) -> str:
    given = any("sound" in slot.uses for slot in plan.slots)
    return "what was given to be heard is silent" if given else "nothing was given to be heard"

"""``triptych video``: check where the result goes, walk, keep what came out."""

from __future__ import annotations

import argparse
import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

from triptych.cli import request, screen
from triptych.cli.destination import Destination
from triptych.cli.output import plan_warnings, result_lines
from triptych.cli.progress import Meter
from triptych.cli.studio import open_studio, run_until_done, settings_of
from triptych.config import Settings
from triptych.errors import InputNotUsed, LimitExceeded
from triptych.run import execute, prepare
from triptych.studio import Studio
from triptych.task import Plan, Result
from triptych.wire.document import render_result


def run(arguments: argparse.Namespace) -> int:
    """Make the video, and write it, its result file and, when asked, its frames. All of them, or none."""
    settings = settings_of(arguments)
    typed = request.read(arguments, settings)
    destination = Destination.of(arguments, typed.request)
    meter = Meter(quiet=arguments.quiet or arguments.json)
    document = run_until_done(_make(typed, destination, settings, meter))
    if arguments.json:
        screen.show_json(document)
    elif not arguments.quiet:
        screen.show(result_lines(document, destination.video, destination.frames))
    return 0


async def _make(typed: request.Typed, destination: Destination, settings: Settings, meter: Meter) -> dict[str, Any]:
    document: dict[str, Any] = {}
    try:
        async with open_studio(settings) as studio:
            with meter:
                meter.begin(typed.request)
                plan = await prepare(typed.request, studio, found=(*typed.problems, *destination.problems))
                meter.say(plan_warnings(plan))
                result = await _render(plan, studio, meter, settings.render_seconds)
                made = Path(result.outputs[0].path)
                frames = None
                if destination.frames is not None:
                    meter.note("writing the frames")
                    frames = await studio.export_frames(made)
            told = render_result(result, written={result.outputs[0].path: destination.video})
            destination.keep(made, told, frames)
            document = told
    except asyncio.CancelledError:
        if not document:  # an interrupt while we tidy up comes too late: the files are there
            raise
    return document


async def _render(plan: Plan, studio: Studio, meter: Meter, most_seconds: float) -> Result:
    """Run the plan, within its time."""
    try:
        async with asyncio.timeout(most_seconds or None), aclosing(execute(plan, studio)) as events:
            async for event in events:
                if isinstance(event, Result):
                    return event
                meter.show(event)
    except TimeoutError:
        raise LimitExceeded(
            f"{plan.engine} took longer than the {most_seconds:g} s that render_seconds allows; nothing was written"
        ) from None
    raise InputNotUsed(f"{plan.engine} ended without a result")

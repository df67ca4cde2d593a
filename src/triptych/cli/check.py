"""``triptych check``: the plan, or every problem; nothing runs."""

from __future__ import annotations

import argparse

from triptych.cli import request, screen
from triptych.cli.destination import Destination
from triptych.cli.output import plan_lines
from triptych.cli.progress import Meter
from triptych.cli.studio import open_studio, run_until_done, settings_of
from triptych.config import Settings
from triptych.errors import Problem
from triptych.run import prepare
from triptych.task import Plan, Request
from triptych.wire.document import render_plan


def run(arguments: argparse.Namespace) -> int:
    """Print the plan. Raises ``InvalidRequest`` with all that stands against it."""
    settings = settings_of(arguments)
    typed = request.read(arguments, settings)
    named = arguments.output is not None or arguments.frames_out is not None
    destination = Destination.of(arguments, typed.request) if named else None
    quiet = arguments.quiet or arguments.json
    found = (*typed.problems, *(destination.problems if destination else ()))
    plan = run_until_done(_prepare(typed.request, found, settings, Meter(quiet=quiet)))
    if arguments.json:
        screen.show_json(render_plan(plan))
    elif not arguments.quiet:
        screen.show(plan_lines(plan))
    return 0


async def _prepare(asked: Request, found: tuple[Problem, ...], settings: Settings, meter: Meter) -> Plan:
    with meter:
        meter.begin(asked)
        async with open_studio(settings) as studio:
            return await prepare(asked, studio, found=found)

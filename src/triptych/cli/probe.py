"""``triptych probe``: what is seen in a file."""

from __future__ import annotations

import argparse

from triptych.cli import request, screen
from triptych.cli.studio import open_studio, run_until_done, settings_of
from triptych.config import Settings
from triptych.errors import InvalidRequest
from triptych.media.probe import describe
from triptych.rules.bound import part_problem
from triptych.task import Probe, Reference


def run(arguments: argparse.Namespace) -> int:
    """Print it. Raises ``InvalidRequest`` when it cannot be read."""
    settings = settings_of(arguments)
    reference, problems = request.read_file(arguments.file)
    if problems:
        raise InvalidRequest(problems)
    probe = run_until_done(_probe(reference, settings))
    told = part_problem(reference, probe.modality, probe, example=request.PART.format(start=0, end=2))
    if told is not None:
        raise InvalidRequest([told])
    if arguments.json:
        screen.show_json(probe.as_json())
    else:
        screen.show(describe(probe))
    return 0


async def _probe(reference: Reference, settings: Settings) -> Probe:
    async with open_studio(settings) as studio:
        return await studio.probe(reference)

"""The walk that every request takes: ``prepare`` makes a plan or refuses; ``execute`` runs it and ends with a result.

async with Studio() as studio:
    plan = await prepare(request, studio)
    async for event in execute(plan, studio):
        ...
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from triptych.errors import EngineFailed, InputNotUsed, InvalidRequest, Problem
from triptych.rules.check import check
from triptych.rules.conserve import differences
from triptych.rules.plan import plan as resolve
from triptych.studio import Studio
from triptych.task import Event, Made, Plan, Receipt, Request, Resolver, Result, Slot


async def prepare(
    request: Request, studio: Studio, *, found: Sequence[Problem] = (), resolver: Resolver | None = None
) -> Plan:
    """Check a request, bring its inputs in, look at them, and resolve what is open. Nothing is rendered.

    Args:
        request: it.
        studio: what it is done with.
        found: problems that whoever read the request met already; they are reported first, with all others.
        resolver: finds the results that this caller may name; the studio's by default.

    Raises:
        InvalidRequest: it cannot run; every problem is in it. What a rule can refuse without reading an input is
            refused before any byte is read.
        EngineUnavailable: the engine is known, and what it needs is not installed.
    """
    try:
        spec = studio.registry.spec(request.engine, field=request.called("engine"))
    except InvalidRequest as unknown:
        raise InvalidRequest([*found, *unknown.problems, *studio.unreachable(request)]) from None
    refuse_if([*found, *check(request, spec), *studio.unreachable(request)])
    seen = await studio.look(request, spec, resolver=resolver)
    refuse_if(seen.problems_with(request, spec))
    return resolve(request, spec, seen.probes, seen.blobs, seed=studio.draw_seed(), spoken_seconds=seen.spoken_seconds)


async def execute(plan: Plan, studio: Studio) -> AsyncGenerator[Event, None]:
    """Run a plan: yields ``Progress``, never falling, and last the ``Result``, receipts compared.

    Closing the generator, or cancelling the task, stops the engine within one frame or step and removes its files.

    Raises:
        InputNotUsed: the engine's receipts differ from the plan; nothing it made is handed out.
        EngineFailed: the engine broke.
    """
    engine = studio.registry.engine(plan.engine)
    made: Made | None = None
    done = 0
    async with studio.work(plan) as context:
        async with aclosing(engine.run(plan, context)) as events:
            async for event in events:
                if made is not None:
                    raise EngineFailed(f"{plan.engine} went on after it had ended")
                if isinstance(event, Made):
                    made = event
                else:
                    done = max(done, event.done)
                    yield replace(event, done=done)
        result = compare(plan, made)
    yield result


def compare(plan: Plan, made: Made | None) -> Result:
    """What an engine made, as a result, if its receipts are those of the plan's slots.

    Raises:
        InputNotUsed: they are not, or nothing was made.
        EngineFailed: fewer were made than were asked for.
    """
    if made is None or not made.outputs:
        raise InputNotUsed(f"{plan.engine} ended without a result")
    if len(made.outputs) < plan.settings.n:
        raise EngineFailed(f"{plan.engine} made {len(made.outputs)} of the {plan.settings.n} that were asked for")
    receipts = (*made.receipts, *(_passed_over(slot) for slot in plan.slots if slot.ignored))
    lost = differences(plan, receipts)
    if lost:
        raise InputNotUsed(f"{plan.engine} did not use what it was given: {'; '.join(lost)}")
    order = {slot.key: slot.position for slot in plan.slots}
    return Result(
        plan=plan,
        outputs=made.outputs,
        receipts=tuple(sorted(receipts, key=lambda receipt: order[receipt.slot])),
        adjustments=(*plan.adjustments, *made.adjustments),
        warnings=(*plan.warnings, *made.warnings),
        versions=made.versions,
    )


def refuse_if(problems: Sequence[Problem]) -> None:
    """Raise ``InvalidRequest`` when there are problems."""
    if problems:
        raise InvalidRequest(problems)


def _passed_over(slot: Slot) -> Receipt:
    """The receipt of an artifact that the caller let the engine pass over."""
    return Receipt(
        slot=slot.key,
        source_sha256=slot.blob.sha256,
        used_sha256="",
        how="ignored",
        uses=(),
        where="nowhere: the engine does not read it, and the request allows that",
    )

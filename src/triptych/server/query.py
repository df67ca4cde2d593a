"""What stands behind the question mark: each name is known or refused, each value is read once."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from starlette.requests import Request

from triptych.errors import Problem
from triptych.jobs.store import Order
from triptych.run import refuse_if
from triptych.server import problem

MOST = 100
USUAL = 20
ORDERS: tuple[Order, ...] = ("asc", "desc")


@dataclass(frozen=True, kw_only=True)
class Paging:
    """Which part of a list: ``limit`` items after an id, the newest first unless ``order`` says otherwise."""

    after: str | None
    limit: int
    order: Order


def only(request: Request, *names: str) -> dict[str, str]:
    """The query of a request.

    Raises:
        InvalidRequest: a name that is not one of ``names``, or one that is given twice.
    """
    found: dict[str, str] = {}
    problems = []
    for name, value in request.query_params.multi_items():
        if name not in names:
            problems.append(_unknown(name, names))
        elif found.setdefault(name, value) != value:
            problems.append(Problem(code="conflicting_parameters", field=name, message="it is given twice"))
    refuse_if(problems)
    return found


def paging(request: Request, *more: str) -> Paging:
    """The part of a list that a request asks for.

    Raises:
        InvalidRequest: a limit out of 1..100, or an order that is no such word.
    """
    query = only(request, "after", "limit", "order", *more)
    order = query.get("order", "desc")
    known = next((each for each in ORDERS if each == order), None)
    if known is None:
        raise problem.invalid(
            "order", f"{order[:100]!r} is no order", value=order[:100], limit=list(ORDERS), fix="Say asc or desc"
        )
    return Paging(
        after=query.get("after") or None,
        limit=whole(query, "limit", default=USUAL, least=1, most=MOST),
        order=known,
    )


def whole(query: dict[str, str], name: str, *, default: int, least: int, most: int) -> int:
    """A whole number of a query.

    Raises:
        InvalidRequest: it is none, or out of range.
    """
    text = query.get(name)
    if text is None:
        return default
    if text.isascii() and text.isdecimal() and len(text) < 10 and least <= int(text) <= most:
        return int(text)
    raise problem.invalid(
        name, f"{text[:100]!r} is not a whole number from {least} to {most}", value=text[:100], limit=[least, most]
    )


def _unknown(name: str, names: tuple[str, ...]) -> Problem:
    close = difflib.get_close_matches(name, names, n=1)
    there = ", ".join(names)
    fix = f"Did you mean {close[0]}?" if close else f"There is {there}" if there else "Leave it out"
    return Problem(code="unknown_parameter", field=name[:100], message="this address has no such parameter", fix=fix)

"""May it run? Every rule, in the order in which problems are reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from triptych.errors import Problem
from triptych.rules import bound, length, naming, role, setting, size, span
from triptych.rules.case import Case
from triptych.rules.spec import EngineSpec
from triptych.task import Request

RULES: tuple[Callable[[Case], Iterator[Problem]], ...] = (
    setting.prompt_rule,
    setting.task_rule,
    role.role_rule,
    role.caps_rule,
    role.combination_rule,
    role.soundtrack_rule,
    bound.window_rule,
    bound.bounds_rule,
    naming.tag_rule,
    size.size_rule,
    size.shape_rule,
    bound.fit_rule,
    length.timing_rule,
    span.frames_rule,
    span.whole_rule,
    span.span_rule,
    span.speech_rule,
    span.lines_rule,
    setting.count_rule,
    setting.audio_rule,
    setting.option_rule,
    naming.artifact_rule,
)


def problems(case: Case) -> tuple[Problem, ...]:
    """Everything that is wrong, as far as can be told from what has been seen; in the order of ``RULES``.

    Where a number is none, that alone is told: no rule can reckon with it.
    """
    return tuple(setting.number_problems(case)) or tuple(problem for rule in RULES for problem in rule(case))


def check(request: Request, spec: EngineSpec) -> tuple[Problem, ...]:
    """Everything that is wrong and that needs no byte of any input."""
    return problems(Case(request=request, spec=spec))

from __future__ import annotations

from dataclasses import fields

import pytest

from triptych.errors import PROBLEM_CODES
from triptych.task import Probe
from triptych.testing.trap import TRAPS, Trap

_FIELDS = {item.name for item in fields(Probe)}


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)
def test_each_trap_states_one_outcome(trap: Trap) -> None:
    assert bool(trap.refused) != bool(trap.seen)
    assert not trap.refused or trap.refused in PROBLEM_CODES
    assert set(trap.seen) <= _FIELDS
    assert "/" not in trap.name

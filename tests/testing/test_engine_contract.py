"""The contract passes a good engine, and fails one for each thing that it breaks."""

from __future__ import annotations

import _socket
import asyncio
import secrets
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from triptych.engines.base import Context, Engine
from triptych.errors import ChildCrashed, EngineFailed, InputNotUsed
from triptych.rules.spec import Caps, EngineSpec, RoleRule
from triptych.task import Artifact, BytesSource, EngineEvent, Made, Modality, Plan, Progress, Request, Role
from triptych.testing import engine_contract, witness
from triptych.testing.double import ANYTHING, DoubleEngine, Fault
from triptych.testing.engine_contract import EngineContract

SMALL = replace(ANYTHING, roles={}, caps=Caps())
"""Notes alone, so that nothing has to be decoded."""


def note(text: str) -> Artifact:
    return Artifact(id="double.note", kind="text", source=BytesSource(text.encode()), field=f"note {text}")


REQUESTS = (Request(prompt="a boat", artifacts=(note("one"), note("two"))), Request(prompt="a boat"))


def contract(make: Callable[[], Engine], requests: Sequence[Request] = REQUESTS) -> EngineContract:
    """The contract of one engine, in a class of its own."""

    class Contract(EngineContract):
        def engine(self) -> Engine:
            return make()

        def requests(self) -> Sequence[Request]:
            return requests

    return Contract()


class Good(DoubleEngine):
    def __init__(self, spec: EngineSpec = SMALL, *, fault: Fault | None = None) -> None:
        super().__init__(spec, fault=fault)


class Altered(Good):
    """A good engine, each of whose events is put through ``alter``."""

    def alter(self, event: EngineEvent, context: Context) -> Sequence[EngineEvent]:
        raise NotImplementedError

    async def run(self, plan: Plan, context: Context) -> AsyncGenerator[EngineEvent, None]:
        async with aclosing(super().run(plan, context)) as events:
            async for event in events:
                for one in self.alter(event, context):
                    yield one


TESTS = tuple(name for name in vars(EngineContract) if name.startswith("test_"))


@pytest.mark.parametrize("name", TESTS)
def test_a_good_engine_passes(name: str) -> None:
    getattr(contract(Good), name)()


def test_each_request_is_run_once_for_all_that_looks_at_its_result() -> None:
    made: list[Good] = []

    def make() -> Engine:
        made.append(Good())
        return made[-1]

    one = contract(make)
    for _ in range(3):
        one.test_every_input_has_one_receipt()
        one.test_outputs_are_what_it_says()
        one.test_progress_never_falls_and_ends_full()
    assert sum(engine.calls for engine in made) == len(REQUESTS)


def test_a_role_or_a_kind_that_is_left_out_is_told() -> None:
    both = frozenset({Modality.IMAGE, Modality.AUDIO})
    spec = replace(
        SMALL,
        roles={
            Role.FIRST_FRAME: RoleRule(modalities=frozenset({Modality.IMAGE})),
            Role.REFERENCE: RoleRule(modalities=both),
        },
    )
    with pytest.raises(AssertionError, match="leave out: first_frame image, reference audio, reference image"):
        contract(lambda: Good(spec)).test_the_requests_use_every_role()


class Lenient(Good):
    """Says less when it counts than when it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self._asked = 0

    @property
    def spec(self) -> EngineSpec:
        self._asked += 1
        return replace(SMALL, max_outputs=1 if self._asked <= 2 else 4)


def test_what_is_accepted_against_the_spec_is_told() -> None:
    engine = Lenient()
    with pytest.raises(AssertionError, match="accepted: too many videos"):
        contract(lambda: engine).test_it_refuses_what_its_spec_refuses()


@pytest.mark.parametrize("fault", ["skip", "double", "swap", "partial", "invent", "unread", "nothing"])
def test_a_lost_input_is_caught(fault: Fault) -> None:
    with pytest.raises(InputNotUsed):
        contract(lambda: Good(fault=fault)).test_every_input_has_one_receipt()


class Wordless(Altered):
    def alter(self, event: EngineEvent, context: Context) -> Sequence[EngineEvent]:
        if isinstance(event, Made):
            return [replace(event, receipts=tuple(replace(one, where="") for one in event.receipts))]
        return [event]


def test_a_receipt_without_a_place_is_caught() -> None:
    with pytest.raises(InputNotUsed, match="the receipt does not say where it was used"):
        contract(Wordless).test_every_input_has_one_receipt()


class Liar(Altered):
    def alter(self, event: EngineEvent, context: Context) -> Sequence[EngineEvent]:
        if isinstance(event, Made):
            return [replace(event, outputs=(replace(event.outputs[0], sha256="0" * 64),))]
        return [event]


class Stray(Altered):
    folder = Path()

    def alter(self, event: EngineEvent, context: Context) -> Sequence[EngineEvent]:
        if isinstance(event, Made):
            path = self.folder / "stray.mp4"
            path.write_bytes(b"")
            return [replace(event, outputs=(replace(event.outputs[0], path=str(path)),))]
        return [event]


def test_an_output_that_is_not_what_it_says_is_caught(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        contract(Liar).test_outputs_are_what_it_says()
    Stray.folder = tmp_path
    with pytest.raises(AssertionError, match="not in the run's folder"):
        contract(Stray).test_outputs_are_what_it_says()


class Faller(Altered):
    def alter(self, event: EngineEvent, context: Context) -> Sequence[EngineEvent]:
        return [event, replace(event, done=event.done - 1)] if isinstance(event, Progress) else [event]


class Shifter(Altered):
    def alter(self, event: EngineEvent, context: Context) -> Sequence[EngineEvent]:
        return [replace(event, total=event.total + event.done)] if isinstance(event, Progress) else [event]


class Quitter(Altered):
    def alter(self, event: EngineEvent, context: Context) -> Sequence[EngineEvent]:
        return [replace(event, total=99)] if isinstance(event, Progress) else [event]


class Silent(Altered):
    def alter(self, event: EngineEvent, context: Context) -> Sequence[EngineEvent]:
        return [] if isinstance(event, Progress) else [event]


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        (Faller, "progress fell"),
        (Shifter, "the total changed"),
        (Quitter, "the last progress is not full"),
        (Silent, "no progress was told"),
    ],
)
def test_progress_that_misleads_is_caught(engine: type[Engine], words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        contract(engine).test_progress_never_falls_and_ends_full()


class Talker(Altered):
    def alter(self, event: EngineEvent, context: Context) -> Sequence[EngineEvent]:
        return [event, Progress(stage="more", done=3, total=3)] if isinstance(event, Made) else [event]


class Twice(Altered):
    def alter(self, event: EngineEvent, context: Context) -> Sequence[EngineEvent]:
        return [event, event] if isinstance(event, Made) else [event]


@pytest.mark.parametrize("engine", [Talker, Twice])
def test_going_on_after_the_result_is_caught(engine: type[Engine]) -> None:
    with pytest.raises(EngineFailed, match="went on after it had ended"):
        contract(engine).test_progress_never_falls_and_ends_full()


class Moody(Altered):
    def alter(self, event: EngineEvent, context: Context) -> Sequence[EngineEvent]:
        if isinstance(event, Made):
            data = secrets.token_bytes(8)
            Path(event.outputs[0].path).write_bytes(data)
        return [event]


def test_other_bytes_from_the_same_seed_are_caught() -> None:
    with pytest.raises(AssertionError):
        contract(Moody).test_the_same_seed_gives_the_same_bytes()


class Parent(Good):
    """Starts a process of its own and forgets it."""

    started: list[subprocess.Popen[bytes]]

    async def run(self, plan: Plan, context: Context) -> AsyncGenerator[EngineEvent, None]:
        self.started.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))
        async with aclosing(super().run(plan, context)) as events:
            async for event in events:
                yield event


STOPPING = ("test_closing_it_stops_it", "test_cancelling_the_task_stops_it")


@pytest.mark.parametrize("name", [*STOPPING, "test_every_input_has_one_receipt"])
def test_a_process_that_runs_on_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witness, "_GRACE_SECONDS", 0.05)
    Parent.started = []
    try:
        with pytest.raises(AssertionError, match=r"processes (of it run on|were left behind)"):
            getattr(contract(Parent), name)()
    finally:
        for process in Parent.started:
            process.communicate()


class Dreamer(Good):
    """Goes on in a thread."""

    stop: threading.Event

    async def run(self, plan: Plan, context: Context) -> AsyncGenerator[EngineEvent, None]:
        threading.Thread(target=self.stop.wait, name="dream").start()
        async with aclosing(super().run(plan, context)) as events:
            async for event in events:
                yield event


@pytest.mark.parametrize("name", STOPPING)
def test_a_thread_that_runs_on_is_caught(name: str) -> None:
    Dreamer.stop = threading.Event()
    try:
        with pytest.raises(AssertionError, match="threads of it run on: dream"):
            getattr(contract(Dreamer), name)()
    finally:
        Dreamer.stop.set()


class Deaf(Good):
    """Does not hear that it should stop."""

    async def run(self, plan: Plan, context: Context) -> AsyncGenerator[EngineEvent, None]:
        async with aclosing(super().run(plan, context)) as events:
            async for event in events:
                yield event
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(0.3)
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(0.3)


def test_an_engine_that_cannot_be_stopped_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_contract, "STOP_SECONDS", 0.1)
    with pytest.raises(AssertionError, match="cancelled, and it still runs after"):
        contract(Deaf).test_cancelling_the_task_stops_it()


class Caller(Good):
    """Looks something up, and says nothing when that fails."""

    async def run(self, plan: Plan, context: Context) -> AsyncGenerator[EngineEvent, None]:
        with suppress(OSError), closing(_socket.socket()) as one:
            one.connect(("192.0.2.1", 9))
        async with aclosing(super().run(plan, context)) as events:
            async for event in events:
                yield event


class HiddenCaller(Good):
    """Lets a child do it."""

    async def run(self, plan: Plan, context: Context) -> AsyncGenerator[EngineEvent, None]:
        dial = context.host.call("triptych.testing.child_target:dial", {"address": ["192.0.2.1", 9]})
        assert [item async for item in dial]
        async with aclosing(super().run(plan, context)) as events:
            async for event in events:
                yield event


def test_use_of_the_network_is_caught_here_and_in_a_child() -> None:
    with pytest.raises(AssertionError, match=r"the network had been used: socket.connect \('192.0.2.1', 9\)"):
        contract(Caller).test_every_input_has_one_receipt()
    with pytest.raises(ChildCrashed, match="the network was used"):
        contract(HiddenCaller).test_every_input_has_one_receipt()

"""The studio: a private folder, bounded children, and one error with one code."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from triptych.engines.registry import Registry
from triptych.errors import EngineFailed, InputChanged, InvalidRequest, NotFound, TriptychError
from triptych.media import fetch
from triptych.media.url import Guard
from triptych.process.host import Host, Limits
from triptych.process.report import ChildDetailError
from triptych.rules.spec import Speech
from triptych.run import execute, prepare
from triptych.studio import Studio, wanted
from triptych.task import (
    Artifact,
    Blob,
    BytesSource,
    Modality,
    PathSource,
    Reference,
    Request,
    Role,
    Source,
    URLSource,
)
from triptych.testing.double import ANYTHING, DoubleEngine
from triptych.testing.media import make_clip, picture_bytes, quarters


def artifact(source: Source, field: str = "artifacts[0]") -> Artifact:
    return Artifact(id="double.note", kind="text", source=source, field=field)


def request(*sources: Source) -> Request:
    artifacts = tuple(artifact(source, f"artifacts[{position}]") for position, source in enumerate(sources))
    return Request(prompt="a boat", engine="double", artifacts=artifacts)


def double() -> Registry:
    return DoubleEngine().registry()


def anywhere(max_bytes: int = 1 << 20) -> fetch.Policy:
    return fetch.Policy(roots=None, max_bytes=max_bytes)


def test_the_private_folder_is_its_owners_alone_and_goes_with_the_studio(tmp_path: Path) -> None:
    async def run() -> Path:
        async with Studio(registry=double(), work_dir=tmp_path) as studio:
            plan = await prepare(request(BytesSource(b"x")), studio)
            assert studio.root.parent == tmp_path
            assert studio.root.stat().st_mode & 0o077 == 0
            assert [type(event).__name__ async for event in execute(plan, studio)][-1] == "Result"
            assert list(studio.root.glob("run-*/double.mp4"))
            return studio.root

    root = asyncio.run(run())
    assert not root.exists()
    assert list(tmp_path.iterdir()) == []


def test_the_private_folder_goes_when_the_block_fails(tmp_path: Path) -> None:
    async def run() -> None:
        async with Studio(registry=double(), work_dir=tmp_path):
            raise RuntimeError("in the block")

    with pytest.raises(RuntimeError, match="in the block"):
        asyncio.run(run())
    assert list(tmp_path.iterdir()) == []


def test_outside_its_block_there_is_no_folder() -> None:
    with pytest.raises(RuntimeError, match="use it in an 'async with' block"):
        _ = Studio(registry=double()).root


def test_a_folder_that_cannot_be_made_is_told_with_its_place(tmp_path: Path) -> None:
    async def run() -> None:
        async with Studio(registry=double(), work_dir=tmp_path / "no"):
            raise AssertionError("it opened")

    with pytest.raises(TriptychError, match=rf"no working folder can be made in {tmp_path}/no: No such file"):
        asyncio.run(run())


def test_bytes_that_are_gone_are_told_before_the_engine_starts() -> None:
    engine = DoubleEngine()

    async def run() -> None:
        async with Studio(registry=engine.registry()) as studio:
            plan = await prepare(request(BytesSource(b"x"), BytesSource(b"y")), studio)
            Path(plan.slots[1].blob.path).unlink()
            with pytest.raises(NotFound, match=r"the bytes of artifacts\[1\] are gone; prepare the request again"):
                await anext(execute(plan, studio))

    asyncio.run(run())
    assert engine.calls == 0


@pytest.mark.parametrize("error", [InputChanged("a: it changed"), TriptychError("no room left"), EngineFailed("broke")])
def test_an_error_while_inputs_come_in_arrives_as_itself(error: TriptychError, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not as a group, and with its own cause."""
    detail = ChildDetailError("what the child said")

    def fail(source: Source, **_: object) -> Blob:
        raise error from detail

    monkeypatch.setattr(fetch, "fetch", fail)

    async def run() -> None:
        async with Studio(registry=double()) as studio:
            await prepare(request(BytesSource(b"x"), BytesSource(b"y")), studio)

    with pytest.raises(type(error)) as caught:
        asyncio.run(run())
    assert caught.value is error
    assert caught.value.__cause__ is detail


def test_all_inputs_that_cannot_be_read_are_told_in_their_order() -> None:
    async def run() -> list[str]:
        async with Studio(registry=double(), policy=anywhere(4)) as studio:
            sources = (PathSource("/no/such"), BytesSource(b"four"), BytesSource(b"too long"), PathSource("/none"))
            with pytest.raises(InvalidRequest) as caught:
                await prepare(request(*sources), studio)
            return [f"{problem.code} {problem.field}" for problem in caught.value.problems]

    assert asyncio.run(run()) == [
        "media_not_found artifacts[0]",
        "media_too_large artifacts[2]",
        "media_not_found artifacts[3]",
    ]


def waiting(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event]:
    """Let ``fetch`` wait: it says that it has begun, and goes on when it is told to."""
    begun, go_on = threading.Event(), threading.Event()
    real: Callable[..., Blob] = fetch.fetch

    def slow(source: Source, **said: object) -> Blob:
        begun.set()
        assert go_on.wait(10)
        return real(source, **said)

    monkeypatch.setattr(fetch, "fetch", slow)
    return begun, go_on


def test_others_go_on_while_an_input_is_brought_in(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = waiting(monkeypatch)

    async def run() -> None:
        async with Studio(registry=double()) as studio:
            preparing = asyncio.create_task(prepare(request(BytesSource(b"x")), studio))
            while not begun.is_set():
                await asyncio.sleep(0)  # this runs although the input is not there yet
            assert not preparing.done()
            go_on.set()
            await preparing

    asyncio.run(run())


def test_the_folder_stays_until_a_copy_that_was_stopped_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread cannot be stopped; a folder that is removed under it would come back, or the thread would fail."""
    begun, go_on = waiting(monkeypatch)

    async def run() -> None:
        async with Studio(registry=double(), work_dir=tmp_path) as studio:
            preparing = asyncio.create_task(prepare(request(BytesSource(b"x")), studio))
            while not begun.is_set():
                await asyncio.sleep(0)
            preparing.cancel()
            await asyncio.sleep(0)
            assert not preparing.done()
            go_on.set()
            with pytest.raises(asyncio.CancelledError):
                await preparing

    asyncio.run(run())
    assert list(tmp_path.iterdir()) == []


def test_no_more_inputs_are_looked_at_at_once_than_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    lock, now, most = threading.Lock(), [0], [0]
    real: Callable[..., Blob] = fetch.fetch

    def counted(source: Source, **said: object) -> Blob:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        try:
            return real(source, **said)
        finally:
            with lock:
                now[0] -= 1

    monkeypatch.setattr(fetch, "fetch", counted)

    async def run() -> None:
        async with Studio(registry=double(), decoders=1) as studio:
            await prepare(request(*(BytesSource(bytes([n])) for n in range(8))), studio)

    asyncio.run(run())
    assert most[0] == 1


def test_one_file_is_looked_at_for_no_engine(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "clip.mp4", frames=24)

    async def run() -> None:
        async with Studio(registry=double(), policy=anywhere()) as studio:
            probe = await studio.probe(Reference(role=Role.INPUT, source=PathSource(str(path)), field="clip"))
            assert (probe.modality, probe.width, probe.height, probe.frames) == (Modality.VIDEO, 96, 64, 24)

    asyncio.run(run())


def test_the_bound_of_a_decoder_is_kept() -> None:
    picture = Reference(role=Role.INPUT, source=BytesSource(picture_bytes(quarters())), field="picture")

    async def run() -> None:
        async with Studio(registry=double(), decode_limits=Limits(wall_seconds=0.001)) as studio:
            with pytest.raises(InvalidRequest, match=r"picture: .*took longer than its limit of 0.001 s"):
                await studio.probe(picture)

    asyncio.run(run())


def test_frames_of_a_video_come_as_a_folder(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "clip.mp4", frames=5)

    async def run() -> None:
        async with Studio(registry=double()) as studio:
            folder = await studio.export_frames(path)
            assert folder.parent == studio.root
            assert sorted(file.name for file in folder.iterdir()) == [f"frame_{n:06d}.ppm" for n in range(5)]

    asyncio.run(run())


def test_what_a_role_takes_says_what_an_input_is_read_as() -> None:
    reference = Reference(role=Role.FIRST_FRAME, source=BytesSource(b""), field="f")
    assert wanted(reference, ANYTHING) is Modality.IMAGE
    assert wanted(replace(reference, role=Role.REFERENCE), ANYTHING) is None
    assert wanted(replace(reference, role=Role.REFERENCE, modality=Modality.AUDIO), ANYTHING) is Modality.AUDIO
    assert wanted(replace(reference, role=Role.INPUT), ANYTHING) is None


def test_seeds_are_drawn_fresh() -> None:
    seeds = {Studio.draw_seed() for _ in range(20)}
    assert len(seeds) > 15
    assert all(0 <= seed < 1 << 32 for seed in seeds)


def test_a_line_that_the_voice_refuses_is_told_beside_the_inputs_and_in_the_callers_words() -> None:
    """It ended everything, alone and under our own word for the prompt."""
    speaking = replace(ANYTHING, speech=Speech(speaks=True, available=True, install="install it"))
    asked = replace(request(PathSource("/no/such")), prompt=f'she says "{"la " * 200}"', fields={"prompt": "PROMPT"})

    async def run() -> list[str]:
        async with Studio(registry=DoubleEngine(speaking).registry(), policy=anywhere()) as studio:
            seen = await studio.look(asked, speaking)
            return [f"{problem.code} {problem.field}" for problem in seen.problems_with(asked, speaking)]

    assert asyncio.run(run()) == ["media_not_found artifacts[0]", "speech_too_long PROMPT"]


def test_a_studio_that_could_look_at_nothing_is_not_made() -> None:
    with pytest.raises(ValueError, match="with 0 decoders no input would ever be looked at"):
        Studio(registry=double(), decoders=0)


@contextmanager
def silent_server() -> Iterator[tuple[str, threading.Event]]:
    """An address that takes a connection and says nothing, until the block ends; and whether somebody came."""
    came = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def keep() -> None:
            with suppress(OSError):
                connection, _ = listening.accept()
                with connection:
                    came.set()
                    connection.settimeout(30)
                    while connection.recv(65536):
                        pass

        thread = threading.Thread(target=keep)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/a.png", came
        finally:
            with suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)
            thread.join(30)


def fetching(seconds: float) -> fetch.Policy:
    guard = Guard(seconds=seconds, networks=("127.0.0.0/8",))
    return fetch.Policy(roots=None, max_bytes=1 << 20, allow_urls=True, guard=guard)


def test_nothing_waits_for_a_server_that_says_nothing_but_who_named_it() -> None:
    """Its download held a place among those that decode, so that a few of them stopped everybody's requests."""

    async def run() -> None:
        with silent_server() as (address, came):
            async with Studio(registry=double(), policy=fetching(60), decoders=1) as studio:
                waiting = asyncio.ensure_future(prepare(request(URLSource(address)), studio))
                await asyncio.to_thread(came.wait, 30)
                plan = await asyncio.wait_for(prepare(request(BytesSource(b"x")), studio), 30)
                assert plan.slots[0].blob.size_bytes == 1
                assert not waiting.done()
                began = time.monotonic()
                waiting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await waiting
                assert time.monotonic() - began < 20  # of the 60 s that it had
                assert [path.name for path in studio.spool.iterdir() if path.name.startswith("incoming-")] == []

    asyncio.run(run())


def test_what_an_engine_left_open_is_closed_when_its_run_ends() -> None:
    async def run() -> None:
        async with Studio(registry=double()) as studio:
            plan = await prepare(request(BytesSource(b"x")), studio)
            async with studio.work(plan) as context:
                reader = context.open(plan.slots[0])
            with pytest.raises(ValueError, match="closed"):
                reader.read()

    asyncio.run(run())


class Counted(Host):
    """A host that knows how many of its calls ran at once."""

    now = most = 0

    def call(
        self, target: str, params: dict[str, Any], *, limits: Limits | None = None, warm: bool = False
    ) -> AsyncGenerator[dict[str, Any], None]:
        return self._counted(super().call(target, params, limits=limits, warm=warm))

    async def _counted(self, items: AsyncGenerator[dict[str, Any], None]) -> AsyncGenerator[dict[str, Any], None]:
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            async with aclosing(items):
                async for item in items:
                    yield item
        finally:
            self.now -= 1


def test_lines_are_measured_within_the_same_bound_as_inputs() -> None:
    """Each request started a process of its own for its quoted words, however many requests there were."""
    host = Counted()
    spec = replace(ANYTHING, speech=Speech(speaks=True, available=True, install="install it"))
    asked = Request(prompt='she says "yes"', engine="double")

    async def run() -> None:
        async with Studio(registry=DoubleEngine(spec).registry(), decoders=1, host=host) as studio:
            plans = await asyncio.gather(*(prepare(asked, studio) for _ in range(3)))
            assert all(plan.spoken[0].text == "yes" for plan in plans)

    asyncio.run(run())
    assert host.most == 1

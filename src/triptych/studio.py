"""What the walk is done with: engines, a bounded child-process host, a private folder, and a policy for reading."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import tempfile
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from triptych.engines.base import Context
from triptych.engines.registry import Registry
from triptych.errors import InvalidRequest, NotFound, Problem, StorageFailed
from triptych.media import fetch, probe
from triptych.process.host import Host, Limits
from triptych.rules.case import Case
from triptych.rules.check import problems
from triptych.rules.span import lines_of
from triptych.rules.spec import EngineSpec, MediaLimits
from triptych.task import (
    Artifact,
    Blob,
    Modality,
    Pending,
    Plan,
    Probe,
    Reference,
    Request,
    Resolver,
    Result,
    ResultSource,
    URLSource,
)

SEED_BITS = 32

DOWNLOADS = 16
"""How many addresses are fetched at once. They wait for strangers, so nothing else waits for them."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What was found when a request's inputs were brought in and looked at.

    Attributes:
        blobs_by_position: the bytes, by position in ``Request.inputs``.
        probes_by_position: what they are, by position in ``Request.references``.
        problems: of inputs that could not be brought in or read, in the order of the inputs; then of the words.
        spoken_seconds: how long each quoted line takes to say; empty when no voice is here.
    """

    blobs_by_position: Mapping[int, Blob]
    probes_by_position: Mapping[int, Probe]
    problems: tuple[Problem, ...] = ()
    spoken_seconds: tuple[float, ...] = ()

    @property
    def blobs(self) -> tuple[Blob, ...]:
        """The bytes of every input, in order."""
        return tuple(self.blobs_by_position[position] for position in sorted(self.blobs_by_position))

    @property
    def probes(self) -> tuple[Probe, ...]:
        """What was seen of every reference, in order."""
        return tuple(self.probes_by_position[position] for position in sorted(self.probes_by_position))

    def problems_with(self, request: Request, spec: EngineSpec) -> tuple[Problem, ...]:
        """When some input could not be read: its problems, and those of the rest of the request beside them."""
        if not self.problems:
            return ()
        case = Case(request=request, spec=spec, probes=self.probes_by_position, spoken_seconds=self.spoken_seconds)
        return (*self.problems, *problems(case))


class Studio:
    """Holds what a process needs for any number of requests; an async context manager.

    Args:
        registry: the engines; those installed by default.
        policy: which paths and addresses may be read, and how large one input may be.
        resolver: finds stored results; without one, ids of results are refused.
        work_dir: where the private folder is made; the system's temporary folder by default.
        spool: where inputs are kept, each named by its content. Whoever gives it keeps and clears it; without one they
            are in the private folder, and go with it.
        decoders: how many inputs are decoded, and prompts' lines measured, at once.
        decode_limits: of the process that decodes one input.
        host: starts the child processes; one of its own by default. The studio opens and closes it.
    """

    def __init__(
        self,
        *,
        registry: Registry | None = None,
        policy: fetch.Policy | None = None,
        resolver: Resolver | None = None,
        work_dir: Path | None = None,
        spool: Path | None = None,
        decoders: int = 2,
        decode_limits: Limits | None = None,
        host: Host | None = None,
    ) -> None:
        self.registry = Registry.installed() if registry is None else registry
        self.policy = fetch.Policy(roots=(), max_bytes=2 << 30) if policy is None else policy
        self._resolver = resolver
        self._work_dir = work_dir
        self._spool = spool
        if decoders < 1:
            raise ValueError(f"with {decoders} decoders no input would ever be looked at")
        self._decoders = asyncio.Semaphore(decoders)
        self._decode_limits = decode_limits or probe.PROBE_LIMITS
        self._downloads = ThreadPoolExecutor(DOWNLOADS, thread_name_prefix="download")
        self._root: Path | None = None
        self.host = Host() if host is None else host

    async def __aenter__(self) -> Studio:
        """Make the private folder.

        Raises:
            StorageFailed: it cannot be made where it should be.
        """
        try:
            self._root = Path(tempfile.mkdtemp(prefix="triptych-", dir=self._work_dir))
            (self._root / "inputs").mkdir()
        except OSError as error:
            where = self._work_dir or tempfile.gettempdir()
            raise StorageFailed(f"no working folder can be made in {where}: {error.strerror}") from error
        await self.host.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.host.__aexit__(kind, error, trace)
        finally:  # also when whoever waits for us is stopped meanwhile
            self._downloads.shutdown(wait=False)
            if self._root is not None:
                shutil.rmtree(self._root, ignore_errors=True)
                self._root = None

    @property
    def root(self) -> Path:
        """The private folder, while the studio is open."""
        if self._root is None:
            raise RuntimeError("the studio is not open; use it in an 'async with' block")
        return self._root

    @property
    def spool(self) -> Path:
        """Where inputs are kept while the studio is open."""
        return self.root / "inputs" if self._spool is None else self._spool

    @staticmethod
    def draw_seed() -> int:
        """A fresh seed, for engines without a default one."""
        return secrets.randbits(SEED_BITS)

    def unreachable(self, request: Request) -> tuple[Problem, ...]:
        """What can be said against the inputs without reading one: not there, not allowed, too large."""
        found: list[Problem] = []
        for one in request.inputs:
            if not isinstance(one.source, ResultSource):
                found += fetch.unreachable(one.source, field=one.field, policy=self.policy)
        return tuple(found)

    async def look(self, request: Request, spec: EngineSpec, *, resolver: Resolver | None = None) -> Seen:
        """Bring every input in, and look at it; problems are gathered, not raised.

        Args:
            request: whose inputs.
            spec: of the engine that they are for.
            resolver: finds the results that this caller may name; the studio's by default.
        """
        blobs: dict[int, Blob] = {}
        probes: dict[int, Probe] = {}
        found: dict[int, tuple[Problem, ...]] = {}

        async def look_at(position: int, one: Reference | Artifact) -> None:
            try:
                blob = await self._bring_in(one, resolver)
                if isinstance(blob, Pending):
                    blobs[position] = Blob(path="", sha256="", size_bytes=0, awaits=blob.id)
                    if isinstance(one, Reference):
                        probes[position] = _expected(one, blob, spec)
                    return
                blobs[position] = blob
                if isinstance(one, Reference):
                    probes[position] = await self._probe(one, blob, spec)
            except InvalidRequest as refusal:
                found[position] = refusal.problems

        async def measure() -> tuple[float, ...]:
            try:
                return await self._measure(lines_of(request), spec, field=request.called("prompt"))
            except InvalidRequest as refusal:
                found[len(request.inputs)] = refusal.problems  # after those of every input
                return ()

        try:
            async with asyncio.TaskGroup() as group:
                for position, one in enumerate(request.inputs):
                    group.create_task(look_at(position, one))
                spoken = group.create_task(measure())
        except BaseExceptionGroup as failed:
            first = failed.exceptions[0]
            raise first from first.__cause__  # one error with one code and its own cause, as from any other step
        return Seen(
            blobs_by_position=blobs,
            probes_by_position=probes,
            problems=tuple(problem for position in sorted(found) for problem in found[position]),
            spoken_seconds=spoken.result(),
        )

    async def _bring_in(self, one: Reference | Artifact, resolver: Resolver | None = None) -> Blob | Pending:
        resolver = resolver or self._resolver
        if isinstance(one.source, URLSource):
            return await self._fetch(one, self._downloads)
        async with self._decoders:
            if isinstance(one.source, ResultSource) and resolver is not None:
                return await asyncio.to_thread(resolver.resolve, one.source, field=one.field)
            return await self._fetch(one, None)

    async def _fetch(self, one: Reference | Artifact, executor: Executor | None) -> Blob:
        stop = threading.Event()

        def fetch_it() -> Blob:
            return fetch.fetch(one.source, field=one.field, policy=self.policy, spool=self.spool, stop=stop)

        copying = asyncio.get_running_loop().run_in_executor(executor, fetch_it)
        try:
            return await asyncio.shield(copying)
        except asyncio.CancelledError:
            # A thread cannot be stopped, and its folder must not go before it ends.
            stop.set()
            await asyncio.gather(copying, return_exceptions=True)
            raise

    async def probe(self, reference: Reference) -> Probe:
        """Bring one file in and look at it, for no engine in particular.

        Raises:
            InvalidRequest: it cannot be read.
        """
        blob = await self._bring_in(reference)
        if isinstance(blob, Pending):
            return blob.probe
        return await self._decode(reference, blob, reference.modality, {})

    async def export_frames(self, video: Path) -> Path:
        """Every frame of a finished video as a folder of numbered pictures (``frame_000000.ppm`` …)."""
        folder = Path(tempfile.mkdtemp(prefix="frames-", dir=self.root))
        limits = Limits(file_bytes=None, wall_seconds=None)
        params = {"path": str(video), "folder": str(folder)}
        async with aclosing(self.host.call("triptych.media.export:export_frames", params, limits=limits)) as told:
            async for _ in told:
                pass
        return folder

    async def _probe(self, reference: Reference, blob: Blob, spec: EngineSpec) -> Probe:
        return await self._decode(reference, blob, wanted(reference, spec), spec.limits)

    async def _decode(
        self,
        reference: Reference,
        blob: Blob,
        as_: Modality | None,
        limits: Mapping[Modality, MediaLimits],
    ) -> Probe:
        async with self._decoders:
            return await probe.probe(
                self.host,
                blob,
                field=reference.field,
                as_=as_,
                limits=limits,
                start_seconds=reference.start_seconds or 0.0,
                seconds=reference.seconds,
                process_limits=self._decode_limits,
            )

    async def _measure(self, lines: Sequence[str], spec: EngineSpec, *, field: str) -> tuple[float, ...]:
        """How long each line takes to say, by the voice that will say it."""
        if not (lines and spec.speech.speaks and spec.speech.available):
            return ()
        measured: tuple[float, ...] = ()
        params = {"lines": list(lines), "field": field}
        call = self.host.call("triptych.media.voice:measure_lines", params)
        async with self._decoders, aclosing(call) as told:
            async for each in told:
                measured = tuple(float(seconds) for seconds in each["seconds"])
        return measured

    @asynccontextmanager
    async def work(self, plan: Plan) -> AsyncIterator[Context]:
        """A context for one run of a plan. Its folder is removed when the run fails or is stopped."""
        missing = [slot.field for slot in plan.slots if not Path(slot.blob.path).is_file()]
        if missing:
            raise NotFound(f"the bytes of {', '.join(missing)} are gone; prepare the request again")
        try:
            workdir = Path(tempfile.mkdtemp(prefix="run-", dir=self.root))
        except OSError as error:
            raise StorageFailed(f"no folder can be made for the run: {error.strerror}") from error
        context = Context(workdir=workdir, host=self.host)
        try:
            yield context
        except BaseException:
            shutil.rmtree(workdir, ignore_errors=True)
            raise
        finally:
            context.close()

    def discard(self, result: Result) -> None:
        """Remove what a run left: its outputs, if nobody moved them away, and their folder."""
        for folder in {Path(output.path).parent for output in result.outputs}:
            if folder.parent == self.root:
                shutil.rmtree(folder, ignore_errors=True)


def _expected(one: Reference, pending: Pending, spec: EngineSpec) -> Probe:
    """What a result that is still being made will be, if it may stand where it was put."""
    kind = wanted(one, spec)
    if kind not in (None, pending.probe.modality):
        raise InvalidRequest(
            [
                Problem(
                    code="unsupported_modality",
                    field=one.field,
                    message=f"{pending.id} will be {'an' if pending.probe.modality[0] in 'aeiou' else 'a'} "
                    f"{pending.probe.modality}, and {kind} is wanted",
                    value=str(pending.probe.modality),
                    limit=str(kind),
                    fix="Name another piece of that result",
                )
            ]
        )
    return pending.probe


def wanted(reference: Reference, spec: EngineSpec) -> Modality | None:
    """What an input is to be read as: as stated, or the only kind that its role takes; ``None`` lets the bytes say."""
    rule = spec.roles.get(reference.role)
    if reference.modality is None and rule is not None and len(rule.modalities) == 1:
        return next(iter(rule.modalities))
    return reference.modality


__all__ = ["Seen", "Studio", "wanted"]

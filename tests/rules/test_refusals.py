"""The table of refusals (refusals.toml), row by row: what is told, all of it, and that no engine was started."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tomllib
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from tests.rules.example import AUDIO, H3_LIKE, HOSTED, IMAGE, MUTE, SPEAKING, blob, clip, image, sound, told
from triptych.cli.main import main
from triptych.engines.animatic.engine import Animatic
from triptych.engines.animatic.spec import animatic_spec
from triptych.errors import InvalidRequest, Problem
from triptych.media.fetch import Policy
from triptych.rules.check import check
from triptych.rules.plan import plan
from triptych.rules.spec import EngineSpec
from triptych.run import execute, prepare
from triptych.studio import Studio
from triptych.task import (
    Artifact,
    BytesSource,
    DataURLSource,
    EngineEvent,
    Fit,
    Modality,
    PathSource,
    Plan,
    Probe,
    Reference,
    Request,
    ResultSource,
    Role,
    Source,
    Task,
    URLSource,
)
from triptych.testing.double import ANYTHING, DoubleEngine
from triptych.testing.media import numbered, picture_bytes
from triptych.testing.trap import TRAPS

Row = Mapping[str, Any]

TABLE: dict[str, list[Row]] = tomllib.loads(Path(__file__).with_name("refusals.toml").read_text(encoding="utf-8"))
SPECS: Mapping[str, EngineSpec] = MappingProxyType(
    {spec.name: spec for spec in (ANYTHING, H3_LIKE, HOSTED, SPEAKING, MUTE, animatic_spec())}
)
REAL = ("trap", "path", "url", "data", "result")
LARGEST_INPUT_BYTES = 1 << 20
TYPED_TRAPS = ("gray.png", "cut.png", "s16.wav", "noaudio.mp4")


def is_real(row: Row) -> bool:
    """Whether a row's inputs are files, addresses and the like, and not made-up probes."""
    return any(name in one for one in row.get("inputs", []) for name in REAL)


def is_seen(row: Row) -> bool:
    """Whether a row says what the bytes of its inputs turned out to be."""
    return any("seen" in one for one in row.get("inputs", [])) or "spoken" in row


REAL_ROWS = [row for row in TABLE["refusal"] if is_real(row)]
PURE_ROWS = [row for row in TABLE["refusal"] if not is_real(row)]


def name_of(row: Row) -> str:
    return str(row["name"])


def source_of(one: Row, folder: Path) -> Source:
    if "trap" in one:
        return PathSource(str(folder / one["trap"]))
    if "path" in one:
        return PathSource(str(folder / one["path"]) if ":" not in one["path"] else one["path"])
    if "url" in one:
        return URLSource(one["url"])
    if "data" in one:
        return DataURLSource(one["data"])
    return ResultSource(one["result"]) if "result" in one else BytesSource(b"nobody looks at this")


def request_of(row: Row, folder: Path = Path()) -> Request:
    inputs = [
        {"kind": kind, "field": f"{kind}[{index}]"} for kind, count in row.get("many", []) for index in range(count)
    ]
    references = tuple(
        Reference(
            role=Role(one.get("role", "reference")),
            source=source_of(one, folder),
            field=one["field"],
            modality=Modality(one["kind"]) if "kind" in one else None,
            name=one.get("name"),
            sound=one.get("sound", False),
            soundtrack_of=one.get("of"),
            fit=Fit(one["fit"]) if "fit" in one else None,
            start_seconds=one.get("from"),
            seconds=one.get("seconds"),
        )
        for one in (*inputs, *row.get("inputs", []))
    )
    artifacts = tuple(
        Artifact(**one, source=BytesSource(b""), field=f"artifacts[{index}]")
        for index, one in enumerate(row.get("artifacts", []))
    )
    settings = dict(row.get("settings", {}))
    task, fit = settings.pop("task", None), settings.pop("fit", None)
    return Request(
        prompt="x" * row["prompt_chars"] if "prompt_chars" in row else row.get("prompt", "a boat"),
        references=references,
        artifacts=artifacts,
        engine=row["engine"],
        options=row.get("options", {}),
        fields=row.get("fields", {}),
        task=Task(task) if task else None,
        fit=Fit(fit) if fit else None,
        **settings,
    )


def probe_of(one: Row) -> Probe:
    """A made-up look at an input that has none of its own, or the one that the row says."""
    seen = dict(one.get("seen", {}))
    kind = seen.pop("kind", one.get("kind", "image"))
    looks: dict[str, Callable[..., Probe]] = {"image": image, "video": clip, "audio": sound}
    return looks[kind](**seen)


Outcome = tuple[tuple[Problem, ...], int, int]
"""The problems, the exit code, and how often the engine was started."""


async def outcome(request: Request, spec: EngineSpec, policy: Policy, studio: Studio) -> Outcome:
    """The whole walk, in a studio that others have used before."""
    engine = DoubleEngine(spec)
    studio.registry, studio.policy = engine.registry(), policy
    try:
        async for _ in execute(await prepare(request, studio), studio):
            pass
    except InvalidRequest as refusal:
        return refusal.problems, refusal.exit_code, engine.calls
    return (), 0, engine.calls


async def outcome_alone(request: Request, spec: EngineSpec, policy: Policy) -> Outcome:
    """The whole walk, in a studio of its own."""
    async with Studio(registry=DoubleEngine(spec).registry()) as studio:
        return await outcome(request, spec, policy, studio)


def hold(row: Row, problems: tuple[Problem, ...]) -> None:
    """What every refusal must keep, and what this one says."""
    assert told(problems) == [tuple(pair) for pair in row["problems"]]
    text = "\n".join(map(str, problems))
    assert [words for words in row.get("says", []) if words not in text] == []
    for problem in problems:
        assert json.dumps(problem.as_json(), allow_nan=False, ensure_ascii=False).encode("utf-8")
        assert not problem.message.endswith(".")


def test_the_table_is_large_and_each_row_has_its_own_name() -> None:
    rows = [*TABLE["refusal"], *TABLE["command"]]
    assert len(rows) >= 80
    assert len({name_of(row) for row in rows}) == len(rows)
    assert sum(len(row["problems"]) >= 5 for row in rows) >= 3


@pytest.mark.parametrize("row", PURE_ROWS, ids=name_of)
def test_refused_by_rule(row: Row) -> None:
    request, spec = request_of(row), SPECS[row["engine"]]
    if not is_seen(row):
        problems, exit_code, calls = asyncio.run(outcome_alone(request, spec, Policy(roots=(), max_bytes=1000)))
        assert problems == check(request, spec), "what needs no bytes is refused before any byte is read"
        assert (exit_code, calls) == (1, 0)
        hold(row, problems)
        return
    assert check(request, spec) == (), "this one is for the bytes to show"
    probes = [probe_of(one) for one in row.get("inputs", [])]
    blobs = [blob(index) for index in range(len(request.inputs))]
    with pytest.raises(InvalidRequest) as refused:
        plan(request, spec, probes, blobs, seed=0, spoken_seconds=row.get("spoken", ()))
    assert refused.value.exit_code == 1
    hold(row, refused.value.problems)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every file that a row names, and some that are none."""
    here = tmp_path_factory.mktemp("refusals") / "here"
    here.mkdir()
    wanted = {one["trap"] for row in REAL_ROWS for one in row["inputs"] if "trap" in one} | set(TYPED_TRAPS)
    for trap in TRAPS:
        if trap.name in wanted:
            trap.make(here / trap.name)
    (here.parent / "elsewhere.png").write_bytes((here / "gray.png").read_bytes())
    (here / "large.bin").write_bytes(bytes(LARGEST_INPUT_BYTES + 1))
    shutil.copyfile(here / "noaudio.mp4", here / "made.mp4")
    os.mkfifo(here / "pipe")
    (here / "hollow").mkdir()
    (here / "gap").mkdir()
    for number in (0, 1, 3):
        (here / "gap" / f"frame_{number:06d}.png").write_bytes(picture_bytes(numbered(number)))
    return here


@pytest.fixture(scope="module")
def outcomes(folder: Path) -> Mapping[str, Outcome]:
    """What became of each row with real inputs; one walk each."""

    def policy(row: Row) -> Policy:
        return Policy(roots=None if row.get("anywhere") else (folder,), max_bytes=LARGEST_INPUT_BYTES)

    async def walk_all() -> dict[str, Outcome]:
        async with Studio(registry=DoubleEngine().registry()) as studio:
            return {
                name_of(row): await outcome(request_of(row, folder), SPECS[row["engine"]], policy(row), studio)
                for row in REAL_ROWS
            }

    return asyncio.run(walk_all())


@pytest.mark.parametrize("row", REAL_ROWS, ids=name_of)
def test_refused_on_the_walk(row: Row, outcomes: Mapping[str, Outcome]) -> None:
    problems, exit_code, calls = outcomes[name_of(row)]
    assert (exit_code, calls) == (1, 0)
    hold(row, problems)


@pytest.fixture
def renders(monkeypatch: pytest.MonkeyPatch) -> list[Plan]:
    """The plans that the preview engine was started with."""
    started: list[Plan] = []

    async def run(self: Animatic, plan: Plan, context: object) -> AsyncGenerator[EngineEvent, None]:
        started.append(plan)
        nothing: list[EngineEvent] = []
        for event in nothing:
            yield event

    monkeypatch.setattr(Animatic, "run", run)
    return started


@pytest.mark.parametrize("row", TABLE["command"], ids=name_of)
def test_refused_as_typed(
    row: Row,
    folder: Path,
    renders: list[Plan],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    assert main(["video", *row["typed"]]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = [line.removeprefix("  - ") for line in printed.err.splitlines() if line.startswith("  - ")]
    fields = row["problems"]
    assert len(lines) >= len(fields)
    remaining = iter(lines)
    for field in fields:
        assert any(line.startswith(f"{field}: ") for line in remaining), f"{field} is not told, or not in its place"
    assert [words for words in row["says"] if words not in printed.err] == []
    assert renders == []
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_the_double_would_have_run(folder: Path) -> None:
    """The rows are refused for what is wrong with them, and not by how they are tried."""
    right = {
        "engine": "double",
        "prompt": "Image 1",
        "inputs": [{"kind": "image", "field": "a", "trap": "gray.png"}],
    }
    policy = Policy(roots=(folder,), max_bytes=LARGEST_INPUT_BYTES)
    assert asyncio.run(outcome_alone(request_of(right, folder), ANYTHING, policy)) == ((), 0, 1)
    assert told(check(replace(request_of(right), prompt=""), ANYTHING)) == [("missing_required_parameter", "prompt")]
    assert {IMAGE, AUDIO} <= set(Modality)

"""The flow: measure, compare with the floors, and say what was aimed at. Loopback only.

Floors, all measured in the same run: receiving by blocking calls, decoding, hashing and writing, added up; FastAPI and
Starlette on the same uvicorn with the same settings; and the same reads and inserts in their plainest form.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.body import SMALL_BYTES, small_codec
from benchmarks.machine import machine_line
from benchmarks.server import call, insert, upload
from benchmarks.server.call import Calls, Reads, Rounds
from benchmarks.server.insert import Inserts
from benchmarks.server.probe import percentile
from benchmarks.server.upload import FLOOR, Figures, Uploads
from benchmarks.table import table

REPEATS = 7
MB = 1e6


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How much of each thing.

    Attributes:
        body_bytes, large_bytes: of bodies.
        requests: in one round.
        jobs: in the store that is full.
        inserts: in one round.
    """

    body_bytes: int = 100_000_000
    large_bytes: int = 1_000_000_000
    requests: int = 400
    jobs: int = 100_000
    inserts: int = 4096


@dataclass(frozen=True, kw_only=True)
class Found:
    """Everything that was measured.

    Attributes:
        codec: seconds of a small body, and of decoding it alone.
        flush_seconds: of one flush of the disk.
    """

    uploads: Uploads
    codec: tuple[float, float]
    calls: Calls
    reads: Reads
    flush_seconds: float
    inserts: list[Inserts]


def run(*, repeats: int = REPEATS, scale: Scale = Scale()) -> str:
    """Measure; Markdown."""
    machine = machine_line()
    return render(measure(repeats=repeats, scale=scale), machine=machine, repeats=repeats)


def measure(*, repeats: int, scale: Scale) -> Found:
    """All of it, one thing after another, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="triptych-bench-") as name:
        folder = Path(name)
        _tell("bodies")
        uploads = upload.measure(folder, size_bytes=scale.body_bytes, large_bytes=scale.large_bytes, repeats=repeats)
        _tell("codec")
        codec = small_codec(folder, repeats=repeats)
        _tell("create and retrieve")
        calls = call.measure_calls(folder, requests=scale.requests, repeats=repeats)
        _tell("status reads")
        reads = call.measure_reads(folder, jobs=scale.jobs, requests=scale.requests, repeats=repeats)
        _tell("inserts")
        flush_seconds, inserts = insert.measure(folder, jobs=scale.inserts, repeats=repeats)
    return Found(uploads=uploads, codec=codec, calls=calls, reads=reads, flush_seconds=flush_seconds, inserts=inserts)


def render(found: Found, *, machine: str, repeats: int) -> str:
    """What was found, as Markdown."""
    uploads = found.uploads
    head = ("what", "measured", "floor", "ratio", "least / least", "aim", "")
    return "\n\n".join(
        (
            machine,
            f"Medians of {repeats}, in turn with their floors; *least / least* is the ratio of the best of them. The"
            " server and what it is compared with are processes of their own, on loopback, with the same uvicorn and"
            " the same settings; the server writes its log.",
            "## Aims",
            table(head, [*_upload_aims(uploads), *_small_aims(found)]),
            "## Bodies",
            "`POST /v1/files` takes the JSON and the form: the bytes come in, are decoded and hashed, and are a stored"
            " file with a row in the database when the answer comes; nobody looks at them as media. FastAPI has a"
            " pydantic model, pybase64, sha256 and one write, in a thread. The client sends a file by `sendfile`."
            " *Grown* is the largest resident size less that before the body; *late* is how long somebody who"
            " wants to be served by the event loop in any one millisecond had to wait, told by a task in the server"
            " that wakes each millisecond, while a body came in (in passes of their own).",
            table(
                ("body", "MB/s", "least", "grown, MB", "late: median", "p99", "longest"),
                [
                    _body_row(f"JSON, {_mb(uploads.size_bytes)}", uploads.json, uploads.size_bytes),
                    _body_row("the same, FastAPI", uploads.model, uploads.size_bytes),
                    _body_row(f"form, {_mb(uploads.size_bytes)}", uploads.form, uploads.size_bytes),
                    _body_row("the same, raw PUT", uploads.put, uploads.size_bytes),
                    _body_row(f"JSON, {_mb(uploads.large_bytes)}", uploads.large, uploads.large_bytes),
                ],
            ),
            f"The serial floor of the JSON body, in milliseconds: {_parts(uploads)}.",
            "## Small requests",
            f"{call.CONNECTIONS} connections, each asking again as soon as it has its answer. Create is text to video"
            " by the preview engine: read, checked, planned, and stored so that a power cut does not lose it; the queue"
            " stands still. The bare routes are FastAPI's, with a pydantic model each way and a dictionary behind them:"
            " they check nothing and store nothing. *Each stored* adds one row of SQLite, committed as durably. *The"
            " same work* has the server's checks, plan and store behind FastAPI's routes: what is left is reading,"
            " routing, logging and counting.",
            table(("request", "a second", "median, ms", "p99, ms"), _request_rows(found)),
            "## Durable inserts",
            f"{insert.CLIENTS} clients of the store, without HTTP. One by one is the same store with one job to a"
            f" commit. A flush of this disk takes {found.flush_seconds * 1e3:.2f} ms, which is that of a disk with a"
            f" cache; what many jobs in one commit save is flushes, so it is also measured with"
            f" {insert.FLUSH_SECONDS * 1e3:g} ms added to each commit.",
            table(
                ("disk", "together, jobs/s", "one by one, jobs/s", "ratio"),
                [
                    (_disk(each), f"{each.together_hz:.0f}", f"{each.alone_hz:.0f}", f"{each.ratio:.1f}")
                    for each in found.inserts
                ],
            ),
        )
    )


def _upload_aims(found: Uploads) -> list[tuple[str, ...]]:
    size = _mb(found.size_bytes)
    floor_seconds = sorted(found.floor_seconds)[len(found.floor_seconds) // 2]
    grown = max(found.json.peak_bytes)
    late = percentile(found.json.late_seconds, 0.99)
    return [
        _aim(
            f"JSON, {size}: speed against receive + decode + hash + write",
            f"{_rate(found.json, found.size_bytes):.0f} MB/s",
            f"{found.size_bytes / floor_seconds / MB:.0f} MB/s",
            floor_seconds / found.json.typical_seconds,
            least=min(found.floor_seconds) / found.json.least_seconds,
            at_least=0.5,
        ),
        _aim(
            f"JSON, {size}: speed against FastAPI's default path",
            f"{_rate(found.json, found.size_bytes):.0f} MB/s",
            f"{_rate(found.model, found.size_bytes):.0f} MB/s",
            found.model.typical_seconds / found.json.typical_seconds,
            least=found.model.least_seconds / found.json.least_seconds,
            at_least=1.8,
        ),
        _aim(
            f"JSON, {size}: memory against the body",
            f"{grown / MB:.1f} MB",
            f"{found.size_bytes / MB:.0f} MB",
            grown / found.size_bytes,
            at_most=0.05,
        ),
        _aim(
            f"JSON, {_mb(found.large_bytes)}: memory",
            f"{max(found.large.peak_bytes) / MB:.1f} MB",
            "16 MB",
            max(found.large.peak_bytes) / (16 * MB),
            at_most=1.0,
        ),
        _aim(
            f"JSON, {size}: event loop late, p99",
            f"{late * 1e3:.1f} ms",
            "20 ms",
            late / 0.020,
            at_most=1.0,
        ),
        _aim(
            f"form, {size}: speed against a raw PUT",
            f"{_rate(found.form, found.size_bytes):.0f} MB/s",
            f"{_rate(found.put, found.size_bytes):.0f} MB/s",
            found.put.typical_seconds / found.form.typical_seconds,
            least=found.put.least_seconds / found.form.least_seconds,
            at_least=0.75,
        ),
    ]


def _small_aims(found: Found) -> list[tuple[str, ...]]:
    codec, decode = found.codec
    calls, reads = found.calls, found.reads
    return [
        _aim(
            f"JSON, {SMALL_BYTES / MB:.1f} MB: codec against pybase64",
            f"{codec * 1e3:.2f} ms",
            f"{decode * 1e3:.2f} ms",
            codec / decode,
            at_most=5.0,
        ),
        _rates("create against a bare route that only answers", calls.create, calls.bare_create),
        _rates("create against a bare route that does the same work", calls.create, calls.plain_create),
        _rates("retrieve against a bare route that only answers", calls.retrieve, calls.bare_retrieve),
        _rates("retrieve against a bare route that does the same work", calls.retrieve, calls.plain_retrieve),
        _rates(f"status reads with {reads.jobs} jobs against {call.FEW}", reads.many, reads.few),
        *(
            _aim(
                f"{insert.CLIENTS} clients, durable inserts together against one by one, {_disk(each)}",
                f"{each.together_hz:.0f}/s",
                f"{each.alone_hz:.0f}/s",
                each.ratio,
                least=max(each.together) / max(each.alone),
                at_least=10.0,
            )
            for each in found.inserts
        ),
    ]


def _rates(name: str, measured: Rounds, floor: Rounds) -> tuple[str, ...]:
    ratio, least = floor.rate_hz / measured.rate_hz, floor.best_hz / measured.best_hz
    return _aim(name, f"{measured.rate_hz:.0f}/s", f"{floor.rate_hz:.0f}/s", ratio, least=least, at_most=1.5)


def _aim(
    name: str,
    measured: str,
    floor: str,
    ratio: float,
    *,
    least: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
) -> tuple[str, ...]:
    """One line. ``least``: the same ratio, of the least times instead of the medians."""
    is_met = (at_least is None or ratio >= at_least) and (at_most is None or ratio <= at_most)
    aim = f"≥ {at_least:g}" if at_least is not None else f"≤ {at_most:g}"
    return (
        name,
        measured,
        floor,
        f"**{ratio:.3g}**",
        f"{least:.3g}" if least else "",
        aim,
        "met" if is_met else "**missed**",
    )


def _body_row(name: str, figures: Figures, size_bytes: int) -> tuple[str, ...]:
    late = (percentile(figures.late_seconds, share) * 1e3 for share in (0.5, 0.99, 1.0))
    return (
        name,
        f"{_rate(figures, size_bytes):.0f}",
        f"{size_bytes / figures.least_seconds / MB:.0f}",
        f"{max(figures.peak_bytes) / MB:.1f}",
        *(f"{value:.1f} ms" for value in late),
    )


def _parts(found: Uploads) -> str:
    medians = {name: sorted(found.floor[name])[len(found.floor[name]) // 2] * 1e3 for name in FLOOR}
    return ", ".join(f"{name} {value:.0f}" for name, value in medians.items())


def _request_rows(found: Found) -> list[tuple[str, ...]]:
    calls, reads = found.calls, found.reads
    rows = {
        "create": calls.create,
        "create, bare": calls.bare_create,
        "create, bare, each stored": calls.stored_create,
        "create, the same work": calls.plain_create,
        "retrieve, while it waits": calls.retrieve,
        "retrieve, bare": calls.bare_retrieve,
        "retrieve, the same work": calls.plain_retrieve,
        f"retrieve a finished one of {call.FEW}": reads.few,
        f"the same {call.FEW} of {reads.jobs}": reads.many,
        f"any of {reads.jobs}": reads.spread,
    }
    return [
        (name, f"{each.rate_hz:.0f}", *(f"{each.waited(share) * 1e3:.1f}" for share in (0.5, 0.99)))
        for name, each in rows.items()
    ]


def _rate(figures: Figures, size_bytes: int) -> float:
    return size_bytes / figures.typical_seconds / MB


def _mb(size_bytes: int) -> str:
    return f"{size_bytes / MB:.0f} MB"


def _disk(each: Inserts) -> str:
    return f"{each.flush_seconds * 1e3:g} ms more a commit" if each.flush_seconds else "this disk"


def _tell(what: str) -> None:
    print(f"server: {what}", file=sys.stderr)

"""Opens what a server works with: its data folder, the studio in it, and the jobs."""

from __future__ import annotations

from pathlib import Path

from triptych.config import Settings
from triptych.engines.registry import Registry
from triptych.jobs.content import Folder
from triptych.jobs.service import Service
from triptych.jobs.term import Terms
from triptych.media.fetch import Policy
from triptych.process.host import Limits
from triptych.server.guard import is_loopback
from triptych.studio import Studio


def data_folder(settings: Settings) -> Path:
    """Where jobs and files are kept."""
    usual = Path.home() / ".local" / "share" / "triptych"
    return (Path(settings.data_dir).expanduser() if settings.data_dir else usual).resolve()


def roots(settings: Settings) -> tuple[Path, ...]:
    """The folders whose files callers may name by path.

    Those that are set; without any, the working folder when only this machine can call, else none.
    """
    if settings.roots:
        return tuple(Path(root).expanduser().resolve() for root in settings.roots)
    return (Path.cwd(),) if is_loopback(settings.host) else ()


def open_service(settings: Settings, registry: Registry) -> Service:
    """The jobs of the data folder, not entered yet. A bound of 0 is none."""
    data = data_folder(settings)
    folder = Folder(data)
    studio = Studio(
        registry=registry,
        policy=Policy(roots=roots(settings), max_bytes=settings.max_input_bytes, allow_urls=settings.allow_urls),
        spool=folder.content,
        work_dir=folder.work,
        decoders=settings.decoders,
        decode_limits=Limits.of_decoding(settings.memory_bytes, settings.decode_seconds),
    )
    terms = Terms(
        workers=settings.workers,
        max_queued=settings.max_queued,
        keep_seconds=settings.keep_seconds,
        keep_files_seconds=settings.keep_seconds,
    )
    return Service(data, studio, terms=terms)

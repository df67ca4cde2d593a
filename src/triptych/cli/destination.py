"""Where a result goes: refused beforehand when it cannot be written, and written whole or not at all."""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from triptych.cli.screen import in_words
from triptych.errors import OutputExists, Problem, StorageFailed
from triptych.task import PathSource, Request
from triptych.wire.document import as_text

DEFAULT = "out.mp4"


@dataclass(frozen=True, kw_only=True)
class Destination:
    """The files of one result.

    Attributes:
        video: the video file.
        document: the result file, beside it.
        frames: a folder for every frame, or ``None``.
        force: files that are there may be replaced.
        problems: why it cannot go there; known before anything runs.
    """

    video: Path
    document: Path
    frames: Path | None
    force: bool
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, arguments: argparse.Namespace, request: Request) -> Destination:
        """The destination that a command line names; what stands against it is in ``problems``."""
        typed = DEFAULT if arguments.output is None else arguments.output
        video, document = Path(typed), Path(f"{typed.removesuffix(Path(typed).suffix)}.json")
        frames = None if arguments.frames_out is None else Path(arguments.frames_out)
        field = f"-o {typed}"
        problems = [
            *_looked_at(field, typed, _file_problems(field, typed, video, document, force=arguments.force)),
            *_looked_at(field, typed, _input_problems(field, (video, document), request)),
        ]
        if frames is not None:
            folder = arguments.frames_out
            field = f"--frames-out {folder}"
            problems += _looked_at(field, folder, _folder_problems(field, folder, frames, video))
        return cls(video=video, document=document, frames=frames, force=arguments.force, problems=tuple(problems))

    def keep(self, made: Path, document: Mapping[str, Any], frames: Path | None) -> None:
        """Put the files in place: complete ones under their names, or nothing.

        Args:
            made: the video, somewhere else.
            document: what the result file says.
            frames: a folder of frames, somewhere else.

        Raises:
            OutputExists: somebody else made one of them meanwhile.
            StorageFailed: there is no room, or the folder cannot be written.
        """
        try:
            with tempfile.TemporaryDirectory(prefix=".triptych-", dir=self.video.parent) as folder, ExitStack() as undo:
                movie, text = Path(folder, "video"), Path(folder, "document")
                shutil.copyfile(made, movie)
                text.write_text(as_text(document) + "\n", encoding="utf-8")
                if frames is not None and self.frames is not None:
                    _place_frames(frames, self.frames, undo)
                for source, target in ((movie, self.video), (text, self.document)):
                    self._place(source, target, undo)
                undo.pop_all()  # all of it is there, so nothing is taken back
        except OSError as error:
            why = in_words(OSError(error.errno, error.strerror))  # without the name of a private file
            raise StorageFailed(f"the result could not be written: {why}. Nothing was kept of it") from error

    def _place(self, source: Path, target: Path, undo: ExitStack) -> None:
        """Move a complete file to its name in one step."""
        if not self.force:
            _place_new(source, target)
            undo.callback(target.unlink, missing_ok=True)
            return
        before = source.with_name(f"{source.name}-before")
        try:
            os.link(target, before, follow_symlinks=False)
            undo.callback(before.replace, target)
        except FileNotFoundError:
            undo.callback(target.unlink, missing_ok=True)
        except OSError:  # a file system without links
            target.rename(before)
            undo.callback(before.replace, target)
        source.replace(target)


def _place_new(source: Path, target: Path) -> None:
    taken = OutputExists(f"{target} was made while this ran; it is not replaced")
    try:
        os.link(source, target)  # unlike a rename, this fails when somebody made the file meanwhile
    except FileExistsError:
        raise taken from None
    except OSError:  # a file system without links
        if os.path.lexists(target):
            raise taken from None
        source.replace(target)


def _place_frames(source: Path, target: Path, undo: ExitStack) -> None:
    missing = [folder for folder in (target, *target.parents) if not folder.exists()]
    target.mkdir(parents=True, exist_ok=True)
    for folder in reversed(missing):
        undo.callback(folder.rmdir)
    for frame in sorted(source.iterdir()):
        undo.callback((target / frame.name).unlink, missing_ok=True)
        shutil.move(frame, target / frame.name)


def _looked_at(field: str, typed: str, problems: Iterator[Problem]) -> list[Problem]:
    """All of ``problems``; when the system does not let them be found, that."""
    try:
        return list(problems)
    except (OSError, ValueError) as error:
        why = in_words(OSError(error.errno, error.strerror)) if isinstance(error, OSError) else str(error)
        return [Problem(code="invalid_value", field=field, message=f"cannot be written: {why}", value=typed)]


def _file_problems(field: str, typed: str, video: Path, document: Path, *, force: bool) -> Iterator[Problem]:
    if not typed:
        yield Problem(code="invalid_value", field="-o", message="the name is empty", value="", fix="Name a file")
        return
    if video.is_dir():
        fix = f"Name a file in it, such as {video / DEFAULT}"
        yield Problem(code="invalid_value", field=field, message="it is a folder", value=typed, fix=fix)
        return
    if video.suffix.lower() != ".mp4":
        ending = f"this name ends in {video.suffix}" if video.suffix else "this name has no ending"
        yield Problem(
            code="invalid_value",
            field=field,
            message=f"the video is an MP4, and {ending}",
            value=typed,
            limit=".mp4",
            fix=f"Call it {video.with_suffix('.mp4')}",
        )
    elif document.is_dir():
        message = f"the result file beside it, {document}, is a folder"
        yield Problem(code="invalid_value", field=field, message=message, value=typed, fix="Choose another name")
    elif not force:
        existing = [str(path) for path in (video, document) if os.path.lexists(path)]
        if existing:
            message = f"{' and '.join(existing)} exist{'s' if len(existing) == 1 else ''}"
            fix = f"Use --force to replace {'it' if len(existing) == 1 else 'them'}"
            yield Problem(code="output_exists", field=field, message=message, value=" ".join(existing), fix=fix)
    yield from _parent_problems(field, video.parent, make=False)


def _parent_problems(field: str, parent: Path, *, make: bool) -> Iterator[Problem]:
    """Why no file or folder can be made in ``parent``.

    Args:
        make: folders that are missing will be made.
    """
    there = parent
    while make and not there.exists() and there != there.parent:
        there = there.parent
    if not there.exists():
        message, fix = f"there is no folder {there}", "Make it first"
        yield Problem(code="media_not_found", field=field, message=message, value=str(there), fix=fix)
    elif not there.is_dir():
        message = f"{there} is a file, not a folder"
        yield Problem(code="invalid_value", field=field, message=message, value=str(there))
    elif not os.access(there, os.W_OK | os.X_OK):
        message = f"nothing can be written to {there}"
        yield Problem(code="path_not_allowed", field=field, message=message, value=str(there))


def _input_problems(field: str, outputs: tuple[Path, ...], request: Request) -> Iterator[Problem]:
    """Outputs that are inputs too."""
    for one in request.references:
        for output in outputs:
            if isinstance(one.source, PathSource) and _same(Path(one.source.path), output):
                yield Problem(
                    code="conflicting_parameters",
                    field=field,
                    message=f"{output} is an input, {one.field}, and would be replaced",
                    value=str(output),
                    fix="Write it under another name",
                )


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


def _folder_problems(field: str, typed: str, frames: Path, video: Path) -> Iterator[Problem]:
    if not typed:
        message = "the name is empty"
        yield Problem(code="invalid_value", field="--frames-out", message=message, value="", fix="Name a folder")
    elif os.path.lexists(frames) and not frames.is_dir():
        message = "it is a file, not a folder"
        yield Problem(code="invalid_value", field=field, message=message, value=typed, fix="Name a new folder")
    elif frames.is_dir() and any(frames.iterdir()):
        fix = "Name a new folder, or an empty one"
        yield Problem(code="output_exists", field=field, message="it is not empty", value=typed, fix=fix)
    elif _same(frames, video.parent):
        message, fix = "the video goes into the same folder, and frames stand alone", "Name a folder in it"
        yield Problem(code="conflicting_parameters", field=field, message=message, value=typed, fix=fix)
    else:
        yield from _parent_problems(field, frames if frames.is_dir() else frames.parent, make=True)

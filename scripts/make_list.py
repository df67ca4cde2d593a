"""The lists inside hand-written reference pages, from the code that they describe.

A list stands between two marks in its page: ``<!-- NAME: written by scripts/docs -->`` and ``<!-- end of NAME -->``.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from pathlib import Path

from triptych.config import PREFIX, Settings
from triptych.media import bound, folder, sniff, stream
from triptych.media.animation import ANIMATED
from triptych.media.probe import PROBE_LIMITS
from triptych.task import Adjustment, FitPlan, Label, Output, Probe, Receipt, Slot, Spoken, Warned
from triptych.task import Settings as PlanSettings

ROOT = Path(__file__).resolve().parent.parent


def filled(page: str, lists: Mapping[str, Callable[[], list[str]]]) -> str:
    """A hand-written page with its generated lists written again.

    Raises:
        ValueError: a list has no marks in the page, or marks have no list.
    """
    text = (ROOT / page).read_text(encoding="utf-8")
    marked = set(re.findall(r"<!-- ([\w ]+): written by scripts/docs -->", text))
    if marked != set(lists):
        raise ValueError(f"{page} has marks for {sorted(marked)}, and the lists are {sorted(lists)}")
    for name, write in lists.items():
        begin, end = f"<!-- {name}: written by scripts/docs -->", f"<!-- end of {name} -->"
        before, _, rest = text.partition(begin)
        _, ended, after = rest.partition(end)
        if not ended:
            raise ValueError(f"{page} lacks {end}")
        text = "\n".join((f"{before}{begin}", "", *write(), "", f"{end}{after}"))
    return text


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    """A Markdown table, line by line."""
    return [_row(head), _row(tuple("---" for _ in head)), *(_row(row) for row in rows)]


def _row(cells: tuple[str, ...]) -> str:
    plain = (" ".join(cell.split()).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(plain)} |"


def attributes(kind: type) -> dict[str, str]:
    """What a class's docstring says of each attribute."""
    text = inspect.cleandoc(kind.__doc__ or "")
    _, _, listed = text.partition("Attributes:\n")
    found: dict[str, str] = {}
    for entry in re.split(r"\n(?=\S)", textwrap.dedent(listed.split("\n\n")[0])):
        names, colon, meaning = entry.partition(":")
        if colon:
            plain = " ".join(meaning.split()).rstrip(".").replace("``", "`").replace("`None`", "`null`")
            found |= {name.strip(): plain for name in names.split(",")}
    return found


def field_table(kind: type, *leave_out: str, add: Mapping[str, str] | None = None) -> Callable[[], list[str]]:
    """A table of a dataclass's fields, with what its docstring says of each."""

    def write() -> list[str]:
        meanings = {**attributes(kind), **(add or {})}
        names = [item.name for item in fields(kind) if item.name not in leave_out]
        extra = [name for name in add or {} if name not in names]
        return table(("key", "meaning"), [(f"`{name}`", meanings[name]) for name in (*names, *extra)])

    return write


def settings_table() -> list[str]:
    """Every setting of an installation."""
    meanings = attributes(Settings)
    rows = []
    for item in fields(Settings):
        shown = f"`{item.default}`" if item.default != "" else "(empty)"
        if isinstance(item.default, int) and item.default >= 1 << 20:
            shown = f"`{item.default}` ({item.default / 2**30:g} GiB)"
        rows.append((f"`{item.name}`", f"`{PREFIX}{item.name.upper()}`", shown, meanings[item.name]))
    return table(("name in the file", "environment variable", "default", "meaning"), rows)


def bound_table() -> list[str]:
    """The bounds that always hold."""
    picture, frame = bound.IMAGE_BOUND, bound.CLIP_BOUND
    rows = [
        ("a picture", f"{picture.max_pixels / 1e6:g} megapixels, {picture.max_side:,} pixels a side"),
        ("one frame of a clip", f"{frame.max_pixels / 1e6:.1f} megapixels, {frame.max_side:,} pixels a side"),
        ("length of a clip or a sound", f"{bound.MAX_SECONDS:,.0f} s"),
        ("frames of a clip", f"{bound.MAX_FRAMES:,}"),
        ("pixels of all frames of an animated picture", f"{bound.MAX_MOVING_PIXELS:,}"),
        ("a folder of frames", f"{folder.MOST_FRAMES:,} frames, {folder.MOST_FRAME_BYTES >> 20} MiB each"),
    ]
    return table(("what", "at most"), rows)


def process_table() -> list[str]:
    """The bounds of the process that looks at one file, as they are without settings."""
    limits = PROBE_LIMITS
    rows = [
        ("memory (address space)", f"{(limits.memory_bytes or 0) / 2**30:g} GiB"),
        ("processor time", f"{limits.cpu_seconds:g} s"),
        ("wall clock", f"{limits.wall_seconds:g} s"),
        ("files written", "none"),
    ]
    return table(("of the process that looks at one file", "at most"), rows)


def codec_lists() -> list[str]:
    """Formats and codecs that are read."""
    pictures, movies, sounds = (part.strip() for part in sniff.READ_HERE.split(";"))
    return [
        f"- **Pictures**: {pictures}. HEIC needs the extra `[heic]`.",
        f"- **Clips**: {movies}; an animated {', '.join(sorted(name.upper() for name in ANIMATED))}; a folder of"
        " numbered frames.",
        f"- **Sound**: {sounds}; and the sound of any clip.",
        f"- **Picture codecs** in containers: {', '.join(sorted(stream.VIDEO_CODECS))}.",
        f"- **Sound codecs**: {', '.join(sorted(stream.AUDIO_CODECS))}, and every kind of PCM.",
    ]


MEDIA_LISTS: dict[str, Callable[[], list[str]]] = {
    "formats": codec_lists,
    "bounds": bound_table,
    "process": process_table,
}

RESULT_LISTS: dict[str, Callable[[], list[str]]] = {
    "settings": field_table(
        PlanSettings,
        add={
            "width": "of the frame, in pixels",
            "height": "of the frame, in pixels",
            "fps": "frames per second",
            "num_frames": "length, in frames",
            "seed": "of every random choice",
            "n": "how many videos",
            "generate_audio": "whether the video has sound",
            "require_speech": "whether quoted words had to be spoken",
            "options": "the engine's own settings, with their defaults",
            "seconds": "`num_frames` / `fps`",
        },
    ),
    "slot": field_table(
        Slot,
        "position",
        "blob",
        add={
            "probe": "what was seen in it, as below; `null` for an artifact",
            "field": "your own name for it",
            "name": "your name for it in the prompt",
            "uses": "what must be used of it: `picture`, `motion`, `sound`, `payload`",
            "ignored": "true where you allowed the engine to pass over it",
            "start_seconds": "where the part that is used begins; 0 for pictures",
            "seconds": "how long that part is; 0 for pictures",
            "id": "of an artifact",
            "kind": "of an artifact",
            "meta": "of an artifact",
            "sha256": "of the file",
            "size_bytes": "of the file",
        },
    ),
    "fit": field_table(FitPlan, add={"fit": "`crop`, `pad` or `refuse`"}),
    "probe": field_table(
        Probe,
        add={"video_codec": "of the picture; empty without one", "audio_codec": "of the sound; empty without one"},
    ),
    "output": field_table(Output, add={"path": "its name, in the folder of the result file"}),
    "receipt": field_table(Receipt, add={"field": "your name for the input", "role": "what you said it is for"}),
    "label": field_table(
        Label,
        add={
            "tag": "the canonical tag (`<Picture 1>`)",
            "engine_tag": "the same in the engine's own prompt",
            "field": "your name for the input",
            "sha256": "of its bytes",
            "name": "the name that you gave it, or `null`",
        },
    ),
    "spoken": field_table(
        Spoken, add={"text": "the quoted words", "seconds": "how long they take to say; 0 when no voice is installed"}
    ),
    "adjustment": field_table(
        Adjustment,
        add={
            "field": "your name for what was changed",
            "asked": "what you asked, or `null` where you left it open",
            "got": "what it became",
            "reason": "the rule, in words",
        },
    ),
    "warning": field_table(
        Warned,
        add={
            "code": "for programs",
            "field": "your name for what it is about",
            "message": "for people",
        },
    ),
}

LISTS: dict[str, Mapping[str, Callable[[], list[str]]]] = {
    "docs/reference/settings.md": {"settings": settings_table},
    "docs/reference/media.md": MEDIA_LISTS,
    "docs/reference/result.md": RESULT_LISTS,
}
"""Page → its lists, by name."""

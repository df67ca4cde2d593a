"""What can be typed. Values are kept as typed here; ``cli.request`` reads them, so that all problems come together."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from triptych.cli import screen
from triptych.cli.usage import Parser

INPUTS_HELP = """\
FILE is a picture, a clip or a sound in any usual format, or (for clips) a folder of numbered frames
(frame_000000.ppm or .png). Add #t=2,7 to use the part from second 2 to second 7, #fit=pad to choose
how one picture meets the frame, #fps=12 for a folder's frame rate; join them with &.

The prompt can name what you supply: <Picture 1>, "Image 1", "Video 1", "Audio 1", @Image1, or @name
for a --ref name=FILE. They count --image, --clip, --sounded-clip, --voice and --ref, per kind, in order.
A backslash (\\Image 1) says the words. Words in "double quotes" are spoken when a voice is installed.
"""
VIDEO_EXAMPLES = """\
examples:
  triptych video "a quiet street" --image street.jpg -o street.mp4
  triptych video "dusk falls over the sea" --first-frame a.jpg --last-frame b.jpg --seconds 4 -o out.mp4
  triptych video "and then it stands still" --extend walk.mp4 --seconds 3 -o longer.mp4
  triptych video 'Video 1 moves Image 1; she says "good morning"' --image a.jpg --clip pan.mp4 --voice hum.wav
"""
ENGINE_NOTE = """\
The built-in engine "animatic" assembles a moving storyboard from what you supply. It is not a generative
model: it invents nothing, and of the prompt it uses the tags and the quoted words.
"""


@dataclass(frozen=True, kw_only=True)
class Given:
    """One input as typed: the option, and its value."""

    flag: str
    value: str


class AddInput(argparse.Action):
    """Keeps inputs in the order in which they were typed, across all kinds."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Append one."""
        given = Given(flag=option_string or self.option_strings[0], value=str(values))
        namespace.inputs = [*getattr(namespace, "inputs", []), given]


class Once(argparse.Action):
    """An option that can be given once: a second one would silently win."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Keep the value; refuse a second."""
        if getattr(namespace, self.dest, None) is not None:
            parser.error(f"{option_string} is given twice")
        setattr(namespace, self.dest, values)


def build() -> Parser:
    """The whole command line."""
    parser = Parser(
        prog="triptych",
        description="Video with sound from a prompt and what you show it: pictures, clips, voices.\n"
        "What you supply is used, or refused before anything runs. It is never silently dropped.",
        epilog='start with:  triptych video "a quiet street" --image street.jpg -o street.mp4\n'
        "then:        triptych COMMAND --help",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=Parser)
    _video(commands)
    _check(commands)
    _engines(commands)
    _probe(commands)
    _serve(commands)
    return parser


class Version(argparse.Action):
    """Prints the version; the metadata is read only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print it and leave."""
        from importlib.metadata import PackageNotFoundError, version

        try:
            screen.show([f"triptych {version('triptych')}"])
        except PackageNotFoundError:
            screen.show(["triptych, from a folder of source that is not installed"])
        sys.exit(0)


def _command(commands: Any, name: str, run: Callable[[argparse.Namespace], int], **texts: str) -> Parser:
    parser: Parser = commands.add_parser(
        name, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **texts
    )
    parser.set_defaults(run=run, inputs=[])
    return parser


def _video(commands: Any) -> None:
    parser = _command(
        commands,
        "video",
        _run_video,
        help="make a video",
        description="Make a video with sound from a prompt, pictures, clips and voices.\n\n"
        f"{INPUTS_HELP}\n{ENGINE_NOTE}",
        epilog=VIDEO_EXAMPLES,
    )
    _request_arguments(parser)
    _output_arguments(parser)


def _check(commands: Any) -> None:
    parser = _command(
        commands,
        "check",
        _run_check,
        help="show what a video would be made of, or all that stands against it; runs nothing",
        description="Show the plan of a video, or every problem with it. It takes what `triptych video` takes, and\n"
        f"renders and writes nothing. The output is looked at when it is named.\n\n{INPUTS_HELP}",
    )
    _request_arguments(parser)
    _output_arguments(parser)


def _engines(commands: Any) -> None:
    parser = _command(
        commands,
        "engines",
        _run_engines,
        help="what each engine takes and makes",
        description="What each engine takes and makes. With a name: all of one engine.",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="one engine")
    parser.add_argument("--json", action="store_true", help="print the specs as JSON")


def _probe(commands: Any) -> None:
    parser = _command(
        commands,
        "probe",
        _run_probe,
        help="what is seen in a file",
        description="What is seen in a picture, clip or sound: upright size, length, rate, channels, and what is\n"
        "wrong with it. The file is decoded to its end, in a bounded process.",
    )
    parser.add_argument("file", metavar="FILE", help="a file, or a folder of numbered frames; #t=2,7 for a part")
    _allow_urls(parser)
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def _serve(commands: Any) -> None:
    parser = _command(
        commands,
        "serve",
        _run_serve,
        help="the video server, for clients of /v1/videos",
        description="Serve /v1/videos: any client of OpenAI's video API can be pointed at it. Jobs and files are\n"
        'kept in one folder, and outlive the server. Needs the extra: pip install "triptych[server]"',
        epilog="Keys, limits and the rest are settings (TRIPTYCH_API_KEYS, ...). Ctrl-C stops it: what runs goes back\n"
        "into the queue, and begins again with the next start.",
    )
    for flag, metavar, text in (
        ("--host", "ADDRESS", "where to listen (default: 127.0.0.1, this machine alone)"),
        ("--port", "N", "0 takes a free one (default: 8000)"),
        ("--data", "DIR", "where jobs and files are kept (default: ~/.local/share/triptych)"),
        ("--workers", "N", "how many jobs run at once (default: 1)"),
        ("--log", "HOW", "how the log is written: text (default) or json"),
    ):
        parser.add_argument(flag, action=Once, metavar=metavar, help=text)
    parser.add_argument(
        "--root",
        action="append",
        default=[],
        metavar="DIR",
        help="a folder whose files callers may name by path; repeat for more (default: this folder, unless --host "
        "opens the server beyond this machine)",
    )
    parser.add_argument("--allow-urls", action="store_true", help="fetch the addresses that callers name")


INPUT_OPTIONS: tuple[tuple[str, str, str], ...] = (
    ("--first-frame", "FILE", "the picture that the video begins with"),
    ("--last-frame", "FILE", "the picture that the video ends with"),
    ("--extend", "FILE", "a clip to go on from: shown whole, then --seconds more from its last frame"),
    ("--image", "FILE", "a reference picture; repeat for more"),
    ("--clip", "FILE", "a reference clip, silent; repeat for more"),
    ("--sounded-clip", "FILE", "a reference clip, with its own sound"),
    ("--soundtrack", "FILE", "the sound of the clip before it, in place of its own"),
    ("--voice", "FILE", "a reference sound: a voice, music; repeat for more"),
    ("--ref", "NAME=FILE", "a reference of any kind with a name, for @NAME in the prompt"),
)
"""Every option that brings an input: flag, value, help."""


def _request_arguments(parser: Parser) -> None:
    parser.add_argument("prompt", nargs="?", default="", metavar="PROMPT", help="what the video shows, in quotes")
    inputs = parser.add_argument_group("what you supply (order matters)")
    for flag, metavar, text in INPUT_OPTIONS:
        inputs.add_argument(flag, action=AddInput, dest="inputs", metavar=metavar, help=text)
    _allow_urls(inputs)
    settings = parser.add_argument_group("settings")
    for flag, metavar, text in (
        ("--size", "WxH", "frame size, exact or refused (default: the first frame's shape, else 1280x720)"),
        ("--aspect", "W:H", "shape of the frame, such as 9:16, where no --size is given"),
        ("--short-edge", "N", "short side of the frame in pixels, where no --size is given"),
        ("--seconds", "S", "length (default: 5, or as long as the clips and the sound need)"),
        ("--frames", "N", "length in frames, instead of --seconds"),
        ("--fps", "N", "frames per second (default: 24)"),
        ("--seed", "N", "of every random choice (default: 0)"),
        ("--fit", "HOW", "how pictures meet the frame: crop (default), pad or refuse"),
        ("--engine", "NAME", "which engine (default: animatic; see: triptych engines)"),
        ("--task", "TASK", "t2va, fl2va, ref2va or extend; checked against what you supply (default: told from it)"),
        ("--tags", "HOW", "read tags in the prompt, or pass it verbatim (default: read)"),
    ):
        settings.add_argument(flag, action=Once, metavar=metavar, help=text)
    settings.add_argument("--require-speech", action="store_true", help="refuse if quoted words cannot be spoken")
    settings.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="a setting of the engine's own"
    )


def _allow_urls(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    parser.add_argument(
        "--allow-urls",
        action="store_true",
        help="a FILE may be an http or https address at a public host, which is fetched",
    )


def _output_arguments(parser: Parser) -> None:
    output = parser.add_argument_group("output")
    output.add_argument("-o", "--output", metavar="FILE", action=Once, help="the video, .mp4 (default: out.mp4)")
    output.add_argument("--force", action="store_true", help="replace the files that are there")
    output.add_argument("--frames-out", metavar="DIR", action=Once, help="also every frame, as frame_000000.ppm …")
    output.add_argument("--quiet", action="store_true", help="no progress and no summary")
    output.add_argument("--json", action="store_true", help="print the answer (or the refusal) as JSON")


def _run_video(arguments: argparse.Namespace) -> int:
    from triptych.cli.video import run

    return run(arguments)


def _run_check(arguments: argparse.Namespace) -> int:
    from triptych.cli.check import run

    return run(arguments)


def _run_engines(arguments: argparse.Namespace) -> int:
    from triptych.cli.engine import run

    return run(arguments)


def _run_probe(arguments: argparse.Namespace) -> int:
    from triptych.cli.probe import run

    return run(arguments)


def _run_serve(arguments: argparse.Namespace) -> int:
    from triptych.cli.serve import run

    return run(arguments)

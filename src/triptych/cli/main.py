"""The command line: which commands there are, and how an error becomes an exit code.

Nothing heavy is imported before a command needs it; ``triptych --help`` is as quick as an interpreter.
"""

from __future__ import annotations

from collections.abc import Sequence

from triptych.cli import screen
from triptych.cli.parser import build
from triptych.errors import Cancelled, InvalidRequest, TriptychError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the process's exit code: 0 done, 1 refused or failed, 2 not understood, 130 interrupted."""
    screen.prepare()
    as_json = False
    try:
        try:
            arguments = build().parse_args(argv)
            as_json = getattr(arguments, "json", False)
            code: int = arguments.run(arguments)
        finally:
            screen.close()
    except TriptychError as error:
        return tell(error, as_json=as_json)
    except KeyboardInterrupt:
        return tell(Cancelled("Stopped."), as_json=as_json)
    except OSError as error:
        return tell(TriptychError(screen.in_words(error)), as_json=as_json)
    return code


def tell(error: TriptychError, *, as_json: bool) -> int:
    """Show an error; its exit code."""
    if as_json:
        from triptych.wire.document import render_error

        screen.show_json(render_error(error))
    elif isinstance(error, InvalidRequest):
        count = len(error.problems)
        head = f"Refused, and nothing has run: {count} problem{'s' if count > 1 else ''}."
        screen.tell([head, *(f"  - {problem}" for problem in error.problems)])
    else:
        screen.tell([f"triptych: {error.message}"])
    return error.exit_code

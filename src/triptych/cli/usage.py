"""A command line that was not understood: what is wrong with it, and what was probably meant."""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from triptych.cli import screen
from triptych.errors import UsageError

ELSEWHERE = {
    "--audio": "--voice FILE",
    "--duration": "--seconds S",
    "--height": "--size WxH",
    "--length": "--seconds S",
    "--model": "--engine NAME",
    "--music": "--voice FILE",
    "--num-frames": "--frames N",
    "--overwrite": "--force",
    "--prompt": "the prompt by itself, in quotes",
    "--reference": "--ref NAME=FILE",
    "--sound": "--voice FILE",
    "--video": "--clip FILE",
    "--width": "--size WxH",
}
"""What other programs call an option → what to write here."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong, what was probably meant, and where the help is; exits with 2."""

    _typed: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As in ``argparse``, and what nobody knows is told here, by the command that was typed."""
        self._typed = list(sys.argv[1:] if args is None else args)
        found, extra = super().parse_known_args(self._typed, namespace)
        if extra:
            self._refuse(self._extra(extra))
        return found, []

    def error(self, message: str) -> NoReturn:
        """Say it in our own words and leave."""
        told = self._missing(message) or self._no_value(message) or self._no_command(message) or self._no_word(message)
        self._refuse(told or [message])

    def _refuse(self, lines: Sequence[str]) -> NoReturn:
        screen.tell([*(f"{self.prog}: {line}" for line in lines), f"Try: {self.prog} --help"])
        sys.exit(UsageError.exit_code)

    def options(self) -> list[str]:
        """Every option of this command."""
        return [option for action in self._actions for option in action.option_strings]

    def commands(self) -> list[str]:
        """Every command, where there are some."""
        return [name for action in self._actions for name in (action.choices or ())]

    def _extra(self, extra: Sequence[str]) -> list[str]:
        """What was typed beyond what there is."""
        unknown = self._unknown(extra)
        if unknown:
            return unknown
        first = next((word for word in extra if word != "--"), extra[0])
        quotes = "; a prompt of several words goes in quotes" if "prompt" in self._dests() else ""
        return [f"one argument too many: {first!r}{quotes}"]

    def _unknown(self, typed: Sequence[str]) -> list[str]:
        known = self.options()
        names = [word.partition("=")[0] for word in typed if word.startswith("-") and word != "--"]
        return [f"there is no option {name}{self._meant(name)}" for name in names if name not in known]

    def _meant(self, name: str) -> str:
        if name in ELSEWHERE and "prompt" in self._dests():
            return f"; say {ELSEWHERE[name]}"
        near = difflib.get_close_matches(name, self.options(), n=1)
        return f"; did you mean {near[0]}?" if near else ""

    def _dests(self) -> list[str]:
        return [action.dest for action in self._actions]

    def _missing(self, message: str) -> list[str]:
        required = re.fullmatch(r"the following arguments are required: (.*)", message)
        if required is None:
            return []
        unknown = self._unknown(self._typed)
        if unknown:
            return unknown
        commands = self.commands()
        return [f"which command? There are {', '.join(commands)}" if commands else f"{required[1]} is missing"]

    def _no_value(self, message: str) -> list[str]:
        wanting = re.fullmatch(r"argument (\S+): expected one argument", message)
        if wanting is None:
            return []
        action = next(one for one in self._actions if "/".join(one.option_strings) == wanting[1])
        name = next(word for word in self._typed if word in action.option_strings)
        after = [*self._typed, ""][self._typed.index(name) + 1]
        odd = after.startswith("-") and after not in self.options()
        dash = f"; a value that begins with a dash is written {name}={after}" if odd else ""
        return [f"{name} needs a value: {name} {action.metavar}{dash}"]

    def _no_word(self, message: str) -> list[str]:
        wordless = re.fullmatch(r"argument (\S+): ignored explicit argument .*", message, re.DOTALL)
        return [f"{wordless[1]} takes no value"] if wordless else []

    def _no_command(self, message: str) -> list[str]:
        if "invalid choice: " not in message:
            return []
        typed = next(word for word in self._typed if not word.startswith("-"))
        near = difflib.get_close_matches(typed, self.commands(), n=1)
        there = f"did you mean {near[0]}?" if near else f"there are {', '.join(self.commands())}"
        return [f"there is no command {typed!r}; {there}"]

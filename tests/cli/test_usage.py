"""A command line that is not understood is answered in our own words, with what was probably meant."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Cli
from triptych.cli.usage import ELSEWHERE, Parser

COMMANDS = ("video", "check", "engines", "probe", "serve")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ((), ["triptych: which command? There are video, check, engines, probe, serve"]),
        (("vidoe", "x"), ["triptych: there is no command 'vidoe'; did you mean video?"]),
        (
            ("a quiet street",),
            ["triptych: there is no command 'a quiet street'; there are video, check, engines, probe, serve"],
        ),
        (("--versoin",), ["triptych: there is no option --versoin; did you mean --version?"]),
        (("video", "x", "--imgae", "a.png"), ["triptych video: there is no option --imgae; did you mean --image?"]),
        (("check", "x", "--imag=a.png"), ["triptych check: there is no option --imag; did you mean --image?"]),
        (
            ("video", "x", "--qiet", "--zzzzzz"),
            [
                "triptych video: there is no option --qiet; did you mean --quiet?",
                "triptych video: there is no option --zzzzzz",
            ],
        ),
        (("video", "x", "--duration", "3"), ["triptych video: there is no option --duration; say --seconds S"]),
        (("engines", "--duration"), ["triptych engines: there is no option --duration"]),
        (
            ("video", "a", "quiet", "street"),
            ["triptych video: one argument too many: 'quiet'; a prompt of several words goes in quotes"],
        ),
        (("probe", "a", "b"), ["triptych probe: one argument too many: 'b'"]),
        (("probe",), ["triptych probe: FILE is missing"]),
        (("probe", "--jsn"), ["triptych probe: there is no option --jsn; did you mean --json?"]),
        (("video", "x", "--size"), ["triptych video: --size needs a value: --size WxH"]),
        (("video", "x", "-o"), ["triptych video: -o needs a value: -o FILE"]),
        (("video", "x", "--image", "--quiet"), ["triptych video: --image needs a value: --image FILE"]),
        (
            ("video", "x", "--image", "-cat.png"),
            [
                "triptych video: --image needs a value: --image FILE;"
                " a value that begins with a dash is written --image=-cat.png"
            ],
        ),
        (("video", "x", "--quiet=yes"), ["triptych video: --quiet takes no value"]),
        (("video", "x", "--seed", "1", "--seed", "1"), ["triptych video: --seed is given twice"]),
        (("video", "x", "--output", "a", "-o", "b"), ["triptych video: -o is given twice"]),
        (("video", "x", "--\x1b[31m\n"), ["triptych video: there is no option --\\x1b[31m\\n"]),
    ],
)
def test_what_is_not_understood_is_answered_and_ends_with_2(cli: Cli, typed: tuple[str, ...], said: list[str]) -> None:
    done = cli(*typed)
    command = " ".join(["triptych", *typed[:1]]) if typed and typed[0] in COMMANDS else "triptych"
    assert done.err.splitlines() == [*said, f"Try: {command} --help"]
    assert (done.code, done.out) == (2, "")


def test_words_of_other_programs_lead_to_options_that_there_are(cli: Cli) -> None:
    shown = cli("video", "--help").out
    for word, meant in ELSEWHERE.items():
        assert f"{word} " not in shown
        assert meant.startswith("the prompt") or f" {meant} " in f" {shown} ".replace("\n", " \n")


def test_another_message_of_argparse_is_passed_on(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        Parser(prog="p").error("something else")
    assert caught.value.code == 2
    assert capsys.readouterr().err == "p: something else\nTry: p --help\n"

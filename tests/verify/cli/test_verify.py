"""``crosslit verify`` as a user meets it; ``commands.txt`` has what it prints."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import NoReturn

import click
import pytest
from click.testing import CliRunner
from crosslit_verify.cli.verify import BUGS, command, solver_words
from crosslit_verify.session import Verifier

from crosslit.base.version import __version__
from crosslit.cli.group import root
from crosslit.cli.output import BUG, Progress
from tests.conftest import ROOT, Command, executable

SOLVER = Path(__file__).parents[1] / "zoo" / "command.py"


def solver(fault: str) -> list[str]:
    return ["--", sys.executable, "-S", str(SOLVER), fault]


@pytest.mark.slow
def test_a_failure_is_shown_with_the_command_that_sends_it_again(crosslit: Command, tmp_path: Path) -> None:
    words = ["verify", "--timeout", "5", "--kind", "lights-out", "--corpus", "corpus", *solver("aborts")]
    done = crosslit(*words, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert "  puzzle   10\n" in done.stdout
    again = next(line for line in done.stdout.splitlines() if line.startswith("  again    "))
    assert again.startswith("  again    crosslit verify 10 --timeout 5.0 -- ")
    done = crosslit(*shlex.split(again)[2:], cwd=tmp_path)
    assert (done.returncode, "  puzzle   10\n" in done.stdout) == (1, True)
    done = crosslit(*words, cwd=tmp_path)  # the corpus comes first
    assert "\nfailed: 1 board, claims one; stopped at the first failure\n" in done.stdout
    done = crosslit("verify", "10", *solver("none"), cwd=tmp_path)
    assert (done.returncode, done.stdout.startswith("passed: 1 board,")) == (0, True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize(("fault", "status", "verdict"), [("aborts", 1, "crash: "), ("none", 2, "passed: ")])
def test_a_file_that_cannot_be_written_does_not_lose_the_verdict(
    fault: str, status: int, verdict: str, crosslit: Command, tmp_path: Path
) -> None:
    words = ["verify", "--kind", "lights-out", "--cases", "9", "--junit", "/dev/full"]
    done = crosslit(*words, *solver(fault), cwd=tmp_path)
    assert (done.returncode, done.stdout.startswith(verdict)) == (status, True)
    assert done.stderr == "crosslit: /dev/full: No space left on device: the result is not written there\n"


@pytest.mark.parametrize("error", BUGS)
def test_an_error_of_a_backend_that_judges_is_a_bug_of_crosslit(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def fail(_: Verifier) -> NoReturn:
        raise error("gauss is broken")

    monkeypatch.setattr(Verifier, "run", fail)
    done = CliRunner().invoke(root, ["verify", "--kind", "lights-out", *solver("none")], prog_name="crosslit")
    message = "crosslit: a bug of Crosslit, not of your solver: gauss is broken\n"
    assert (done.exit_code, done.stderr) == (BUG, message)


def test_progress_tells_of_cases_and_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(Progress, "says", lambda _, text: said.append(text))
    words = ["verify", "--keep-going", "--cases", "2", "00", "10", *solver("aborts")]
    assert CliRunner().invoke(root, words).exit_code == 1
    assert said[-2:] == ["1 case; no failure", "2 cases; 1 crash"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--solver 'x=y {cnf}' --against b", "--solver 'x=y {cnf}' --against b"),
        ("--timeout 3 --memory 64 --cases 5 --lines", "--lines --timeout 3.0 --memory 64"),
        ("--unsolvable no --exit 2=unsolvable --exit 3=unique", "--unsolvable no --exit 2=unsolvable --exit 3=unique"),
    ],
)
def test_the_command_that_sends_a_puzzle_again_has_the_options_that_are_no_defaults(words: str, expected: str) -> None:
    assert shlex.join(solver_words(command.make_context("verify", [*shlex.split(words), "--", "cat"]))) == expected


def test_every_option_has_an_example_in_a_page() -> None:
    pages = [ROOT / "docs" / "reference" / name for name in ("verify.md", "verify-protocol.md")]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    examples = " ".join(re.findall(r"crosslit verify [^`]*|--[a-z]+ [^`|]*`", text))
    options = [option.opts[0] for option in command.params if isinstance(option, click.Option)]
    assert {option for option in options if not re.search(f"{option}(?![a-z-])", examples)} == set()
    assert len(options) <= 25


def test_two_backends_are_compared_up_to_the_first_difference(crosslit: Command, tmp_path: Path) -> None:
    options = ["--solver", "no-no=sh -c 'echo s UNSATISFIABLE' {cnf}"]
    done = crosslit("verify", "--backend", "gauss", *options, "--against", "no-no", "0", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith("disagreement: ") and "\n  puzzle   0\n" in done.stdout
    assert f"gauss, {__version__}: 0; no-no, " in done.stdout
    done = crosslit("verify", "--backend", "no-no", *options, "0", cwd=tmp_path)
    assert f"  again    crosslit verify 0 --backend no-no {shlex.join(options)}\n" in done.stdout


def test_a_command_is_compared_with_itself_by_another_interpreter(crosslit: Command, tmp_path: Path) -> None:
    other = executable(tmp_path / "other", "[ $1 = -c ] && while read -r line; do echo unsolvable; done")
    command = ["sh", "-c", "while read -r line; do echo 0; done"]
    done = crosslit("verify", "--lines", "--against", str(other), "0", "--", *command, cwd=tmp_path)
    assert (done.returncode, f"sh: 0; {other}: unsolvable" in done.stdout) == (1, True)

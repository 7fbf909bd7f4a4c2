"""``crosslit compare`` as its users meet it."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from crosslit_bench.results import NAMES

from crosslit import Grid, Limits, load
from crosslit.cli.compare import certify
from crosslit.cli.options import Query
from crosslit.contract.run import Run
from crosslit.judging.certificates import check_refutation, lemmas
from crosslit.judging.solutions import judge
from crosslit.runs.job import Certify, Job, Solve
from tests.commands.conftest import Asked
from tests.conftest import Command
from tests.driving import ended
from tests.inline import run_inline
from tests.stored.sessions import play, sessions

NOTHING = "a.json not written: no certificate was accepted"


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_the_seconds_of_a_run_are_those_of_its_phases(crosslit: Command) -> None:
    (comparison,) = lines(crosslit("compare", "1 1,1 1,1,1|1 1,1,2,1", "--json").stdout)
    for run in comparison["runs"]:
        seconds = run["seconds"]
        assert list(seconds) == ["encode", "load", "solve", "decode", "total", "cpu", "wall"]
        assert seconds["total"] == pytest.approx(sum(list(seconds.values())[:4]), abs=1e-5)
        assert 0 < seconds["total"] <= seconds["wall"]
        assert run["memory_mb"] > 1


@pytest.mark.slow
def test_it_runs_in_a_folder_that_cannot_be_written_and_holds_strange_modules(
    crosslit: Command, tmp_path: Path
) -> None:
    for name in ("random", "queue", "numpy", "crosslit_backends"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the current folder')\n", encoding="utf-8")
    tmp_path.chmod(0o555)
    command = [str(Path(sys.executable).with_name("crosslit")), "compare", "10/01", "--backends", "gauss,glucose4"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_results_and_progress_do_not_mix(tmp_path: Path) -> None:
    """With standard error on a terminal, results still go to standard output, and whole."""
    out, master = tmp_path / "out.json", None
    master, terminal = os.openpty()
    command = [sys.executable, "-m", "crosslit", "compare", "10/01", "1|1", "--json"]
    with out.open("wb") as file, os.fdopen(terminal, "wb") as errors:
        process = subprocess.Popen(command, stdout=file, stderr=errors)
    told = b""
    with contextlib.suppress(OSError):  # the end of a terminal is an error on Linux
        while data := os.read(master, 4096):
            told += data
    os.close(master)
    assert process.wait() == 0
    assert [c["verdict"]["status"] for c in lines(out.read_text(encoding="utf-8"))] == ["unique", "unique"]
    assert b" done; now" in told
    assert b"schema" not in told


def test_the_problems_of_a_row_are_those_of_its_backend() -> None:
    one, other = Grid.from_text("10/01"), Grid.from_text("01/10")
    runs = [Run("a", status="complete", grids=[one, other]), Run("b", status="complete", grids=[one])]
    rows = judge(load("1,1|1,1"), runs, Limits()).records()
    assert [(row["backend"], row["problems"]) for row in rows] == [("a", ""), ("b", "missing-solution")]


@sessions(
    r"""
## a title does not draw, and a stream that lacks a character gets another
$ printf 'title "[red]Ä[/red][2J"\nrows\n1\ncolumns\n1\n' > title.non
$ crosslit compare title.non --backends native
[red]?[/red]?[2J: nonogram, 1 x 1
...
$ crosslit compare title.non --backends native --json
{..."name": "[red]\u00c4[/red]\b[2J"...}
## a proof is written only if one was accepted
$ crosslit compare '1,1|1,0' --backends hybrid --certificate proof.drat
...
verdict: unsolvable (evidence: certified, by hybrid; checked by sums of the clues)
! crosslit: proof.drat not written: the certificate is nonogram-sums, no SAT proof; --backends glucose4 gives one
? 3
$ crosslit compare '1 1,1 1,1,1|1 1,1,2,1' --backends minisat22 --certificate proof.drat
...
! crosslit: proof.drat not written: no certificate was accepted
? 3
## what was meant for a backend is no puzzle
$ crosslit compare 10/01 gauss,cadical195
! crosslit: gauss,cadical195: expected a puzzle; backends are named by --backend or --backends
? 2
## a file that cannot be written is refused before any run
$ crosslit compare '1 1,1 1,1,1|1 1,1,2,1' --backends glucose4 --certificate none/proof.DRAT
! crosslit: none/proof.DRAT: No such file or directory
? 2
$ ls
"""
)
def test_session(session: str, tmp_path: Path) -> None:
    play(session, tmp_path)


def test_the_files_of_a_proof_are_a_formula_and_its_refutation(tmp_path: Path) -> None:
    puzzle, path = "1 1,1 1,1,1|1 1,1,2,1", tmp_path / "proof.drat"
    done = run_inline("compare", puzzle, "--backends", "cadical195/direct,line", "--certificate", str(path))
    assert (done.returncode, "evidence: certified" in done.stdout) == (0, True)
    assert done.stderr == "".join(f"crosslit: {path.with_suffix(end)}: written\n" for end in (".cnf", ".drat"))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["proof.cnf", "proof.drat"]
    formula = path.with_suffix(".cnf").read_text(encoding="utf-8").splitlines()
    clauses = [[int(word) for word in line.split()[:-1]] for line in formula if line[0] not in "cp"]
    assert "encoding direct: unique" in "\n".join(formula)
    proof = lemmas(path.with_suffix(".drat").read_text(encoding="utf-8").splitlines())
    check_refutation(clauses, proof, 10_000)


GOOD, WRONG, OPEN, IMPOSSIBLE = "10/01", "11/11", "00/00", "2|1"  # by the runs that each gets


ENDS: dict[str, Callable[[Job], Run]] = {
    GOOD: ended("complete", Grid.from_text("10/01")),
    WRONG: ended("complete", Grid.from_text("10/01")),
    OPEN: ended("timeout"),
    IMPOSSIBLE: ended("complete"),
}


def make(job: Job) -> Run:
    """Make the run of a puzzle; one that makes certificates ends late."""
    return (ENDS[job.puzzle.text] if isinstance(job.request, Solve) else ended("timeout"))(job)


@pytest.mark.parametrize(
    ("puzzles", "interrupted", "status", "printed"),
    [
        ([GOOD, GOOD], False, 0, 2),
        ([GOOD, OPEN], False, 3, 2),
        ([OPEN, GOOD], False, 3, 2),
        ([WRONG, GOOD], False, 1, 2),
        ([GOOD, WRONG], False, 1, 2),
        ([OPEN, WRONG], False, 1, 2),
        ([GOOD, GOOD], True, 130, 1),
        ([WRONG, GOOD], True, 130, 1),
    ],
)
def test_every_puzzle_counts_for_the_exit_status(
    given: Asked, puzzles: list[str], interrupted: bool, status: int, printed: int
) -> None:
    for json_option in ([], ["--json"]):
        done, _, _ = given(
            "compare", *puzzles, "--backends", "gauss,glucose4", *json_option, runs=make, interrupted=interrupted
        )
        assert done.exit_code == status, done.output
        assert done.stdout.count('"verdict": {' if json_option else "verdict: ") == printed


@pytest.mark.parametrize(
    ("arguments", "solutions", "more"),
    [
        ([], 2, {"side_by_side": 1, "cores": 1}),
        (["--limit", "5"], 5, {"side_by_side": 1, "cores": 1}),
        (["--all", "--limit", "5", "--jobs", "3"], None, {"side_by_side": 3, "cores": 1}),
        (["--fewest", "--backends", "fewest"], None, {"side_by_side": 1, "cores": 1}),
    ],
)
def test_the_options_of_a_comparison_are_those_of_its_runs(
    given: Asked, arguments: list[str], solutions: int | None, more: dict[str, int]
) -> None:
    done, runner, options = given(
        "compare", GOOD, *arguments, "--repeat", "2", "--timeout", "9", "--memory", "99", runs=make
    )
    assert done.exit_code == 0, done.output
    assert runner.limits == Limits(solutions, 9.0, 99)
    assert options.items() >= {**more, "fork_first": True}.items()
    assert {job.question for job in runner.asked} == {"fewest" if "--fewest" in arguments else "solutions"}
    assert {job.repetition for job in runner.asked} == {0, 1}


@pytest.mark.parametrize(("words", "is_full"), [([], False), (["--full"], True), (["--timeout", "9"], True)])
def test_slow_backends_are_waited_for_on_request_or_within_a_limit(
    given: Asked, words: list[str], is_full: bool
) -> None:
    _, runner, _ = given("compare", GOOD, *words, runs=make)
    assert {job.limits is None for job in runner.asked} == {is_full}


@pytest.mark.parametrize(
    ("arguments", "is_made", "status", "errors"),
    [
        ([], False, 0, []),
        (["--certify"], True, 0, []),
        (["--certificate", "a"], True, 3, ["a not written: no certificate was accepted"]),
        (["--certificate", "a.drat"], True, 3, ["a.drat not written: no certificate was accepted"]),
    ],
)
def test_a_certificate_is_made_on_request_and_its_absence_is_an_open_end(
    given: Asked, arguments: list[str], is_made: bool, status: int, errors: list[str]
) -> None:
    done, runner, _ = given("compare", GOOD, "--backends", "gauss", *arguments, runs=make)
    assert (done.exit_code, done.stderr.splitlines()) == (status, [f"crosslit: {error}" for error in errors])
    assert any(isinstance(job.request, Certify) for job in runner.asked) == is_made


def test_the_runs_of_all_puzzles_are_written_as_csv(given: Asked, tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    done, _, _ = given("compare", GOOD, OPEN, "--backends", "gauss,glucose4", "--csv", str(path), runs=make)
    assert done.stderr == f"crosslit: {path}: written\n"
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows[0].keys() <= set(NAMES)  # the columns of an export
    found = [(row["backend"], row["status"], row["verdict"], row["rows"], row["columns"]) for row in rows]
    assert found == [
        ("gauss", "complete", "unique", "2", "2"),
        ("glucose4", "complete", "unique", "2", "2"),
        ("gauss", "timeout", "undecided", "2", "2"),
        ("glucose4", "timeout", "undecided", "2", "2"),
    ]


@pytest.mark.parametrize(
    ("specs", "names"),
    [("line,hybrid", ["line", "hybrid"]), ("line:kernel=no,hybrid", ["hybrid"]), ("gauss,line", ["line"])],
)
def test_the_note_on_kernels_is_about_the_backends_that_run(
    given: Asked, monkeypatch: pytest.MonkeyPatch, specs: str, names: list[str]
) -> None:
    noted: list[list[str]] = []

    def note(versions: dict[str, str]) -> str:
        noted.append([*versions])
        return "slow without it"

    monkeypatch.setattr("crosslit.registry.kernel_note", note)
    done, _, _ = given("compare", IMPOSSIBLE, "--backends", specs, runs=make)
    assert noted == [names]
    assert done.stderr == "crosslit: slow without it\n"


@pytest.mark.parametrize(
    ("reasons", "count", "told"),
    [
        ({"a": "slow"}, 2, ["a.json: written"]),
        ({"a": "slow", "b": "slow", "c": "x"}, None, ["not certified: slow", "not certified: x", NOTHING]),
        (None, None, [NOTHING]),
        ({}, 1000, ["a.json not written: the certificate is for 1,000 solutions"]),
    ],
)
def test_a_certificate_that_is_not_written_has_its_reasons(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    reasons: dict[str, str] | None,
    count: int | None,
    told: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    accepted = SimpleNamespace(certificate=SimpleNamespace(text="{}"), checked=SimpleNamespace(count=count))
    comparison = SimpleNamespace(uncertified=reasons, verdict=SimpleNamespace(certificate=count and accepted))
    monkeypatch.setattr("crosslit.questions.compare.certify_number", lambda *_: comparison)
    monkeypatch.setattr("crosslit.judging.certificates.MAX_SOLUTIONS", 2)
    assert certify(Query((), 60, False), load("1,1|1,1"), 2, "a.json") == (told == ["a.json: written"])
    assert capsys.readouterr().err.splitlines() == [f"crosslit: {line}" for line in told]

"""A kind of puzzles from another distribution, the example Hitori, works in every command."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from crosslit.kinds import Kind, LightsOut, kind_of_text, register_kind
from tests.conftest import ROOT, Command, installed

EXAMPLE = ROOT / "examples" / "own-kind"
UNIQUE = "hitori:3231/2321/3412/3133"
THREE = "hitori:123/112"
NONE = "hitori:111/111"
SOLVER = """
import json, sys
from crosslit import load, solve

for line in sys.stdin:
    puzzle = load(json.loads(line)["text"])
    grid = solve(puzzle, "glucose4")
    is_lie = sys.argv[1:] == [str(puzzle.rows)]
    answer = {"unsolvable": True} if grid is None or is_lie else {"solution": grid.text().split("/")}
    print(json.dumps({"id": json.loads(line)["id"], **answer}), flush=True)
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return installed(tmp_path, EXAMPLE)


def test_the_example_is_short() -> None:
    assert (
        sum(
            len((EXAMPLE / name).read_text(encoding="utf-8").splitlines()) for name in ("own_kind.py", "pyproject.toml")
        )
        <= 150
    )


def test_it_is_compared(crosslit: Command, environment: dict[str, str]) -> None:
    done = crosslit("compare", THREE, "--all", "--json", "--backends", "default,brute", env=environment)
    comparison = json.loads(done.stdout)
    assert {run["backend"] for run in comparison["runs"]} == {"brute", "cadical195", "cpsat", "glucose4"}
    assert (comparison["verdict"]["solutions"], comparison["verdict"]["evidence"]) == (3, "brute-force")
    assert comparison["puzzle"] | {"id": ""} == {
        "name": "", "kind": "hitori", "rows": 2, "columns": 3, "id": "", "text": THREE, "nullity": None
    }  # fmt: skip


def test_it_is_read_from_every_format_that_it_is_written_to(
    crosslit: Command, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "pack.puzzles").write_text(f"{THREE} # Small\n{UNIQUE}\n", encoding="utf-8")
    for source, path in (("pack.puzzles:1", "one.json"), ("one.json", "one.puzzles")):
        assert crosslit("convert", source, path, env=environment, cwd=tmp_path).returncode == 0
    shown = crosslit("show", "one.puzzles", env=environment, cwd=tmp_path).stdout.splitlines()
    assert [line.rstrip() for line in shown] == ["one: Hitori, 2 x 3", "1 2 3", "1 1 2"]
    wrong = crosslit("show", "hitori:1/12", env=environment)
    assert (wrong.returncode, "expected hitori: and rows of equal length" in wrong.stderr) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "printed"),
    {
        f"solve {UNIQUE}": "██2 3 ██\n2 3 ██1 \n3 4 1 2 \n██1 ██3",
        f"compare {UNIQUE}": "verdict: unique (evidence: agreed, by cadical195, cpsat)",
        f"compare {NONE} --certify": "verdict: unsolvable (evidence: certified, by",
        f"count {UNIQUE} --check": "1 (evidence: agreed, by cadical195, cpsat)",
        f"count {THREE}": "3\n",
        f"enumerate {THREE}": "000/100\n001/100\n000/101",
        f"backbone {THREE}": "4 cells are equal in all solutions, 2 vary",
        f"reveal {THREE}": "2 cells to reveal, the fewest",
        f"explain {NONE}": "these 2 constraints contradict each other\n  row 1\n  row 2",
        f"stats {THREE} {UNIQUE} {NONE}": "1 of 3 unsolvable, 1 unique, 1 with several solutions",
        f"encode {THREE} --encoding reach": "p cnf",
        f"encode {THREE} --encoding distance": "variables",
        "check-backend glucose4/reach --kind hitori --level quick": "passed, 0 failed",
        "check-backend cpsat --kind hitori --level quick": "passed, 0 failed",
        "check-backend brute --kind hitori --level quick": "passed, 0 failed",
    }.items(),
)
def test_a_command_answers_about_it(crosslit: Command, environment: dict[str, str], command: str, printed: str) -> None:
    done = crosslit(*command.split(), env=environment)
    assert printed in done.stdout + done.stderr
    assert done.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "reason"),
    {
        "generate hitori": "it makes Lights Out boards and nonograms; Hitori puzzles come from their own distribution",
        f"page {THREE} -o page.html": ", not Hitori puzzles",
        f"solve {THREE} --fewest": "the question `fewest` applies only to Lights Out and modular Lights Out",
        f"size {THREE}": "expected ROWSxCOLUMNS",
    }.items(),
)
def test_a_command_that_does_not_support_it_says_so(
    crosslit: Command, environment: dict[str, str], command: str, reason: str
) -> None:
    done = crosslit(*command.split(), env=environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr


@pytest.mark.slow
def test_an_answer_to_its_formula_is_decoded(crosslit: Command, environment: dict[str, str], tmp_path: Path) -> None:
    assert crosslit("encode", "hitori:11/12", "-o", "puzzle.cnf", env=environment, cwd=tmp_path).returncode == 0
    variables = int((tmp_path / "puzzle.cnf").read_text(encoding="utf-8").partition("p cnf ")[2].split()[0])
    others = " ".join(str(variable) for variable in range(2, variables + 1))
    (tmp_path / "wrong.txt").write_text(f"s SATISFIABLE\nv 1 {others} 0\n", encoding="utf-8")
    done = crosslit("decode", "hitori:11/12", "wrong.txt", env=environment, cwd=tmp_path)
    assert (done.returncode, "breaks" in done.stdout + done.stderr) == (1, True)


@pytest.mark.slow
@pytest.mark.parametrize(("words", "passed"), [([], True), (["2"], False)])
def test_a_solver_of_it_is_verified_on_puzzles_of_all_sizes(
    crosslit: Command, environment: dict[str, str], tmp_path: Path, words: list[str], passed: bool
) -> None:
    options = ["--kind", "hitori", "--cases", "12", "--json"]
    done = crosslit("verify", *options, "--", sys.executable, "-c", SOLVER, *words, env=environment, cwd=tmp_path)
    result = json.loads(done.stdout)
    assert (done.returncode, result["passed"]) == (not passed, passed)
    if passed:
        assert result["coverage"]["skipped"] == {}
    else:
        (failure,) = result["failures"]
        assert (failure["problem"], len(failure["puzzle"]["text"])) == ("wrong-unsolvable", len("hitori:1/1"))


@pytest.mark.slow
def test_a_campaign_measures_it(crosslit: Command, environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "hitori.toml").write_text(
        f'task = "all"\nbackends = ["cpsat", "glucose4"]\n[[puzzles]]\npuzzles = ["{UNIQUE}", "{THREE}"]\n',
        encoding="utf-8",
    )
    done = crosslit("bench", "run", "hitori.toml", env=environment, cwd=tmp_path)
    assert (done.returncode, "4 runs, 4 new; 0 wrong answers" in done.stdout + done.stderr) == (0, True)
    done = crosslit("bench", "report", "hitori.sqlite", "-o", "report.html", env=environment, cwd=tmp_path)
    assert done.returncode == 0
    assert "Hitori, 4" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_name_is_of_one_kind() -> None:
    with pytest.raises(ValueError, match="there is a kind lights-out already"):
        register_kind(Kind(puzzle=LightsOut, samples=tuple))
    assert kind_of_text("lights-out:10/01") is kind_of_text("10/01") is kind_of_text("3x2:1//1/1.1/") is None


def test_a_solver_that_the_user_defines_is_listed(crosslit: Command, environment: dict[str, str]) -> None:
    done = crosslit("compare", NONE, "--json", "--solver", "mine=cat {cnf}", env=environment)
    (mine,) = (run for run in json.loads(done.stdout)["runs"] if run["backend"] == "mine")
    assert (mine["status"], "no answer" in mine["error"]) == ("error", True)

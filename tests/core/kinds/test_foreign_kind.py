"""A kind of puzzles from another distribution is compared, verified and measured like those of Crosslit."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from crosslit.kinds import Kind, LightsOut, kind_of_text, register_kind
from tests.conftest import Command

LATIN = Path(__file__).parents[2] / "planted_kind"
SQUARE = "latin:???/???/???"

SOLVER = """
import sys
from planted_latin import BACKENDS, Latin

solver = next(backend for backend in BACKENDS if backend.name == sys.argv[1])
found = next(solver.solutions(Latin.parse(sys.stdin.read().strip()), None), None)
print("unsolvable" if found is None or sys.argv[2:] == [str(found.rows)] else found.text())
"""


@pytest.fixture
def environment() -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(LATIN), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}


def test_it_is_compared(crosslit: Command, environment: dict[str, str]) -> None:
    done = crosslit("compare", SQUARE, "--all", "--json", env=environment)
    comparison = json.loads(done.stdout)
    assert {run["backend"] for run in comparison["runs"]} == {"permutations", "every-grid"}
    assert (comparison["verdict"]["solutions"], comparison["verdict"]["evidence"]) == (6, "agreed")
    assert comparison["puzzle"] | {"id": ""} == {
        "name": "", "kind": "latin", "rows": 3, "columns": 3, "id": "", "text": SQUARE, "nullity": None
    }  # fmt: skip
    done = crosslit("compare", SQUARE, "--all", "--json", "--backends", "forgetful,permutations", env=environment)
    assert [finding["problem"] for finding in json.loads(done.stdout)["findings"]] == ["missing-solution"]


def test_it_is_read_listed_and_drawn(crosslit: Command, environment: dict[str, str], tmp_path: Path) -> None:
    pack = tmp_path / "pack.puzzles"
    pack.write_text(f"latin:?1/?? # Two\n{SQUARE}\n")
    shown = crosslit("show", f"{pack}:1", "--cells", "?1/1?", env=environment).stdout
    assert shown.splitlines()[0] == "Two: Latin square, 2 x 2"
    assert len(shown.splitlines()) == 3
    listed = crosslit("enumerate", f"{pack}:2", "--backend", "permutations", env=environment).stdout
    assert len(set(listed.split())) == 6
    converted = crosslit("convert", f"{pack}:1", "-", "--to", "json", env=environment).stdout
    assert converted == '{"kind": "latin", "text": "latin:?1/??"}\n'
    wrong = crosslit("show", "latin:1/1", env=environment)
    assert wrong.returncode == 2
    assert "expected latin: and a square" in wrong.stderr


def test_what_no_backend_of_the_kind_answers_is_said(crosslit: Command, environment: dict[str, str]) -> None:
    assert crosslit("solve", SQUARE, env=environment).returncode == 0
    audit, *_ = map(json.loads, crosslit("stats", SQUARE, "--json", env=environment).stdout.splitlines())
    assert (audit["solutions"], audit["evidence"], audit["findings"]) == (6, "agreed", [])
    for arguments, missing in {
        ("backbone", SQUARE): "no backend of Latin squares can find the backbone: it would have `backbone`",
        ("solve", SQUARE, "--fewest"): "the question `fewest` applies only to Lights Out",
        ("generate", "latin"): "it makes Lights Out boards and nonograms; Latin squares come from their own",
    }.items():
        done = crosslit(*arguments, env=environment)
        assert done.returncode == 2
        assert missing in done.stderr


def test_brute_force_counts_its_solutions(crosslit: Command, environment: dict[str, str]) -> None:
    assert crosslit("count", SQUARE, env=environment).stdout == "6\n"


def test_its_backends_are_checked(crosslit: Command, environment: dict[str, str]) -> None:
    done = crosslit("check-backend", "permutations", "--size", "quick", "--json", env=environment)
    assert done.returncode == 0
    done = crosslit("check-backend", "forgetful", "--size", "quick", env=environment)
    assert done.returncode == 1
    assert "failed" in done.stdout


def test_its_solvers_are_verified(crosslit: Command, environment: dict[str, str], tmp_path: Path) -> None:
    def verify(*words: str) -> tuple[int, dict[str, object]]:
        options = ["--kind", "latin", "--one-shot", "--cases", "12", "--json"]
        command = [sys.executable, "-c", SOLVER, *words]
        done = crosslit("verify", *options, "--", *command, env=environment, cwd=tmp_path)
        return done.returncode, json.loads(done.stdout)

    status, right = verify("permutations")
    assert (status, right["passed"]) == (0, True)
    status, wrong = verify("permutations", "2")
    assert status == 1
    (failure,) = wrong["failures"]  # type: ignore[misc,attr-defined]
    assert failure["problem"] == "wrong-unsolvable"
    assert failure["puzzle"].count("?") >= 3  # all that could be taken away is


def test_a_campaign_measures_them(crosslit: Command, environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_text(
        'task = "all"\nbackends = ["permutations", "every-grid", "forgetful"]\n'
        f'[[puzzles]]\npuzzles = ["{SQUARE}", "latin:?1/??"]\n'
    )
    done = crosslit("bench", "run", "latin.toml", env=environment, cwd=tmp_path)
    assert done.returncode == 1
    assert "6 runs, 6 new; 1 wrong answer" in done.stdout + done.stderr
    exported = crosslit("bench", "export", "latin.sqlite", "--format", "jsonl", env=environment, cwd=tmp_path).stdout
    assert {json.loads(line)["kind"] for line in exported.splitlines()} == {"latin"}
    done = crosslit("bench", "report", "latin.sqlite", "-o", "report.html", env=environment, cwd=tmp_path)
    assert done.returncode == 1  # it reports the wrong answer
    assert "Latin square, 3 × 3" in (tmp_path / "report.html").read_text()


def test_a_name_is_of_one_kind() -> None:
    with pytest.raises(ValueError, match="there is a kind lights-out already"):
        register_kind(Kind(puzzle=LightsOut, samples=tuple))
    assert kind_of_text("lights-out:10/01") is kind_of_text("10/01") is kind_of_text("3x2:1//1/1.1/") is None


def test_a_solver_that_the_user_defines_is_listed_with_the_reason(
    crosslit: Command, environment: dict[str, str]
) -> None:
    done = crosslit("compare", SQUARE, "--json", "--solver", "mine=cat {cnf}", env=environment)
    (mine,) = (run for run in json.loads(done.stdout)["runs"] if run["backend"] == "mine")
    assert "no encoding of latin puzzles" in mine["error"]

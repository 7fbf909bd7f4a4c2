"""``crosslit compare --proof``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from crosslit.contract.clauses import check_refutation, lemmas
from tests.conftest import Command

Run = Callable[..., tuple[int, str]]
PUZZLE = "1 1,1 1,1,1|1 1,1,2,1"


@pytest.fixture
def run(crosslit: Command) -> Run:
    def compare(*arguments: str) -> tuple[int, str]:
        done = crosslit("compare", *arguments)
        return done.returncode, done.stdout + done.stderr

    return compare


def read_formula(path: Path) -> list[list[int]]:
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line[0] not in "cp"]
    return [[int(word) for word in line.split()[:-1]] for line in lines]


def test_the_files_are_a_formula_and_its_refutation(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "proof"
    status, text = run(PUZZLE, "--backends", "cadical195/direct", "--proof", str(path))
    assert (status, "evidence: certified" in text) == (0, True)
    proof = lemmas((tmp_path / "proof.drat").read_text(encoding="utf-8").splitlines())
    check_refutation(read_formula(tmp_path / "proof.cnf"), proof, 10_000)
    assert "encoding direct: unique" in (tmp_path / "proof.cnf").read_text(encoding="utf-8")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["proof.cnf", "proof.drat"]


def test_a_certificate_that_is_no_proof_leaves_no_files(run: Run, tmp_path: Path) -> None:
    status, text = run("1,1|1,0", "--backends", "hybrid", "--proof", str(tmp_path / "proof"))
    assert status == 3
    assert "proof.cnf not written: the certificate is nonogram-sums, no SAT proof" in text
    assert not list(tmp_path.iterdir())


def test_no_certificate_leaves_no_files(run: Run, tmp_path: Path) -> None:
    status, text = run(PUZZLE, "--backends", "minisat22", "--proof", str(tmp_path / "proof"))
    assert status == 3
    assert "not written: no certificate was accepted" in text
    assert not list(tmp_path.iterdir())


def test_both_files_or_none(run: Run, tmp_path: Path) -> None:
    (tmp_path / "proof.drat").mkdir()
    status, text = run(PUZZLE, "--backends", "glucose4", "--proof", str(tmp_path / "proof"))
    assert status == 2
    assert "proof.drat: is not a plain file" in text
    assert [file.name for file in tmp_path.iterdir()] == ["proof.drat"]


def test_a_folder_that_is_not_there(run: Run, tmp_path: Path) -> None:
    status, text = run(PUZZLE, "--backends", "glucose4", "--proof", str(tmp_path / "none" / "proof"))
    assert (status, "No such file" in text) == (2, True)


def test_one_puzzle_at_a_time(run: Run) -> None:
    assert run(PUZZLE, PUZZLE, "--proof", "x")[0] == 2

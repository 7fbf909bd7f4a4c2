"""drat-trim where it is on the PATH: scripts in its place for every outcome, and the real one where there is one."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest
from crosslit_backends.sat.refuting import refute_by

from crosslit import load, solutions
from crosslit.certificates import CertificateRejected, check
from crosslit.certificates.drat_trim import check_by_drat_trim
from crosslit.certificates.rup import NoRefutation, lemmas, prove
from crosslit.contract import Task

SQUARE = [[1, 2], [1, -2], [-1, 2], [-1, -2]]
REAL = shutil.which("drat-trim")


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A command by its name, to be written; only it and the shell's are on the PATH."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path / "drat-trim"


def write(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_it_reads_the_formula_and_the_proof(fake: Path) -> None:
    write(fake, f"cat $1 $2 > {fake.parent}/read; printf '\\rc parsing\\n\\rs VERIFIED\\n'")
    assert check_by_drat_trim(SQUARE, [[1]], 2) == "verified"
    assert (fake.parent / "read").read_text() == "p cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n1 0\n0\n"
    assert {path.name for path in fake.parent.iterdir()} == {"drat-trim", "read"}


def test_what_it_rejects_is_no_refutation(fake: Path) -> None:
    write(fake, "printf '\\ns NOT VERIFIED\\n'; exit 1")
    with pytest.raises(NoRefutation, match="drat-trim does not verify it"):
        check_by_drat_trim(SQUARE, [[1]], 2)


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ("echo 's VERIFIED'; exit 1", "it said that it is verified, exit status 1"),
        ("echo 'c s VERIFIED'", "it gave no verdict, exit status 0"),
        ("echo 's MEMORY ALLOCATION ERROR'; exit 1", "it gave no verdict, exit status 1"),
        ("kill -9 $$", "it gave no verdict, exit status -9"),
        ("yes", "it gave no verdict, exit status "),  # more output than it may write
    ],
)
def test_what_says_nothing_changes_nothing(fake: Path, script: str, outcome: str) -> None:
    write(fake, script)
    assert check_by_drat_trim(SQUARE, [[1]], 2).startswith(outcome)


def ended(number: Path) -> bool:
    """Whether the process has ended, or was killed before it could report its number."""
    try:
        written = number.read_text().strip()
        return not written or (Path("/proc") / written / "stat").read_text().split()[2] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_it_is_ended_at_its_limit(fake: Path) -> None:
    write(fake, f"sleep 60 & echo $! > {fake.parent}/child; wait")
    began = time.monotonic()
    assert check_by_drat_trim(SQUARE, [[1]], 2, seconds=0.2) == "no verdict within 0.2 s"
    assert time.monotonic() - began < 30
    while not ended(fake.parent / "child"):  # its descendants are killed too, which takes a moment
        assert time.monotonic() - began < 30
        time.sleep(0.01)


def test_it_need_not_be_there(monkeypatch: pytest.MonkeyPatch, fake: Path) -> None:
    monkeypatch.setenv("PATH", str(fake.parent))
    assert check_by_drat_trim(SQUARE, [[1]], 2) == "not on the PATH"


def test_a_formula_with_an_empty_clause_is_not_passed_to_it(fake: Path) -> None:
    write(fake, "exit 3")
    assert "empty clause" in check_by_drat_trim([[1], []], [], 1)


def test_a_certificate_names_it_where_it_has_verified(fake: Path) -> None:
    puzzle = load("1,1|1,1")
    given = refute_by(puzzle, Task(), [*solutions(puzzle)], "glucose4", "order")
    assert "drat-trim" not in check(puzzle, given).by
    write(fake, "echo 's VERIFIED'")
    assert check(puzzle, given).by == "RUP by minisat22 and drat-trim; order checked line by line"
    write(fake, "echo 's NOT VERIFIED'; exit 1")
    with pytest.raises(CertificateRejected, match="drat-trim does not verify it"):
        check(puzzle, given)


@pytest.mark.skipif(REAL is None, reason="drat-trim is not installed")
def test_the_real_one() -> None:
    for prover in ("glucose4", "cadical195", "lingeling"):
        proof = list(lemmas(prove(SQUARE, prover)[1]))
        assert check_by_drat_trim(SQUARE, proof, 2) == "verified"
    assert check_by_drat_trim([[1], [-1]], [], 1) == "verified"
    with pytest.raises(NoRefutation):
        check_by_drat_trim(SQUARE[:3], [[]], 2)

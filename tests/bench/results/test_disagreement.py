"""A campaign in which two independent backends agree on a count that the nullity excludes."""

from __future__ import annotations

from pathlib import Path

import pytest
from crosslit_bench.plan.campaign import Instance
from crosslit_bench.report.puzzles import find_wrong_answers
from crosslit_bench.results.frame import load as load_results
from crosslit_bench.store.store import Store

from crosslit import Grid, load
from crosslit.contract.run import Run
from tests.bench.reports import campaign, named, solved, unsolved
from tests.conftest import Command

DARK = load("00/00/00")  # four solutions
LABELS = ["a", "b", "slow"]


def run(instance: Instance, label: str) -> Run:
    if label == "slow":
        return unsolved(trusted_base=frozenset({label}))
    return solved(0.01, Grid.from_bits(3, 2, 0), trusted_base=frozenset({label}))


@pytest.mark.slow
def test_a_disagreement_is_reported_and_disqualifies_nobody(tmp_path: Path, crosslit: Command) -> None:
    results = campaign(tmp_path, [named(DARK, "dark")], LABELS, run)
    found = [(finding.backend, finding.problem) for _, finding in results.findings]
    assert found == [(name, "disagreement") for name in ("a", "b", "nullity")]
    assert not any(contestant.disqualified for contestant in results.contestants)
    told = find_wrong_answers(results)
    assert told["verdicts"] == []
    assert [wrong["guilty"] for wrong in told["listed"]] == ["a", "b", "the computed nullity"]
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        assert {row["judgement"] for row in load_results(store).records()} == {"undecided"}
    done = crosslit("bench", "report", str(path), "-o", str(tmp_path / "r.html"))
    assert done.returncode == 1, done.stderr
    done = crosslit("bench", "status", str(path))
    assert "wrong: a: disagreement on dark: solutions by a and b: 1; by the nullity of 2: 0 or 4" in done.stdout

"""The audit of packs, and families as stored."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from crosslit_generate.audit import audit_all, totals
from crosslit_generate.cases import families
from crosslit_generate.solution_count import ONLY, admitted, few_solutions

from crosslit import Grid, LightsOut, Limits, SpecError, audit, load
from crosslit.contract.run import Run, RunStatus
from crosslit.kinds import all_kinds, solutions_by_rules
from crosslit.runs.job import Job
from tests.conftest import plant_nullity
from tests.contract.executor import execute
from tests.driving import Given
from tests.stored import check


def test_after_an_interrupt_there_are_audits_of_finished_puzzles_only() -> None:
    def make(job: Job) -> Run:
        runner.interrupted = job.puzzle.text != "1/1"
        return job.blank("interrupted") if runner.interrupted else Run(job.spec, status="timeout")

    runner: Any = Given(make)
    found = [*audit_all([load("1/1"), load("10/01"), load("11/11")], runner)]
    assert [each.puzzle.text for each in found] == ["1/1"]
    assert len(runner.asked) == len(found[0].comparison.runs) + 1


def test_a_nullity_that_is_proved_wrong_counts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    plant_nullity(monkeypatch, 0)
    (found,) = audit([load("0000/0000/0000/0000")], limit=2)
    assert {(f.backend, f.problem) for f in found.findings} == {("nullity", "contradicts-nullity")}
    assert found.solutions is None


def test_a_number_beyond_the_limit_is_not_reported() -> None:
    (found,) = audit([LightsOut(Grid.from_bits(19, 19, 0))], timeout=60)
    assert (found.solutions, found.json()["at_least"]) == (None, 1000)


def test_what_no_lineage_confirms_is_claimed() -> None:
    (found,) = audit([load("1|1")], "line,gauss")
    assert found.comparison.verdict.evidence == "claimed"
    assert [run.status for run in found.comparison.runs] == ["complete", "unsupported"]
    (found,) = audit([load("10/01")], "line")
    row = found.row()
    assert (row["status"], row["solutions"]) == ("undecided", "?")
    assert row["note"] == "line: does not solve lights-out puzzles"
    with pytest.raises(SpecError, match="there is no 'nobody'"):
        audit([load("1|1")], "nobody")


@pytest.mark.parametrize(("status", "difficulty"), [("complete", "line"), ("timeout", None)])
def test_a_puzzle_that_was_not_decided_has_no_difficulty(status: RunStatus, difficulty: str | None) -> None:
    runner: Any = Given(lambda _: Run("line", status=status, stats={"difficulty": "line"}))
    runner.limits = Limits()
    (found,) = audit_all([load("1|0")], runner, "line")
    assert found.difficulty == difficulty


STORED = Path(__file__).with_name("results.txt")


@pytest.mark.parametrize("kind", all_kinds())
def test_the_families_of_each_class_and_size(kind: str) -> None:
    lines = []
    for square in (False, True):
        for only in (None, *ONLY):
            for max_size in (None, 1, 3):
                found = families(kind, square=square, only=only, max_size=max_size)
                names = hashlib.sha256("\n".join(family.name for family in found).encode()).hexdigest()[:8]
                sizes = [family.size for family in found]
                lines.append(f"{square} {only} {max_size}: {len(found)}, {sizes[:12]}, {names}")
    for family in families(kind, max_size=2):
        for only in (None, *ONLY):
            cases = list(family.cases(only))
            ends = [number for number, case in enumerate(cases) if case.last]
            lines.append(f"{cases[0].family if cases else only}: {len(cases)} of {family.size}, the last is {ends}")
    check(STORED, f"families of {kind}", "\n".join(lines))


def small_puzzles() -> Iterator[Any]:
    """Samples of every kind that brute force counts quickly."""
    for kind in all_kinds().values():
        yield from [puzzle for puzzle in kind.samples() if puzzle.layout.bits <= 9][:14]


def test_what_is_admitted_is_what_brute_force_says() -> None:
    for puzzle in small_puzzles():
        number = len(solutions_by_rules(puzzle))
        is_valid = not any(puzzle.contradictions())
        for maximum in {1, 2, max(1, number - 1), max(1, number), number + 1}:
            few = number <= maximum
            assert few_solutions(puzzle, maximum) == few, (puzzle.text, maximum)
            wanted = {
                None: few,
                "solvable": few and number > 0,
                "unique": number == 1,
                "unsolvable": number == 0,
                "valid": few and is_valid,
            }
            for solvable in (None, number > 0):
                got = {only: admitted(puzzle, solvable, only, maximum) for only in wanted}  # type: ignore[arg-type]
                assert got == wanted, (puzzle.text, solvable, maximum)


PACK = [
    "10/01 # one",
    "01/10 # turned",
    "10/01 # again",
    "111/111 # four",
    "10000/00000/00000/00000/00000 # corner",
    "press=king/wrap=torus/111/111/111 # rules",
    "1,1|1,1 # two",
    "2,2|3 # sums",
    "2|1,0,1 # none",
    "1,1,1,1,1|1,1,1,1,1 # permutations",
    "modular-lights-out:3/12/20 # three states",
    "coloured-nonogram:1a 1b,1b|1a,2b # coloured",
]

CHANGES: dict[str, Callable[[Job, Run], Run]] = {
    "honest": lambda job, run: run,
    "all lose one": lambda job, run: replace(run, grids=run.grids[1:]),
    # the compiled kernel finds solutions in another order than Python
    "all end late": lambda job, run: replace(
        run, status="timeout", grids=sorted(run.grids, key=lambda grid: grid.text)[: len(run.grids) < 5]
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_whole_audit_of_a_pack(name: str) -> None:
    from crosslit.formats import FORMATS

    pack = [FORMATS["lines"].parse(line, "here") for line in PACK]

    def make(job: Job) -> Run:
        assert job.choice is not None
        ((_, run),) = execute([job])
        run.trusted_base = job.choice.trusted_base
        return CHANGES[name](job, run)

    runner: Any = Given(make)
    runner.limits = Limits(10, 20.0)
    lines, audits = [], []
    for found in audit_all(pack, runner):
        audits.append(found)
        record = found.json()
        record["puzzle"] = record["puzzle"]["name"]
        record["findings"] = [(each["backend"], each["problem"]) for each in record["findings"]]
        lines.append(" ".join(f"{key}={json.dumps(value)}" for key, value in record.items() if value not in (None, [])))
    asked = (f"{job.spec}:{getattr(job.request, 'question', '')}/{job.limits.solutions}" for job in runner.asked)
    lines += [json.dumps(totals(audits)), " ".join(asked)]
    check(STORED, f"audit, {name}", "\n".join(lines))

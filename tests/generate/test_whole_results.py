"""Whole results of generation and audits, as stored in ``results.txt``, and bounds against brute force."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from crosslit_generate import families
from crosslit_generate.audit import audit_planned, plan, totals
from crosslit_generate.exhaustive import ONLY
from crosslit_generate.solution_count import admitted, few_solutions

from crosslit import Limits
from crosslit.base.errors import CrosslitError
from crosslit.base.version import __version__
from crosslit.cli.group import root
from crosslit.contract.run import Run
from crosslit.kinds import all_kinds
from crosslit.kinds.rules import solutions_by_rules
from crosslit.runs.job import Job
from crosslit.runs.runner import Sink
from tests.contract.executor import execute
from tests.stored import check

STORED = Path(__file__).with_name("results.txt")
PICTURE = "000100/011101/010010/100100/010001/101010"

COMMANDS = """
generate lights-out
generate lights-out --size 3x4 --count 2 --seed 7 --json
generate lights-out --size 4 --unsolvable --count 2 --json
generate lights-out --size 3 --unsolvable
generate lights-out --size 3 --press king --wrap torus --unsolvable
generate lights-out --size 2x5 --press 010,111,000 --wrap horizontal --count 2
generate lights-out --size 1x1 --to board
generate lights-out --size 0
generate lights-out --wrap klein
generate lights-out --press hexagons
generate lights-out --states 3
generate lights-out --density 0.5
generate lights-out --size 900 --unsolvable --press 110,000,000
generate lights-out --count 2 --to board
generate modular-lights-out --size 2x3 --count 2
generate modular-lights-out --size 3 --states 5 --press hexagons --wrap torus --json
generate modular-lights-out --size 2 --states 2 --unsolvable --seed 3
generate modular-lights-out --size 2 --states 17
generate nonogram
generate nonogram --size 4x6 --count 3 --seed 2
generate nonogram --size 5 --density 0.3 --unique --json
generate nonogram --size 5 --density 0
generate nonogram --size 5 --density 1.1
generate nonogram --size 6 --difficulty line --json --seed 1
generate nonogram --size 6 --difficulty probe --json
generate nonogram --to board
generate nonogram --to picture
generate nonogram --from-picture PICTURE --json
generate nonogram --from-picture PICTURE --unique
generate nonogram --from-picture PICTURE --difficulty line --json
generate nonogram --from-picture PICTURE --difficulty search
generate nonogram --from-picture PICTURE --count 2
generate nonogram --from-picture PICTURE --size 3
generate nonogram --from-picture PICTURE --density 0.4
generate nonogram --from-picture MISSING
generate nonogram --colours 3
generate coloured-nonogram
generate coloured-nonogram --size 4 --colours 1 --unique --json
generate coloured-nonogram --size 3x5 --colours 2 --density 1 --seed 4 --count 2
generate coloured-nonogram --colours 3 --from-picture PICTURE
generate coloured-nonogram --difficulty line
generate sudoku
""".strip().split("\n")


def invoked(arguments: Sequence[str]) -> str:
    """What a command writes, and its exit status; or the message of its error."""
    done = CliRunner().invoke(root, arguments)
    if isinstance(done.exception, CrosslitError):
        return f"{type(done.exception).__name__}: {done.exception}"
    return f"{done.output}exit status {done.exit_code}"


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_writes_all_that_is_stored(line: str, tmp_path: Path) -> None:
    (tmp_path / "picture.txt").write_text(PICTURE.replace("/", "\n"), encoding="utf-8")
    places = {"PICTURE": str(tmp_path / "picture.txt"), "MISSING": str(tmp_path / "none.txt")}
    text = invoked([places.get(word, word) for word in line.split()])
    check(STORED, line, text.replace(str(tmp_path), "FOLDER").replace(__version__, "VERSION"))


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


class InProcess:
    """A runner whose runs are made in this process, and then changed."""

    interrupted = False

    def __init__(self, change: Callable[[Job, Run], Run], limits: Limits) -> None:
        self._change, self.limits, self.asked = change, limits, list[str]()

    def guard(self) -> Any:
        return contextlib.nullcontext()

    def run(self, job: Job, sink: Sink | None = None) -> Run:
        assert job.choice is not None
        self.asked.append(f"{job.spec}:{getattr(job.request, 'question', '')}/{job.limits.solutions}")
        ((_, run),) = execute([job])
        run.trusted_base = job.choice.trusted_base
        run = self._change(job, run)
        if sink is not None:  # it takes the solutions, which a run then does not keep
            sink(b"".join(grid.packed for grid in run.grids))
            run.grids = run.grids[:0]
        return run


PACK = [
    "10/01 # one",
    "01/10 # turned",
    "10/01 # again",
    "111/111 # four",
    "10000/00000/00000/00000/00000 # corner",
    "press=king/wrap=torus/111/111/111 # rules",
    "1,1|1,1 # two",
    "2|1 # sums",
    "2|1,0,1 # none",
    "1,1,1,1,1|1,1,1,1,1 # permutations",
    "modular-lights-out:3/12/20 # three states",
    "coloured-nonogram:1a 1b,1b|1a,2b # coloured",
]

CHANGES: dict[str, Callable[[Job, Run], Run]] = {
    "honest": lambda job, run: run,
    "the first loses one": lambda job, run: replace(run, grids=run.grids[1:]) if job.spec in ("gauss", "line") else run,
    "all lose one": lambda job, run: replace(run, grids=run.grids[1:]),
    # the compiled kernel finds solutions in another order than Python
    "all end late": lambda job, run: replace(
        run, status="timeout", grids=sorted(run.grids, key=lambda grid: grid.text)[: len(run.grids) < 5]
    ),
    "no presses are proved": lambda job, run: (
        replace(run, status="timeout", bound=0) if job.request.question == "fewest" else run  # type: ignore[union-attr]
    ),
    "counts are one more": lambda job, run: replace(run, counted=None if run.counted is None else run.counted + 1),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_whole_audit_of_a_pack(name: str) -> None:
    from crosslit.formats import FORMATS

    pack = [FORMATS["lines"].parse(line, "here") for line in PACK]
    runner = InProcess(CHANGES[name], Limits(10, 20.0))
    lines, audits = [], []
    for audit in audit_planned(plan(pack), runner):  # type: ignore[arg-type]
        audits.append(audit)
        record = audit.json()
        record["puzzle"] = record["puzzle"]["name"]
        record["findings"] = [(each["backend"], each["problem"]) for each in record["findings"]]
        lines.append(" ".join(f"{key}={json.dumps(value)}" for key, value in record.items() if value not in (None, [])))
    lines += [json.dumps(totals(audits)), " ".join(runner.asked)]
    check(STORED, f"audit, {name}", "\n".join(lines))


def test_the_table_of_a_pack(crosslit: Any, tmp_path: Path) -> None:
    (tmp_path / "pack.puzzles").write_text("\n".join(PACK), encoding="utf-8")
    done = crosslit("stats", str(tmp_path / "pack.puzzles"), "--limit", "10", "--csv", str(tmp_path / "table.csv"))
    table = (tmp_path / "table.csv").read_text(encoding="utf-8")
    said = done.stderr.replace(f"{tmp_path}/", "")
    check(STORED, "stats", f"{done.stdout}{said}exit status {done.returncode}\n\n{table}")
    done = crosslit("stats", str(tmp_path / "pack.puzzles"), "--json")
    first, *_, last = done.stdout.splitlines()
    text = f"{first}\n{last}\nexit status {done.returncode}"
    check(STORED, "stats --json", text.replace(__version__, "VERSION"))

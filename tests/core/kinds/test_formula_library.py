"""Twenty formulas, of PySAT's families and others, get from every command the answers that trying all values finds."""

from __future__ import annotations

import functools
import itertools
import json
import random
import re
from pathlib import Path

import numpy as np
import pytest
from pysat.examples.genhard import CB, GT, PAR, PHP

from tests.conftest import ROOT, Command, installed

pytestmark = pytest.mark.slow
EXAMPLE = ROOT / "examples" / "formulas"


def cnf(clauses: list[list[int]], shown: tuple[int, ...] = (), xors: tuple[tuple[int, ...], ...] = ()) -> str:
    """Return a file in DIMACS."""
    size = max(abs(x) for rule in (*clauses, *xors) for x in rule)
    rules = [*(" ".join(map(str, [*rule, 0])) for rule in clauses), *(f"x{' '.join(map(str, x))} 0" for x in xors)]
    return "\n".join(
        [f"p cnf {size} {len(rules)}", *([f"c p show {' '.join(map(str, shown))} 0"] if shown else []), *rules, ""]
    )


def opb(*rules: str) -> str:
    """Return a file in OPB."""
    return "\n".join([f"* #variable= 1 #constraint= {len(rules)}", *(f"{rule} ;" for rule in rules), ""])


def ones(variables: tuple[int, ...], sign: str = "+1") -> str:
    """Return a sum of variables."""
    return " ".join(f"{sign} x{x}" for x in variables)


RNG = random.Random(0)
RANDOM = [[RNG.choice((1, -1)) * x for x in RNG.sample(range(1, 11), 3)] for _ in range(60)]
HOLES = [tuple(range(pigeon, pigeon + 3)) for pigeon in (1, 4, 7, 10)]  # four pigeons, three holes
PIGEONS = [*(f"{ones(row)} >= 1" for row in HOLES), *(f"{ones((*hole,), '-1')} >= -1" for hole in zip(*HOLES))]  # noqa: B905
TEXTS = {
    "php-2.cnf": cnf(PHP(2).clauses),
    "php-3.cnf": cnf(PHP(3).clauses),
    "gt-3.cnf": cnf(GT(3).clauses),
    "gt-4.cnf": cnf(GT(4).clauses),
    "par-2.cnf": cnf(PAR(2).clauses),
    "cb-2.cnf": cnf(CB(2).clauses),
    "php-3-less.cnf": cnf(PHP(3).clauses[1:]),
    "gt-4-less.cnf": cnf(GT(4).clauses[:-1]),
    "par-2-less.cnf": cnf(PAR(2).clauses[:-1]),
    "php-3-shown.cnf": cnf(PHP(3).clauses[1:], (2, 7, 9)),
    "random-12.cnf": cnf(RANDOM[:12]),
    "random-60.cnf": cnf(RANDOM),
    "random-shown.cnf": cnf(RANDOM[:20], (1, 3, 4, 8)),
    "parity-shown.cnf": cnf([[10, 11]], (2, 4, 6, 8, 9), ((1, -2, 3, 4, 5, 6, 7), (7, 8, 9, -10))),
    "xors-unsat.cnf": cnf([[5]], (), ((1, 2, 3, 4, 5), (1, 2, -6), (3, 4, 6))),
    "repeated.cnf": cnf([[1, 1, -2], [3, -3, 1], [2, 2]], (1, 2)),
    "pigeons.opb": opb(*PIGEONS),
    "pigeons-less.opb": opb(*PIGEONS[1:]),
    "knapsack.opb": opb("+3 x1 +4 x2 +5 x3 +7 x4 +9 x5 -2 ~x6 <= 15", "+4 x1 +4 x2 +6 x3 +9 x4 +9 x5 >= 15"),
    "equal.opb": opb("+2 x1 +3 x2 +5 ~x3 -1 x4 = 7", "+1 x2 +1 x4 +1 x5 = 1"),
}
UNSATISFIABLE = ["cb-2", "gt-3", "gt-4", "par-2", "php-2", "php-3", "pigeons", "random-60", "xors-unsat"]


@functools.cache
def held(name: str) -> tuple[tuple[np.ndarray, ...], tuple[int, ...]]:
    """Return for each constraint of a file the assignments that satisfy it, by their numbers, and what is shown."""
    text = TEXTS[name]
    size = max(map(int, re.findall(r"x(\d+)", text))) if name.endswith("opb") else int(text.split()[2])
    true = (np.arange(1 << size)[:, None] >> np.arange(size) & 1).astype(np.int64)  # a row for each assignment
    literal = {x: true[:, x - 1] for x in range(1, size + 1)} | {-x: 1 - true[:, x - 1] for x in range(1, size + 1)}
    rules, shown = [], tuple(range(1, size + 1))
    for line in text.splitlines()[1:]:
        if line.startswith("c p show"):
            shown = tuple(map(int, line.split()[3:-1]))
        elif name.endswith("cnf"):
            values = [literal[int(x)] for x in line.strip("x").split()[:-1]]
            rules.append(sum(values) % 2 == 1 if line[0] == "x" else sum(values) > 0)
        else:
            *left, relation, bound, _ = line.split()
            pairs = zip(left[::2], left[1::2], strict=True)
            total = sum(int(n) * literal[int(x.replace("~", "-").replace("x", ""))] for n, x in pairs)
            rules += [total >= int(bound)] * (relation != "<=") + [total <= int(bound)] * (relation != ">=")
    return tuple(rules), shown


@functools.cache
def solutions(name: str) -> list[str]:
    """Return the sorted shown values of the assignments that satisfy all constraints of a file."""
    rules, shown = held(name)
    found = np.flatnonzero(np.logical_and.reduce(rules))
    return sorted({"".join(str(number >> x - 1 & 1) for x in shown) for number in found.tolist()})


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return installed(tmp_path, EXAMPLE)


def records(text: str) -> list[dict]:  # type: ignore[type-arg]
    """Return the JSON objects of a command."""
    return [json.loads(line) for line in text.splitlines()]


def test_the_twenty_formulas_have_none_one_and_many_solutions() -> None:
    numbers = {name: len(solutions(name)) for name in TEXTS}
    assert len(numbers) == 20
    assert sorted(name.partition(".")[0] for name, number in numbers.items() if not number) == UNSATISFIABLE
    assert max(numbers.values()) >= 100
    assert all(solutions(name) for name in TEXTS if len(held(name)[1]) < 6)  # all with hidden variables


def test_counts_and_verdicts_are_those_of_all_assignments(
    crosslit: Command, environment: dict[str, str], tmp_path: Path
) -> None:
    counted = crosslit("count", *TEXTS, "--check", "--json", env=environment, cwd=tmp_path)
    counts = {record["puzzle"]["name"]: record["count"] for record in records(counted.stdout)}
    compared = crosslit("compare", *TEXTS, "--json", env=environment, cwd=tmp_path)
    verdicts = {record["puzzle"]["name"]: record["verdict"]["status"] for record in records(compared.stdout)}
    expected = {name.partition(".")[0]: len(solutions(name)) for name in TEXTS}
    words = ("unsolvable", "unique", "multiple")
    assert counts == expected
    assert verdicts == {name: words[min(number, 2)] for name, number in expected.items()}
    assert (counted.returncode, compared.returncode) == (0, 0)


@pytest.mark.parametrize("name", TEXTS)
def test_lists_backbones_and_contradictions_are_those_of_all_assignments(
    crosslit: Command, environment: dict[str, str], tmp_path: Path, name: str
) -> None:
    (rules, _), expected = held(name), solutions(name)
    listed = crosslit("enumerate", name, env=environment, cwd=tmp_path)
    assert sorted(listed.stdout.split()) == expected
    (explained,) = records(crosslit("explain", name, "--json", env=environment, cwd=tmp_path).stdout)
    backbone = crosslit("backbone", name, "--json", env=environment, cwd=tmp_path)
    if expected:
        columns = zip(*expected, strict=True)
        assert records(backbone.stdout)[0]["backbone"] == "".join(x[0] if len({*x}) == 1 else "?" for x in columns)
        assert {*explained["grids"]} <= {*expected}
        return
    kept = [rules[int(line.split()[1].strip(",")) - 1] for line in explained["lines"]]
    assert not np.logical_and.reduce(kept).any()  # they contradict each other,
    assert all(np.logical_and.reduce(few).any() for few in itertools.combinations(kept, len(kept) - 1))  # and no fewer
    proved = crosslit("compare", name, "--certificate", "proof.json", env=environment, cwd=tmp_path)
    checked = crosslit("check-certificate", name, "proof.json", env=environment, cwd=tmp_path)
    assert "unsolvable (evidence: certified" in proved.stdout
    assert (checked.returncode, "accepted" in checked.stdout) == (0, True)


def test_a_campaign_over_all_formulas_finds_no_wrong_answer(
    crosslit: Command, environment: dict[str, str], tmp_path: Path
) -> None:
    plan = f'task = "unique"\nbackends = ["brute", "cadical195", "glucose4"]\n[[puzzles]]\nfiles = {[*TEXTS]}\n'
    (tmp_path / "a.toml").write_text(plan, encoding="utf-8")
    done = crosslit("bench", "run", "a.toml", env=environment, cwd=tmp_path)
    assert (done.returncode, f"{3 * len(TEXTS)} runs" in done.stdout + done.stderr) == (0, True)
    assert "; 0 wrong answers" in done.stdout + done.stderr
    report = crosslit("bench", "report", "a.sqlite", "-o", "a.html", env=environment, cwd=tmp_path)
    assert report.returncode == 0
    assert "php-3-shown" in (tmp_path / "a.html").read_text(encoding="utf-8")

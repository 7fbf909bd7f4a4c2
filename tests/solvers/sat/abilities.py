"""Trials of the abilities of PySAT's solvers."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import threading
from collections.abc import Callable

from pysat.solvers import Solver

from crosslit.judging.certificates import CertificateRejected, check_refutation, lemmas


def pigeons(holes: int) -> list[list[int]]:
    """One pigeon more than there are holes: unsatisfiable, and hard for resolution."""
    sits = [[pigeon * holes + hole + 1 for hole in range(holes)] for pigeon in range(holes + 1)]
    pairs = itertools.combinations(sits, 2)
    return sits + [[-one, -other] for pair in pairs for one, other in zip(*pair, strict=True)]


def in_a_child(script: str) -> subprocess.CompletedProcess[str]:
    """Run code that could end this process in another one."""
    command = [sys.executable, "-c", f"from pysat.solvers import Solver\n{script}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def takes_clauses_later(name: str) -> bool:
    """Kissat does, on some formulas; on this one it does not."""
    rng = random.Random(0)
    formula = [[rng.choice([-1, 1]) * v for v in rng.sample(range(1, 21), 3)] for _ in range(60)]
    script = f"s = Solver({name!r}, {formula})\nfor _ in range(30):\n    assert s.solve()\n"
    script += "    s.add_clause([-literal for literal in s.get_model()])"
    return in_a_child(script).returncode == 0


def heeds_assumptions(name: str) -> bool:
    with Solver(name=name, bootstrap_with=[[1, 2], [-1, 3]]) as solver:
        contradicted = solver.solve(assumptions=[-1, 3, -2]) is False
        return contradicted and set(solver.get_core()) == {-1, -2} and solver.solve(assumptions=[-1])


def tells_statistics(name: str) -> bool:
    with Solver(name=name, bootstrap_with=pigeons(4)) as solver:
        return solver.solve() is False and solver.accum_stats()["conflicts"] > 0


def propagates(name: str) -> bool:
    with Solver(name=name, bootstrap_with=[[-1, 2], [-2, 3], [3, 4]]) as solver:
        return solver.propagate([1]) == (True, [1, 2, 3])


def keeps_budget(name: str) -> bool:
    with Solver(name=name, bootstrap_with=pigeons(8)) as solver:
        solver.conf_budget(100)
        return solver.solve_limited() is None and 100 <= solver.accum_stats()["conflicts"] < 2000


def hears_an_interrupt(name: str) -> bool:
    with Solver(name=name, bootstrap_with=pigeons(11)) as solver:
        solver.interrupt()  # refused at once where it is not known: without that, the timer would wait for a day
        solver.clear_interrupt()
        timer = threading.Timer(0.1, solver.interrupt)
        timer.start()
        return solver.solve_limited(expect_interrupt=True) is None


def proves(name: str) -> bool:
    for holes in (4, 5):
        with Solver(name=name, bootstrap_with=pigeons(holes), with_proof=True) as solver:
            assert solver.solve() is False
            try:
                check_refutation(pigeons(holes), lemmas(solver.get_proof()), holes * (holes + 1))
            except CertificateRejected:
                return False
    return True


TRIALS: dict[str, Callable[[str], bool]] = {
    "clauses-later": takes_clauses_later,
    "assumptions": heeds_assumptions,
    "statistics": tells_statistics,
    "propagation": propagates,
    "conflict-budget": keeps_budget,
    "interrupt": hears_an_interrupt,
    "proof": proves,
}


def works(name: str, ability: str) -> bool:
    """Whether a solver has an ability of the table."""
    try:
        return TRIALS[ability](name)
    except (NotImplementedError, AttributeError):  # an argument that PySAT does not know leaves half a solver behind
        return False

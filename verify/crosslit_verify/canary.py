"""Checks of Crosslit's own parts before `crosslit verify` blames a solver: a mistake there makes right answers wrong.

Grids and runs are checked as for any backend, the question is read back, and a solver that is right is asked. Each
failure is judged again, by the rules, and without the family that made the puzzle.
"""

from __future__ import annotations

import contextlib
import functools
import json
import sys
from collections.abc import Callable
from dataclasses import replace

from crosslit_backends.programs.protocol import FEWEST, Claims, SolverAnswer, read_line, require_same_question
from crosslit_generate.solution_count import count_up_to

from crosslit.base.errors import InternalError, NoBackend
from crosslit.kinds import Puzzle
from crosslit.kinds.rules import MAX_CELLS, solutions_by_rules
from crosslit.questions.self_check import check
from crosslit_verify.commands import OneShotCommand, PersistentCommand
from crosslit_verify.failure import Observation
from crosslit_verify.function import Function
from crosslit_verify.records import Verification
from crosslit_verify.reference import Oracle, Reference, ReferencesDiffer, Unanswered
from crosslit_verify.replay import Corpus, of_puzzles
from crosslit_verify.settings import Settings
from crosslit_verify.subject import Subject


def require_sound(puzzle: Puzzle) -> None:
    """Check the question about a puzzle, and everything else unless that was done already.

    After an `InternalError` the solver of the puzzle must not be blamed for its answer.
    """
    require_same_question(puzzle)
    check(puzzle.kind)


@functools.cache
def require_transport(verified: Callable[[Settings, Subject, Corpus], Verification], subject: type[Subject]) -> None:
    """Verify a solver that is right, asked as a failing one is; an `InternalError` says that it fails too."""
    python = [sys.executable, "-S", "-c"]
    stand_in: Subject
    if issubclass(subject, Function):
        stand_in = Function(lambda puzzle: puzzle.lit)
    elif issubclass(subject, PersistentCommand):
        echo = "for line in sys.stdin: print(json.dumps({'solution': json.loads(line)['text']}), flush=True)"
        stand_in = PersistentCommand([*python, f"import json, sys\n{echo}"])
    elif issubclass(subject, OneShotCommand):
        stand_in = OneShotCommand([*python, "import sys; print(sys.stdin.read())"])
    else:
        return  # it starts no process
    found = verified(Settings("lights-out"), stand_in, of_puzzles(["1", "0", "1"]))  # these are their own solutions
    if found.interrupted:  # which a verifier keeps instead of raising it
        raise KeyboardInterrupt
    if not found.passed:
        raise InternalError(f"a solver that is right fails: {found!r}")


def require_guilt(found: Observation, claims: Claims, oracle: Oracle) -> None:
    """Judge a reply again; one that is no answer shows its problem by itself.

    Raises:
        Unanswered: if there is no reference to judge it by.
        ReferencesDiffer: if nothing is wrong with it, which is a bug of Crosslit and not of the solver.
    """
    puzzle, problem = found.asked.case.puzzle, found.problem
    require_sound(puzzle)
    judges: list[str] = []
    for asked, given in ((puzzle, found.asked.reply), *problem.others):
        if not isinstance(given, SolverAnswer):
            return
        try:
            right_by = _acquitting(asked or puzzle, claims, given, oracle)
        except Unanswered:
            if problem.others or _breaks_rules(puzzle, given):  # which needs no reference
                return
            raise
        if not right_by:
            return
        judges += right_by
    place = found.asked.case.family + (f", judged by a worker on {found.host}" if found.host else "")
    by = " and ".join(dict.fromkeys(judges))
    raise ReferencesDiffer(f"on {puzzle.text}: {problem.detail} ({place}); nothing is wrong ({by})")


def _acquitting(puzzle: Puzzle, claims: Claims, answer: SolverAnswer, oracle: Oracle) -> tuple[str, ...]:
    """Return the names of those by whose solutions an answer is right; none if it is wrong."""
    truth = oracle.fewest(puzzle) if claims == FEWEST else oracle.reference(puzzle, None if claims == "all" else 2)
    grids = tuple(truth.solutions)
    sent = json.dumps({"solutions": [grid.text() for grid in grids]}).encode()
    if read_line(sent, states=puzzle.layout.states) != SolverAnswer(grids, not grids):
        raise ReferencesDiffer(f"the solutions of {puzzle.text} are read as others")
    if puzzle.layout.bits <= MAX_CELLS:
        every = solutions_by_rules(puzzle)
        if truth.solutions != every if truth.complete else truth.solutions - every:
            raise ReferencesDiffer(f"{' and '.join(truth.by)} are wrong on {puzzle.text}: its rules decide otherwise")
        truth = Reference(every, True, (*truth.by, "rules"))
    elif answer.unique is False and truth.complete:
        with contextlib.suppress(NoBackend):
            truth = replace(truth, complete=count_up_to(puzzle, 2) < 2)  # no grid could refute it, so count again
    return () if _breaks_rules(puzzle, answer) or _is_wrong(claims, answer, truth) else truth.by


def _breaks_rules(puzzle: Puzzle, answer: SolverAnswer) -> bool:
    try:
        return any(violation for grid in answer.solutions for violation in puzzle.violations(grid))
    except ValueError:  # it has another shape
        return True


def _is_wrong(claims: Claims, answer: SolverAnswer, truth: Reference) -> bool:
    """Return whether a solution refutes an answer whose grids follow the rules, or the lack of any other does."""
    given, known = set(answer.solutions), truth.solutions
    if answer.unsolvable:
        return bool(known)
    several = len(known | given) > 1
    if several if answer.unique else answer.unique is False and truth.complete and not several:
        return True
    if claims == "all":
        return len(given) < len(answer.solutions) or (not answer.more and not known <= given)
    if claims == FEWEST:
        return max(grid.count() for grid in given) > min(grid.count() for grid in known)
    return claims == "unique" and answer.unique is None and len(given) < 2

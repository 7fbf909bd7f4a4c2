"""The judge of an answer against the reference, given the claims of the solver. Pure functions."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from crosslit_backends.programs import protocol
from crosslit_backends.programs.protocol import FEWEST, PROBLEMS, Claims, Reply, SolverAnswer, SolverFailure

from crosslit.base.grid import Grid
from crosslit.base.records import Short
from crosslit.base.text import shorten
from crosslit.kinds import Puzzle
from crosslit_verify.reference import Reference, Unanswered

MAX_SHOWN = 120  # characters of a puzzle, a grid or a reply in a line
CONTRADICTION = "contradicts-itself"
CERTAIN = {*PROBLEMS, CONTRADICTION}
"""The groups of failures that need no reference."""


@dataclass(frozen=True, repr=False)
class Problem(Short):
    """A problem of an answer: a group of `crosslit.judging.verdict.PROBLEMS`, and the particulars in one line."""

    group: str
    detail: str


def judge(puzzle: Puzzle, claims: Claims, reply: Reply, reference: Callable[[], Reference]) -> Problem | None:
    """Return the problem of a reply, or None.

    ``reference``, called if the rules do not decide, returns all solutions for ``all`` and ``fewest``, otherwise two
    suffice. It may raise `Unanswered`; so does a reply whose grids were not all read.
    """
    if isinstance(reply, SolverFailure):
        return Problem(reply.problem, reply.detail)
    if isinstance(reply, protocol.Abstention):
        return None
    grid = next((grid for grid in reply.solutions if broken(puzzle, grid)), None)
    if grid is not None:
        words = f"{_text(grid)}: {broken(puzzle, grid)}"
        with contextlib.suppress(Unanswered):
            words = words if reference().solvable else f"there is no solution; {words}"
        return Problem("wrong-solution", words)
    # A contradiction within the answer needs no reference either, so it is found on puzzles of any size.
    if reply.unique and len(set(reply.solutions)) > 1:
        return Problem(CONTRADICTION, "it says unique, and gives more than one solution")
    problem = _judge_claims(claims, reply, reference)
    if problem is None and reply.more:
        raise Unanswered(f"more than {protocol.MAX_SOLUTIONS:,} grids in an answer")
    return problem


def broken(puzzle: Puzzle, grid: Grid) -> str | None:
    """Return the first rule that a grid breaks, starting with its shape; None for a solution."""
    if (grid.rows, grid.columns) != (puzzle.rows, puzzle.columns):
        return f"it is {grid.rows} x {grid.columns}, the puzzle {puzzle.rows} x {puzzle.columns}"
    return next(puzzle.violations(grid), None)


def _judge_claims(claims: Claims, answer: SolverAnswer, reference: Callable[[], Reference]) -> Problem | None:
    """Judge the claims of an answer, whose grids follow the rules, about all solutions."""
    if answer.unsolvable:
        if not reference().solvable:
            return None
        return Problem("false-unsolvable", f"it says unsolvable; {_an_example(reference().solutions)} is a solution")
    given = set(answer.solutions)
    if claims == "unique" and answer.unique is None and len(given) < 2:
        return Problem("malformed-output", "it does not say whether its solution is the only one")
    if claims == "all":
        missing = reference().solutions - given
        # If some grids were not read, the missing ones may be among them.
        if missing and not answer.more:
            count = f"{len(missing)} of {len(reference().solutions)} are missing"
            return Problem("missing-solution", f"{count}, such as {_an_example(missing)}")
        if len(given) < len(answer.solutions):
            times = Counter(answer.solutions)
            repeated = max(times, key=times.__getitem__)
            return Problem("duplicate-solution", f"it gave {_text(repeated)} more than once")
    if claims == FEWEST:
        # The maximum: a solver that gives several solutions claims each of them to have the fewest.
        presses, fewest = max(grid.count() for grid in answer.solutions), reference().presses
        if fewest is not None and presses > fewest:
            best = format_right(FEWEST, reference())
            return Problem("not-fewest", f"it takes {presses} presses; right is {best}")
    # A solver may claim uniqueness even if it promises only one solution. Several grids prove that it is not unique.
    if answer.unique is None or (len(given) > 1 and not answer.unique) or answer.unique == reference().unique:
        return None
    if answer.unique:
        others = reference().solutions - given
        return Problem("false-unique", f"it says unique; {_an_example(others)} is another solution")
    return Problem("false-multiple", f"it says not unique; {_an_example(reference().solutions)} is the only solution")


def claim(claims: Claims, reply: Reply | None) -> object:
    """Return the part of a reply that must be equal in every reply to the same puzzle; None if there is none.

    With ``one`` and ``fewest`` any solution is right, so only its existence and its number of presses count.
    """
    if not isinstance(reply, SolverAnswer) or reply.more:
        return None
    grids = frozenset(reply.solutions)
    is_unique = len(grids) < 2 if reply.unique is None else reply.unique
    fewest = min((grid.count() for grid in grids), default=None)
    return reply.unsolvable, {"all": grids, "unique": is_unique, FEWEST: fewest}.get(claims)


def contradiction(claims: Claims, first: Reply | None, again: Reply) -> Problem | None:
    """Return the contradiction between two replies to the same puzzle, or None; failures contradict nothing."""
    before, after = claim(claims, first), claim(claims, again)
    if first is None or None in (before, after) or before == after:
        return None
    return Problem(CONTRADICTION, f"asked again: first {format_reply(first)}, then {format_reply(again)}")


def format_reply(reply: Reply) -> str:
    """Return a reply in one line of about `MAX_SHOWN` characters at most."""
    if isinstance(reply, SolverFailure):
        return shorten(f"{reply.problem}: {reply.detail}", MAX_SHOWN)
    return _words(reply.solutions, reply.unsolvable, reply.unique) if isinstance(reply, SolverAnswer) else reply.word


def in_order(claims: Claims, grids: Iterable[Grid]) -> list[Grid]:
    """Return solutions, the best first, which is shown."""
    return sorted(grids, key=lambda grid: (claims == FEWEST and grid.count(), grid.text))


def format_right(claims: Claims, reference: Reference) -> str:
    """Return a right answer in one line."""
    grids = in_order(claims, reference.solutions)
    if claims == "all":
        return _words(grids, not grids, None)
    is_unique = reference.unique if claims == "unique" and grids else None
    more = f" ({reference.presses} presses)" if claims == FEWEST and grids else ""
    more = " (or another)" if claims == "one" and grids and not reference.unique else more
    return _words(grids[:1], not grids, is_unique) + more


def _words(grids: Sequence[Grid], unsolvable: bool, unique: bool | None) -> str:
    shown = shorten(" ".join(grid.text for grid in grids[:MAX_SHOWN]), MAX_SHOWN)
    words = ["unsolvable"] * unsolvable + ([] if unique is None else ["unique" if unique else "not unique"])
    return " ".join(filter(None, [shown, *words])) or "nothing"


def _text(grid: Grid) -> str:
    return shorten(grid.text, MAX_SHOWN)


def _an_example(grids: frozenset[Grid]) -> str:
    return shorten(min((grid.text for grid in grids), default="none"), MAX_SHOWN)

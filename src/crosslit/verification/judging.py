"""What is wrong with an answer, under what its solver claims. Pure: answers and the reference in, a problem out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from crosslit.generation.relations import Relation, relations, symmetries
from crosslit.grid import Grid
from crosslit.numbers import shorten
from crosslit.programs.answers import (
    FEWEST,
    MAX_SOLUTIONS,
    Abstention,
    Answer,
    Claims,
    Reply,
    SolverFailure,
)
from crosslit.puzzles import Puzzle
from crosslit.puzzles.batch import first_wrong_grid
from crosslit.verification.reference import Reference, Unanswered

PROMISES: dict[Claims, str] = {
    "one": "one solution, any of them, or that there is none",
    "all": "all solutions, each once, in any order, or that there is none",
    "unique": "a solution, and whether it is the only one; or that there is none",
    FEWEST: "a solution of the fewest presses, any of them, or that there is none",
}
"""What a solver says that it gives."""

PROBLEMS = {
    "wrong-grid": "it gave a grid that breaks the rules",
    "wrong-unsolvable": "it says that there is no solution, and there is one",
    "wrong-solvable": "it gave a grid, or says that there is a solution, and there is none",
    "wrong-unique": "it says that its solution is the only one, and there is another",
    "wrong-multiple": "it says that there is another solution, and there is one alone",
    "missing-solutions": "it claims all solutions, and lacks some",
    "repeated-solutions": "it claims each solution once, and gave one twice",
    "not-fewest": "it claims the fewest presses, and there is a solution with fewer",
    "crash": "it ended, or raised an error, instead of answering",
    "hang": "it did not answer within its time",
    "memory": "it took more memory than its limit",
    "orphaned-process": "it left processes behind",
    "malformed-output": "what it answered cannot be read, or says nothing of what it claims",
    "contradicts-itself": "asked the same puzzle again, it said something else",
    "unknown": "it gave up, which --no-unknown forbids",
    "unsupported": "it does not take the puzzle, which --no-unknown forbids",
    "contradicts-relation": "what it says of two puzzles cannot both be true, whatever the reference is",
}
"""The groups of failures, and what each says of the solver."""

SOLVER_FAILURES = frozenset({"crash", "hang", "memory", "orphaned-process", "malformed-output"})
"""Problems that are there without any reference."""


@dataclass(frozen=True)
class Problem:
    """What is wrong with an answer.

    Args:
        group: one of `PROBLEMS`.
        detail: the particulars, in one line.
    """

    group: str
    detail: str


Ask = Callable[[], Reference]  # the reference is worked out when it is needed: a grid that the rules accept needs none


def wants_all(claims: Claims) -> bool:
    """Whether the reference must hold all solutions, and not two of them."""
    return claims in ("all", FEWEST)


def judge(puzzle: Puzzle, claims: Claims, reply: Reply, reference: Ask, *, no_unknown: bool = False) -> Problem | None:
    """What is wrong with a reply; None if nothing is.

    Args:
        puzzle: that was asked.
        claims: what the solver promises.
        reply: what came.
        reference: gives the reference when it is needed: all solutions under ``all`` and ``fewest``, else two suffice.

        no_unknown: whether an abstention is a failure.

    Raises:
        Unanswered: from ``reference``, where the reply cannot be judged without it; and for a reply of which not every
            grid was read, if those that were are right.

    Examples:
        >>> from crosslit.formats import read
        >>> none = Reference(frozenset(), True, ("rules",))
        >>> judge(read("0|1"), "one", Answer((Grid.from_text("0"),), False), lambda: none).group
        'wrong-solvable'
        >>> judge(read("0|1"), "one", Answer((), unsolvable=True), lambda: none) is None
        True
    """
    if isinstance(reply, SolverFailure):
        return Problem(reply.problem, reply.detail)
    if isinstance(reply, Abstention):
        return Problem(reply.word, f"it answers {reply.word}") if no_unknown else None
    wrong = _first_broken(puzzle, reply.solutions)
    if wrong is not None:
        return _unfounded(*wrong, reference)
    problem = _contradiction(reply) or _JUDGES[claims](reply, reference)
    if problem is None and reply.more:
        raise Unanswered(f"more than {MAX_SOLUTIONS:,} grids in an answer")
    return problem


def broken(puzzle: Puzzle, grid: Grid) -> str | None:
    """Which rule of a puzzle a grid breaks, its shape before all; None for a solution."""
    if (grid.rows, grid.columns) != (puzzle.rows, puzzle.columns):
        return f"it is {grid.rows} x {grid.columns}, the puzzle {puzzle.rows} x {puzzle.columns}"
    return next(puzzle.violations(grid), None)


def _first_broken(puzzle: Puzzle, grids: tuple[Grid, ...]) -> tuple[Grid, str] | None:
    if {(grid.rows, grid.columns) for grid in grids} <= {(puzzle.rows, puzzle.columns)}:
        return first_wrong_grid(puzzle, grids)
    return next((grid, wrong) for grid in grids if (wrong := broken(puzzle, grid)) is not None)


def _unfounded(grid: Grid, wrong: str, reference: Ask) -> Problem:
    """A wrong grid says more where there is no solution at all."""
    try:
        solvable = reference().solvable
    except Unanswered:
        solvable = True
    if solvable:
        return Problem("wrong-grid", f"{_text(grid)}: {wrong}")
    return Problem("wrong-solvable", f"there is no solution; of {_text(grid)}, {wrong}")


def _contradiction(answer: Answer) -> Problem | None:
    """What one answer cannot say together."""
    if answer.unique and len(set(answer.solutions)) > 1:
        return Problem("contradicts-itself", "it says unique, and gives more than one solution")
    return None


def _wrong_unsolvable(reference: Ask) -> Problem | None:
    if not reference().solvable:
        return None
    return Problem("wrong-unsolvable", f"it says unsolvable; {_an_example(reference().solutions)} is a solution")


def _judge_one(answer: Answer, reference: Ask) -> Problem | None:
    if answer.unsolvable:
        return _wrong_unsolvable(reference)
    return _judge_unique_word(answer, reference)


def _judge_unique_word(answer: Answer, reference: Ask) -> Problem | None:
    """A solver that promises one solution alone may still say that it is unique, and then means it."""
    if answer.unique is None:
        return None
    if answer.unique and not reference().unique:
        if not reference().solvable:
            return Problem("wrong-solvable", "it says unique; there is no solution")
        others = reference().solutions - set(answer.solutions)
        return Problem("wrong-unique", f"it says unique; {_an_example(others)} is another solution")
    several = len(set(answer.solutions)) > 1  # its own grids prove it right
    if not answer.unique and not several and reference().complete and len(reference().solutions) < 2:
        if not reference().solvable:
            return Problem("wrong-solvable", "it says not unique; there is no solution")
        return Problem(
            "wrong-multiple", f"it says not unique; {_an_example(reference().solutions)} is the only solution"
        )
    return None


def _judge_unique(answer: Answer, reference: Ask) -> Problem | None:
    if answer.unsolvable:
        return _wrong_unsolvable(reference)
    if answer.unique is None and len(set(answer.solutions)) < 2:
        return Problem("malformed-output", "it does not say whether its solution is the only one")
    return _judge_unique_word(answer, reference)


def _judge_all(answer: Answer, reference: Ask) -> Problem | None:
    if answer.unsolvable:
        return _wrong_unsolvable(reference)
    given, right = set(answer.solutions), reference().solutions
    missing = right - given
    if missing and not answer.more:
        detail = f"it lacks {len(missing)} of {len(right)}, one of them {_an_example(missing)}"
        return Problem("missing-solutions", detail)
    if len(given) < len(answer.solutions):
        repeated = next(grid for grid, times in Counter(answer.solutions).items() if times > 1)
        return Problem("repeated-solutions", f"it gave {_text(repeated)} more than once")
    return _judge_unique_word(answer, reference)


def _judge_fewest(answer: Answer, reference: Ask) -> Problem | None:
    if answer.unsolvable:
        return _wrong_unsolvable(reference)
    presses, fewest = max(grid.count() for grid in answer.solutions), reference().presses
    if fewest is not None and presses > fewest:
        best = frozenset(grid for grid in reference().solutions if grid.count() == fewest)
        return Problem("not-fewest", f"it takes {presses} presses; {_an_example(best)} takes {fewest}")
    return _judge_unique_word(answer, reference)


_JUDGES: dict[Claims, Callable[[Answer, Ask], Problem | None]] = {
    "one": _judge_one,
    "all": _judge_all,
    "unique": _judge_unique,
    FEWEST: _judge_fewest,
}


def claim(claims: Claims, reply: Reply) -> object:
    """What a reply claims, as far as another reply on the same puzzle must not differ.

    Under ``one`` and ``fewest`` any solution will do: what counts is whether there is one, and its number of presses.
    A failure or an abstention claims nothing, nor does an answer of which not every grid was read: None.

    Examples:
        >>> one, other = (Answer((Grid.from_text(text),), False) for text in ("10/01", "01/10"))
        >>> claim("one", one) == claim("one", other), claim("all", one) == claim("all", other)
        (True, False)
    """
    if not isinstance(reply, Answer) or reply.more:
        return None
    if reply.unsolvable:
        return "unsolvable"
    if claims == "all":
        return frozenset(reply.solutions)
    if claims == FEWEST:
        return min(grid.count() for grid in reply.solutions)
    if claims == "unique":
        unique = len(set(reply.solutions)) < 2 if reply.unique is None else reply.unique
        return "unique" if unique else "multiple"
    return "solvable"


def contradiction(claims: Claims, first: Reply, again: Reply) -> Problem | None:
    """What two replies on the same puzzle say against each other; failures say nothing.

    Examples:
        >>> contradiction("one", Answer((), unsolvable=True), Answer((Grid.from_text("1"),), False)).detail
        'asked again: first unsolvable, then 1'
    """
    one, other = claim(claims, first), claim(claims, again)
    if one is None or other is None or one == other:
        return None
    return Problem("contradicts-itself", f"asked again: first {format_reply(first)}, then {format_reply(again)}")


def related(claims: Claims, puzzle: Puzzle, allows: Callable[[int, int], bool] = lambda *_: True) -> list[Relation]:
    """The puzzles whose answers must agree with that to a puzzle: mirrored, turned, framed, or pressed before.

    None is outside the sizes that a solver has to expect.

    Args:
        claims: what the solver promises.
        puzzle: that it was asked.
        allows: whether it has to expect a puzzle of some rows and columns.
    """
    most = 0 if allows(puzzle.rows, puzzle.columns) else max(puzzle.rows, puzzle.columns)  # one of a replay file
    # the fewest presses stay the fewest in a symmetric puzzle alone
    found = symmetries(puzzle) if claims == FEWEST else relations(puzzle)
    return [
        relation
        for relation in found
        if allows(relation.puzzle.rows, relation.puzzle.columns)
        or max(relation.puzzle.rows, relation.puzzle.columns) <= most
    ]


def related_contradiction(claims: Claims, reply: Reply, relation: Relation, there: Reply) -> Problem | None:
    """What a reply says against that to a related puzzle; failures say nothing.

    It is known how the solutions of a puzzle become those of the related one (`crosslit.generation.relations`). So this
    needs no reference: it is there where that is out of reach.

    Args:
        claims: what the solver promises.
        reply: what it said of the puzzle; its grids are of the shape of that.
        relation: to another puzzle.
        there: what it said of the other.
    """
    if not isinstance(reply, Answer) or claim(claims, there) is None:
        return None
    grids = tuple(relation.carry(grid) for grid in reply.solutions)
    carried = claim(claims, Answer(grids, reply.unsolvable, reply.unique, more=reply.more))
    if carried is None or carried == claim(claims, there):
        return None
    detail = f"{format_reply(reply, 60)}; but {format_reply(there, 60)} of {relation.puzzle.text:.60} ({relation.name})"
    return Problem("contradicts-relation", detail)


def format_reply(reply: Reply, most: int = 120) -> str:
    """A reply in one line of at most so many characters, or a little more.

    Examples:
        >>> format_reply(Answer((Grid.from_text("10/01"), Grid.from_text("01/10")), False))
        '10/01 01/10'
        >>> format_reply(Answer((Grid.from_text("1"),), False, unique=True))
        '1 unique'
        >>> format_reply(SolverFailure("hang", "no answer in 1 s", 1.0))
        'hang: no answer in 1 s'
    """
    if isinstance(reply, SolverFailure):
        text = f"{reply.problem}: {reply.detail}"
        return shorten(text, most)
    if isinstance(reply, Abstention):
        return reply.word
    parts = ["unsolvable"] if reply.unsolvable else []
    parts += [] if reply.unique is None else ["unique" if reply.unique else "not unique"]
    return _several(reply.solutions, parts, most, reply.more)


def format_right(claims: Claims, reference: Reference, most: int = 120) -> str:
    """What a right answer would have been, in one line.

    Examples:
        >>> format_right("one", Reference(frozenset(), True, ()))
        'unsolvable'
        >>> format_right("unique", Reference(frozenset({Grid.from_text("1")}), True, ()))
        '1 unique'
    """
    grids = sorted(reference.solutions, key=Grid.text)
    if not grids:
        return "unsolvable"
    if claims == FEWEST:
        best = next(grid for grid in grids if grid.count() == reference.presses)
        return f"{best.text()[:most]} ({reference.presses} presses)"
    if claims == "all":
        return _several(tuple(grids), [], most)
    parts = ["unique" if reference.unique else "not unique"] if claims == "unique" else []
    return _several(tuple(grids[:1]), parts, most) + (
        " (or another)" if claims == "one" and not reference.unique else ""
    )


def _several(grids: tuple[Grid, ...], parts: list[str], most: int, more: int = 0) -> str:
    shown: list[str] = []
    for index, grid in enumerate(grids):
        if shown and sum(map(len, shown)) + len(shown) + grid.rows * (grid.columns + 1) > most:
            shown.append(f"... ({len(grids) - index + more} more)")
            break
        shown.append(_text(grid, most))
    return " ".join([*shown, *parts]) or "nothing"


def _text(grid: Grid, most: int = 120) -> str:
    text = grid.text()
    return shorten(text, most)


def _an_example(grids: frozenset[Grid]) -> str:
    return _text(min(grids, key=Grid.text))

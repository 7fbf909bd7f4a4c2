"""A registered backend as a solver under test; as a program, it answers the questions of a verification in lines."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from itertools import islice
from typing import Any

from crosslit_backends.programs.protocol import FEWEST, MAX_SOLUTIONS, Claims

from crosslit import registry
from crosslit.base.errors import SpecError
from crosslit.base.grid import Grid
from crosslit.contract import GaveUp, QuestionName, Task
from crosslit.formats import parse_line
from crosslit.kinds import Puzzle
from crosslit.runs.job import closing_at_exit, drive


def reply(spec: str, puzzle: Puzzle, claims: Claims) -> dict[str, Any]:
    """Return the answer of a backend to a puzzle, in the protocol; one that gave up claims nothing but wrong grids."""
    (choice,) = registry.select([spec], puzzle, _question(claims))
    if choice.refusal is not None:
        return {"unsupported": True}
    wanted = {"one": 1, "unique": 2, "all": MAX_SOLUTIONS + 1, FEWEST: None}[claims]
    task, grids, has_given_up = Task(_question(claims), wanted, choice.encoding, choice.options), list[Grid](), False
    try:
        with closing_at_exit(drive(choice.backend, puzzle, task)) as search:
            grids.extend(islice(search, wanted))  # which keeps those before it gives up
    except GaveUp:
        has_given_up = True
        if not any(next(puzzle.violations(grid), None) for grid in grids):
            return {"unknown": True}
    if not grids:
        return {"unsolvable": True}
    if claims == "all":
        return {"solutions": [grid.text for grid in grids]}
    answer: dict[str, Any] = {"solution": grids[-1 if claims == FEWEST else 0].text}
    return answer | ({"unique": len(grids) == 1} if claims == "unique" and not has_given_up else {})


def version_of(spec: str, puzzles: Sequence[Puzzle], claims: Claims) -> str:
    """Return the version of a backend; a SpecError says why it answers about none of the puzzles."""
    choices = [registry.select([spec], puzzle, _question(claims)) for puzzle in puzzles]
    if (several := max(map(len, choices))) > 1:
        raise SpecError(f"backend {spec!r}: it selects {several} backends where one is expected")
    refusals = [choice.refusal for (choice,) in choices]
    if None not in refusals:
        raise SpecError(f"backend {spec!r}: {refusals[-1]}")
    return choices[0][0].version


def _question(claims: Claims) -> QuestionName:
    return FEWEST if claims == FEWEST else "solutions"


def main(spec: str) -> None:
    """Answer the questions on standard input."""
    # Engines may print: only the answers go to standard output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        asked = json.loads(line)
        puzzle = parse_line(asked["kind"], asked["text"], "question")
        print(json.dumps(reply(spec, puzzle, asked["claims"])), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])

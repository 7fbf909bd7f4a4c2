"""A process that answers the questions of a verification with a registered backend, as persistent solvers do.

It is started by its file, perhaps with the interpreter of an environment in which Crosslit is not installed. Then the
packages of Crosslit come from the environment that starts it, and all others, such as the engine, from its own.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crosslit_backends.programs.protocol import Claims

    from crosslit.kinds import Puzzle


class CrosslitFinder(MetaPathFinder):
    """A finder of the packages of Crosslit, and of no others, in given folders."""

    def __init__(self, folders: Mapping[str, str]) -> None:
        self._folders = folders

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        """Return the place of a package; its modules are found by the usual finder."""
        return PathFinder.find_spec(fullname, [self._folders[fullname]]) if fullname in self._folders else None


def reply(spec: str, puzzle: Puzzle, claims: Claims) -> dict[str, Any]:
    """Return the answer of a backend to a puzzle, in the protocol of programs.

    Solutions of a backend that has given up claim nothing, unless one of them is wrong.
    """
    from itertools import islice

    from crosslit_backends.programs.protocol import FEWEST, MAX_SOLUTIONS

    from crosslit import registry
    from crosslit.contract import GaveUp, Task
    from crosslit.runs.job import closing_at_exit, drive

    question = FEWEST if claims == FEWEST else "solutions"
    (choice,) = registry.select([spec], puzzle, question)
    if choice.refusal is not None:
        return {"unsupported": True}
    wanted = {"one": 1, "unique": 2, "all": MAX_SOLUTIONS + 1, FEWEST: None}[claims]
    task = Task(question, wanted, choice.encoding, choice.options)
    grids, has_given_up = [], False
    try:
        with closing_at_exit(drive(choice.backend, puzzle, task)) as search:
            for grid in islice(search, wanted):
                grids.append(grid)  # noqa: PERF402  (those before it gives up count)
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


def describe(spec: str, puzzles: Sequence[Puzzle], question: str) -> dict[str, str]:
    """Return the ``version`` of a backend, or as ``problem`` why it answers the question about none of the puzzles."""
    from crosslit import registry
    from crosslit.base.errors import SpecError

    try:
        choices = [registry.select([spec], puzzle, question) for puzzle in puzzles]
    except SpecError as error:
        return {"problem": str(error)}
    if several := next((found for found in choices if len(found) != 1), None):
        return {"problem": f"backend {spec!r}: it selects {len(several)} backends where one is expected"}
    refusals = [choice.refusal for (choice,) in choices]
    if None not in refusals:
        return {"problem": f"backend {spec!r}: {refusals[-1]}"}
    return {"version": choices[0][0].version}


def main() -> None:
    """Answer the questions on standard input, or describe a backend for a question with ``puzzles``."""
    given = json.loads(sys.argv[1])
    sys.meta_path.insert(0, CrosslitFinder(given["packages"]))
    from crosslit import registry
    from crosslit.formats import parse_line

    # Engines may print: only the answers go to standard output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if given["definition"]:
        registry.add(pickle.loads(base64.b64decode(given["definition"])))
    for line in sys.stdin:
        asked = json.loads(line)
        if "puzzles" in asked:
            puzzles = [parse_line(kind, text, "puzzle") for kind, text in asked["puzzles"]]
            found: dict[str, Any] = {**describe(asked["spec"], puzzles, asked["question"])}
        else:
            puzzle = parse_line(asked["kind"], asked["text"], "question")
            found = {"id": asked["id"], **reply(asked["spec"], puzzle, asked["claims"])}
        print(json.dumps(found), file=answers, flush=True)


if __name__ == "__main__":
    main()

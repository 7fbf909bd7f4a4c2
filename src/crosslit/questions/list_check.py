"""The check of a list of solutions that was made elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from crosslit.base.errors import InputError, wrong_type
from crosslit.base.grid import ArrayLike, Grid, text_of
from crosslit.base.text import exact
from crosslit.contract.run import Limits
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.kinds import wrong_grids
from crosslit.questions.enumerate import Enumeration, Lister
from crosslit.questions.lists import SolutionReader
from crosslit.registry import select_one
from crosslit.registry.defaults import checks_of, default
from crosslit.runs.runner import Runner, isolated

GivenList = str | os.PathLike[str] | Iterable[Grid | str | ArrayLike | Sequence[Any]]
"""The path of a file; or the solutions, as for `text_of`."""

MAX_FAULTS = 20  # lines whose problem is kept, and missing solutions
_TOGETHER = 4096  # solutions checked together
_MAX_LINE = 1 << 27  # characters: a model may name millions of other variables, but /dev/zero has no end


@dataclass(repr=False)
class ListCheck(Enumeration):
    """A list of solutions, judged by the rules and by independent backends: ``known`` is how many solutions it has."""

    truth = "is_right"

    wrong: int = 0  # the number of lines that are no solutions
    repeated: int = 0  # the number of lines that repeat an earlier one
    faults: list[tuple[int, str]] = field(default_factory=list)  # lines with their problem; at most `MAX_FAULTS`
    examples: list[Grid] = field(default_factory=list)  # solutions that the list lacks; at most `MAX_FAULTS`

    @property
    def missing(self) -> int:
        """The number of solutions, found and checked by the rules, that the list lacks."""
        return self.found - self.known

    @property
    def is_right(self) -> bool:
        """True if no line is wrong or repeated, and a complete search found no solution that the list lacks."""
        return self.complete and not self.has_faults

    @property
    def has_faults(self) -> bool:
        """True if a line is wrong or repeated, or a solution is missing; others may not have been looked for."""
        return bool(self.wrong or self.repeated or self.missing)

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        faults = [{"line": line, "problem": problem} for line, problem in self.faults]
        numbers = {name: exact(getattr(self, name)) for name in ("wrong", "repeated", "missing")}
        evidence = {"complete": self.complete, "evidence": self.evidence}
        return {"right": exact(self.known), **numbers, **evidence, "faults": faults}

    def lack(self, packed: bytes) -> None:
        """Keep some of these missing solutions."""
        left = MAX_FAULTS - len(self.examples)
        self.examples += self.puzzle.layout.grids(packed[: left * self.puzzle.layout.size])


def read_list(given: GivenList, check: ListCheck) -> dict[bytes, int]:
    """Return the different solutions of a list, packed, with their lines; note the faults of other lines in its check.

    A list without any solution of the puzzle's shape is an `InputError`: it is a list of something else.
    """
    puzzle, found, is_readable = check.puzzle, dict[bytes, int](), False
    lines = SolutionReader(puzzle.layout).read(_lines(given))
    while batch := list(islice(lines, _TOGETHER)):
        grids = [(number, grid.packed) for number, grid in batch if isinstance(grid, Grid)]
        rejected = dict(wrong_grids(puzzle, b"".join(packed for _, packed in grids)))
        wrong = {grids[index][0]: reason for index, reason in rejected.items()}
        wrong |= {number: str(grid) for number, grid in batch if isinstance(grid, ValueError)}
        check.wrong += len(wrong)
        repeated = [line for line, each in grids if line not in wrong and found.setdefault(each, line) != line]
        check.repeated += len(repeated)
        faults = sorted(wrong.items()) + [(line, "repeats an earlier line") for line in repeated]
        check.faults = (check.faults + faults)[:MAX_FAULTS]
        is_readable |= bool(grids)
    if check.wrong and not is_readable:
        name = os.fspath(given) if isinstance(given, str | os.PathLike) else "the list"
        problem = "line {}: {}".format(*check.faults[0])
        raise InputError(name, f"no line is a solution of this puzzle; {problem}")
    return found


def _lines(given: GivenList) -> Iterator[str]:
    if not isinstance(given, str | os.PathLike):
        if not isinstance(given, Iterable):
            raise wrong_type("the path of a file, or solutions", given)
        yield from map(text_of, given)
        return
    try:  # programs on Windows begin a text with the mark of its byte order
        with open(given, encoding="utf-8-sig", errors="replace") as file:  # noqa: PTH123  (an empty path is no folder)
            while line := file.readline(_MAX_LINE):
                if len(line) == _MAX_LINE:
                    raise InputError(os.fspath(given), f"a line has over {_MAX_LINE:,} characters")
                yield line
    except OSError as error:
        raise InputError(os.fspath(given), error.strerror or "cannot be read") from None


def check_list(
    puzzle: PuzzleLike,
    solutions: GivenList,
    backend: str | None = None,
    *,
    timeout: float = Limits.timeout,
    memory_mb: int = Limits.memory_mb,
    runner: Runner | None = None,
) -> ListCheck:
    """Return which solutions of a list are wrong or repeated, and how many are missing.

    The rules judge each solution. A backend finds those that the list lacks, and an independent one checks that there
    are no others. The list is the path of a file with a solution on each line, as ``10/01``; or the solutions, each a
    `Grid`, text such as ``10/01``, an array, or rows of numbers. The other arguments are those of `count`.

    Raises:
        InputError: if the list cannot be read, or none of its lines is a grid of the puzzle's shape.
        TypeError: if one of the given solutions has none of these forms.
        SpecError: if no backend can check the list.

    Examples:
        >>> found = check_list("1,1|1,1", ["10/01", "11/00", "10/01"])
        >>> found.is_right, found.faults, found.evidence
        (False, [(2, 'row 1 has blocks 2, its clue is 1'), (3, 'repeats an earlier line')], 'agreed')
        >>> found.missing, found.examples[0].text
        (1, '01/10')
    """
    puzzle = as_puzzle(puzzle)
    choice = select_one(backend or default(puzzle, "list"), puzzle)
    with isolated(runner, Limits(None, timeout, memory_mb)) as runner:
        found = ListCheck(puzzle)
        Lister(found, choice, runner, found.lack, checks_of(choice, puzzle)).run(read_list(solutions, found))
    return found

"""``crosslit explain``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from crosslit.base.numbers import format_count
from crosslit.cli import output
from crosslit.cli.help import example_command
from crosslit.cli.options import backend_option, puzzle_argument, solver_option
from crosslit.cli.query import Query, conclude, query_options

if TYPE_CHECKING:
    from crosslit.questions.explain import Explanation


@example_command("crosslit explain '9,1|1,1'", "crosslit explain 10000/11110/11111/11110/10000")
@puzzle_argument
@backend_option(help="The backend that finds a contradiction.  [default: one that suits]")
@solver_option
@query_options(10)
def command(query: Query, spec: str | None) -> int:
    """Say why PUZZLE has no solution, or more than one.

    Without a solution: the sums of the clues where they differ, else a minimal set of clues (or of lights) that
    contradict each other. With several: two of them, and the cells where they differ.

    Exit status: 0 explained, or unique, 1 something is wrong, 2 bad usage or input, 3 undecided, 130 interrupted.
    """
    from crosslit.questions.explain import explain

    puzzle = query.read()
    with query.runs("why") as (runner, _):
        found = explain(puzzle, spec, runner=runner)
    if query.as_json:
        output.write_json(found.json())
    else:
        for line in _words(found):
            output.write(line)
    without = found.contradiction is not None and found.contradiction.chosen is None
    runs = (*([found.run] if found.run else []), *(found.contradiction.runs if found.contradiction else ()))
    return conclude(runner, found.findings, found.status != "undecided" and not without, runs)


def _words(found: Explanation) -> Iterator[str]:
    if found.sums is not None:
        rows, columns = found.sums
        yield f"unsolvable: the rows need {format_count(rows, 'cell')}, the columns {columns}"
    elif found.status == "unsolvable":
        yield from _contradiction(found)
    elif found.status == "multiple":
        yield from _two_solutions(found)
    elif found.run is not None:
        claim = "unique: no other solution" if found.status == "unique" else "undecided"
        yield f"{claim} (claimed by {found.run.backend})" if found.status == "unique" else claim


def _contradiction(found: Explanation) -> Iterator[str]:
    from crosslit.judging.verdict import evidence_words
    from crosslit.kinds import kind_of

    answer, claim = found.contradiction, f"unsolvable (claimed by {found.run.backend})" if found.run else "unsolvable"
    if answer is None or answer.chosen is None:
        yield f"{claim}; which {found.puzzle.constraints} contradict was not found"
        return
    count = answer.chosen.count()
    if (contradiction := kind_of(found.puzzle).contradiction) is not None:
        picture, reason = contradiction(found.puzzle, answer.chosen, output.picture_style())
        yield picture
        # The rules check the backend's answer here, and only if they agree is the reason shown as a fact.
        if not found.puzzle.contradicts(answer.chosen):
            yield f"{claim}; these {found.puzzle.constraints} do not say why"
            return
        yield f"unsolvable: {reason}"
        if found.puzzle.needed(answer.chosen) != answer.chosen:
            yield f"not all of these {found.puzzle.constraints} are needed"
            return
    else:
        words = found.puzzle.constraints
        several = f"these {count} {words} contradict each other"
        yield f"unsolvable: {f'this {words[:-1]} cannot be' if count == 1 else several}"
        yield from (f"  {line}" for line in found.lines)
    if count > 1:
        if answer.decided:
            size = "the smallest set"
        elif answer.bound > 1:
            size = f"none can be left out; a smaller set has at least {answer.bound}"
        else:
            size = "none can be left out; the search for a smaller set did not finish"
        yield f"{size} {evidence_words(answer)}"


def _two_solutions(found: Explanation) -> Iterator[str]:
    from crosslit.formats.drawing import difference, draw_values

    one, other = found.solutions
    marked = difference(one, other)
    differing = sum(line.count("?") for line in marked)
    yield f"not unique: two solutions, checked by the rules, differ in {format_count(differing, 'cell')} (?)"
    yield draw_values(found.puzzle, marked, output.picture_style())
    yield from (f"  {grid.text()}" for grid in (one, other))

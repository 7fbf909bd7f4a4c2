"""The commands that ask one backend about a puzzle: solve, count and explain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from crosslit.base.numbers import format_count, number_words, shorten
from crosslit.cli import output
from crosslit.cli.exit_status import exit_status
from crosslit.cli.group import example_command
from crosslit.cli.options import (
    Query,
    advise_explain,
    backend_option,
    certificate_option,
    conclude,
    puzzle_argument,
    puzzles_argument,
    query_options,
    solver_option,
    why_stopped,
)

if TYPE_CHECKING:
    from crosslit.contract.run import Limits
    from crosslit.judging.answers import CountResult
    from crosslit.judging.verdict import Comparison
    from crosslit.questions.explain import Explanation


@example_command("crosslit solve '1,2|2,1'", "crosslit solve 10/11 --fewest")
@puzzle_argument
@backend_option(help="The backend.  [default: polynomial or gauss, hybrid for a nonogram, fewest with --fewest]")
@solver_option
@click.option("--fewest", is_flag=True, help="For Lights Out, find a solution with the fewest presses.")
@query_options()
def solve_command(query: Query, spec: str | None, fewest: bool) -> int:
    """Print one solution of PUZZLE, checked by the rules, or say that there is none.

    For Lights Out the picture shows the cells to press as (). With --fewest the solution has the fewest presses; if
    that cannot be proved in time, the best solution found is printed (undecided). Exit status: 0 solved, or no
    solution, 1 the backend is wrong, 2 bad usage or input, 3 undecided, 130 interrupted.
    """
    from crosslit import registry
    from crosslit.contract import FEWEST, SOLUTIONS
    from crosslit.judging.solutions import judge, judge_fewest
    from crosslit.questions.blame import attributed
    from crosslit.questions.solve import ask_in_turns
    from crosslit.runs.sandbox import free_cores

    puzzle = query.read()
    question = (FEWEST if fewest else SOLUTIONS).name
    once: dict[str, Any] = {"fork_first": True, "once": True, "cores": free_cores(), "in_process": True}
    with query.runs(solutions=None if fewest else 1, **once) as (runner, _):
        runs = ask_in_turns(puzzle, runner, question, spec, runner.limits.solutions)
        comparison = (judge_fewest if fewest else judge)(puzzle, runs, runner.limits)
    if spec and comparison.findings:
        comparison.findings = attributed(puzzle, comparison.findings, registry.select(spec, puzzle, question))
    status = _solve_status(comparison)
    if query.as_json:
        output.write_json(_solve_record(comparison, status))
    else:
        _write_solve(comparison, status, query.limits())
    return exit_status(interrupted=runner.interrupted, wrong=status == "wrong", undecided=status == "undecided")


def _solve_status(comparison: Comparison) -> str:
    from crosslit.judging.verdict import DISCREDITS

    if any(finding.problem in DISCREDITS for finding in comparison.findings):
        return "wrong"
    if comparison.presses is not None and not comparison.presses.proved:
        return "undecided"
    if comparison.solutions:
        return "solved"
    # Only the end of a complete search is a claim; a run that was stopped leaves the question open.
    return "unsolvable" if comparison.runs[-1].status == "complete" else "undecided"


def _solve_record(comparison: Comparison, status: str) -> dict[str, object]:
    from crosslit.judging.verdict import puzzle_json

    presses = comparison.presses
    return {
        "puzzle": puzzle_json(comparison.puzzle, comparison.nullity),
        "status": status,
        "solution": comparison.solutions[0].text if comparison.solutions else None,
        **({"presses": presses.json()} if presses is not None else {}),
        "findings": [finding.json() for finding in comparison.findings],
        "run": comparison.runs[-1].json(fewest=presses is not None),
    }


def _write_solve(comparison: Comparison, status: str, limits: Limits) -> None:
    run, presses = comparison.runs[-1], comparison.presses
    if status in ("solved", "undecided") and comparison.solutions:
        output.write_solution(comparison.puzzle, comparison.solutions[0])
    if status == "unsolvable":
        output.write(f"no solution (claimed by {run.backend})")
        advise_explain(comparison.puzzle)
    elif status != "wrong" and presses is not None:
        from crosslit.questions.report import presses_words  # needed for the fewest presses only

        output.write(presses_words(presses, comparison.verdict))
    if status == "solved" and presses is None:  # say whether there are other solutions, if no search is needed
        if comparison.nullity:
            output.complain(f"there are 2^{comparison.nullity} solutions, since the nullity is {comparison.nullity}")
        elif comparison.nullity is None and run.status != "complete":
            output.complain("other solutions were not looked for; `crosslit count` does")
    if status == "undecided":
        output.complain(why_stopped(run, limits))
    for finding in comparison.findings:
        output.complain(str(finding))


_MAX_NAME = 60  # maximum characters of a name


@example_command("crosslit count '1,1,1|1,1,1'", "crosslit count 10/11 00/00 --check")
@puzzles_argument
@backend_option(help="The backend.  [default: polynomial or gauss; line and frontier in turns for a nonogram]")
@solver_option
@click.option("--check", is_flag=True, help="Ask an independent backend too, and print the evidence.")
@certificate_option(help="With one PUZZLE: write a certificate of its number, for `crosslit check-certificate`.")
@query_options()
def count_command(query: Query, spec: str | None, check: bool, certificate_path: str | None) -> int:
    """Print how many solutions each PUZZLE has, without enumerating them.

    A Lights Out board has 2^nullity or none. A nonogram is counted by listing its solutions and by dynamic programming
    over its cells, in turns that become longer until --timeout. Without --check the number is the claim of one backend;
    with it, independent ones are asked in turns, as long again. Exit status: 0 counted, 1 something is wrong, 2 bad
    usage or input, 3 undecided or not cross-checked by --check, 130 interrupted.
    """
    from crosslit.questions.count import count

    named = query.read_all()
    if certificate_path is not None and len(named) != 1:
        raise click.UsageError("--certificate is for one PUZZLE")
    counted: list[CountResult] = []
    with query.runs(total=len(named), fork_first=True) as (runner, progress):
        runner.on_step = lambda done, of: progress.started(f"{done} of {of} open cells")
        for source, puzzle in named:
            counted.append(count(puzzle, spec, check=check, runner=runner))
            progress.ended()
            if query.as_json:
                output.write_json(counted[-1].json())
            else:
                # a puzzle in place of a name may be long
                name = output.one_line(shorten(puzzle.name or source, _MAX_NAME))
                _write_count(counted[-1], check, f"{name}: " if len(named) > 1 else "", runner.limits)
            if runner.interrupted:
                break
    # A contradiction is reported even if another puzzle is undecided.
    wrong = not all(count.consistent for count in counted)
    undecided = any(count.number is None or count.unchecked for count in counted)
    number = counted[0].number if counted else None
    if certificate_path is not None and number is not None and not (wrong or runner.interrupted):
        from crosslit.cli.compare import certify

        undecided = not certify(query, named[0][1], number, certificate_path) or undecided
    return exit_status(interrupted=runner.interrupted, wrong=wrong, undecided=undecided)


def _write_count(counted: CountResult, check: bool, head: str, limits: Limits) -> None:
    from crosslit.judging.answers import DIGITS
    from crosslit.judging.verdict import evidence_words

    for finding in counted.findings:
        output.complain(f"{head}{finding}")
    if counted.number is None:
        output.write(f"{head}undecided{f': at least {counted.at_least}' if counted.at_least else ''}")
    else:
        words = f" {evidence_words(counted)}" if check else ""
        output.write(f"{head}{number_words(counted.number, DIGITS)}{words}")
    if counted.unchecked:
        output.complain(f"{head}not cross-checked: {counted.unchecked}")
    if counted.number is None or counted.unchecked:
        for run in {run.backend: run for run in counted.runs}.values():  # the longest turn of each
            if run.status not in ("complete", "error"):  # an error is a finding, printed above
                output.complain(f"{head}{why_stopped(run, limits)}")


@example_command("crosslit explain '9,1|1,1'", "crosslit explain 10000/11110/11111/11110/10000")
@puzzle_argument
@backend_option(help="The backend that finds a contradiction.  [default: one that suits]")
@solver_option
@query_options(10)
def explain_command(query: Query, spec: str | None) -> int:
    """Say why PUZZLE has no solution, or more than one.

    Without a solution: the sums of the clues where they differ, else a minimal set of clues (or of lights) that
    contradict each other. With several: two of them, and the cells where they differ.
    """
    from crosslit.questions.explain import explain

    puzzle = query.read()
    with query.runs("why") as (runner, _):
        found = explain(puzzle, spec, runner=runner)
    if query.as_json:
        output.write_json(found.json())
    else:
        for line in _explain_words(found):
            output.write(line)
    without = found.contradiction is not None and found.contradiction.chosen is None
    runs = (*([found.run] if found.run else []), *(found.contradiction.runs if found.contradiction else ()))
    return conclude(runner, found.findings, found.status != "undecided" and not without, runs)


def _explain_words(found: Explanation) -> Iterator[str]:
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
    from crosslit.formats.drawing import difference, draw

    one, other = found.solutions
    marked = difference(one, other)
    differing = sum(line.count("?") for line in marked)
    yield f"not unique: two solutions, checked by the rules, differ in {format_count(differing, 'cell')} (?)"
    yield draw(found.puzzle, marked, output.picture_style())
    yield from (f"  {grid.text}" for grid in (one, other))

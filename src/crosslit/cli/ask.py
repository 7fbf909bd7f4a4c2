"""The commands that ask one backend about a puzzle: solve, count and explain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from crosslit.base.text import format_count, number_words
from crosslit.cli import options, output
from crosslit.cli.group import example_command
from crosslit.cli.options import Query
from crosslit.cli.output import exit_status

if TYPE_CHECKING:
    from crosslit.contract.run import Limits
    from crosslit.judging.verdict import Comparison, CountResult
    from crosslit.questions.explain import Explanation


@example_command("crosslit solve '1,2|2,1'", "crosslit solve 10/11 --fewest")
@options.puzzle_argument
@options.backend_option(help="The backend.  [default: polynomial or gauss; for a nonogram hybrid; for --fewest fewest]")
@options.solver_option
@click.option("--fewest", is_flag=True, help="For Lights Out, find a solution with the fewest presses.")
@options.query_options()
def solve_command(query: Query, spec: str | None, fewest: bool) -> int:
    """Print one solution of PUZZLE, checked by the rules, or say that there is none.

    For Lights Out the picture shows the cells to press as (). With --fewest the solution has the fewest presses; if
    that cannot be proved in time, the best solution found is printed (undecided). Exit status: 0 solved, or no
    solution, 1 the backend is wrong, 2 bad usage or input, 3 undecided, 130 interrupted.
    """
    from crosslit.contract import FEWEST, SOLUTIONS
    from crosslit.judging.verdict import DISCREDITS
    from crosslit.questions.solve import ask_in_turns
    from crosslit.runs.resources import free_cores

    puzzle = query.read()
    question = (FEWEST if fewest else SOLUTIONS).name
    limit = None if fewest else 1
    with query.runs(solutions=limit, fork_first=True, once=True, cores=free_cores(), in_process=True) as (runner, _):
        comparison = ask_in_turns(puzzle, runner, question, spec, limit)
    run, presses = comparison.runs[-1], comparison.presses
    # Only the end of a complete search is a claim; a run that was stopped leaves the question open.
    decided = "solved" if comparison.solutions else "unsolvable" if run.status == "complete" else "undecided"
    is_wrong = any(finding.problem in DISCREDITS for finding in comparison.findings)
    status = "wrong" if is_wrong else decided if presses is None or presses.proved else "undecided"
    if query.as_json:
        record = {
            "puzzle": puzzle.json(comparison.nullity),
            "status": status,
            "solution": comparison.solutions[0].text if comparison.solutions else None,
            **({"presses": presses.json()} if presses is not None else {}),
            "findings": [finding.json() for finding in comparison.findings],
            "run": run.json(fewest=fewest),
        }
        output.write_json(record)
    elif not is_wrong:
        _write_solve(comparison, status)
    return options.conclude(runner, comparison.findings, status != "undecided", [run])


def _write_solve(comparison: Comparison, status: str) -> None:
    run, presses, nullity = comparison.runs[-1], comparison.presses, comparison.nullity
    if comparison.solutions:
        output.write_picture(comparison.puzzle, comparison.solutions[0])
    if status == "unsolvable":
        output.write(f"no solution (claimed by {run.backend})")
        options.advise_explain(comparison.puzzle)
    elif presses is not None:
        from crosslit.questions.report import presses_words  # needed for the fewest presses only

        output.write(presses_words(presses, comparison.verdict))
    elif status == "solved" and nullity:
        output.complain(f"there are 2^{nullity} solutions, since the nullity is {nullity}")
    elif status == "solved" and nullity is None and run.status != "complete":
        output.complain("other solutions were not looked for; `crosslit count` does")


@example_command("crosslit count '1,1,1|1,1,1'", "crosslit count 10/11 00/00 --check")
@options.puzzles_argument
@options.backend_option(help="The backend.  [default: polynomial or gauss; line and frontier in turns for a nonogram]")
@options.solver_option
@click.option("--check", is_flag=True, help="Ask an independent backend too, and print the evidence.")
@options.certificate_option(help="With one PUZZLE: write a certificate of its number to FILE, if it can be made.")
@options.query_options()
def count_command(query: Query, spec: str | None, check: bool, certificate_path: str | None) -> int:
    """Print how many solutions each PUZZLE has, without enumerating them.

    A Lights Out board has 2^nullity or none. A nonogram is counted by listing its solutions and by dynamic programming
    over its cells, in turns that become longer until --timeout. Without --check the number is the claim of one backend;
    with it, independent ones are asked in turns, as long again. Exit status: 0 counted, 1 something is wrong, 2 bad
    usage or input, 3 undecided, not cross-checked by --check, or no certificate, 130 interrupted.
    """
    from crosslit.questions.enumerate import count

    named = query.read_all(single=certificate_path and "--certificate")
    counted: list[CountResult] = []
    with query.runs(total=len(named), fork_first=True) as (runner, progress):
        runner.on_step = lambda done, of: progress.started(f"{done} of {of} open cells")
        for source, puzzle in progress.each(named):
            counted.append(count(puzzle, spec, check=check, runner=runner))
            if query.as_json:
                output.write_json(counted[-1].json())
            else:
                head = f"{output.name_of(puzzle, source)}: " if len(named) > 1 else ""
                write_count(counted[-1], check, head, runner.limits)
            if runner.interrupted:
                return exit_status(interrupted=True)
    # A contradiction is reported even if another puzzle is undecided.
    wrong = not all(count.consistent for count in counted)
    undecided = any(count.number is None or count.unchecked for count in counted)
    if certificate_path and not wrong and (number := counted[0].number) is not None:
        from crosslit.cli.compare import certify

        undecided = not certify(query, named[0][1], number, certificate_path) or undecided
    return exit_status(wrong=wrong, undecided=undecided)


def write_count(counted: CountResult, check: bool, head: str, limits: Limits) -> None:
    """Print the number of solutions of one puzzle, and on standard error why it is open or not cross-checked."""
    from crosslit.judging.solutions import MAX_DIGITS
    from crosslit.judging.verdict import evidence_words

    for finding in counted.findings:
        output.complain(f"{head}{finding}")
    if counted.number is None:
        output.write(f"{head}undecided{f': at least {counted.at_least}' if counted.at_least else ''}")
    else:
        words = f" {evidence_words(counted)}" if check else ""
        output.write(f"{head}{number_words(counted.number, MAX_DIGITS)}{words}")
    if counted.unchecked:
        output.complain(f"{head}not cross-checked: {counted.unchecked}")
    if counted.number is None or counted.unchecked:
        for run in {run.backend: run for run in counted.runs}.values():  # the longest turn of each
            if run.status not in ("complete", "error"):  # an error is a finding, printed above
                output.complain(f"{head}{options.why_stopped(run, limits)}")


@example_command("crosslit explain '9,1|1,1'", "crosslit explain 10000/11110/11111/11110/10000")
@options.puzzle_argument
@options.backend_option(help="The backend that finds a contradiction.  [default: one that suits]")
@options.solver_option
@options.query_options(10)
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
        output.write("\n".join(explanation_words(found)))
    runs = [run for run in (found.run, *(found.contradiction.runs if found.contradiction else ())) if run]
    is_open = found.contradiction is not None and found.contradiction.chosen is None
    return options.conclude(runner, found.findings, found.status != "undecided" and not is_open, runs)


def explanation_words(found: Explanation) -> Iterator[str]:
    """Yield the lines that explain a puzzle, with pictures."""
    if found.sums is not None:
        rows, columns = found.sums
        yield f"unsolvable: the rows need {format_count(rows, 'cell')}, the columns {columns}"
    elif found.status == "unsolvable":
        yield from _contradiction(found)
    elif found.status == "multiple":
        yield from _two_solutions(found)
    elif found.status == "unique" and found.run is not None:
        yield f"unique: no other solution (claimed by {found.run.backend})"
    else:
        yield "undecided"


def _contradiction(found: Explanation) -> Iterator[str]:
    from crosslit.judging.verdict import DISCREDITS, evidence_words

    answer, words = found.contradiction, found.puzzle.constraints
    # The rules have checked the answer, and only if they agree is the reason shown as a fact.
    if answer is None or answer.chosen is None or any(one.problem in DISCREDITS for one in found.findings):
        claim = f" (claimed by {found.run.backend})" if found.run else ""
        yield f"unsolvable{claim}; which {words} contradict was not found"
        return
    count = answer.chosen.count()
    if (contradiction := found.puzzle.contradiction(answer.chosen, output.picture_style())) is not None:
        picture, reason = contradiction
        yield from (picture, f"unsolvable: {reason}")
    else:
        several = f"these {count} {words} contradict each other"
        yield f"unsolvable: {several if count > 1 else f'this {words[:-1]} cannot be'}"
        yield from (f"  {line}" for line in found.lines)
    if count > 1:
        smaller = "the search for a smaller set did not finish"
        if answer.bound > 1:
            smaller = f"a smaller set has at least {answer.bound}"
        size = "the smallest set" if answer.decided else f"none can be left out; {smaller}"
        yield f"{size} {evidence_words(answer)}"


def _two_solutions(found: Explanation) -> Iterator[str]:
    from crosslit.formats.drawing import draw_lines

    one, other = found.solutions
    pairs = zip(one.lines(), other.lines(), strict=True)
    marked = ["".join(a if a == b else "?" for a, b in zip(*pair, strict=True)) for pair in pairs]
    cells = format_count(sum(line.count("?") for line in marked), "cell")
    yield f"not unique: two solutions, checked by the rules, differ in {cells} (?)"
    yield from draw_lines(found.puzzle, marked, output.picture_style())
    yield from (f"  {grid.text}" for grid in found.solutions)

"""The checks of the contract, on answers that are made up: each wrong in one way that no other check is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence

from crosslit import Grid
from crosslit.conformance.checks import check, configurations
from crosslit.conformance.samples import by_rules
from crosslit.runs.job import Job
from crosslit.runs.run import Run

Answer = Callable[[Job, list[Grid], int | None], Run]


def failed(spec: str, name: str, answer: Answer) -> str:
    """The words of a check on boards, which must fail; an answer is made of a job, all solutions, and the limit."""

    def execute(jobs: Sequence[Job], limit: int | None) -> Generator[tuple[Job, Run], None, None]:
        for job in jobs:
            yield job, answer(job, sorted(by_rules(job.puzzle).solutions, key=Grid.count), limit)

    (configuration,) = configurations(spec, ["lights-out"])
    results = {result.check: result for result in check(configuration, execute, "quick")}
    assert results[name].status == "failed"
    return results[name].detail


def test_no_solution_at_all_is_a_wrong_claim_of_the_fewest_presses() -> None:
    detail = failed("fewest", "finds the fewest presses", lambda *_: Run("a", status="complete"))
    assert detail == "it claims the fewest presses, and is wrong"


def test_a_bound_above_the_fewest_presses_is_wrong() -> None:
    def answer(job: Job, solutions: list[Grid], limit: int | None) -> Run:
        best = solutions[:1]
        return Run("a", status="complete", grids=best, bound=best[0].count() + 1 if best else 0)

    assert failed("fewest", "finds the fewest presses", answer).startswith("it claims that every solution has")


def test_another_order_is_not_the_same_again() -> None:
    asked: Counter[str] = Counter()

    def answer(job: Job, solutions: list[Grid], limit: int | None) -> Run:
        asked[job.puzzle.text] += 1
        return Run("a", status="complete", grids=solutions[:: -1 if asked[job.puzzle.text] % 2 else 1])

    assert failed("gauss", "the same again", answer).startswith("the same task gave other solutions, or another order")


def test_a_wrong_solution_before_the_limit_is_found() -> None:
    def answer(job: Job, solutions: list[Grid], limit: int | None) -> Run:
        wrong = Grid.from_bits(job.puzzle.rows, job.puzzle.columns, solutions[0].bits ^ 1 if solutions else 0)
        return Run("a", status="limit", grids=[wrong]) if limit else Run("a", status="complete", grids=solutions)

    assert failed("gauss", "stops when enough", answer) == "wrong or repeated solutions"

"""The sentences say what is so, with the right figures, and leave out what is not so."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from crosslit.campaigns.analysis.growth import fits
from crosslit.campaigns.analysis.needs import scipy_part
from crosslit.campaigns.analysis.scaling_summary import fastest, scaling_sentences
from crosslit.campaigns.analysis.scores import scores
from crosslit.campaigns.analysis.summary import sentences, wrong_answers
from crosslit.campaigns.results.judged import Results
from crosslit.campaigns.results.outcome import Circumstances
from crosslit.campaigns.results.rows import Row
from crosslit.campaigns.results.table import Table
from crosslit.errors import Unavailable
from crosslit.runs.run import Limits, Run, Timing
from tests.campaigns.tables import INF, NAN, table

SIZES = [4, 6, 8, 10, 12, 14, 16, 18]
QUIET = Circumstances(
    started="2026-01-02T03:04:05.678+00:00",
    load=0.5,
    side_by_side=1,
    carrier="local",
    host="h",
    processor="cpu",
    processors=2,
    system="Linux",
    python="3.11",
)


def wall(**changes: Any) -> Table:
    """Two of clauses that double every size and every half, one of XOR that grows as n^2, and a fast one."""
    sizes = np.array(SIZES, dtype=float)
    times = np.stack([0.01 * 2 ** (sizes - 4), 0.02 * 4 ** (sizes - 4), 1e-4 * sizes**2, 1e-5 * sizes], axis=1)
    times[times > 5] = INF
    known: dict[str, Any] = {
        "facts": [{"family": "odd", "size": float(size)} for size in SIZES],
        "labels": ["one/cnf", "two/cnf", "three/xor", "poly"],
        "groups": ["clauses", "clauses", "XOR", ""],
    }
    return table(times, 5.0, **{**known, **changes})


def test_the_wall_in_a_sentence() -> None:
    # 0.01 * 2^8 = 2.56 s at n = 12, and 10.24 s, beyond the limit, at 14; 0.02 * 4^2 = 0.32 s at 6, and 5.12 s at 8;
    # at n = 18, 1e-4 * 324 = 32.4 ms and 1e-5 * 18 = 0.18 ms, 180 times less
    some = wall()
    assert scaling_sentences(some, fits(some)) == [
        "In the family 'odd', the time of clauses (one/cnf and two/cnf) grows exponentially, doubling each time n grows"
        " by 0.5 to 1, depending on the contestant, and none of them solves anything from n = 14 to 18 in 5 s; poly is"
        " the fastest at every size from n = 4 on, 0.18 ms at n = 18, 180 times faster than the next (three/xor); the"
        " time of XOR (three/xor) stays at or below 32 ms up to n = 18, growing as n^2."
    ]


def test_the_sentence_leaves_out_who_is_wrong() -> None:
    (sentence,) = scaling_sentences(some := wall(wrong=["poly", "one/cnf"]), fits(some))
    assert "poly" not in sentence
    assert "one/cnf" not in sentence
    assert "the time of clauses (two/cnf) grows exponentially, doubling each time n grows by 0.5 (95% 0." in sentence
    assert "and it solves nothing from n = 8 to 18 in 5 s" in sentence


def test_no_wall_is_told_where_there_is_none() -> None:
    rng = np.random.default_rng(0)
    times = 0.02 * np.exp(0.1 * rng.standard_normal((8, 2)))
    some = table(times, facts=[{"family": "easy", "size": float(size)} for size in SIZES])
    (sentence,) = scaling_sentences(some, fits(some))
    assert "exponential" not in sentence
    assert "fastest" not in sentence
    assert f"the time of a stays at or below {times[:, 0].max() * 1000:.0f} ms up to n = 18" in sentence


def test_slow_exponential_growth_is_no_wall() -> None:
    # doubles every 7 sizes: 4 times as long at 18 as at 4
    times = [[0.01 * 2 ** ((size - 4) / 7)] for size in SIZES]
    some = table(times, facts=[{"family": "mild", "size": float(size)} for size in SIZES])
    (fit,) = fits(some)
    assert fit.model == "exponential"
    assert scaling_sentences(some, [fit]) == [
        "In the family 'mild', the time of a stays at or below 40 ms up to n = 18."
    ]


def test_a_crash_is_no_steady_time() -> None:
    some = wall()
    times, statuses = some.seconds.copy(), some.statuses.copy().astype("U20")
    times[3, 2], statuses[3, 2] = INF, "error"
    (sentence,) = scaling_sentences(broken := dataclasses.replace(some, seconds=times, statuses=statuses), fits(broken))
    assert "the time of XOR (three/xor) is within the limit of 5 s on 7 of 8, up to n = 18" in sentence


def test_too_few_sizes_make_no_sentence() -> None:
    some = wall().among(rows=[0, 1])
    assert scaling_sentences(some, fits(some)) == []


def test_the_fastest_at_every_size_from_one_on() -> None:
    sizes = [{"size": size} for size in (1, 2, 3, 4)]
    found = fastest(table([[1.0, 2.0], [3.0, 2.0], [2.0, 3.0], [3.0, INF]], facts=sizes))
    assert found is not None
    assert (found.label, found.since, found.size, found.seconds, found.next_label) == ("a", 3.0, 4.0, 3.0, "")
    assert found.next_seconds == INF
    assert fastest(table([[1.0, 2.0], [3.0, 2.0], [2.0, 3.0], [3.0, 3.5]], facts=sizes)) is None  # not by a fifth
    assert fastest(table([[1.0, 2.0], [3.0, 2.0], [2.0, 3.0], [INF, INF]], facts=sizes)) is None
    assert fastest(table([[1.0], [1.0], [1.0], [1.0]], facts=sizes)) is None
    # a leads at the largest size alone
    assert fastest(table([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 5.0]], facts=sizes)) is None
    # b was not asked at 4, so that nobody raced there; c not at 3 and 4
    raced = fastest(table([[1.0, 2.0, 9.0], [1.0, 2.0, 9.0], [1.0, 2.0, NAN], [1.0, 2.0, NAN]], facts=sizes))
    assert raced is not None
    assert (raced.since, raced.among_all) == (1.0, False)
    assert fastest(table([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, NAN]], facts=sizes)) is None


def test_what_makes_a_tie_makes_nobody_the_fastest() -> None:
    sizes = [{"size": size} for size in (1, 2, 3, 4)]
    assert fastest(table([[1e-4, 5e-4]] * 4, facts=sizes)) is None
    found = fastest(table([[1e-4, 5e-4]] * 2 + [[1e-4, 2e-3]] * 2, facts=sizes))
    assert found is not None
    assert found.since == 3.0


def test_half_of_the_puzzles_is_not_more_than_half() -> None:
    # of the two puzzles of a size b solves one: its median is unknown, and yet it solves half of them
    sizes = (1, 1, 2, 2, 3, 3)
    times = [[1.0, 2.0]] * 4 + [[1.0, 2.0], [1.0, INF]]
    some = table(times, facts=[{"size": size} for size in sizes])
    (sentence,) = scaling_sentences(some, fits(some))
    assert "where nobody else solves more than half of the puzzles" in sentence


def test_a_group_is_followed_as_far_as_all_of_it_were_asked() -> None:
    times = [[0.1, 0.1], [0.1, 0.1], [0.1, 0.1], [0.1, NAN]]
    some = table(times, groups=["g", "g"], facts=[{"size": size} for size in (1, 2, 3, 4)])
    assert scaling_sentences(some, fits(some))[0].startswith(
        "In the family 'boards', the time of g (a and b) stays at or below 100 ms up to n = 3"
    )


def test_crashes_are_no_wall() -> None:
    sizes = (4, 5, 6, 7, 8, 9, 10, 11)
    times = [[0.01 * 2.0**at] for at in range(6)] + [[INF], [INF]]
    ends = [["complete"]] * 6
    facts = [{"size": size} for size in sizes]
    late = table(times, 0.5, facts=facts, statuses=[*ends, ["timeout"], ["timeout"]])
    assert "it solves nothing from n = 10 to 11 in 500 ms" in scaling_sentences(late, fits(late))[0]
    broken = table(times, 0.5, facts=facts, statuses=[*ends, ["timeout"], ["error"]])
    assert "it solves nothing at n = 10 in 500 ms" in scaling_sentences(broken, fits(broken))[0]


def test_a_contestant_that_solves_nothing_is_not_said_to_be_slow() -> None:
    times = [[INF, 1.0]] * 6
    ends = [["timeout", "complete"]] * 3 + [["error", "complete"]] * 3
    some = table(times, facts=[{"size": size} for size in range(6)], statuses=ends)
    assert "the time of a is not known: none of these puzzles is solved" in scaling_sentences(some, fits(some))[0]


def test_the_measure_is_told() -> None:
    some = dataclasses.replace(wall(), measure="cpu")
    assert "the CPU time of clauses" in scaling_sentences(some, fits(some))[0]
    assert any("(CPU time; a puzzle" in sentence for sentence in told(some))


def test_who_was_not_asked_all_is_not_beaten_in_silence() -> None:
    found = told(table([[9.0, 8.0, 1.0], [9.0, 8.0, NAN], [9.0, 8.0, 1.0]]))
    assert any("over 3 puzzles, all of which 2 of 3 contestants were asked, is that of b" in one for one in found)


def told(some: Table, rows: list[Row] | None = None, planned: int | None = None) -> list[str]:
    made = rows if rows is not None else []
    results = _Made(made, len(made) if planned is None else planned)
    return sentences(results, some, scores(some), fits(some))  # type: ignore[arg-type]


@dataclasses.dataclass
class _Made:
    """The part of `Results` that sentences read."""

    rows: list[Row]
    planned: int


def row(status: Any = "complete", load: float = 0.5, wall: float = 1.0, delayed: float = 0.0) -> Row:
    run = Run("a", status=status, timing=Timing(wall=wall, delayed=delayed))
    return Row(
        key="k",
        puzzle="p",
        contestant="a",
        seed=None,
        question="solutions",
        limits=Limits(),
        crosslit="0.1",
        run=run,
        circumstances=dataclasses.replace(QUIET, load=load),
        attempts=1,
        lost="",
    )


def test_wrong_answers_come_first() -> None:
    found = told(wall(wrong=["poly"]), [row()])
    assert found[:2] == [
        "poly gave wrong answers (1 false-unsolvable) and is disqualified.",
        "What is said of contestants below leaves it out.",
    ]
    assert not any("No wrong answer" in sentence for sentence in found)
    assert list(wrong_answers(wall())) == ["No wrong answer was found on 8 puzzles."]
    open_ = wall(facts=[{"size": float(size), "verdict": "undecided"} for size in SIZES[:1]] + [{}] * 7)
    assert list(wrong_answers(open_)) == ["No wrong answer was found on 8 puzzles; 1 of these is undecided."]


def test_a_puzzle_without_a_run_is_no_evidence() -> None:
    assert list(wrong_answers(table([[1.0], [NAN]]))) == ["No wrong answer was found on 1 puzzle."]


def test_who_solved_most_and_whom_the_virtual_best_solver_needs() -> None:
    # limit 10: PAR-2 of a = (1 + 1 + 20) / 3, of b = (20 + 2 + 3) / 3 = 8.33; VBS (1 + 1 + 3) / 3 = 1.67;
    # without a it is b, +6.67; without b it is a, 22 / 3 = 7.33, +5.67
    found = told(table([[1.0, INF], [1.0, 2.0], [INF, 3.0]]))
    assert "a and b solved most: 2 of the 3 puzzles that each was asked." in found
    best = next(sentence for sentence in found if "PAR-2" in sentence)
    assert best.startswith("The best PAR-2 over 3 puzzles is that of a, 7.3 s (time of all phases; a puzzle that is")
    assert "has 1.7 s." in best
    assert "It needs a (+6.7 s without it) and b (+5.7 s without it)." in found
    assert "Puzzles that nobody else solved: a (1) and b (1)." in found


def test_all_solved_all() -> None:
    found = told(table([[1.0, 1.0], [2.0, 2.0]]))
    assert "All 2 contestants solved all puzzles that they were asked." in found
    assert "It needs nobody: without any one contestant its PAR-2 is worse by 1% or 1 ms at most." in found


def test_a_contribution_below_a_millisecond_is_no_need() -> None:
    # without either, the PAR-2 of the other is half as long again, and 0.05 ms longer
    found = told(table([[1e-4, 2e-4], [2e-4, 1e-4]]))
    assert "It needs nobody: without any one contestant its PAR-2 is worse by 1% or 1 ms at most." in found


def test_the_worst_load_is_that_for_each_processor() -> None:
    large = row(load=10.0)
    large = dataclasses.replace(large, circumstances=dataclasses.replace(large.circumstances, processors=8))
    found = told(table([[1.0]]), [large, row(load=6.0)])
    assert found[-1].startswith("2 of 2 runs began under high load (up to 6 on 2 processors)")


def test_who_solved_all_that_it_was_asked() -> None:
    assert "b solved all 2 puzzles that it was asked." in told(table([[1.0, 2.0], [INF, 3.0]]))
    other = "a and b solved most, 1 puzzle each, but were not asked the same number of them."
    assert other in told(table([[1.0, 2.0], [INF, NAN]]))


def test_nobody_solved_anything() -> None:
    assert "Nobody solved anything." in told(table([[INF, INF]]))
    assert told(table(np.empty((0, 0)))) == []


def test_how_runs_ended_and_on_what_machine() -> None:
    rows = [row(), row("timeout"), row("timeout"), row("error"), row(load=5.25), row(delayed=0.2)]
    found = told(table([[1.0]]), rows, planned=10)
    assert found[1].startswith("The campaign is not finished: 6 of 10 runs are made")
    assert "2 of 6 runs hit the limit of time and 1 crashed: these count as not solved." in found
    assert found[-1] == (
        "1 of 6 runs began under high load (up to 5.2 on 2 processors) and 1 of 6 runs waited for a processor for over"
        " 10% of their time: their times may be too long."
    )
    assert told(table([[1.0]]), [row(), row()])[-1] == "No run hit a limit, gave up or crashed."


def test_without_scipy_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "scipy.stats", None)
    with pytest.raises(Unavailable, match=r"pip install 'crosslit\[report\]'"):
        scipy_part("stats")


def test_results_have_what_sentences_read() -> None:
    assert {"planned"} <= {field.name for field in dataclasses.fields(Results)}
    assert isinstance(Results.rows, property)

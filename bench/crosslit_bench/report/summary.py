"""The summary of a report: a table of facts, the most important first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from crosslit.kinds import all_kinds
from crosslit.numbers import format_count, format_number, format_seconds, join_names
from crosslit.runs.run import RunStatus
from crosslit_bench.analysis.analysis import Analysis, Ranking
from crosslit_bench.analysis.digits import enough_digits
from crosslit_bench.analysis.families import Wall
from crosslit_bench.analysis.pairs import TIE_SECONDS
from crosslit_bench.report.text import Sheet, brief, facts
from crosslit_bench.results.frame import Results

_MIN_CONTRIBUTION = 0.01  # smallest contribution listed, as a share of the virtual best solver's PAR-2
_MAX_FACT_LENGTH = 1500  # characters: labels may have any length
_ENDS: dict[RunStatus, str] = {
    "timeout": "reached the time limit",
    "memory": "reached the memory limit",
    "one found": "found one solution only",
    "gave-up": "gave up",
    "error": "crashed",
}


def summary(results: Results, analysis: Analysis | None) -> Sheet:
    """Return the table of facts; without an analysis, it is only about answers and runs."""
    lines = [("wrong answers", _wrong(results)), ("runs", _runs(results))]
    if analysis is not None:
        lines += [(f"growth on {wall.family}", _growth(wall)) for wall in analysis.walls if wall.is_series]
        for ranking in analysis.rankings:
            on = f" on {all_kinds()[ranking.kind].puzzle.plural}" if len(analysis.rankings) > 1 else ""
            lines += [(f"{name}{on}", text) for name, text in _ranking(ranking)]
    shown = [(brief(name), brief(text, _MAX_FACT_LENGTH)) for name, text in lines if text]
    (sheet,) = facts("Summary, wrong answers first", shown)
    return sheet


def _wrong(results: Results) -> str:
    wrong = []
    for contestant in results.contestants:
        problems = Counter(finding.problem for finding in contestant.disqualified)
        if problems:
            wrong.append(f"{contestant.label} ({', '.join(f'{count:,} {word}' for word, count in problems.items())})")
    if wrong:
        return f"{'; '.join(wrong)}. Disqualified, and left out below."
    judged = [result for result in results.judged if result.rows]
    undecided = sum(result.comparison.verdict.status == "undecided" for result in judged)
    return f"none on {format_count(len(judged), 'puzzle')}" + (f"; {undecided:,} undecided" if undecided else "")


def _runs(results: Results) -> str:
    counts = f"{results.made:,} of {format_count(results.planned, 'run')} made"
    ends = Counter(results.frame["status"])
    parts = [f"{ends[status]:,} {words}" for status, words in _ENDS.items() if ends[status]]
    disturbed = results.frame["disturbed"].sum()
    parts += [f"{disturbed:,} disturbed by other load: their times may be too long"] if disturbed else []
    return "; ".join([counts, *parts])


def _growth(wall: Wall) -> str:
    who = "" if wall.contestants == (wall.group,) else f" ({join_names(wall.contestants)})"
    low, high = (format_number(rate, 2) for rate in wall.doubling)
    text = f"{wall.group}{who} grows exponentially, doubling each time n grows by {low}"
    text += f" to {high}" if high != low else ""
    return text + (f", unsolved from n = {wall.unsolved_from:.4g} on" if wall.unsolved_from is not None else "")


def _contributions(ranking: Ranking, least: float) -> str:
    """Return by how much PAR-2 would rise without a contestant; rises up to a threshold in seconds are combined."""
    needed = sorted(
        (score for score in ranking.scores if score.contribution > least), key=lambda score: -score.contribution
    )
    digits = enough_digits([least, *(score.contribution for score in needed)])
    rises = [f"by {format_seconds(score.contribution, digits)} without {score.label}" for score in needed]
    parts = [join_names(rises)] if rises else []
    if len(needed) < len(ranking.scores):
        who = "any other contestant" if parts else "any one contestant"
        parts.append(f"by at most {format_seconds(least, digits)} without {who}")
    return "; ".join(parts)


def _ranking(ranking: Ranking) -> Iterator[tuple[str, str]]:
    max_solved = max((score.solved for score in ranking.scores), default=0)
    best = [score for score in ranking.scores if score.solved == max_solved]
    asked = {score.asked for score in best}
    if max_solved:
        of = f"{max_solved:,} of " if len(asked) == 1 else ""
        puzzles = format_count(asked.pop() if of else max_solved, "puzzle")
        yield "most solved", f"{of}{puzzles}: {join_names([score.label for score in best])}"
    field = ranking.portfolio
    if field is None or len(ranking.scores) < 2:
        return
    over = f"over {format_count(field.puzzles, 'puzzle')}"
    if field.entrants < field.contestants:
        over += f", which {field.entrants} of {format_count(field.contestants, 'contestant')} were asked"
    commons = [score.par2_common for score in ranking.scores]
    best_par2, par2 = (
        format_seconds(value, enough_digits([*commons, field.par2])) for value in (field.best_par2, field.par2)
    )
    yield "best PAR-2", f"{field.best}: {best_par2}, {over}"
    rises = _contributions(ranking, max(_MIN_CONTRIBUTION * field.par2, TIE_SECONDS))
    yield "virtual best solver", f"solves {field.solved:,}; its PAR-2 is {par2}, and would rise {rises}"

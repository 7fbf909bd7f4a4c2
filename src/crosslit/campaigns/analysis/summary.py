"""A campaign in sentences, all figures computed: wrong answers first, then who solved what, then how time grows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from crosslit.campaigns.analysis.growth import Fit
from crosslit.campaigns.analysis.pairs import TIE_SECONDS
from crosslit.campaigns.analysis.scaling_summary import MEASURES, scaling_sentences
from crosslit.campaigns.analysis.scores import Portfolio, Score, contributions, portfolio
from crosslit.campaigns.results.table import Table
from crosslit.numbers import format_count, format_seconds, join_names
from crosslit.runs.run import RunStatus

if TYPE_CHECKING:
    from crosslit.campaigns.results.judged import Results
    from crosslit.campaigns.results.rows import Row

_MIN_CONTRIBUTION = 0.01  # share of the virtual best solver's PAR-2, from which a contribution is told
_STOPPED: Mapping[RunStatus, str] = {
    "timeout": "hit the limit of time",
    "memory": "hit the limit of memory",
    "gave-up": "gave up",
    "error": "crashed",
}


def sentences(results: Results, table: Table, scores: Sequence[Score], fits: Sequence[Fit]) -> list[str]:
    """What somebody wants to know of a campaign, in the order of its weight.

    Args:
        results: of the campaign.
        table: the times of it.
        scores: as `crosslit.campaigns.analysis.scores.scores` gives them.
        fits: as `crosslit.campaigns.analysis.growth.fits` gives them.
    """
    rows = results.rows
    told = [*wrong_answers(table), *_progress(results.planned, len(rows)), *scaling_sentences(table, fits)]
    told += [*_solved(scores), *_best(table), *_stopped(rows), *_busy(rows)]
    return told


def wrong_answers(table: Table) -> Iterator[str]:
    """Who is disqualified, and why; or that nobody is."""
    wrong = [contestant for contestant in table.contestants if contestant.disqualified]
    for contestant in wrong:
        problems = Counter(finding.problem for finding in contestant.disqualified)
        kinds = ", ".join(f"{number:,} {problem}" for problem, number in problems.items())
        yield f"{contestant.label} gave wrong answers ({kinds}) and is disqualified."
    if wrong:
        yield f"What is said of contestants below leaves {'it' if len(wrong) == 1 else 'these'} out."
    made = [entry for entry, ends in zip(table.entries, table.statuses, strict=True) if ends.any()]
    undecided = sum(entry.verdict == "undecided" for entry in made)
    if not wrong and made:
        open_ = f"; {undecided} of these {_are(undecided)} undecided" if undecided else ""
        yield f"No wrong answer was found on {format_count(len(made), 'puzzle')}{open_}."


def _progress(planned: int, made: int) -> Iterator[str]:
    if made < planned:
        yield (
            f"The campaign is not finished: {made:,} of {planned:,} runs are made, so contestants were asked different"
            " puzzles, and all figures may change."
        )


def _solved(scores: Sequence[Score]) -> Iterator[str]:
    """Who solved most, among those who were asked the same number of puzzles or more."""
    asked = [score for score in scores if score.asked]
    if not asked:
        return
    most = max(score.solved for score in asked)
    if not most:
        yield "Nobody solved anything."
        return
    first = [score for score in asked if score.solved == most]
    if len(first) == len(asked) > 1 and all(score.solved == score.asked for score in asked):
        yield f"All {len(asked)} contestants solved all puzzles that they were asked."
        return
    of = {score.asked for score in first}
    if of == {most}:
        all_ = f"all {most:,} puzzles" if most > 1 else "the one puzzle"
        yield f"{join_names([score.label for score in first])} solved {all_} that {_they(len(first))} asked."
        return
    who = join_names([score.label for score in first])
    if len(of) == 1:
        yield f"{who} solved most: {most:,} of the {of.pop():,} puzzles that {_they(len(first))} asked."
    else:
        yield f"{who} solved most, {format_count(most, 'puzzle')} each, but were not asked the same number of them."


def _best(table: Table) -> Iterator[str]:
    """The best PAR-2, and whom the virtual best solver needs: of each kind of puzzle, which has its own backends."""
    kinds = list(dict.fromkeys(entry.kind for entry in table.entries))
    for kind in kinds:
        part = table.among(rows=[at for at, entry in enumerate(table.entries) if entry.kind == kind]).ranked
        field = portfolio(part)
        if field is None or len(part.contestants) < 2:
            continue
        over = f"over {format_count(field.puzzles, f'{kind} puzzle' if len(kinds) > 1 else 'puzzle')}"
        if field.entrants < field.contestants:
            over += f", all of which {field.entrants} of {format_count(field.contestants, 'contestant')} were asked,"
        measure = "time of all phases" if part.measure == "total" else MEASURES[part.measure]
        yield (
            f"The best PAR-2 {over} is that of {field.best}, {format_seconds(field.best_par2, 2)} ({measure};"
            f" a puzzle that is not solved counts {format_seconds(2 * part.limit, 2)}); the virtual best solver, which"
            f" takes the fastest on each puzzle, has {format_seconds(field.par2, 2)}."
        )
        yield from _needed(part, field)


def _needed(ranked: Table, field: Portfolio) -> Iterator[str]:
    parts = contributions(ranked)
    labels = [contestant.label for contestant in ranked.contestants]
    missed = sorted(
        (at for at in range(len(labels)) if parts.seconds[at] > max(_MIN_CONTRIBUTION * field.par2, TIE_SECONDS)),
        key=lambda at: -parts.seconds[at],
    )
    if not missed:
        yield "It needs nobody: without any one contestant its PAR-2 is worse by 1% or 1 ms at most."
        return
    losses = [format_seconds(float(parts.seconds[at]), 2) for at in missed]
    shown = [f"{label} (+{loss} without it)" for label, loss in zip((labels[at] for at in missed), losses, strict=True)]
    yield f"It needs {join_names(shown)}."
    alone = [f"{label} ({count})" for label, count in zip(labels, parts.alone, strict=True) if count]
    if alone:
        yield f"Puzzles that nobody else solved: {join_names(alone)}."


def _stopped(rows: Sequence[Row]) -> Iterator[str]:
    ends = Counter(row.run.status for row in rows)
    told = [f"{ends[status]:,} {words}" for status, words in _STOPPED.items() if ends[status]]
    if told:
        told[0] = told[0].replace(" ", f" of {format_count(len(rows), 'run')} ", 1)
        yield f"{join_names(told)}: these count as not solved."
    elif rows:
        yield "No run hit a limit, gave up or crashed."


def _busy(rows: Sequence[Row]) -> Iterator[str]:
    loaded = [row.circumstances for row in rows if row.loaded]
    waited = sum(row.waited for row in rows)
    told = []
    if loaded:
        worst = max(loaded, key=lambda where: where.load / max(1, where.processors))
        told.append(
            f"{len(loaded):,} of {format_count(len(rows), 'run')} began under high load (up to {worst.load:.2g} on"
            f" {format_count(worst.processors, 'processor')})"
        )
    if waited:
        told.append(f"{waited:,} of {format_count(len(rows), 'run')} waited for a processor for over 10% of their time")
    if told:
        yield f"{' and '.join(told)}: their times may be too long."


def _they(count: int) -> str:
    return "it was" if count == 1 else "each was"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"

"""Scores: right, wrong, malformed and missing answers by question, grade, kind and size, compared and on a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from crosslit.drawing.html import policy, style
from crosslit.drawing.table import Table
from crosslit.errors import InputError
from crosslit_bench.analysis.intervals import scipy_part
from crosslit_bench.exam.maker import Key, hidden
from crosslit_bench.exam.questions import Answer, Item, json_line
from crosslit_bench.report.document import STYLES, part
from crosslit_bench.report.images import data_url

_PARTS = ("all", "question", "grade", "kind", "size")
# The first four numbers are shares: of right answers with its interval, and expected of a contestant that guesses.
_COLUMNS = ("items", "right", "low", "high", "guessing", "wrong", "malformed", "missing", "count")


@dataclass(frozen=True)
class Score:
    """The outcomes of a contestant by the ids of items, and a row of numbers for each group of items."""

    name: str
    outcomes: dict[str, str]
    rows: list[dict[str, Any]]

    def table(self) -> Table:
        """Return the rows as text."""
        table = Table(*_COLUMNS, right=_COLUMNS[1:])
        for row in self.rows:
            table.add_row(*(f"{cell:.0%}" if isinstance(cell, float) else str(cell) for cell in row.values()))
        return table


def score(items: Sequence[Item], key: Key, answers: Iterable[Answer], name: str = "") -> Score:
    """Judge answers: any answer that obeys the rules is right, and of several answers for one item the last counts.

    An `InputError` says that the key is that of another exam.
    """
    if key.answers.keys() != {item.id for item in items} or key.exam != hidden(key.seed, *map(json_line, items)):
        raise InputError("key", "expected the key of this exam")
    given = {answer.id: answer for answer in answers}
    outcomes: dict[str, str] = {}
    members: dict[tuple[int, Any], list[tuple[str, float]]] = {}
    for item in items:
        meanings = [item.reading(given[item.id].answer) if item.id in given else ""]
        meanings += [item.reading(f"ANSWER: {choice}") for choice in item.definition.choices(item)]
        is_right, *chances = (hidden(key.seed, item.id, str(text)) in key.answers[item.id] for text in meanings)
        outcomes[item.id] = {"": "missing", None: "malformed"}.get(meanings[0], "right" if is_right else "wrong")
        for group in enumerate(("", item.question, item.grade, item.kind, item.size)):
            members.setdefault(group, []).append((outcomes[item.id], sum(chances) / len(chances)))
    rows = []
    for (place, value), found in sorted(members.items()):
        results, many = [outcome for outcome, _ in found], len(found)
        right, *others = map(results.count, ("right", "wrong", "malformed", "missing"))
        low, high = scipy_part("stats").binomtest(right, many).proportion_ci(method="wilson")
        shares = (right / many, float(low), float(high), sum(chance for _, chance in found) / many)
        cells = (f"{_PARTS[place]} {value}".strip(), *shares, *others, many)
        rows.append(dict(zip(_COLUMNS, cells, strict=True)))
    return Score(name, outcomes, rows)


def compare(a: Score, b: Score) -> str:
    """Return the numbers of items that only one of two contestants has right, with the exact p-value of McNemar."""
    pairs = [(a.outcomes[item] == "right", outcome == "right") for item, outcome in b.outcomes.items()]
    only_a, only_b = pairs.count((True, False)), pairs.count((False, True))
    p = scipy_part("stats").binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
    return f"only {a.name} is right on {only_a}, only {b.name} on {only_b}: p = {p:.2g} (McNemar, exact)"


def html(scores: Sequence[Score]) -> str:
    """Return a self-contained page in the style of reports; all texts are escaped, and nothing on it runs."""
    look = style(*map(part, STYLES))
    parts = [f"<p>{escape(compare(scores[0], other))}</p>" for other in scores[1:]]
    parts.append(f'<img src="{data_url(_figure(scores))}" alt="Right answers by group, with intervals of 95%">')
    for score in scores:
        table = re.sub(' style="[^"]*"', "", score.table()._repr_html_())  # the policy allows only the page's style
        parts.append(f'<h2>{escape(score.name)}</h2><div class="scroller">{table}</div>')
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Exam</title>'
        f'<meta name="viewport" content="width=device-width"><style>{look}</style>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy("", look, pictures=True)}">'
        f"<h1>Exam</h1>{''.join(parts)}</html>\n"
    )


def _figure(scores: Sequence[Score]) -> bytes:
    from crosslit_bench.figures.plots import svg_text
    from crosslit_bench.figures.style import HUES, TWO_COLUMNS, literal, new_figure, settings

    many = len(scores[0].rows)
    with settings():
        figure, axes = new_figure(TWO_COLUMNS, 0.25 * many + 0.8, "Right answers")
        for index, score in enumerate(scores):
            places = [place + 0.6 * (index + 0.5) / len(scores) - 0.3 for place in range(many)]
            right, low, high = ([row[name] for row in score.rows] for name in ("right", "low", "high"))
            hue = HUES[index % len(HUES)]
            axes.hlines(places, low, high, color=hue)
            axes.plot(right, places, "o", markersize=3, color=hue, label=literal(score.name))
        axes.plot([row["guessing"] for row in scores[0].rows], range(many), "|k", label="guessing, computed")
        axes.set_yticks(range(many), [row["items"] for row in scores[0].rows])
        axes.set(xlim=(-0.02, 1.02), ylim=(many - 0.5, -0.5), xlabel="share of right answers")
        figure.legend(loc="outside lower center", ncols=4)
    return svg_text(figure).encode()

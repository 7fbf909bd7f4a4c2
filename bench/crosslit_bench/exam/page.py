"""The page of an exam: a table for each contestant, and a figure."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from crosslit.drawing.html import policy, style
from crosslit_bench.exam.scoring import OUTCOMES, Score
from crosslit_bench.report.images import data_url

_STYLE = """
main { max-width: 60rem; margin: auto; padding: 0 1rem }
div { overflow-x: auto }
td, th { padding: 0.2em 0.7em; text-align: right; white-space: nowrap }
td:first-child { text-align: left }
img { width: 100% }
"""
HEADINGS = ("items", "count", "right", "95%", "guessing", "wrong", "gave up", "malformed", "missing")


def rows(score: Score) -> list[list[str]]:
    """Return the table of a contestant as texts."""
    found = []
    for group in score.groups:
        low, high = group.interval
        numbers = [group.outcomes.get(outcome, 0) for outcome in OUTCOMES[1:]]
        shares = (f"{group.share:.0%}", f"{low:.0%} to {high:.0%}", f"{group.guessing:.0%}")
        found.append([group.name, f"{group.items:,}", *shares, *map(str, numbers)])
    return found


def html(scores: Sequence[Score], sentences: Sequence[str]) -> str:
    """Return a self-contained page; all texts are escaped, and nothing on it runs."""
    look = style(_STYLE)
    parts = [f"<p>{escape(sentence)}</p>" for sentence in sentences]
    parts.append(
        f'<img src="{data_url(_figure(scores).encode())}" alt="Right answers by group, with intervals of 95%">'
    )
    for score in scores:
        head = "".join(f"<th>{heading}</th>" for heading in HEADINGS)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows(score))
        parts.append(
            f"<h2>{escape(score.name)}</h2><div><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )
    allowed = policy("", look, pictures=True)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Exam</title>'
        f'<meta name="viewport" content="width=device-width"><style>{look}</style>'
        f'<meta http-equiv="Content-Security-Policy" content="{allowed}"><main><h1>Exam</h1>'
        f"{''.join(parts)}</main></html>\n"
    )


def _figure(scores: Sequence[Score]) -> str:
    from crosslit_bench.figures.plots import svg_text
    from crosslit_bench.figures.style import HUES, TWO_COLUMNS, literal, new_figure, settings

    groups = scores[0].groups
    with settings():
        figure, axes = new_figure(TWO_COLUMNS, 0.25 * len(groups) + 0.8, "Right answers")
        for index, score in enumerate(scores):
            places = [place + 0.6 * (index + 0.5) / len(scores) - 0.3 for place in range(len(groups))]
            shares = [group.share for group in score.groups]
            hue = HUES[index % len(HUES)]
            axes.hlines(places, *zip(*(group.interval for group in score.groups), strict=True), color=hue)
            axes.plot(shares, places, "o", markersize=3, color=hue, label=literal(score.name))
        chances = [group.guessing for group in groups]
        axes.plot(chances, range(len(groups)), "|", color="black", label="guessing, computed")
        axes.set_yticks(range(len(groups)), [group.name for group in groups])
        axes.invert_yaxis()
        axes.set_xlim(-0.02, 1.02)
        axes.set_xlabel("share of right answers")
        figure.legend(loc="outside lower center", ncols=4)
    return svg_text(figure)

"""The report page: a self-contained HTML file with a policy that allows only its script, its style and its pictures.

The template escapes all texts. The script's data is JSON, which it inserts only as text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from crosslit.drawing.html import data, policy, style
from crosslit.errors import Unavailable, install_hint
from crosslit.numbers import format_count
from crosslit_bench.report.methods import commands, environment, measured
from crosslit_bench.report.puzzle_table import puzzle_table
from crosslit_bench.report.text import brief, plain
from crosslit_bench.report.wrong_answers import find_wrong_answers
from crosslit_bench.results.frame import Measure, Results

STYLES = ("report.css", "tables.css")
"""The parts of the style; the second overrides some rules of the first."""

_MAX_ABOUT_LENGTH = 4_000  # characters
_MAX_FILE_LENGTH = 100_000


def html(results: Results, measure: Measure = "total", columns: Sequence[str] = ()) -> str:
    """Return the report of a campaign, complete or not, as a self-contained page, which runs only its own script.

    The ranking has all columns that say anything new, or some by name (`crosslit_bench.analysis.scores.HEADINGS`).
    """
    try:
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup
    except ImportError:
        raise Unavailable(f"a report needs Jinja: {install_hint('report')}") from None
    from crosslit_bench.analysis.analysis import analyse
    from crosslit_bench.report.sections import figures, leading, sections
    from crosslit_bench.report.summary import summary

    def finalized(value: Any) -> Any:
        return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    table = results.table(measure)
    analysis = analyse(table) if results.made and table.ranked.contestants else None
    drawn = figures(table, analysis) if analysis else {}
    listed = puzzle_table(results, table)
    look, code = style(*map(part, STYLES)), part("report.js")
    script = f'(() => {{\n"use strict";\n{code}}})();\n'

    def breakable(text: str) -> Markup:
        return Markup("/<wbr>").join(plain(text).split("/"))  # `join` escapes the parts

    # safe without escaping: our own files, and JSON without characters that could end its element
    own = {"style": look, "script": script, "facts": data(listed["facts"])}
    environment_ = Environment(
        autoescape=True, finalize=finalized, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment_.filters["breakable"] = breakable
    about = results.about
    return environment_.from_string(part("report.html")).render(
        **{name: Markup(text) for name, text in own.items()},
        policy=policy(script, look, pictures=True),
        title=brief(about.title or about.name, 300),
        about=_paragraphs(about.about[:_MAX_ABOUT_LENGTH]),
        state=_state(results),
        shard=about.shard,
        overview=_overview(results),
        wrongs=find_wrong_answers(results),
        summary=summary(results, analysis),
        leading=leading(analysis, drawn) if analysis else None,
        sections=sections(table, analysis, drawn, columns) if analysis else [],
        listed=listed,
        measured=measured(results, measure),
        environment=environment(results),
        file=about.text[:_MAX_FILE_LENGTH],
        commands=commands(results),
    )


def _state(results: Results) -> str:
    """Return a notice if the campaign is not complete; else an empty text."""
    if results.made >= results.planned:
        return ""
    left = f"{results.made:,} of {results.planned:,} runs are made"
    return f"This campaign is not complete: {left}. All results below are preliminary."


def _overview(results: Results) -> str:
    numbers = {"puzzle": len(results.judged), "contestant": len(results.contestants), "run": results.made}
    return ", ".join(format_count(number, noun) for noun, number in numbers.items())


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, which are separated by empty lines; other line ends become spaces."""
    parts = re.split(r"\n\s*\n", "\n".join(text.splitlines()))
    return [" ".join(part.split()) for part in parts if part.strip()]


def part(name: str) -> str:
    """Return the text of a file of this package, such as one of `STYLES`."""
    return files("crosslit_bench.report").joinpath(name).read_text(encoding="utf-8")

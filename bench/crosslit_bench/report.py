"""The report of a campaign: one self-contained HTML page, and its tables for LaTeX, each by a template of Jinja.

Jinja escapes every text, and the page's policy allows only its own script, style and pictures.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

import numpy as np
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from crosslit.base.grid import Grid
from crosslit.base.html import policy, style
from crosslit.base.text import Table, format_count, format_number, format_seconds, join_names, one_line
from crosslit.formats.drawing import scene, svg
from crosslit.judging.verdict import PROBLEMS, Finding
from crosslit.kinds import all_kinds
from crosslit_bench import analysis
from crosslit_bench.analysis import Record, format_p
from crosslit_bench.results import DISQUALIFIES, MEASURES, UNSOLVED, WRONG, Measure, PuzzleResult, Results, Times

Cell = tuple[str, str]
"""The text of a cell in the table of puzzles, and its class in the style."""

HEADINGS = {
    "backend": "contestant",
    "group": "group",
    "solved": "solved",
    "asked": "of puzzles",
    "par2": "PAR-2",
    "par2_common": "PAR-2 in common",
    "par10_common": "PAR-10",
    "borda": "Borda",
    "median": "median",
    "interval": "95% interval",
    "start": "start",
    "best": "fastest on",
    "only_solver": "only solver",
    "contribution": "contribution",
}
"""The columns of a ranking by their names in the analysis."""
PAPER = ("backend", "solved", "asked", "par2", "median", "start", "contribution")
"""The columns of a ranking in a paper."""
_SECONDS = {"par2", "par2_common", "par10_common", "median", "interval", "contribution", "start"}
_P_VALUES = {"p_adjusted", "p_sign_adjusted"}
_RANKING_NOTE = (
    "PAR-2 is the mean time, an unsolved puzzle counting twice the limit; in common: over the puzzles that all with"
    " this number were asked. The median is over puzzles, of the median of the runs on each. The contribution is the"
    " increase of the virtual best solver's PAR-2 without the contestant."
)
_START_NOTE = (
    "Start is the time on a tiny puzzle of a program that is started for each run, and part of its other times; for"
    " other contestants, starting the process does not count."
)
_PAIRS_NOTE = "p-values are adjusted for the number of pairs (Holm); the ratio is over the puzzles that both solved."

_MAX_CELLS = 40_000  # of the table of puzzles
_MAX_WRONG = 300  # findings
_MAX_PICTURE = 2_500  # cells of a pictured puzzle
_MAX_PAIRS = 200
_SHORT, _LONG = 80, 1_500  # characters of a name, and of a sentence
_MAX_ABOUT = 4_000  # characters
_SECOND = 19  # characters of a time in ISO format, to the second
_DIGITS = 12  # of a hash
_MAX_TEXT = 100_000  # characters of the campaign's file or of a program


def plain(text: str, max_length: int = _SHORT) -> str:
    """Return a text on one line without control characters, with its middle elided if it is too long."""
    text, tail = one_line(" ".join(text.split())), max_length // 3
    return text if len(text) <= max_length else f"{text[: max_length - tail - 1]}…{text[len(text) - tail :]}"


def _clean(value: Any) -> Any:
    """Return a text without what a file of HTML cannot contain."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return "".join(character if character.isprintable() or character in "\n\t" else "?" for character in value)


def _value_text(name: str, value: Any) -> str:
    """Return a value of the analysis as text; its name says what it is."""
    if isinstance(value, tuple):
        return "" if math.isnan(sum(value)) else " to ".join(_value_text(name, end) for end in value)
    if isinstance(value, str):
        return plain(value, _LONG)
    if isinstance(value, float) and math.isnan(value):
        return ""
    if name in _P_VALUES:
        return format_p(value)
    if name in _SECONDS:
        return format_seconds(value)
    return f"{int(value):,}" if float(value).is_integer() else format_number(value)


def _table(
    caption: str, names: Mapping[str, str], rows: Iterable[Record], words: Sequence[str] = (), *notes: str
) -> list[Table]:
    """Return a table of records, with headings for the names of their values; none without records."""
    cells = [[_value_text(name, row[name]) for name in names] for row in rows]
    right = {heading for name, heading in [*names.items()][1:] if name not in words}
    return [Table(*names.values(), rows=cells, right=right, caption=caption, notes=notes)] if cells else []


def ranking_tables(times: Times, columns: Sequence[str] = tuple(HEADINGS)) -> list[Table]:
    """Return a ranking for each kind of puzzle, without columns that are empty, and notes below the last."""
    tables: list[Table] = []
    for kind, found in analysis.rankings(times).items():
        intervals = list(zip(found["interval_low"], found["interval_high"], strict=True))
        rows = found.reset_index().assign(interval=intervals)
        shown = [name for name in columns if name == "interval" or not rows[name].isin(["", np.nan]).all()]
        noun = all_kinds()[kind].plural
        caption = f"Contestants on {noun} by {MEASURES[times.measure]}, best PAR-2 in common first"
        names = {name: HEADINGS[name] for name in shown}
        tables += _table(caption, names, rows.to_dict("records"), ("group",))
    for table in tables[-1:]:
        table.notes = [_RANKING_NOTE] + [_START_NOTE] * bool(times.starts)
    return tables


def pair_tables(times: Times) -> list[Table]:
    """Return the table of paired tests."""
    names = {"a": "A", "b": "B", "puzzles": "asked of both", "wins_a": "A wins", "wins_b": "B wins"}
    names |= {"ratio": "time of A / B", "ratios": "its 95% interval"}
    names |= {"p_adjusted": "p, signed rank", "p_sign_adjusted": "p, sign test"}
    pairs = sorted(analysis.paired(times), key=lambda pair: (pair["p_adjusted"], pair["p"]))[:_MAX_PAIRS]
    rows = [{**pair, "ratios": (pair["interval_low"], pair["interval_high"])} for pair in pairs]
    return _table("Pairs of contestants, smallest p-value first", names, rows, ("b",), _PAIRS_NOTE)


def growth_tables(fits: Sequence[Record]) -> list[Table]:
    """Return the table of fits."""
    names = {"backend": "contestant", "family": "family"}
    names |= {"words": "growth of its time", "solved_to": "largest n solved"}
    rows = [{**fit, "words": analysis.fit_words(fit)} for fit in fits]
    return _table("Growth with size n", names, rows, ("family", "words"))


def latex(results: Results, measure: Measure | None = None) -> str:
    """Return the rankings, groups, pairs and fits for LaTeX with booktabs and graphicx."""
    times = results.times(measure)
    tables = [*ranking_tables(times, PAPER), *_group_tables(times), *pair_tables(times)]
    tables += growth_tables(analysis.fits(times))
    return _in_latex(tables, f"; {results.disturbance}" if results.disturbed else "")


def _in_latex(tables: Sequence[Table], remark: str) -> str:
    signs = dict(zip("\\~^<>|", ("backslash", "asciitilde", "asciicircum", "less", "greater", "bar"), strict=True))
    escaped: dict[str, Any] = {sign: f"\\text{name}{{}}" for sign, name in signs.items()}
    escaped |= {sign: f"\\{sign}" for sign in "&%$#_{}"}

    def words(text: str) -> str:
        return one_line(text).translate(str.maketrans(escaped))

    def number(text: str) -> str:
        upright = re.sub(r"[a-z]+", r"\\mathrm{\g<0>}", text)
        return f"${upright}$".replace(" ", "\\ ").replace("∞", "\\infty") if text else "--"

    page = Environment("<%", "%>", "<<", ">>", undefined=StrictUndefined, trim_blocks=True)  # LaTeX needs the braces
    page.filters["tex"] = words
    text = files("crosslit_bench").joinpath("tables.tex.j2").read_text(encoding="utf-8")
    return page.from_string(text).render(tables=tables, remark=remark, words=words, number=number)


def _group_tables(times: Times) -> list[Table]:
    names = {"group": "group", "contestants": "contestants", "solved": "solved", "asked": "of puzzles", "par2": "PAR-2"}
    return _table("Groups: the fastest of each on every puzzle", names, analysis.group_scores(times))


def _summary(results: Results, times: Times, fits: Sequence[Record]) -> Iterator[tuple[str, str]]:
    """Yield the facts to know first: wrong answers, ends of runs, growth, and the best contestants."""
    guilty = [f"{entrant.label} ({len(entrant.wrong)} wrong)" for entrant in results.entrants if entrant.wrong]
    begun = [result for result in results.puzzles if result.runs]
    undecided = sum(result.facts["verdict"] == "undecided" for result in begun)
    none = f"none on {format_count(len(begun), 'puzzle')}" + (f"; {undecided} undecided" if undecided else "")
    yield "wrong answers", f"{'; '.join(guilty)}: disqualified, and left out below" if guilty else none
    ends = results.statuses
    parts = [f"{results.made:,} of {format_count(results.planned, 'run')} made"]
    parts += [f"{ends[status]:,} {status}" for status in UNSOLVED if status in ends]
    yield "runs", "; ".join([*parts, *filter(None, [results.disturbance])])
    for wall in analysis.walls(fits):
        by = " to ".join(dict.fromkeys(format_number(wall[name], 2) for name in ("doubling_low", "doubling_high")))
        yield f"growth on {wall['family']}", f"{wall['backends']}: exponential, doubling each time n grows by {by}"
    for kind, scores in analysis.rankings(times).items():
        on = all_kinds()[kind].plural
        if len(scores) and (maximum := scores["solved"].max()):
            yield f"most solved, {on}", f"{maximum}: {join_names(list(scores.index[scores['solved'] == maximum]))}"
        if best := analysis.portfolio(times.only("kind", kind)):
            over = f"over {format_count(best['puzzles'], 'puzzle')}"
            yield f"best PAR-2, {on}", f"{best['best']}: {format_seconds(best['best_par2'])} {over}"
            needed = [(label, rise) for label, rise in scores["contribution"].nlargest(2).items() if rise > 0]
            rises = [f"by {format_seconds(rise)} without {label}" for label, rise in needed]
            virtual = f"solves {best['solved']}; its PAR-2 is {format_seconds(best['par2'])}"
            yield f"virtual best solver, {on}", f"{virtual}; it would rise {join_names(rises)}" if rises else virtual


def _findings(results: Results) -> list[dict[str, Any]]:
    """Return the findings for the page, wrong answers on small puzzles first, with pictures of what proves them."""
    found = sorted(results.findings, key=lambda pair: (pair[1].problem not in WRONG, pair[0].instance.puzzle.rows))
    return [
        {
            "who": plain(result.accused(finding)),
            "is_wrong": finding.problem in WRONG,
            "problem": finding.problem,
            "meaning": PROBLEMS.get(finding.problem, ""),
            "detail": plain(finding.detail, _LONG),
            "puzzle": plain(result.name),
            "picture": _picture(result, finding),
        }
        for result, finding in found[:_MAX_WRONG]
    ]


def _picture(result: PuzzleResult, finding: Finding) -> str:
    puzzle = result.instance.puzzle
    if finding.problem not in WRONG or puzzle.rows * puzzle.columns > _MAX_PICTURE:
        return ""
    grid = Grid.from_text(finding.witness) if finding.witness else None
    if grid is not None and (grid.rows, grid.columns) != (puzzle.rows, puzzle.columns):
        grid = None  # of constraints
    return _data_url(svg(scene(puzzle.named(plain(puzzle.name)), grid.lines() if grid else None)))


def _data_url(text: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(text.encode()).decode()}"


def _puzzle_rows(results: Results, times: Times) -> list[tuple[list[str], list[Cell]]]:
    """Return the rows of the table of puzzles: facts, then a cell for each contestant."""
    fastest, rows = times.ranked.min(axis=1), []
    for result in results.puzzles[: _MAX_CELLS // len(results.entrants)]:
        facts, id_ = result.facts, result.instance.puzzle.id
        wrong = {result.accused(finding) for finding in result.comparison.findings if finding.problem in DISQUALIFIES}
        cells = []
        for label, seconds, status in zip(times.seconds, times.seconds.loc[id_], times.statuses.loc[id_], strict=True):
            if label in wrong:
                cells.append(("✗ wrong", "w"))
            elif math.isfinite(seconds):
                cells.append((format_number(seconds), "b" if seconds == fastest[id_] else ""))
            else:
                cells.append(("–" if status == "unsupported" else status, "u"))
        verdict = f"{facts['verdict']} ({facts['evidence']})" if facts["evidence"] else facts["verdict"]
        size = f"{facts['rows']} x {facts['columns']}"
        rows.append(([plain(facts["puzzle"]), plain(facts["family"]), size, verdict], cells))
    return rows


def _environment(results: Results, measure: Measure) -> list[Table]:
    """Return the tables of the measurement and of the contestants' software."""
    spec, records = results.spec, results.records
    facts = {
        "question": spec.task,
        "time compared": MEASURES[measure],
        "order": f"random (seed {spec.seed})",
        "seeds": ", ".join(map(str, spec.seeds)),
        **results.conditions(),
    }
    if records:
        facts["highest load"] = f"{max(record['machine_load'] for record in records):g}"
        started = sorted(record["started"][:_SECOND] for record in records)
        facts["runs started (UTC)"] = f"{started[0]} to {started[-1]}"
    contestants = {entrant.contestant.label: entrant.contestant for entrant in results.entrants}.values()
    software = [{**contestant._asdict(), "sources": contestant.sources[:_DIGITS]} for contestant in contestants]
    columns = {"label": "contestant", "version": "version", "plugin": "plugin", "sources": "sources (SHA-256)"}
    return [
        *_table("Measurement", {"fact": "fact", "value": "value"}, _pairs(facts.items()), ("value",)),
        *_table("Contestants", columns, software, tuple(columns)),
    ]


def _pairs(facts: Iterable[tuple[str, str]]) -> list[Record]:
    return [{"fact": plain(name), "value": plain(text, _LONG)} for name, text in facts if text]


def _programs(results: Results) -> dict[str, str]:
    """Return the texts of the contestants' programs by their paths."""
    found: dict[str, str] = {}
    for entrant in results.entrants:
        found |= {
            plain(path, _LONG): str(text)[:_MAX_TEXT] for path, text in json.loads(entrant.contestant.programs).items()
        }
    return found


def html(results: Results, measure: Measure | None = None) -> str:
    """Return the report of a campaign, complete or not, as a self-contained page."""
    from crosslit_bench.figures import figures_of, svg_text  # not of tables: Matplotlib takes half a second to import

    times, spec = results.times(measure), results.spec
    has_times = bool(times.ranked.count().any())
    fits = analysis.fits(times) if has_times else []
    plots = [
        plot._replace(caption=plain(plot.caption, _LONG), alt=plain(plot.alt, _LONG))
        for plot in (figures_of(times, fits) if has_times else [])
    ]
    facts = _summary(results, times, fits) if has_times else [("runs", f"{results.made} of {results.planned} made")]
    sections = {
        ("Ranking", "cactus"): [*ranking_tables(times), *_group_tables(times)] if has_times else [],
        ("Growth with size", "scaling"): growth_tables(fits),
        ("Pairs of contestants", "scatter"): pair_tables(times) if has_times else [],
    }
    text = files("crosslit_bench").joinpath("report.html.j2").read_text(encoding="utf-8")
    template, look, script = text.split("<!-- part -->\n")
    look = style(look)
    page = Environment(autoescape=True, finalize=_clean, undefined=StrictUndefined)
    return page.from_string(template).render(
        policy=policy(script, look, pictures=True),
        style=Markup(look),
        script=Markup(script),
        title=plain(spec.title, _LONG),
        about=[" ".join(part.split()) for part in re.split(r"\n\s*\n", spec.about[:_MAX_ABOUT]) if part.strip()],
        results=results,
        summary=_table("Summary, wrong answers first", {"fact": "fact", "value": "value"}, _pairs(facts), ("value",)),
        findings=_findings(results),
        sections=[
            (title, [(plot, _data_url(svg_text(plot.figure))) for plot in plots if plot.kind == kind], tables)
            for (title, kind), tables in sections.items()
        ],
        labels=[plain(entrant.label) for entrant in results.entrants],
        rows=_puzzle_rows(results, times),
        environment=_environment(results, times.measure),
        programs=_programs(results),
        toml=spec.toml[:_MAX_TEXT],
    )

"""The parts of a page that count: runs, wrong answers, pictures, the table of puzzles, circumstances."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from typing import Protocol

from tests.campaigns.referee.page import Item, Page
from tests.campaigns.referee.runs import Puzzle, Run, Times
from tests.campaigns.referee.shown import Near, says, time

_ENDS = (
    ("timeout", "reached the time limit"),
    ("memory", "reached the memory limit"),
    ("gave-up", "gave up"),
    ("error", "crashed"),
)


class Expect(Protocol):
    """Compares a whole text."""

    def __call__(self, item: Item, *parts: str | Near) -> None: ...


class Claim(Protocol):
    """Compares what a pattern finds."""

    def __call__(self, pattern: str, *parts: str | Near, kind: str = "") -> None: ...


def details(page: Page, data: Times, expect: Expect, claim: Claim) -> None:
    """Compare all of them."""
    _counts(data, claim)
    _wrong(page, data, expect, claim)
    _puzzles(page, data, expect)
    _runs_behind(page, data, expect)
    _plotted(page, data, expect)
    _pictures(page, data, expect, claim)
    _measurement(page, data, expect, claim)
    _environment(page, data, expect)


def _counts(data: Times, claim: Claim) -> None:
    made, repetitions = len(data.runs), max(int(run["repetition"]) for run in data.runs) + 1
    planned = len(data.puzzles) * len(data.all) * repetitions
    ends = Counter(run["status"] for run in data.runs)
    disturbed = sum(any(data.disturbed(run)) for run in data.runs)
    parts = [f"{made} of {planned} runs made", *(f"{ends[status]} {words}" for status, words in _ENDS if ends[status])]
    parts += [f"{disturbed} disturbed by other load: their times may be too long"]
    claim(r"^[\d,]+ puzzles, .* runs\.$", f"{len(data.puzzles)} puzzles, {len(data.all)} contestants, {made} runs.")
    claim(r"[\d,]+ of [\d,]+ runs are made", f"{made} of {planned} runs are made")
    claim(r"^\d+ of \d+ runs made.*", "; ".join(parts))
    claim(r"[\d,]+ of [\d,]+ puzzles$", f"{len(data.puzzles)} of {len(data.puzzles)} puzzles")
    claim(r"[\d,]+ of [\d,]+ runs waited", f"{disturbed} of {made} runs waited")
    again = sum(int(run["attempts"]) > 1 for run in data.runs)
    claim(r"[\d,]+ runs?, because the process", f"{again} run{'s' * (again != 1)}, because the process")
    claim(r"\d+ times; the median counts", f"{repetitions} times; the median counts")
    together = " or ".join(sorted({run["side_by_side"] for run in data.runs}))
    claim(r"runs in parallel: [\d or]+", f"runs in parallel: {together}")


def _findings(data: Times, harmless: bool) -> dict[tuple[str, str], list[Puzzle]]:
    """The puzzles by contestant and problem."""
    found: dict[tuple[str, str], list[Puzzle]] = {}
    for puzzle in data.puzzles:
        for name in data.all:
            for problem in {word for run in data.of(puzzle, name) for word in run["problems"].split()}:
                if (problem in data.rules.harmless) == harmless:
                    found.setdefault((name, problem), []).append(puzzle)
    return found


def _wrong(page: Page, data: Times, expect: Expect, claim: Claim) -> None:
    found = _findings(data, harmless=False)
    texts = []
    for name in data.wrong:
        own = {problem: puzzles for (who, problem), puzzles in found.items() if who == name}
        texts.append(f"{name} ({', '.join(f'{len(puzzles)} {problem}' for problem, puzzles in own.items())})")
        on = len({puzzle.name for puzzles in own.values() for puzzle in puzzles})
        claim(rf"{re.escape(name)} gave wrong answers on \d+ puzzles", f"{name} gave wrong answers on {on} puzzles")
    disqualified = ". Disqualified, and left out below."
    claim(f".*{re.escape(disqualified)}", "; ".join(texts) + disqualified)
    sheet = page.sheet("Other findings")
    others = _findings(data, harmless=True)
    rows = {(row[0].text, row[1].text): row for row in sheet.rows} if sheet else {}
    for key in {*rows, *others}:
        cells, puzzles = rows.get(key) or [Item("wrong", "", "")] * 5, others.get(key, [])
        expect(cells[3], str(len(puzzles)))
        errors = [run["error"] for puzzle in puzzles[:1] for run in data.of(puzzle, key[0]) if run["error"]]
        if key[1] == "error":
            expect(cells[4], f"{puzzles[0].name}: {errors[0]}")
    named = {puzzle.name: puzzle for puzzle in data.puzzles}
    current: tuple[str, Puzzle] | None = None
    for item in (item for item in page.items if item.section == "wrong"):
        if item.kind == "h3":
            who, name = item.text.split(" on ", 1)
            current = who, named[name]
        elif current and (match := re.search(r"(?:Lights Out|Nonogram), \d+ × \d+", item.text)):
            _shape(item, match, current[1], expect)
        elif current and item.text.startswith("claims all with"):
            run, answers = data.of(current[1], current[0])[0], _answers(data, current)
            finder = item.text.rsplit(" ", 1)[-1]  # any of them
            finder = finder if finder in answers.values() else " or ".join(answers.values())
            different = len({answer for answer, _ in answers})
            expect(item, f"claims all with {run['solutions']}, lacks {different}, one found by {finder}")


def _answers(data: Times, current: tuple[str, Puzzle]) -> dict[tuple[str, str], str]:
    """The answers of others that have solutions, and whose they are."""
    runs = (run for name in data.all if name != current[0] for run in data.of(current[1], name))
    return {(run["answer"], run["contestant"]): run["contestant"] for run in runs if run["solutions"] != "0"}


def _shape(item: Item, match: re.Match[str], puzzle: Puzzle, expect: Expect) -> None:
    kind = match[0].split(",")[0]
    part = Item(item.section, item.kind, match[0])
    item.explained.append(match.span())
    expect(part, f"{kind}, {puzzle.shape[0]} × {puzzle.shape[1]}")


def _puzzles(page: Page, data: Times, expect: Expect) -> None:
    sheet = page.sheet("Times by puzzle and contestant")
    if sheet is None or len(sheet.rows) != len(data.puzzles):
        raise ValueError("the table of puzzles has another length")
    words = {
        "puzzle": "puzzle_name",
        **{name: name for name in ("family", "nullity", "difficulty", "verdict", "evidence")},
    }
    for row, puzzle in zip(sheet.rows, data.puzzles, strict=True):
        ranked = [value for name in data.ranked if (value := data.time(puzzle, name)) is not None]
        for head, item in zip(sheet.head, row, strict=True):
            if head.text in words:
                expect(item, puzzle.run[words[head.text]])
            elif head.text == "size":
                expect(item, f"{puzzle.shape[0]} x {puzzle.shape[1]}")
            else:
                best = min(ranked, default=math.inf)
                value = data.time(puzzle, head.text)
                expect(item, *_cell(data, puzzle, head.text, value))
                if (item.css == "b") != (value is not None and value <= best and value < math.inf and _is_time(item)):
                    expect(
                        Item("puzzle-by-puzzle", "", f"{item.text} has class {item.css!r}"),
                        "the best is bold, no other",
                    )


def _is_time(item: Item) -> bool:
    return item.text.replace(".", "").isdigit()


def _cell(data: Times, puzzle: Puzzle, name: str, value: float | None) -> list[str | Near]:
    runs = data.of(puzzle, name)
    if any(set(run["problems"].split()) - set(data.rules.harmless) for run in runs):
        return ["✗ wrong"]
    if value is None:
        return ["–"] if runs else [""]
    if math.isinf(value):
        statuses = list(dict.fromkeys(run["status"] for run in runs))
        return ["timeout" if "timeout" in statuses else " / ".join(statuses)]
    return [Near(value)]


def _runs_behind(page: Page, data: Times, expect: Expect) -> None:
    """The runs that a row opens to: contestant, spec, repetition, status, total, cpu, wall, memory, solutions."""
    labels, words = page.data["labels"], page.data["words"]
    for puzzle, listed in zip(data.puzzles, page.data["puzzles"], strict=True):
        runs = {(name, run["repetition"]): run for name in data.all for run in data.of(puzzle, name)}
        for who, _, repetition, status, total, cpu, wall, memory, solutions, *_ in listed["runs"]:
            run = runs.pop((labels[who], str(repetition - 1)))
            shown = [words[status], total, cpu, wall, memory, str(solutions)]
            for text, parts in zip(shown, _run(run), strict=True):
                if not says(text, parts):
                    expect(Item("facts", "run", text), *parts)
        if runs:
            expect(Item("facts", "run", ""), f"{len(runs)} runs are missing")


def _run(run: Run) -> list[list[str | Near]]:
    columns = ("total", "cpu", "wall", "memory_mb")
    measured: list[list[str | Near]] = [[Near(float(run[name]))] for name in columns]
    return [[run["status"]], *([[""]] * 4 if run["status"] == "unsupported" else measured), [run["solutions"]]]


def _plotted(page: Page, data: Times, expect: Expect) -> None:
    """What the script draws and scores: times to six digits, -1 if unsolved."""
    for name, times, is_ranked in zip(page.data["labels"], page.data["times"], page.data["ranked"], strict=True):
        for puzzle, shown in zip(data.puzzles, times, strict=True):
            value = data.time(puzzle, name)
            text = "" if shown is None else "unsolved" if shown == -1 else f"{shown:.6g}"
            known: str | Near = "" if value is None else "unsolved" if math.isinf(value) else Near(value, 6)
            if not says(text, [known]):
                expect(Item("facts", name, text), known)
        if is_ranked == (name in data.wrong):
            expect(Item("facts", name, f"ranked: {is_ranked}"), f"ranked: {not is_ranked}")
    if [data.limit, data.rules.tie_share, data.rules.tie] != [page.data["limit"], *page.data["ties"]]:
        expect(Item("facts", "limit and ties", ""), "those of the rules")


def _pictures(page: Page, data: Times, expect: Expect, claim: Claim) -> None:
    def solved(name: str) -> tuple[int, int]:
        times = [value for puzzle in data.puzzles if (value := data.time(puzzle, name)) is not None]
        return sum(value < math.inf for value in times), len(times)

    for name in data.all:
        known, asked = solved(name)
        called = re.escape(name)
        claim(rf"(?<=[:,] ){called} \d+ of \d+(?=[,.])", f"{name} {known} of {asked}", kind="alt")
        title = f"{name} (wrong)" if name in data.wrong else name
        of = f" of {asked}" if asked < len(data.puzzles) else ""
        claim(rf"^{re.escape(title)}: .*", f"{title}: {known}{of}", kind="svg")
    best = sum(any((data.time(puzzle, name) or math.inf) < math.inf for name in data.ranked) for puzzle in data.puzzles)
    claim(r"^virtual best: \d+$", f"virtual best: {best}", kind="svg")
    claim(r"^puzzles solved, of \d+$", f"puzzles solved, of {len(data.puzzles)}", kind="svg")
    claim(r"^limit [\d.]+ m?s$", "limit ", time(data.limit), kind="svg")
    pair: list[str] = []
    for item in page.items:
        if item.kind == "alt":
            pair = item.text.removeprefix("Scatter plot: the time of ").split(",")[0].split(" against that of ")
        elif item.kind == "svg" and (found := re.fullmatch(r"wins \d+, (above|below) the diagonal", item.text)):
            one, other = pair if found[1] == "above" else reversed(pair)
            expect(item, f"wins {_wins(data, one, other)}, {found[1]} the diagonal")
    _ticks(page, expect)


def _ticks(page: Page, expect: Expect) -> None:
    """Ticks of axes: times are powers of ten, other numbers are in equal steps."""
    numbers: list[float] = []
    for item in page.items:
        if item.kind == "alt":
            numbers = []
        elif item.kind == "svg" and (tick := re.fullmatch(r"([\d.]+)(?: m?s)?", item.text)):
            numbers += [float(tick[1])] if item.text == tick[1] else []
            steps = [b - a for a, b in itertools.pairwise(numbers)]
            is_even = all(math.isclose(step, steps[0]) for step in steps)
            is_power = math.log10(float(tick[1])).is_integer() if item.text != tick[1] else True
            expect(item, item.text if is_even and is_power else "a power of ten, or a number in equal steps")


def _wins(data: Times, one: str, other: str) -> int:
    times = ((data.time(puzzle, one), data.time(puzzle, other)) for puzzle in data.puzzles)
    return sum(a is not None and b is not None and data.beats(a, b) for a, b in times)


def _measurement(page: Page, data: Times, expect: Expect, claim: Claim) -> None:
    run, limit = data.runs[0], data.limit
    memory = f" of wall time, {int(run['limit_memory_mb']):,} MB of memory"
    claim(r"[\d.]+ m?s of wall time, [\d,]+ MB of memory", time(limit), memory)
    penalty = time(data.rules.penalty * limit)
    claim(r"an unsolved puzzle counting [\d.]+ m?s", "an unsolved puzzle counting ", penalty)
    claim(r"[\d.]+ m?s \(twice the limit\)", penalty, " (twice the limit)")
    seed = re.search(r"^seed = (\d+)", page.source, re.MULTILINE)
    claim(r"random \(seed \d+\)", f"random (seed {seed[1] if seed else 0})")
    flagged: dict[str, list[Run]] = {}
    for one in data.runs:
        if any(data.disturbed(one)):
            flagged.setdefault(one["contestant"], []).append(one)
    sheet = page.sheet("Flagged runs")
    for row, name in zip(sheet.rows if sheet else [], sorted(flagged), strict=True):
        waited, busy = (sum(data.disturbed(one)[which] for one in flagged[name]) for which in (0, 1))
        worst = max(float(one["delayed"]) / float(one["wall"]) for one in flagged[name])
        for item, text in zip(row, (name, str(waited), f"{worst:.0%}", str(busy)), strict=True):
            expect(item, text)
    again = [one for one in data.runs if int(one["attempts"]) > 1]
    sheet = page.sheet("Repeated runs")
    shown = {tuple(item.text for item in row[:3]): row for row in sheet.rows} if sheet else {}
    for one in again:
        row = shown.pop((one["contestant"], one["puzzle_name"], one["attempts"]), [Item("measured", "", "")])
        for item in row:
            item.explain_all()
        expect(Item("measured", "", row[0].text), one["contestant"])
    if shown:
        expect(Item("measured", "", str(list(shown))), "no run that was not made again")


def _environment(page: Page, data: Times, expect: Expect) -> None:
    """The one machine, and the versions of the contestants."""
    sheet = page.sheet("Machines")
    names = ("host", "processor", "processors", "system", "python", "crosslit", "carrier")
    started = sorted(run["started"][:19].replace("T", " ") for run in data.runs)
    figures = {
        "runs": str(len(data.runs)),
        "highest load": f"{max(float(run['machine_load']) for run in data.runs):.1f}",
        "first run (UTC)": started[0],
        "last run (UTC)": started[-1],
        **{name: data.runs[0][name] for name in names},
    }
    for head, item in zip(sheet.head, sheet.rows[0], strict=True) if sheet else ():
        expect(item, figures.get(head.text, figures.get(head.text.lower(), "unknown")))
    listed = next(sheet for sheet in page.sheets if sheet.caption.text == "Contestants")
    versions = ({run["version"] for run in data.runs if run["contestant"] == name} - {""} for name in data.all)
    columns = (data.all, versions, ["yes" if name in data.wrong else "" for name in data.all])
    headings = ("contestant", "version of its engine", "disqualified")
    for heading, column in zip(headings, columns, strict=True):
        for item, text in zip(listed.column(heading), column, strict=True):
            expect(item, text if isinstance(text, str) else " / ".join(sorted(text)))

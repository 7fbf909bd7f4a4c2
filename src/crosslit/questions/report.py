"""The report on a comparison: a table of its backends, the errors, and the verdict in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from html import escape

from crosslit.base.text import Table, format_count, format_seconds, number_words, one_line, shorten, spread
from crosslit.contract import Phase, why_dependent
from crosslit.contract.run import Presses, Run, full_spec, status_words
from crosslit.formats.drawing import draw_lines, style_of_output
from crosslit.judging.verdict import DISAGREEMENT, Comparison, Finding, Verdict, evidence_words

# the columns of times, which add up to the total: decoding, mostly too short to show, is part of solving
_PHASES: dict[str, tuple[Phase, ...]] = {"encode": ("encode",), "load": ("load",), "solve": ("solve", "decode")}
MAX_WITNESS = 120  # characters
_MAX_DRAWN = 30  # rows or columns: the pictures of larger witnesses would hide the rest


@dataclass(frozen=True)
class Report:
    """A comparison as text, and as HTML in notebooks."""

    comparison: Comparison

    @property
    def title(self) -> str:
        """The title of the puzzle."""
        return self.comparison.puzzle.title(self.comparison.nullity)

    @property
    def verdict(self) -> str:
        """The verdict as a sentence."""
        comparison = self.comparison
        if comparison.presses is None:
            return verdict_words(comparison.verdict)
        return presses_words(comparison.presses, comparison.verdict)

    def table(self) -> Table:
        """Return the table of backends: how their runs ended, medians of times, and problems as a note."""
        grouped = self.comparison.by_backend()
        repeated = len(self.comparison.runs) > len(grouped)
        answers = ["found"] if self.comparison.presses is None else ["presses", "at least"]
        numbers = [*answers, *_PHASES, "total", *(["spread"] if repeated else [])]
        columns = ["backend", "status", *numbers, "note"]
        table = Table(*columns, right=numbers, prose={"note"}, minor=("load", "encode"))
        for backend, runs in grouped.items():
            problems = {one.problem: None for one in self.comparison.findings if one.backend == backend}
            cells = [] if runs[0].status == "unsupported" else [*self._answers(runs), *_times(runs, repeated)]
            cells += [""] * (len(numbers) - len(cells))
            note = ", ".join(problems) or one_line(runs[0].error)
            status = _each(status_words(run.status, self.comparison.limits) for run in runs)
            table.add_row(full_spec(runs[0].backend, runs[0].encoding), status, *cells, note, alarm=bool(problems))
        return table

    def _answers(self, runs: list[Run]) -> list[str]:
        if self.comparison.presses is None:
            return [_each(str(len(run.grids)) for run in runs)]
        bounds = [(run.presses.best, run.presses.bound) for run in runs]
        return [_each("-" if bound is None else str(bound) for bound in each) for each in zip(*bounds, strict=True)]

    def lines(self) -> Iterator[str]:
        """Yield the errors with their witnesses, the reasons for no certificate, and the verdict."""
        comparison, puzzle = self.comparison, self.comparison.puzzle
        for names, finding in _grouped(comparison.findings):
            yield f"  wrong: {names}: {finding.problem}: {one_line(finding.detail)}"
            if finding.witness is not None:
                shown = shorten(finding.witness, MAX_WITNESS)
                size = f" ({len(finding.witness)} characters; --json has it whole)"
                yield f"         witness {shown}{'' if shown == finding.witness else size}"
                if max(puzzle.rows, puzzle.columns) <= _MAX_DRAWN:
                    picture = draw_lines(puzzle, puzzle.layout.parse(finding.witness), style_of_output())
                    yield from (f"         {line}" for line in picture)
        if comparison.verdict.evidence != "certified":
            reasons = comparison.uncertified or {}
            for reason in dict.fromkeys(reasons.values()):
                by = ", ".join(backend for backend, why in reasons.items() if why == reason and backend)
                yield f"  not certified{f' by {by}' if by else ''}: {one_line(reason)}"
        yield f"verdict: {self.verdict}"
        if comparison.verdict.evidence == "claimed":
            yield from self._shared(comparison.verdict.by[0])

    def _shared(self, claimant: str) -> Iterator[str]:
        """Yield why another complete run does not confirm that of the claimant."""
        complete = {run.backend: run for run in self.comparison.runs if run.status == "complete"}
        discredited = {finding.backend for finding in self.comparison.findings}
        for backend, run in complete.items():
            if backend != claimant and backend not in discredited:
                reason = why_dependent(run.trusted_base, complete[claimant].trusted_base)
                yield f"  {backend} does not confirm {claimant}: {reason}"
                return

    def __repr__(self) -> str:
        return f"<{shorten(f'Comparison of {self.title}: {self.verdict}', 98)}>"

    def __str__(self) -> str:
        return "\n".join([self.title, str(self.table()), *self.lines()])

    def _repr_html_(self) -> str:
        lines = "\n".join(self.lines())
        return f"<p>{escape(self.title)}</p>{self.table()._repr_html_()}<pre>{escape(lines)}</pre>"


def verdict_words(verdict: Verdict) -> str:
    """Return a verdict as a sentence."""
    if verdict.status == "undecided":
        found = f"{verdict.at_least} solution found and checked, " if verdict.at_least else ""
        return f"undecided ({found}no reliable run searched everything)"
    count = ""
    if verdict.status == "multiple":
        number = f"at least {verdict.at_least}" if verdict.solutions is None else number_words(verdict.solutions)
        count = f", {number} solutions"
    return f"{verdict.status}{count} {evidence_words(verdict, _checked(verdict))}"


def _checked(verdict: Verdict) -> str:
    """Return a phrase with the checker of a certificate, and the entries that remain trusted."""
    if verdict.certificate is None:
        return ""
    checked = verdict.certificate.checked
    words = f"checked by {checked.by}{', trusting ' if checked.trusted_base else ''}{', '.join(checked.trusted_base)}"
    if verdict.evidence == "certified":
        return f"; {words}"
    return f"; not certified: the certificate of {verdict.certificate.by}, {words}, which no independent run confirms"


def presses_words(presses: Presses, verdict: Verdict) -> str:
    """Return a sentence on the fewest presses and their bound."""
    best = "" if presses.best is None else format_count(presses.best, "press", "presses")
    if verdict.status == "undecided":
        best = f"at most {best}" if best else "no solution found"
        return f"undecided ({best}, at least {presses.bound}; no reliable run closed the gap)"
    return f"{f'{best}, the fewest' if best else 'unsolvable'} {evidence_words(verdict)}"


def _grouped(findings: Iterable[Finding]) -> Iterator[tuple[str, Finding]]:
    """Yield each finding with the names of the backends it is about; one that several backends share comes once."""
    groups: dict[Finding, dict[str, None]] = {}
    for finding in findings:
        # A disagreement is the same sentence for each of its parties: printed once, with all names.
        # Several engines with one wrong encoding are one finding too.
        is_shared = finding.problem == DISAGREEMENT or finding.blame.startswith("encoding ")
        groups.setdefault(replace(finding, backend="") if is_shared else finding, {})[finding.culprit] = None
    for finding, names in groups.items():
        yield ", ".join(names), finding


def _each(cells: Iterable[str]) -> str:
    """Join the cells of one backend's repetitions, without duplicates."""
    return " / ".join(dict.fromkeys(cells))


def _times(runs: list[Run], repeated: bool) -> list[str]:
    """Return cells: medians of encode, load, solve and total; the spread of the total."""
    total = spread([run.timing.total for run in runs])
    sums = ([sum(run.timing.phases[phase] for phase in phases) for run in runs] for phases in _PHASES.values())
    medians = [spread(seconds)["median"] for seconds in sums]
    cells = [format_seconds(value, column=True) for value in (*medians, total["median"])]
    ends = " to ".join(format_seconds(total[end], column=True) for end in ("min", "max"))
    return [*cells, ends] if repeated else cells

"""A comparison in words and tables, and what is written of it to files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from crosslit.cli.output import (
    Table,
    complain,
    one_line,
    picture_style,
    title,
    write,
    write_file,
    write_files,
)
from crosslit.contract import Phase
from crosslit.grid import Grid
from crosslit.judging.verdict import DISAGREEMENT, Comparison, Finding, Verdict
from crosslit.numbers import format_count, format_seconds, number_words, spread
from crosslit.puzzles import Puzzle
from crosslit.runs.run import Presses, Run

if TYPE_CHECKING:
    from crosslit.certificates import Certificate

_SCREEN = 30  # rows or columns: the pictures of larger witnesses would hide the rest


def write_comparison(comparison: Comparison) -> None:
    """Print title, table, findings and verdict."""
    presses = comparison.presses
    answers = ["found"] if presses is None else ["presses", "at least"]
    repeated = len(comparison.runs) > len(comparison.by_backend())
    times = ["encode", "load", "solve", "total", *(["spread"] if repeated else [])]
    table = Table(
        *("backend", "status", *answers, *times, "note"),
        right={*answers, *times},
        prose={"note"},
        names={"backend"},
        minor=("load", "encode"),
    )
    for name, runs in comparison.by_backend().items():
        problems = list(dict.fromkeys(finding.problem for finding in comparison.findings if finding.backend == name))
        cells = [runs[0].label, " / ".join(dict.fromkeys(run.status for run in runs))]
        if runs[0].status == "unsupported":
            cells += [""] * (len(answers) + len(times))
        else:
            cells += _found(runs) if presses is None else _optima(runs)
            cells += _times(runs, repeated)
        note = ", ".join(problems) or one_line(runs[0].error)
        table.add_row(*cells, note, style="red" if problems else "")
    write(title(comparison.puzzle, comparison.nullity))
    table.write()
    for names, finding in _grouped(comparison.findings):
        write(f"  wrong: {names}: {finding.problem}: {one_line(finding.detail)}")
        if finding.witness is not None:
            write(f"         witness {_shortened(finding.witness)}")
            for line in _drawn(comparison.puzzle, finding.witness):
                write(f"         {line}")
    if comparison.verdict.evidence != "certified":
        reasons = comparison.uncertified or {}
        for reason in dict.fromkeys(reasons.values()):
            by = ", ".join(backend for backend, why in reasons.items() if why == reason and backend)
            write(f"  not certified{f' by {by}' if by else ''}: {one_line(reason)}")
    words = verdict_words(comparison.verdict) if presses is None else presses_words(presses, comparison.verdict)
    write(f"verdict: {words}\n")


def _grouped(findings: Sequence[Finding]) -> Iterator[tuple[str, Finding]]:
    """The findings, those on which several disagree once, each with the names that it is about."""
    groups: dict[Finding, list[str]] = {}
    for finding in findings:
        key = replace(finding, backend="") if finding.problem == DISAGREEMENT else finding
        groups.setdefault(key, []).append(finding.backend)
    for finding, names in groups.items():
        yield ", ".join(names), finding


def _drawn(puzzle: Puzzle, witness: str) -> list[str]:
    """The picture of a witness, where it is one of the puzzle's shape and not larger than a screen."""
    from crosslit.drawing import draw

    grid = Grid.from_text(witness)
    if (grid.rows, grid.columns) != (puzzle.rows, puzzle.columns) or max(grid.rows, grid.columns) > _SCREEN:
        return []
    return draw(puzzle, grid, picture_style()).split("\n")


def _found(runs: list[Run]) -> list[str]:
    return [_each(str(len(run.grids)) for run in runs)]


def _optima(runs: list[Run]) -> list[str]:
    """Cells: the presses of the best solution given, and the bound."""
    known = [run.presses for run in runs]
    return [_each(_number(presses.best) for presses in known), _each(_number(presses.bound) for presses in known)]


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)


def _each(cells: Iterable[str]) -> str:
    """What repetitions say, each thing once."""
    return " / ".join(dict.fromkeys(cells))


def _times(runs: list[Run], repeated: bool) -> list[str]:
    """Cells: medians of encode, load, solve and total; the spread of the total."""
    phases: tuple[Phase, ...] = ("encode", "load", "solve")
    medians = [spread([run.timing.phases[phase] for run in runs])["median"] for phase in phases]
    total = spread([run.timing.total for run in runs])
    cells = [format_seconds(value, column=True) for value in (*medians, total["median"])]
    return (
        [*cells, " to ".join(format_seconds(total[end], column=True) for end in ("min", "max"))] if repeated else cells
    )


def verdict_words(verdict: Verdict) -> str:
    """A verdict as a sentence."""
    if verdict.status == "undecided":
        found = f"{verdict.at_least} solution found and checked, " if verdict.at_least else ""
        return f"undecided ({found}no run that can be believed searched everything)"
    count = ""
    if verdict.status == "multiple":
        count = (
            f", {number_words(verdict.solutions or 0)} solutions"
            if verdict.complete
            else f", at least {verdict.at_least} solutions"
        )
    return f"{verdict.status}{count} (evidence: {verdict.evidence}, by {', '.join(verdict.by)}{_checked(verdict)})"


def _checked(verdict: Verdict) -> str:
    """By what a certificate was checked, and what remains trusted."""
    if verdict.certificate is None:
        return ""
    checked = verdict.certificate.checked
    words = f"checked by {checked.by}{', trusting ' if checked.trusted_base else ''}{', '.join(checked.trusted_base)}"
    if verdict.evidence == "certified":
        return f"; {words}"
    return f"; not certified: the certificate of {verdict.certificate.by}, {words}, which nobody else bears out"


def write_certificate(comparison: Comparison, path: str | None, proof: str | None = None) -> bool:
    """Write the accepted certificate to a file, and what it proves to two others, each if there is to be one.

    Returns:
        Whether what was to be written could be; where not, it says why.
    """
    certified = comparison.verdict.certificate
    if certified is None:
        missing = [name for name in (path, proof) if name is not None]
        if missing:
            complain(f"{' and '.join(missing)} not written: no certificate was accepted")
        return not missing
    if path is not None:
        write_file(path, [certified.certificate.text().encode(), b"\n"])
    return proof is None or _write_proof(comparison.puzzle, certified.certificate, proof)


def _write_proof(puzzle: Puzzle, certificate: Certificate, path: str) -> bool:
    from crosslit.certificates.refutation import FORMAT, proof_files

    if certificate.format != FORMAT:
        what = f"the certificate is {certificate.format}, no SAT proof; --backends glucose4 gives one"
        complain(f"{path}.cnf not written: {what}")
        return False
    formula, lemmas = proof_files(puzzle, certificate)
    write_files({f"{path}.cnf": formula.encode(), f"{path}.drat": lemmas.encode()})
    return True


def presses_words(presses: Presses, verdict: Verdict) -> str:
    """What is known of the fewest presses, as a sentence."""
    best = "" if presses.best is None else format_count(presses.best, "press", "presses")
    if verdict.status == "undecided":
        best = f"at most {best}" if best else "no solution found"
        return f"undecided ({best}, at least {presses.bound}; no run that can be believed closed the gap)"
    words = f"{best}, the fewest" if best else "unsolvable"
    return f"{words} (evidence: {verdict.evidence}, by {', '.join(verdict.by)})"


def _shortened(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:100]}... ({len(text)} characters; --json has it whole)"

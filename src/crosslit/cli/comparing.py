"""Presentation of a comparison: words and tables, and files for its certificate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from crosslit.grid import Grid
from crosslit.judging.verdict import DISAGREEMENT, Comparison, Finding
from crosslit.kinds import Puzzle

if TYPE_CHECKING:
    from crosslit.certificates import Certificate

_SCREEN = 30  # rows or columns: the pictures of larger witnesses would hide the rest


def write_comparison(comparison: Comparison) -> None:
    """Print title, table, findings and verdict."""
    table = Table(
        *comparison.columns,
        right=comparison.columns[2:-1],
        prose={"note"},
        names={"backend"},
        minor=("load", "encode"),
    )
    guilty = {finding.backend for finding in comparison.findings}
    for name in comparison.by_backend():
        table.add_row(*comparison.cells(name), style="red" if name in guilty else "")
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
    write(f"verdict: {comparison.words}\n")


def _grouped(findings: Sequence[Finding]) -> Iterator[tuple[str, Finding]]:
    """Yield each finding with the names of the backends it is about; one that several backends share comes once."""
    groups: dict[Finding, list[str]] = {}
    for finding in findings:
        # A disagreement is the same sentence for each of its parties: printed once, with all names.
        key = replace(finding, backend="") if finding.problem == DISAGREEMENT else finding
        groups.setdefault(key, []).append(finding.backend)
    for finding, names in groups.items():
        yield ", ".join(names), finding


def _drawn(puzzle: Puzzle, witness: str) -> list[str]:
    """Return the picture of a witness, if it has the puzzle's shape and fits on a screen."""
    from crosslit.drawing import draw

    grid = Grid.from_text(witness)
    if (grid.rows, grid.columns) != (puzzle.rows, puzzle.columns) or max(grid.rows, grid.columns) > _SCREEN:
        return []
    return draw(puzzle, grid, picture_style()).split("\n")


def write_certificate(comparison: Comparison, path: str | None, proof: str | None = None) -> bool:
    """Write the accepted certificate to a file, and its formula and proof to two others, each if requested.

    Returns:
        Whether everything could be written; if not, a message says why.
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
    # Together: a formula without its proof, or with that of another run, would be useless.
    write_files({f"{path}.cnf": formula.encode(), f"{path}.drat": lemmas.encode()})
    return True


def _shortened(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:100]}... ({len(text)} characters; --json has it whole)"

"""Presentation of a comparison: words and tables, and files for its certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosslit.cli.output import complain, picture_style, write, write_file, write_files, write_table
from crosslit.judging.verdict import Comparison
from crosslit.kinds import Puzzle

if TYPE_CHECKING:
    from crosslit.certificates import Certificate


def write_comparison(comparison: Comparison) -> None:
    """Print title, table, findings and verdict."""
    from crosslit.drawing.comparison import Report

    report = Report(comparison)
    write(report.title)
    write_table(report.table())
    for line in report.lines(picture_style()):
        write(line)
    write("")


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

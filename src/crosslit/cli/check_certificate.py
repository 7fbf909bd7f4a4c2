"""``crosslit check-certificate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from crosslit.cli.options import format_option, json_option, puzzle_argument

if TYPE_CHECKING:
    from crosslit.certificates import Certificate, Checked


@click.command(short_help="Check a certificate: what does it prove?")
@puzzle_argument
@click.argument("certificate")
@json_option
@format_option
@click.pass_context
def command(ctx: click.Context, puzzle: str, certificate: str, as_json: bool, format_name: str | None) -> None:
    """Check CERTIFICATE, a file that `crosslit compare --certificate` or somebody else wrote about PUZZLE.

    It says what is now known, and what remains trusted. The puzzle is not solved again. Exit status: 0 accepted, 1
    refused, 2 bad usage, or no certificate.
    """
    from crosslit.certificates import Refused, check
    from crosslit.cli import FINDING, output
    from crosslit.formats import read
    from crosslit.records import exact, puzzle_json

    problem = read(puzzle, format_name)
    given = _read(certificate)
    checked, reason = None, ""
    try:
        checked = check(problem, given)
    except Refused as error:
        reason = str(error)
    if as_json:
        record = {
            "puzzle": puzzle_json(problem, None),
            "format": given.format,
            "claim": given.claim,
            "count": exact(given.count),
            "accepted": checked is not None,
            "reason": reason or None,
            "checked_by": checked.by if checked else None,
            "trusts": list(checked.trusts) if checked else None,
        }
        output.write_json(record)
    elif checked is not None:
        trusts = ["the rules of the puzzle, the checker and Python", *checked.trusts]
        output.write(f"accepted: {_words(checked)} (checked by {checked.by})")
        output.write(f"still trusted: {'; '.join(trusts)}")
    else:
        output.write(f"refused: {output.one_line(reason)}")
    if checked is None:
        ctx.exit(FINDING)


def _read(path: str) -> Certificate:
    from crosslit.certificates import LONGEST, Certificate, UnreadableCertificate
    from crosslit.errors import InputError

    try:
        with Path(path).open("rb") as file:
            data = file.read(LONGEST + 1)
    except (OSError, ValueError) as error:
        raise InputError(path, getattr(error, "strerror", None) or "cannot be read") from None
    try:
        return Certificate.from_json(data.decode())
    except UnicodeDecodeError:
        raise InputError(path, "expected a certificate, JSON in UTF-8") from None
    except UnreadableCertificate as error:
        raise InputError(path, str(error)) from None


def _words(checked: Checked) -> str:
    from crosslit.records import number_words

    if checked.claim == "unsolvable":
        return "there is no solution"
    if checked.claim == "unique":
        return "there is exactly one solution"
    return f"there are exactly {number_words(checked.count)} solutions"

"""``crosslit check-certificate``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crosslit.base.errors import InputError
from crosslit.cli import output
from crosslit.cli.exit_status import exit_status
from crosslit.cli.help import example_command
from crosslit.cli.options import puzzle_argument
from crosslit.cli.query import Query, query_options

if TYPE_CHECKING:
    from crosslit.contract import Certificate, CheckResult


@example_command("crosslit check-certificate 10/11 certificate.json")
@puzzle_argument
@click.argument("certificate")
@query_options()
def command(query: Query, certificate: str) -> int:
    """Check CERTIFICATE, a file that `crosslit compare --certificate` or another program wrote about PUZZLE.

    The output says what the certificate proves and what remains trusted. The check runs in an isolated process under
    limits and does not solve the puzzle again. Exit status: 0 accepted, 1 rejected, 2 bad usage, or no certificate,
    3 the check did not finish, 130 interrupted.
    """
    from crosslit.base.numbers import exact
    from crosslit.contract import CheckResult
    from crosslit.judging.verdict import puzzle_json
    from crosslit.questions.compare import check_apart
    from crosslit.runs.runner import Runner

    puzzle = query.read()
    text = _read(certificate)
    with Runner(query.limits()) as runner:
        run = check_apart(puzzle, text, runner)
    if run.status in ("interrupted", "lost"):  # an interrupted check is not repeated, a lost one is
        return exit_status(interrupted=True)
    ended = run.status in ("complete", "gave-up")
    # a text that the check has read within its limits can be read here too, and only that
    given = _parsed(certificate, text) if ended else None
    checked = CheckResult.from_json(run.text) if run.status == "complete" else None
    reason = run.error if run.status == "gave-up" else f"{run.status}: {run.error}" if run.error else run.status
    if query.as_json:
        record = {
            "puzzle": puzzle_json(puzzle, None),
            "format": given.format if given else None,
            "claim": given.claim if given else None,
            "count": exact(given.count) if given else None,
            "accepted": checked is not None if ended else None,
            "reason": reason if checked is None else None,
            "checked_by": checked.by if checked else None,
            "trusts": list(checked.trusted_base) if checked else None,
        }
        output.write_json(record)
    elif checked is not None:
        trusted_base = ["the rules of the puzzle, the checker and Python", *checked.trusted_base]
        output.write(f"accepted: {_words(checked)} (checked by {checked.by})")
        output.write(f"still trusted: {'; '.join(trusted_base)}")
    else:
        output.write(f"{'refused' if ended else 'the check did not finish'}: {output.one_line(reason)}")
    return exit_status(wrong=ended and checked is None, undecided=not ended)


def _read(path: str) -> str:
    from crosslit.base.files import read_bytes
    from crosslit.contract.certificate import MAX_CHARACTERS

    try:
        return read_bytes(path, MAX_CHARACTERS).decode()
    except UnicodeDecodeError:
        raise InputError(path, "expected a certificate, JSON in UTF-8") from None


def _parsed(path: str, text: str) -> Certificate:
    from crosslit.contract import Certificate, UnreadableCertificate

    try:
        return Certificate.from_json(text)
    except UnreadableCertificate as error:
        raise InputError(path, str(error)) from None


def _words(checked: CheckResult) -> str:
    from crosslit.base.numbers import number_words

    if checked.claim == "unsolvable":
        return "there is no solution"
    if checked.claim == "unique":
        return "there is exactly one solution"
    return f"there are exactly {number_words(checked.count)} solutions"

"""``crosslit bench check`` and ``reproduce``: the audit and the reproduction of a campaign."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from crosslit.cli.exit_status import FINDING
from crosslit.cli.output import one_line, read_input, write, write_file, write_json, write_text
from crosslit.errors import InputError
from crosslit.numbers import format_count
from crosslit_bench.cli.benching import check_output
from crosslit_bench.results.anonymity import AnonymousStore
from crosslit_bench.results.audit import audit_solutions, deviations
from crosslit_bench.results.judged import WRONG, load
from crosslit_bench.results.reproduction import reproduction
from crosslit_bench.store.store import Store

_MAX_BYTES = 1 << 24  # size of a file of expectations: over 100,000 puzzles
_MAX_SHOWN = 10  # listed verdicts that are undecided on one side


def check(path: Path, expect: str | None, as_json: bool) -> int:
    """Judge the solutions in a file of results, and compare it with expectations; return the exit status.

    Args:
        path: path of the store.
        expect: path of a file of expectations, or None.
        as_json: print the findings as JSON.
    """
    lines = None if expect is None else read_input(expect, _MAX_BYTES).decode(errors="replace").splitlines()
    with Store(path) as store:
        audit = audit_solutions(store)
        # a damaged file cannot be loaded
        results = None if audit.wrong else load(store)
    claims, found = [], []
    if results is not None:
        claims = [(judged.name, finding) for judged, finding in results.findings if finding.problem in WRONG]
        try:
            found = deviations(lines, results) if lines is not None else []
        except ValueError as error:
            raise InputError(str(expect), str(error)) from None
    failed = bool(audit.wrong or claims or any(one.is_wrong for one in found))
    if as_json:
        write_json(
            {
                "task": "bench-check",
                "store": str(path),
                "runs": audit.runs,
                "solutions": audit.solutions,
                "unjudged": audit.unjudged,
                "plan": results and results.plan_hash,
                "wrong_solutions": [dataclasses.asdict(one) for one in audit.wrong],
                "wrong_claims": [{"puzzle": name, **finding.json()} for name, finding in claims],
                "deviations": [dataclasses.asdict(one) for one in found],
                "wrong": failed,
            }
        )
        return FINDING if failed else 0
    for one in audit.wrong:
        what = f"{one.contestant} on {one.puzzle}, repetition {one.repetition}"
        write(f"wrong: {one_line(what)}: {one_line(one.problem)}")
    for name, finding in claims:
        write(f"wrong: {finding.backend} on {one_line(name)}: {finding.problem}: {one_line(finding.detail)}")
    for deviation in [one for one in found if one.is_wrong]:
        write(f"not as expected: {one_line(str(deviation))}")
    weaker = [one for one in found if not one.is_wrong]
    for deviation in weaker[:_MAX_SHOWN]:
        write(f"changed, not contradicted: {one_line(str(deviation))}")
    if len(weaker) > _MAX_SHOWN:
        write(f"changed, not contradicted: {format_count(len(weaker) - _MAX_SHOWN, 'more puzzle')}")
    parts = [f"{format_count(audit.solutions, 'solution')} of {format_count(audit.runs, 'run')} judged by the rules"]
    parts += [f"{format_count(audit.unjudged, 'run')} of an earlier plan without its puzzles"] if audit.unjudged else []
    parts += [f"{len(audit.wrong) + len(claims)} wrong"]
    if lines is not None and results is not None:
        parts += ["not as expected" if any(one.is_wrong for one in found) else "plan and verdicts as expected"]
    elif lines is not None:
        parts += ["verdicts not compared"]
    write("; ".join(parts))
    return FINDING if failed else 0


def reproduce(path: Path, goal: str | None, anonymous: bool) -> int:
    """Print the commands that repeat a campaign, or write them to a file; return the exit status.

    Args:
        path: path of the store.
        goal: the file to write; None for standard output.
        anonymous: omit paths and the names of hosts and users.
    """
    if goal is not None:
        check_output(goal)
    with (AnonymousStore if anonymous else Store)(path) as store, store.understood():
        block = reproduction(load(store))
    if goal is None:
        write_text(block)
    else:
        write_file(goal, [block.encode()])
    return 0

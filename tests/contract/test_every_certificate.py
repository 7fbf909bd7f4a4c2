"""Every registered backend with certificates: those for small puzzles are accepted, and true."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from crosslit_verify.contract_checks.samples import Specimen, floor, samples

from crosslit import registry
from crosslit.certificates import Certificate, CheckResult, check
from crosslit.contract import GaveUp, Task
from crosslit.kinds.registry import OWN

PAIRS = [
    (name, kind)
    for name, backend in registry.all_backends().items()
    for kind in OWN
    if backend.answers("certify") and kind in registry.kinds(backend)
]


def specimens(kind: str) -> Iterator[Specimen]:
    """Some of every sort, the unsolvable, unique and several-valued among them."""
    yield from floor(kind, 2, 2)[::3]
    yield from floor(kind, 2, 3)[::8]
    yield from samples(kind)[::4]


def certified(name: str, specimen: Specimen) -> tuple[Certificate, CheckResult] | str:
    """The certificate and its claim, or why there is none."""
    choices = registry.select([name], specimen.puzzle)
    if choices[0].refusal is not None:
        return choices[0].refusal
    task = Task(encoding=choices[0].encoding, options=choices[0].options)
    found = sorted(specimen.solutions, key=lambda grid: grid.bits)
    try:
        made = choices[0].backend.certify(specimen.puzzle, task, found)  # type: ignore[attr-defined]
    except GaveUp as error:
        return str(error)
    return made, check(specimen.puzzle, Certificate.from_json(made.text()))


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_what_it_certifies_is_accepted_and_true(name: str, kind: str) -> None:
    reason, count = "", 0
    for specimen in specimens(kind):
        made = certified(name, specimen)
        if isinstance(made, str):
            reason = made
            continue
        certificate, proved = made
        assert certificate.puzzle == specimen.puzzle.id
        assert proved.count == certificate.count == len(specimen.solutions)
        count += 1
    # a SAT solver that writes no proof says so by its abilities; each of these is tried where PySAT is tested
    abilities = getattr(registry.all_backends()[name], "abilities", {"proof"})
    assert (count > 0) == ("proof" in abilities), reason


def test_there_are_such_backends() -> None:
    assert {("gauss", "lights-out"), ("polynomial", "lights-out"), ("line", "nonogram")} <= set(PAIRS)

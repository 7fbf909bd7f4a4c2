"""Answer set programs in the language of clingo, for ``clingo FILE``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from crosslit_encoders.finite_domain import Linear, Model, Parity
from crosslit_encoders.forms.reading import Reading, assigned, only_status, variable_number

COMMENT = "%"
BOOLEAN = True
OMITS_ZEROS = True
TARGETS = ("linear-xor", "linear")
_STATUS = {
    "SATISFIABLE": "satisfiable",
    "OPTIMUM FOUND": "satisfiable",
    "UNSATISFIABLE": "unsatisfiable",
    "UNKNOWN": "unknown",
}


def write(model: Model) -> Iterator[str]:
    r"""Yield the lines of the program: a choice for each variable, and an integrity constraint for each constraint.

    Examples:
        >>> model = Model(1, 2)
        >>> model.add(Linear(((1, 0), (-2, 1)), None, 0))
        >>> model.add(Parity((0, 1), 1))
        >>> list(write(model))[1:]
        [':- not #sum {1,1:x(1); -2,2:x(2)} <= 0.', ':- N = #sum {1,1:x(1); 1,2:x(2)}, N \\ 2 != 1.']
    """
    yield f"{{x(1..{len(model.domains)})}}."
    for constraint in model.constraints:
        if isinstance(constraint, Parity):
            total = _sum((1, variable) for variable in constraint.variables)
            yield f":- N = {total}, N \\ 2 != {constraint.value}."
        elif isinstance(constraint, Linear):
            if model.is_clause(constraint):
                # gringo would take several times as long for the sum
                atoms = (f"{'not ' if factor > 0 else ''}x({place + 1})" for factor, place in constraint.terms)
                yield f":- {', '.join(atoms)}."
                continue
            total = _sum(constraint.terms)
            yield from (f":- not {total} {relation} {bound}." for relation, bound in constraint.relations)
        else:
            raise TypeError(f"{constraint!r:.60} has no form in ASP")


def _sum(terms: Iterable[tuple[int, int]]) -> str:
    # A sum is over a set of tuples: without the number of the variable, equal weights would count once.
    return f"#sum {{{'; '.join(f'{factor},{place + 1}:x({place + 1})' for factor, place in terms)}}}"


def read(lines: Iterable[str]) -> Reading:
    """Return the answer in the output of clingo; atoms that it leaves out are false."""
    statuses, answers, after = [], [], False
    for line in map(str.strip, lines):
        if line in _STATUS:
            statuses.append(_STATUS[line])
        # clingo prints all atoms of an answer on the line below its number.
        if after:
            answers.append(line)
        after = line.startswith("Answer:")
    if len(answers) > 1:
        raise ValueError("it gives more than one model")
    status = only_status(statuses)
    if not answers:
        return status, None
    # The status comes last: output that was cut off may have an answer and no status.
    # What begins like the atom of a variable must be one: an atom left out here would be taken as false.
    atoms = [atom for atom in answers[0].split() if atom.startswith("x(")]
    names = (re.sub(r"x\((\d+)\)", r"x\1", atom) for atom in atoms)
    return status or "satisfiable", assigned((variable_number(name), 1) for name in names)

"""XCSP3, the format of the constraint programming competitions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from crosslit_encoders.finite_domain import TAUTOLOGY, Constraint, InRange, Linear, Model, Regular
from crosslit_encoders.forms.reading import Reading, assigned, competition, variable_number, whole_number

_COLOUR = re.compile(r"\x1b\[[\d;]*m")  # ACE prints colours even into files
COMMENT = "<!--"
BOOLEAN = False
OMITS_ZEROS = False
TARGETS = ("fd", "linear")


def write(model: Model) -> Iterator[str]:
    """Yield the lines of the instance; each variable is declared separately, since comments count them from 1.

    Examples:
        >>> model = Model(1, 1)
        >>> model.add(Linear(((1, 0),), 1))
        >>> list(write(model))[5]
        '<sum><list> x1 </list><coeffs> 1 </coeffs><condition> (ge,1) </condition></sum>'
    """
    yield '<instance format="XCSP3" type="CSP">'
    yield "<variables>"
    for place, (low, high) in enumerate(model.domains, 1):
        yield f'<var id="x{place}"> {low}..{high} </var>'
    yield "</variables>"
    yield "<constraints>"
    for constraint in model.constraints or [TAUTOLOGY]:  # ACE refuses a model of which it knows no variable
        yield _text(constraint)
    yield "</constraints>"
    yield "</instance>"


def _sum(terms: Iterable[tuple[int, int]]) -> str:
    names, factors = zip(*((f"x{place + 1}", str(factor)) for factor, place in terms), strict=True)
    return f"<list> {' '.join(names)} </list><coeffs> {' '.join(factors)} </coeffs>"


def _text(constraint: Constraint) -> str:
    names = [f"x{place + 1}" for place in constraint.variables]
    scope = f"<list> {' '.join(names)} </list>"
    if isinstance(constraint, Linear):
        return f"<sum>{_sum(constraint.terms)}<condition> {condition(constraint)} </condition></sum>"
    if isinstance(constraint, Regular) and len(names) == 1:  # ACE rejects automata over one variable
        values = sorted({value for _, value, _ in constraint.transitions})
        allowed = " ".join(str(value) for value in values if constraint.holds({constraint.variables[0]: value}))
        return f"<extension>{scope}<supports> {allowed} </supports></extension>"
    if isinstance(constraint, Regular):
        moves = "".join(f"(q{state},{value},q{target})" for state, value, target in constraint.transitions)
        finals = " ".join(f"q{state}" for state in constraint.finals)
        ends = f"<start> q{constraint.start} </start><final> {finals} </final>"
        return f"<regular>{scope}<transitions> {moves} </transitions>{ends}</regular>"
    if isinstance(constraint, InRange):
        inside = f"and(ge({names[1]},{constraint.low}),le({names[1]},{constraint.high}))"
        return f"<intension> iff(eq({names[0]},1),{inside}) </intension>"
    raise TypeError(f"{constraint!r:.60} has no form in XCSP3")


def condition(constraint: Linear) -> str:
    """Return the bounds of a constraint in the notation of XCSP3."""
    if constraint.high is None:
        return f"(ge,{constraint.low})"
    if constraint.low is None:
        return f"(le,{constraint.high})"
    return (
        f"(eq,{constraint.low})" if constraint.low == constraint.high else f"(in,{constraint.low}..{constraint.high})"
    )


def read(lines: Iterable[str]) -> Reading:
    """Return the answer in the output of an XCSP3 solver; repeated values may be written ``1x12``."""
    status, model = competition(_COLOUR.sub("", "\n".join(lines)).splitlines())
    if model is None:
        return status, None
    found = re.findall(r"<list>(.*?)</list>\s*<values>(.*?)</values>", model)
    if len(found) != 1:
        raise ValueError("expected one <list> and its <values> in the lines that begin with v")
    variables = [variable_number(word) for word in found[0][0].split()]
    runs = [word.partition("x") for word in found[0][1].split()]
    times = [whole_number(number or "1") for _, _, number in runs]
    if sum(map(abs, times)) != len(variables):  # a few digits may stand for gigabytes
        raise ValueError(f"it lists {len(variables)} variables and not as many values")
    values = [value for (value, *_), number in zip(runs, times, strict=True) for _ in range(number)]
    # A star is any value, of a variable in no constraint.
    pairs = zip(variables, values, strict=True)
    return status, assigned((variable, whole_number(value)) for variable, value in pairs if value != "*")

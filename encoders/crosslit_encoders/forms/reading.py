"""Parts shared by the readers of solvers' answers."""

from __future__ import annotations

import re
from collections.abc import Iterable

Reading = tuple[str | None, dict[int, int] | None]
"""A status (``satisfiable``, ``unsatisfiable``, ``unknown`` or None), and the values of variables or None."""

_COMPETITION = {
    "SATISFIABLE": "satisfiable",
    "OPTIMUM FOUND": "satisfiable",
    "UNSATISFIABLE": "unsatisfiable",
    "UNKNOWN": "unknown",
    "UNSUPPORTED": "unknown",
}
_TOLERANCE = 1e-4  # integrality tolerance of mixed-integer solvers
_MAX_NUMBER = 1e9  # no variable has such values, and no formula that many variables


def competition(lines: Iterable[str]) -> tuple[str | None, str | None]:
    """Return the status of the ``s`` line and the text of the ``v`` lines in the output of a competition solver."""
    statuses, model = [], []
    for line in lines:
        letter, _, rest = line.strip().partition(" ")
        if letter == "s":
            if rest.strip() not in _COMPETITION:
                raise ValueError(f"an unknown status: {line.strip()[:40]}")
            statuses.append(_COMPETITION[rest.strip()])
        elif letter == "v":
            model.append(rest.strip())
    return only_status(statuses), " ".join(model) if model else None


def only_status(statuses: Iterable[str]) -> str | None:
    """Return the status that an output repeats, or None if it has none; two that differ raise ValueError."""
    different = [*dict.fromkeys(statuses)]
    if len(different) > 1:
        raise ValueError(f"it says {different[0]} and {different[1]}")
    return different[0] if different else None


def assignments(text: str, pattern: str, digits: str = r"-?\d+") -> dict[int, int]:
    """Return the values that a pattern finds; NAME and VALUE in it stand for a variable and its value."""
    filled = pattern.replace("NAME", r"(x\d+)").replace("VALUE", f"({digits})")
    found = re.findall(filled, text, re.MULTILINE)
    return assigned((variable_number(name), whole_number(value)) for name, value in found)


def assigned(pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Return the values by variable; two for one variable raise ValueError."""
    values: dict[int, int] = {}
    for variable, value in pairs:
        if variable in values:
            raise ValueError(f"it gives x{variable + 1} twice")
        values[variable] = value
    return values


def variable_number(name: str) -> int:
    """Return the number of a variable from 0, such as 0 of ``x1``; another name raises ValueError."""
    if not re.fullmatch("x[1-9][0-9]{0,8}", name):
        raise ValueError(f"no variable: {name[:40]}")
    return int(name[1:]) - 1


def whole_number(text: str) -> int:
    """Return a number; mixed-integer solvers write 1 as 0.9999999 too.

    Raises:
        ValueError: if it is not whole, or larger than any value of a variable.
    """
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    # Written so that it refuses nan, which compares as false, before `round` sees it.
    if not abs(number) < _MAX_NUMBER or abs(number - round(number)) > _TOLERANCE:
        raise ValueError(f"{' '.join(text.split())[:40]} is not a whole number below {_MAX_NUMBER:.0e}")
    return round(number)

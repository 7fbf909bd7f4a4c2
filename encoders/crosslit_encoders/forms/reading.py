"""Parts shared by the readers of solvers' answers."""

from __future__ import annotations

import re
from collections.abc import Iterable

Reading = tuple[str | None, dict[int, int] | None]
"""A status (``satisfiable``, ``unsatisfiable``, ``unknown`` or None), and the values of variables or None."""


class Sparse(dict[int, int]):
    """A mapping in which missing values are 0."""

    def __contains__(self, variable: object) -> bool:
        return True

    def __missing__(self, variable: int) -> int:
        return 0


_COMPETITION = {
    "SATISFIABLE": "satisfiable",
    "OPTIMUM FOUND": "satisfiable",
    "UNSATISFIABLE": "unsatisfiable",
    "UNKNOWN": "unknown",
    "UNSUPPORTED": "unknown",
}


def competition(lines: Iterable[str]) -> tuple[str | None, str | None]:
    """Return the status of the ``s`` line and the text of the ``v`` lines in the output of a competition solver.

    Examples:
        >>> competition(["c fast", "s OPTIMUM FOUND", "v x1", "v -x2"])
        ('satisfiable', 'x1 -x2')
    """
    status, model = None, []
    for line in lines:
        letter, _, rest = line.strip().partition(" ")
        if letter == "s":
            if rest.strip() not in _COMPETITION:
                raise ValueError(f"an unknown status: {line.strip()[:40]}")
            status = _COMPETITION[rest.strip()]
        elif letter == "v":
            model.append(rest.strip())
    return status, " ".join(model) if model else None


def assignments(text: str, pattern: str, number: str = r"-?\d+") -> dict[int, int]:
    """Return the values that a pattern finds; NAME and VALUE in it stand for a variable and its value.

    Examples:
        >>> assignments("x1 = 0; x3 = 1;", "NAME = VALUE;")
        {0: 0, 2: 1}
    """
    filled = pattern.replace("NAME", r"x(\d+)").replace("VALUE", f"({number})")
    found: dict[int, int] = {}
    for name, value in re.findall(filled, text, re.MULTILINE):
        # Mixed-integer solvers answer in floating point, such as 0.9999999.
        exact = float(value)
        if abs(exact - round(exact)) > _TOLERANCE:
            raise ValueError(f"x{name} = {value} is not a whole number")
        # The first value counts: HiGHS repeats the names further below, with dual values.
        found.setdefault(int(name) - 1, round(exact))
    return found


_TOLERANCE = 1e-4  # integrality tolerance of mixed-integer solvers

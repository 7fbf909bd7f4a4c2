"""Who hits a wall, and who does not: growth with size on one family of puzzles, group by group, in a sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosslit.campaigns.analysis.growth import Fit, duration
from crosslit.campaigns.analysis.resampling import medians
from crosslit.campaigns.table import Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NAMED = 3  # contestants that a sentence names
_CLEAR = 1.05  # ratio of two medians, from which one is called faster


@dataclass(frozen=True)
class Fastest:
    """Who is the fastest at all large sizes.

    Args:
        label: the contestant's.
        since: the smallest size from which on its median is the lowest at every size, by more than 5%.
        size: the largest size.
        seconds: its median there.
        next_label: who is next there; empty where nobody else solved half of these puzzles.
        next_seconds: the median of that one; inf where there is none.
    """

    label: str
    since: float
    size: float
    seconds: float
    next_label: str
    next_seconds: float


def by_size(table: Table) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The median time of each contestant at each size.

    Args:
        table: the times, of one family.

    Returns:
        The sizes, ascending; and the medians, of shape (sizes, contestants): inf where half of the puzzles or more were
        not solved, nan where none was asked.
    """
    import numpy as np

    sizes = np.array([entry.size for entry in table.entries], dtype=float)
    different = np.unique(sizes)
    found = np.full((len(different), len(table.contestants)), np.nan)
    for at, size in enumerate(different):
        here = table.seconds[sizes == size]
        for column in range(here.shape[1]):
            times = here[~np.isnan(here[:, column]), column]
            if times.size:
                found[at, column] = medians(times)
    return different, found


def fastest(table: Table) -> Fastest | None:
    """Who is the fastest of the ranked contestants from some size on, on one family.

    Returns:
        None if nobody is, at the largest two sizes at least; or if somebody ranked was not asked these.
    """
    import numpy as np

    ranked = table.ranked
    if len(ranked.contestants) < 2:
        return None
    sizes, times = by_size(ranked)
    if len(sizes) < 2 or np.isnan(times[-1]).any():
        return None
    order = np.argsort(times[-1], kind="stable")
    one, other = int(order[0]), int(order[1])
    since = None
    for size, row in zip(sizes[::-1], times[::-1], strict=True):
        others = np.delete(row, one)
        if not np.isfinite(row[one]) or np.isnan(others).any() or not row[one] * _CLEAR < others.min():
            break
        since = float(size)
    if since is None or since == sizes[-1]:
        return None
    last = float(times[-1, other])
    label = ranked.contestants[other].label if math.isfinite(last) else ""
    return Fastest(ranked.contestants[one].label, since, float(sizes[-1]), float(times[-1, one]), label, last)


def walls(table: Table, fits: Sequence[Fit], size: str = "n") -> list[str]:
    """A sentence for each family of puzzles that has sizes enough.

    Args:
        table: the times.
        fits: as `crosslit.campaigns.analysis.growth.fits` gives them.
        size: what sizes are called.

    Returns:
        Sentences, for families of which anything can be said.
    """
    found = []
    for family in table.families:
        part = table.of_family(family).ranked
        known = {fit.label: fit for fit in fits if fit.family == family}
        if not known:
            continue
        clauses = [
            clause
            for group, columns in grouped(part).items()
            for clause in _about_group(part.among(columns=columns), group, known, size)
        ]
        first = fastest(part)
        if first:
            clauses.append(_about_fastest(first, size))
        if clauses:
            found.append(f"On {family}: {'; '.join(clauses)}.")
    return found


def grouped(table: Table) -> dict[str, list[int]]:
    """The contestants by group, by number; who has none is a group by its label."""
    groups: dict[str, list[int]] = {}
    for at, contestant in enumerate(table.contestants):
        groups.setdefault(contestant.group or contestant.label, []).append(at)
    return groups


def _about_group(part: Table, group: str, known: dict[str, Fit], size: str) -> Iterator[str]:
    """What there is to say of a group: of who grows exponentially, of who solved all, of the others."""
    import numpy as np

    labels = [contestant.label for contestant in part.contestants]
    exponential = [at for at, label in enumerate(labels) if (fit := known.get(label)) and _surely_exponential(fit)]
    steady = [
        at
        for at in range(len(labels))
        if at not in exponential and labels[at] in known and not np.isinf(part.seconds[:, at]).any()
    ]
    rest = [at for at in range(len(labels)) if labels[at] in known and at not in exponential and at not in steady]
    name = group
    for columns, tell in ((exponential, _exponential), (steady, _steady), (rest, _rest)):
        if columns:
            told = tell(part.among(columns=columns), [known[labels[at]] for at in columns], size)
            alone = len(columns) == 1 and labels[columns[0]] == group
            whole = len(columns) == len(labels)
            who = "" if alone else f" ({few([labels[at] for at in columns], None if whole else len(labels))})"
            yield f"{name}{who} {told}"


def _surely_exponential(fit: Fit) -> bool:
    return fit.model == "exponential" and fit.grows and not fit.undecided


def _exponential(part: Table, fits: Sequence[Fit], size: str) -> str:
    rates = sorted(fit.rate for fit in fits if fit.rate is not None)
    told = f"takes exponential time, which doubles every {span(rates)} in {size}"
    if len(fits) == 1 and fits[0].interval:
        low, high = fits[0].interval
        told += f" (95% {low:.2g} to {high:.2g})"
    wall = _wall(part)
    if wall is not None:
        from_size, to_size = wall
        who = "solves nothing" if len(fits) == 1 else "none of them solves anything"
        at = f"of {size} = {from_size:g}" if from_size == to_size else f"from {size} = {from_size:g} to {to_size:g}"
        told += f", and {who} {at} in {duration(part.limit)}"
    return told


def _steady(part: Table, fits: Sequence[Fit], size: str) -> str:
    import numpy as np

    worst = float(np.nanmax(part.seconds))
    largest = max(fit.largest for fit in fits)
    told = f"stays at or below {duration(worst)} up to {size} = {largest:g}"
    powers = sorted(fit.rate for fit in fits if fit.model == "power" and fit.grows and fit.rate is not None)
    if powers and len(powers) == len(fits) and not any(fit.undecided for fit in fits):
        told += f", growing as {size}^{span(powers)}"
    elif all(fit.model == "flat" and not fit.undecided for fit in fits):
        told += ", without growth"
    return told


def _rest(part: Table, fits: Sequence[Fit], size: str) -> str:
    import numpy as np

    asked = int((~np.isnan(part.seconds)).sum())
    solved = int(np.isfinite(part.seconds).sum())
    reached = [fit.solved_to for fit in fits if fit.solved_to is not None]
    if not reached:
        return f"solves none of these puzzles in {duration(part.limit)}"
    told = f"solves {solved} of {asked} within {duration(part.limit)}, up to {size} = {max(reached):g}"
    if all(fit.grows for fit in fits):
        return f"{told}: time grows, by a power or exponentially"
    return told


def _wall(part: Table) -> tuple[float, float] | None:
    """The sizes, from the first on from which no contestant solved anything, to the last."""
    import numpy as np

    sizes = np.array([entry.size for entry in part.entries])
    asked, solved = ~np.isnan(part.seconds), np.isfinite(part.seconds)
    if not asked.any() or not solved.any():
        return None
    reached = sizes[solved.any(axis=1)].max()
    # where somebody was not asked, nothing is known of that one
    beyond = sorted({float(size) for size in sizes if size > reached and asked[sizes == size].any(axis=0).all()})
    return (beyond[0], beyond[-1]) if beyond else None


def _about_fastest(first: Fastest, size: str) -> str:
    told = (
        f"{first.label} is the fastest at every size from {size} = {first.since:g} on,"
        f" {duration(first.seconds)} at {size} = {first.size:g}"
    )
    if not first.next_label:
        return f"{told}, where nobody else solves more than half"
    return (
        f"{told}, {first.next_seconds / max(first.seconds, 1e-9):.2g} times faster than the next ({first.next_label})"
    )


def span(values: Sequence[float]) -> str:
    """The ends of ascending numbers, to two digits.

    Examples:
        >>> span([0.91, 1.0, 1.32]), span([2.0])
        ('0.91 to 1.3', '2')
    """
    low, high = f"{values[0]:.2g}", f"{values[-1]:.2g}"
    return low if low == high else f"{low} to {high}"


def few(labels: Sequence[str], of: int | None = None) -> str:
    """Some names, the first of them where they are many.

    Examples:
        >>> few(["a", "b", "c", "d", "e"])
        'a, b, c and 2 more'
    """
    if len(labels) > _NAMED + 1:
        told = f"{', '.join(labels[:_NAMED])} and {len(labels) - _NAMED} more"
    else:
        told = " and ".join([", ".join(labels[:-1]), labels[-1]]) if len(labels) > 1 else labels[0]
    return told if of is None else f"{len(labels)} of {of}: {told}"

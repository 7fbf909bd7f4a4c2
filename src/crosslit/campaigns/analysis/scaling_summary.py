"""Who hits a wall, and who does not: growth with size on one family of puzzles, group by group, in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosslit.campaigns.analysis.bootstrap import medians
from crosslit.campaigns.analysis.growth import Fit, not_informative
from crosslit.campaigns.analysis.pairs import TIE_SECONDS
from crosslit.campaigns.results.table import Measure, Table
from crosslit.numbers import format_number, format_seconds, join_names

_MIN_WALL_FACTOR = 100.0  # a growth that is told as a wall where nobody hit the limit
_MIN_RATIO = 1.2  # ratio of two medians, from which one is called faster: less may be chance

MEASURES: Mapping[Measure, str] = {
    "total": "time", "cpu": "CPU time", "wall": "wall time", "solve": "search time",
}  # fmt: skip
"""What a time is called in a sentence."""

_Tell = Callable[[Table, Sequence[Fit], str], str]


class BulletSentence(str):
    """A sentence of clauses, which may also be shown as a list; as a text, all of them on one line.

    Args:
        lead: its beginning.
        clauses: the rest of it, the most important one first.

    Examples:
        >>> BulletSentence("Here", ["a wins", "b loses"])
        'Here, a wins; b loses.'
    """

    lead: str
    clauses: tuple[str, ...]

    def __new__(cls, lead: str, clauses: Sequence[str]) -> BulletSentence:
        """The text."""
        made = super().__new__(cls, f"{lead}, {'; '.join(clauses)}.")
        made.lead, made.clauses = lead, tuple(clauses)
        return made


@dataclass(frozen=True, kw_only=True)
class Fastest:
    """Who is the fastest at all large sizes.

    Args:
        label: the contestant's.
        since: the smallest size from which on its median is the lowest at every size that was measured: the next is
            longer by more than a fifth, and by more than `pairs.TIE_SECONDS`.
        size: the largest size.
        seconds: its median there.
        next_label: who is next there; empty where nobody else solved more than half of these puzzles.
        next_seconds: the median of that one; inf where there is none.
        among_all: whether all were asked all these sizes; else it is the fastest of those that were.
    """

    label: str
    since: float
    size: float
    seconds: float
    next_label: str
    next_seconds: float
    among_all: bool


def by_size(table: Table) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The median time of each contestant at each size.

    Args:
        table: the times, of one family.

    Returns:
        The sizes, ascending; and the medians, of shape (sizes, contestants): inf where half of the puzzles or more were
        not solved, nan where none was asked.
    """
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
        None if nobody is, at the largest two sizes at least; who was not asked a size does not count there.
    """
    ranked = _asked(table.ranked)
    sizes, times = by_size(ranked)
    if len(sizes) < 2 or not np.isfinite(times[-1]).any():
        return None
    one = int(np.nanargmin(times[-1]))
    others = np.fmin.reduce(np.delete(times, one, axis=1), axis=1, initial=np.nan)
    # a comparison with nan, where nobody else was asked, is False: no race
    own = times[:, one]
    ahead = np.isfinite(own) & (own * _MIN_RATIO < others) & (own + TIE_SECONDS < others)
    since = len(sizes) if not ahead.any() else len(sizes) - int(np.argmin([*ahead[::-1], False]))
    if since > len(sizes) - 2:
        return None
    last = float(others[-1])
    label = next(
        (
            contestant.label
            for at, contestant in enumerate(ranked.contestants)
            if at != one and times[-1, at] == last < np.inf
        ),
        "",
    )
    among_all = not np.isnan(times[since:]).any()
    name = ranked.contestants[one].label
    return Fastest(
        label=name,
        since=float(sizes[since]),
        size=float(sizes[-1]),
        seconds=float(own[-1]),
        next_label=label,
        next_seconds=last,
        among_all=among_all,
    )


def _asked(table: Table) -> Table:
    """The part of those who were asked anything."""
    return table.among(columns=np.flatnonzero((~np.isnan(table.seconds)).any(axis=0)).tolist())


def scaling_sentences(table: Table, fits: Sequence[Fit], size: str = "n") -> list[BulletSentence]:
    """A sentence for each family of puzzles that has sizes enough.

    Args:
        table: the times.
        fits: as `crosslit.campaigns.analysis.growth.fits` gives them.
        size: what sizes are called.

    Returns:
        Sentences, for families of which anything can be said: who hits a wall, who is the fastest, then the others.
    """
    found = []
    for family in table.families:
        part = _asked(table.of_family(family).ranked)
        known = {fit.contestant: fit for fit in fits if fit.family == family}
        if not known:
            continue
        first = fastest(part)
        told = [
            one
            for group, columns in grouped(part).items()
            for one in _about_group(part.among(columns=columns), group, known, size, first)
        ]
        clauses = [clause for tell, clause in told if tell is _exponential]
        clauses += [_about_fastest(first, size)] if first else []
        clauses += [clause for tell, clause in told if tell is not _exponential]
        if clauses:
            found.append(BulletSentence(f"In the family '{family}'", clauses))
    return found


def grouped(table: Table) -> dict[str, list[int]]:
    """The contestants by group, by number; who has none is a group by its label."""
    groups: dict[str, list[int]] = {}
    for at, contestant in enumerate(table.contestants):
        groups.setdefault(contestant.group or contestant.label, []).append(at)
    return groups


def _about_group(
    part: Table, group: str, known: dict[str, Fit], size: str, first: Fastest | None
) -> Iterator[tuple[_Tell, str]]:
    """What there is to say of a group: of who grows exponentially, of who solved all, of the others."""
    labels = [contestant.label for contestant in part.contestants]
    kinds: dict[_Tell, list[int]] = {_exponential: [], _steady: [], _rest: []}
    for at, label in enumerate(labels):
        if label in known:
            solved = not np.isinf(part.seconds[:, at]).any()
            kinds[_exponential if has_wall(known[label]) else _steady if solved else _rest].append(at)
    for tell, columns in kinds.items():
        members = [labels[at] for at in columns]
        alone = members == [group]
        if not members or (alone and tell is _steady and first and first.label == group):
            continue  # what is said of the fastest is enough
        of = "" if len(members) == len(labels) else f"{len(members)} of {len(labels)}: "
        who = "" if alone else f" ({of}{join_names(members)})"
        told = tell(part.among(columns=columns), [known[one] for one in members], size)
        yield tell, f"the {MEASURES[part.measure]} of {group}{who} {told}"


def has_wall(fit: Fit) -> bool:
    """Whether time grows exponentially, no other model describes it as well, and it does so far enough to matter.

    A constant and a power together look exponential over a short range: time must have grown to the limit, or by a
    factor of 100.
    """
    if fit.model != "exponential" or not fit.grows or fit.undecided:
        return False
    return fit.censored > 0 or fit.predict(fit.largest) > _MIN_WALL_FACTOR * max(fit.floor, fit.predict(fit.smallest))


def _exponential(part: Table, fits: Sequence[Fit], size: str) -> str:
    rates = sorted(fit.rate for fit in fits if fit.rate is not None)
    told = f"grows exponentially, doubling each time {size} grows by {span(rates)}"
    if len(fits) > 1 and span(rates) != span(rates[:1]):
        told += ", depending on the contestant"
    if len(fits) == 1 and fits[0].interval:
        told += f" (95% {span(fits[0].interval)})"
    wall = _wall(part)
    if wall is None:
        return told
    from_size, to_size = wall
    who = "it solves nothing" if len(fits) == 1 else "none of them solves anything"
    at = f"at {size} = {from_size:.4g}" if from_size == to_size else f"from {size} = {from_size:.4g} to {to_size:.4g}"
    return f"{told}, and {who} {at} in {format_seconds(part.limit, 2)}"


def _steady(part: Table, fits: Sequence[Fit], size: str) -> str:
    worst = float(np.nanmax(part.seconds))
    told = f"stays at or below {format_seconds(worst, 2)} up to {size} = {min(fit.largest for fit in fits):.4g}"
    if any(fit.undecided or fit.model is None for fit in fits):
        return told
    rates = sorted(fit.rate for fit in fits if fit.rate is not None and fit.grows)
    models = {fit.model for fit in fits}
    if models == {"flat"}:
        return f"{told}, with no growth to be seen"
    if models == {"power"} and len(rates) == len(fits):
        return f"{told}, growing as {size}^{span(rates)}"
    return told


def _rest(part: Table, fits: Sequence[Fit], size: str) -> str:
    asked, solved = int((~np.isnan(part.seconds)).sum()), int(np.isfinite(part.seconds).sum())
    reached = [fit.solved_to for fit in fits if fit.solved_to is not None]
    if not reached:
        return "is not known: none of these puzzles is solved"
    within = f"within the limit of {format_seconds(part.limit, 2)}"
    told = f"is {within} on {solved} of {asked}, up to {size} = {max(reached):.4g}"
    if all(fit.grows for fit in fits):
        return f"{told}, and grows, by a power or exponentially"
    return told


def _wall(part: Table) -> tuple[float, float] | None:
    """The sizes, from the first on from which no contestant solved anything, to the last."""
    sizes = np.array([entry.size for entry in part.entries])
    asked, solved = ~np.isnan(part.seconds) & ~not_informative(part), np.isfinite(part.seconds)
    if not asked.any() or not solved.any():
        return None
    reached = sizes[solved.any(axis=1)].max()
    # where somebody was not asked, or crashed, nothing is known of that one
    beyond = sorted({float(size) for size in sizes if size > reached and asked[sizes == size].any(axis=0).all()})
    return (beyond[0], beyond[-1]) if beyond else None


def _about_fastest(first: Fastest, size: str) -> str:
    of = "" if first.among_all else ", of those that were asked,"
    told = (
        f"{first.label} is the fastest{of} at every size from {size} = {first.since:.4g} on,"
        f" {format_seconds(first.seconds, 2)} at {size} = {first.size:.4g}"
    )
    if not first.next_label:
        return f"{told}, where nobody else solves more than half of the puzzles"
    ratio = first.next_seconds / max(first.seconds, 1e-9)
    return f"{told}, {format_number(ratio, 2)} times faster than the next ({first.next_label})"


def span(values: Sequence[float]) -> str:
    """The ends of ascending numbers, to two digits.

    Examples:
        >>> span([0.91, 1.0, 1.32]), span([2.0])
        ('0.91 to 1.3', '2')
    """
    low, high = format_number(values[0], 2), format_number(values[-1], 2)
    return low if low == high else f"{low} to {high}"

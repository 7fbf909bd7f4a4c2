"""Scores: right, wrong, malformed and missing answers by grade, kind and size, and comparisons of contestants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import comb, sqrt
from typing import Any, Literal, NamedTuple, get_args

from crosslit.errors import InputError
from crosslit_bench.exam.making import exam_hash, hidden
from crosslit_bench.exam.questions import UNKNOWN, Answer, Item, final, judged

Outcome = Literal["right", "wrong", "gave-up", "malformed", "missing"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

_PARTS = ("question", "grade", "kind", "size")
_Z = 1.959964  # of a normal distribution, for an interval of 95%


class Group(NamedTuple):
    """The outcomes of some items.

    >>> group = Group("all", 10, {"right": 8, "wrong": 2})
    >>> [round(end, 3) for end in group.interval]
    [0.49, 0.943]
    """

    name: str
    items: int
    outcomes: Mapping[Outcome, int]
    guessing: float = 0.0  # the expected share of right answers of a contestant that guesses

    @property
    def share(self) -> float:
        """The share of right answers."""
        return self.outcomes.get("right", 0) / max(1, self.items)

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of 95% of the share (Wilson, *J. Amer. Statist. Assoc.* 22, 1927)."""
        count, share = max(self.items, 1), self.share
        middle, scale = share + _Z**2 / (2 * count), 1 + _Z**2 / count
        half = _Z * sqrt(share * (1 - share) / count + _Z**2 / (4 * count**2))
        return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        counts = {outcome: self.outcomes.get(outcome, 0) for outcome in OUTCOMES}
        shares = {"share": self.share, "interval": self.interval, "guessing": self.guessing}
        return {"name": self.name, "items": self.items, **counts, **shares}


class Score(NamedTuple):
    """The outcomes of a contestant by the ids of items, and the groups of items."""

    name: str
    outcomes: Mapping[str, Outcome]
    groups: Sequence[Group]
    seconds: float = 0.0  # of all answers
    cost: float | None = None

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        groups = [group.json() for group in self.groups]
        return {"contestant": self.name, "groups": groups, "seconds": self.seconds, "cost": self.cost}


def score(items: Sequence[Item], key: Sequence[Mapping[str, Any]], answers: Iterable[Answer], name: str = "") -> Score:
    """Judge answers: any answer that obeys the rules is right; the key decides only what the rules cannot.

    Of several answers for one item, the last counts. An `InputError` says that the key is that of another exam.
    """
    try:
        seed, exam = str(key[0]["seed"]), key[0]["exam"]
        entries = {entry["id"]: (str(entry["answer"]), float(entry["chance"])) for entry in key[1:]}
    except (IndexError, KeyError, TypeError, ValueError):
        raise InputError("key", "expected a key, as `crosslit exam make` writes it") from None
    if exam != exam_hash(items) or set(entries) != {item.id for item in items}:
        raise InputError("key", "expected the key of this exam")
    given = {answer.id: answer for answer in answers}
    known = [given[item.id] for item in items if item.id in given]
    outcomes = {item.id: _outcome(item, seed, entries[item.id][0], given.get(item.id)) for item in items}
    groups = []
    parts = [(part, value) for part in _PARTS for value in sorted({getattr(item, part) for item in items})]
    for part, value in [("all", ""), *parts]:
        members = [item for item in items if part == "all" or getattr(item, part) == value]
        counts = Counter(outcomes[item.id] for item in members)
        expected = sum(entries[item.id][1] for item in members) / max(1, len(members))
        groups.append(Group(f"{part} {value}".strip(), len(members), counts, expected))
    costs = [answer.cost for answer in known if answer.cost is not None]
    return Score(name, outcomes, groups, sum(answer.seconds for answer in known), sum(costs) if costs else None)


def _outcome(item: Item, seed: str, right: str, given: Answer | None) -> Outcome:
    if given is None:
        return "missing"
    if [line.lower() for line in final(given.answer)[:1]] == [UNKNOWN]:
        return "gave-up"
    found = judged(item, given.answer)
    if found is None:
        return "malformed"
    if isinstance(found, str):
        found = hidden(seed, item.id, found) == right
    return "right" if found else "wrong"


def compare(one: Score, other: Score) -> tuple[int, int, float]:
    """Return the numbers of items that only the first, and only the second has right, and the p value of that.

    It is that of the two-sided exact test of McNemar (*Psychometrika* 12, 1947).

    >>> first = Score("a", dict.fromkeys("123456", "right"), ())
    >>> compare(first, Score("b", dict.fromkeys("123456", "wrong"), ()))
    (6, 0, 0.03125)
    """
    rights = [(one.outcomes[name] == "right", outcome == "right") for name, outcome in other.outcomes.items()]
    first, second = rights.count((True, False)), rights.count((False, True))
    tail = sum(comb(first + second, count) for count in range(min(first, second) + 1))
    return first, second, min(1.0, 2 * tail / 2 ** (first + second))

"""The making of an exam from a seed: a plan, puzzles with proved answers, and the key."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import crosslit_generate

from crosslit import __version__
from crosslit.errors import GaveUp, InternalError
from crosslit.kinds import Puzzle
from crosslit.kinds.chance import shuffled
from crosslit.questions.ask import isolated
from crosslit.questions.compare import compare
from crosslit.registry.defaults import answering
from crosslit.runs.run import Limits
from crosslit.runs.runner import Runner
from crosslit_bench.exam.lines import GRADES, Grade
from crosslit_bench.exam.puzzles import KINDS, MAX_SIZE, Drawn, Made, Truth, is_board, puzzle_of
from crosslit_bench.exam.questions import QUESTIONS, Item, Slot, chance, item_of, json_line
from crosslit_bench.provenance.contents import CORE, folder_hash

_CERTIFIERS = dict(zip(KINDS, ("hybrid", "gauss", "", "howell"), strict=True))
_PROVED = frozenset({"certified", "agreed", "brute-force", "witnessed"})
_MAX_CERTIFICATE = 20_000  # characters that are kept; of a longer one only the hash
_MAX_LISTED = 100  # solutions
_TRIES = 20  # draws for each puzzle that is excluded or in the exam already


@dataclass(frozen=True)
class Plan:
    """The contents of an exam; equal plans and seeds give the same exam."""

    number: int = 100
    kinds: tuple[str, ...] = KINDS
    sizes: tuple[int, ...] = (5, 8, 10, 15)
    grades: tuple[str, ...] = GRADES

    def __post_init__(self) -> None:
        known = {"kinds": KINDS, "sizes": range(2, MAX_SIZE + 1), "grades": GRADES}
        for name, values in known.items():
            for value in getattr(self, name):
                if value not in values:
                    raise ValueError(f"{name}: expected some of {', '.join(map(str, values))}, found {value!r:.40}")


def commit(seed: str, plan: Plan) -> dict[str, Any]:
    """Return the commitment to publish before an exam: a hash of the seed, the plan and the generator's sources.

    The seed, published after the exam, lets everybody make the exam again and compare the hash.

    Examples:
        >>> first, second = (commit(seed, Plan(3))["commitment"] for seed in ("a", "b"))
        >>> len(first), first == second
        (64, False)
    """
    sources = [CORE, Path(crosslit_generate.__file__).parent, Path(__file__).parent]
    generator = hashlib.sha256(" ".join(map(folder_hash, sources)).encode()).hexdigest()
    text = json.dumps([seed, asdict(plan), generator], sort_keys=True)
    return {
        "commitment": hashlib.sha256(text.encode()).hexdigest(),
        "crosslit": __version__,
        "generator": generator,
        "plan": asdict(plan),
    }


def make(
    seed: str, plan: Plan, exclude: Iterable[Puzzle] = (), on_item: Callable[[str], None] = lambda _: None
) -> tuple[list[Item], list[dict[str, Any]]]:
    """Return the items of an exam, and its key: the seed first, then the hash of each answer and its evidence.

    Excluded puzzles do not occur in any rotated or mirrored form. An `InternalError` says that the number of solutions
    of a puzzle is not proved, or not as intended; a `ValueError`, that too few puzzles fit the plan.
    """
    drawn = _puzzles(seed, plan, {_key(puzzle) for puzzle in exclude})
    items: list[Item] = []
    key: list[dict[str, Any]] = []
    with isolated(None, Limits(_MAX_LISTED, 120), 1) as runner:
        for number, one in enumerate(drawn, 1):
            on_item(f"proof {number} of {plan.number}")
            item, right = item_of(f"{number:04}", one, random.Random(f"exam item {seed} {number}"))
            evidence, solutions, certificate = _proved(one.puzzle, runner)
            several = "one" if is_board(one.kind) else "several"
            if one.truth != ("none" if not solutions else "one" if solutions == 1 else several):
                raise InternalError(f"{one.puzzle.text} has {solutions} solutions, not {one.truth}")
            yes = "yes" if one.truth == "one" else "no"
            answers = {"solve": str(one.truth), "solvable": yes, "unique": yes, "count": str(solutions)}
            answer = answers.get(one.question, right)
            entry = {"id": item.id, "answer": hidden(seed, item.id, answer), "chance": chance(item, answer)}
            key.append(entry | {"evidence": evidence, "certificate": certificate})
            items.append(item)
    return items, [{"seed": seed, **commit(seed, plan), "exam": exam_hash(items)}, *key]


def exam_hash(items: Iterable[Item]) -> str:
    """Return the hash by which a key knows its exam."""
    return hashlib.sha256(b"".join(map(json_line, items))).hexdigest()


def hidden(seed: str, name: str, answer: str) -> str:
    """Return the hash of an answer in a key, which says nothing to those who read it without the seed."""
    return hashlib.sha256(f"{seed} {name} {answer}".encode()).hexdigest()


def _puzzles(seed: str, plan: Plan, seen: set[str]) -> list[Drawn]:
    """Return the puzzles in random order: kinds, questions, sizes and grades in turn, as far as they exist."""
    streams: dict[Any, Iterator[Made | None]] = {}
    stock: dict[Any, Made | None] = {}

    def has_puzzle(*wanted: Any) -> bool:
        if stock.get(wanted) is None:
            stock[wanted] = next(streams.setdefault(wanted, _stream(seed, seen, *wanted)))
        return stock[wanted] is not None

    def slots(kind: str, size: int, question: str) -> list[Slot]:
        asked = QUESTIONS[question]
        found = [slot for slot in (asked.of_boards if is_board(kind) else asked.of_clues) if slot[0] in plan.grades]
        # Without puzzles for one of the answers of a grade, the other answer would be known from the grade.
        lacking = {grade for grade, truth in found if not has_puzzle(kind, size, grade, truth)}
        return [slot for slot in found if slot[0] not in lacking]

    found: list[Drawn] = []
    turns: Counter[Any] = Counter()
    idle = 0  # turns without a puzzle
    for question, size, kind in itertools.cycle(itertools.product(QUESTIONS, plan.sizes, plan.kinds)):
        if len(found) == plan.number:
            return shuffled(random.Random(f"exam order {seed}"), found)
        idle += 1
        if idle > len(QUESTIONS) * len(plan.sizes) * len(plan.kinds):
            raise ValueError(f"only {len(found)} puzzles fit the plan: choose more sizes, kinds or grades")
        if choices := slots(kind, size, question):
            idle, turn = 0, turns[kind, question]
            turns[kind, question] += 1
            # Another grade for each size, and in the next round another one for the same size.
            grade, truth = choices[(turn + turn // len(plan.sizes)) % len(choices)]
            made = stock.pop((kind, size, grade, truth))
            assert made is not None
            found.append(Drawn(kind, size, question, grade, truth, *made))
    raise AssertionError


def _stream(seed: str, seen: set[str], kind: str, size: int, grade: Grade, truth: Truth) -> Iterator[Made | None]:
    """Yield puzzles that are not among those seen; None when none is found."""
    for number in itertools.count(1):
        try:
            made = puzzle_of(
                kind, size, grade, truth, random.Random(f"exam {seed} {kind} {size} {grade} {truth} {number}")
            )
        except GaveUp:
            yield from itertools.repeat(None)
        if (key := _key(made[0])) not in seen:
            seen.add(key)
            yield made
        elif number > _TRIES * len(seen):
            yield None


def _key(puzzle: Puzzle) -> str:
    """Return a name that all rotated and mirrored forms of a puzzle share."""
    return min(image.id for image in puzzle.images())


def _proved(puzzle: Puzzle, runner: Runner) -> tuple[str, int, str | None]:
    """Return the evidence, the number of solutions, and the certificate, the same on every machine."""
    # Always the same backend: which of several is the fastest depends on the machine, and so would the certificate.
    for specs in filter(None, (_CERTIFIERS[puzzle.kind], ",".join(answering(puzzle, "audit")[:2]))):
        comparison = compare(puzzle, specs, runner=runner, certify=specs in _CERTIFIERS.values())
        verdict = comparison.verdict
        if not comparison.consistent:
            raise InternalError(f"backends contradict each other on {puzzle.text}")
        if verdict.complete and verdict.evidence in _PROVED and verdict.solutions is not None:
            text = verdict.certificate.certificate.text() if verdict.certificate is not None else None
            if text is not None and len(text) > _MAX_CERTIFICATE:
                text = f"sha256 {hashlib.sha256(text.encode()).hexdigest()}"
            return str(verdict.evidence), verdict.solutions, text
    raise InternalError(f"the number of solutions is not proved: {puzzle.text}")

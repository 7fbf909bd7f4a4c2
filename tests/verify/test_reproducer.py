"""The search for the same failure on a smaller puzzle, with a scripted solver: tries, limits of time, and ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from crosslit_generate import Case
from crosslit_verify import Settings, SolverAnswer, SolverFailure, shrinking
from crosslit_verify.clock import CONFIRMATION_SHARE, OutOfTime
from crosslit_verify.failure import Asked, Cause, Observation
from crosslit_verify.judging import Problem
from crosslit_verify.reference import Unanswered
from crosslit_verify.shrinking import TRIES, Reproducer, shrink
from crosslit_verify.trial import SLOWER, Trial

from crosslit import Grid, load
from crosslit.kinds import Puzzle
from tests.verify.scripted import Scripted

BOARD = load("11")  # each of its two solutions is one press
RIGHT = SolverAnswer((Grid.from_text("10"),), False)
WRONG_GRID = SolverAnswer((Grid.from_text("11"),), False)
UNSOLVABLE = SolverAnswer((), True)
CRASH, OTHER_CRASH = SolverFailure("crash", "x"), SolverFailure("crash", "another")
HANG = SolverFailure("hang", "late")
REPLIES = {"r": RIGHT, "g": WRONG_GRID, "u": UNSOLVABLE, "c": CRASH, "o": OTHER_CRASH, "h": HANG}
CRASHES = Cause("crash", "x", "")
UNREPEATABLE = Cause("contradicts-itself", "", "")


class Search:
    """A search whose solver gives these replies in turn, and the last one from then on."""

    def __init__(self, replies: str, cause: Cause, found: str = "c", seconds: float = 100.0, **settings: Any) -> None:
        left = list(replies)
        self.subject = Scripted(lambda *_: REPLIES[left.pop(0) if len(left) > 1 else left[0]])
        self.aside: list[str] = []
        reply = REPLIES[found]
        problem = Problem(cause.group, reply.detail if isinstance(reply, SolverFailure) else "it is wrong")
        self.found = Observation(Asked(Case(BOARD, "family", True), 7, reply), problem)
        self.trial = Trial(Settings(**{"kind": "lights-out", **settings}), self.subject)
        self.search = Reproducer(self.trial, self.found, cause, seconds, lambda other: self.aside.append(said(other)))


def said(found: Observation | None) -> str:
    """The puzzle of an observation, with its problem and detail."""
    return "" if found is None else f"{found.asked.case.puzzle.text} {found.problem.group} {found.problem.detail}"


@pytest.mark.parametrize(
    ("group", "found", "replies", "expected", "again", "aside"),
    [
        ("false-unsolvable", "u", "uu", "false-unsolvable", True, 0),
        ("false-unsolvable", "u", "ru", "contradicts-itself", False, 0),
        ("false-unsolvable", "u", "ur", "contradicts-itself", False, 0),
        ("false-unsolvable", "u", "cu", "false-unsolvable", True, 1),
        ("false-unsolvable", "u", "uc", "false-unsolvable", True, 1),
        ("false-unsolvable", "u", "cc", "false-unsolvable", False, 2),
        ("wrong-solution", "g", "gg", "wrong-solution", True, 0),
        ("wrong-solution", "g", "rg", "wrong-solution", True, 0),
        ("wrong-solution", "g", "gr", "wrong-solution", True, 0),
        ("wrong-solution", "g", "rr", "contradicts-itself", False, 0),
        ("wrong-solution", "g", "cr", "contradicts-itself", False, 1),
        ("wrong-solution", "g", "rc", "wrong-solution", False, 1),
    ],
)
def test_a_wrong_answer_is_confirmed_by_two_more_questions(
    group: str, found: str, replies: str, expected: str, again: bool, aside: int
) -> None:
    given = Search(replies, Cause(group, "", ""), found)
    confirmed = given.search.confirmed(given.found)
    assert (confirmed.problem.group, confirmed.again, confirmed.asked) == (expected, again, given.found.asked)
    assert given.aside == ["11 crash x"] * aside
    assert len(given.subject.asked) == (1 if replies == "ru" else 2)
    if (replies, expected) == ("rr", "contradicts-itself"):
        assert confirmed.problem.detail.startswith("it is wrong; asked again, it gave ")


@pytest.mark.parametrize(
    ("cause", "tries", "replies", "asked", "aside"),
    [
        (CRASHES, 8, "rrc", 3, []),
        (CRASHES, 2, "rc", 2, []),
        (CRASHES, 8, "c", 1, []),
        (CRASHES, 3, "oc", 2, ["11 crash another"]),  # another cause
        (CRASHES, 3, "uc", 2, ["11 false-unsolvable it says unsolvable"]),
        (CRASHES, 1, "rc", -1, []),
        (CRASHES, 8, "r", -8, []),
        (Cause("crash", "x", "without a solution"), 1, "c", -1, ["11 crash x"]),
        (Cause("crash", "x", "with a solution"), 1, "c", 1, []),
        (UNREPEATABLE, 1, "rru", 3, []),  # it takes two answers, so it is always asked often
        (UNREPEATABLE, 1, "rrrrrrru", 8, []),
        (UNREPEATABLE, 1, "rrrrrrrru", -8, []),
        (UNREPEATABLE, 1, "uur", 3, ["11 false-unsolvable it says unsolvable"] * 2),
    ],
)
def test_a_failure_is_seen_if_it_comes_with_one_of_some_tries(
    cause: Cause, tries: int, replies: str, asked: int, aside: list[str]
) -> None:
    given = Search(replies, cause)
    given.search._tries = tries
    seen = given.search.seen(BOARD)
    assert (len(given.subject.asked), seen is not None) == (abs(asked), asked > 0)
    assert [text[: len(expected)] for text, expected in zip(given.aside, aside, strict=True)] == aside
    if seen is not None:
        assert (seen.problem.group, seen.asked.number, seen.asked.case.family) == (cause.group, 7, "family")
        assert (seen.asked.reply, seen.again) == (REPLIES[replies[abs(asked) - 1]], False)


@pytest.mark.parametrize(
    ("puzzle", "settings", "asked"),
    [
        ("11", {}, 1),
        ("11", {"size": "2x2"}, 1),  # the failure that was found has another size itself
        ("11", {"size": "1x2"}, 1),
        ("1", {"size": "1x2"}, 0),
        ("11", {"only": "solvable"}, 1),
        ("10", {"only": "solvable"}, 0),
        ("10", {"only": "unsolvable"}, 1),
        ("11", {"only": "unique"}, 0),
    ],
)
def test_only_puzzles_of_the_settings_are_asked(puzzle: str, settings: dict[str, Any], asked: int) -> None:
    given = Search("c", CRASHES, **settings)
    given.search._tries = 1
    assert (given.search.seen(load(puzzle)) is not None) == bool(asked)
    assert len(given.subject.asked) == asked


def test_processes_left_behind_are_seen_when_the_solver_has_ended() -> None:
    given = Search("r", Cause("orphaned-process", "", ""))
    given.search._tries = 1
    assert given.search.seen(BOARD) is None
    left = SolverFailure("orphaned-process", "one is left")
    given.subject.close = lambda: left  # type: ignore[method-assign]
    assert said(given.search.seen(BOARD)) == "11 orphaned-process one is left"
    other = Search("r", CRASHES)
    other.search._tries = 1
    other.subject.close = lambda: left  # type: ignore[method-assign]
    assert other.search.seen(BOARD) is None


@pytest.mark.parametrize(
    ("replies", "is_seen", "asked", "tries"),
    [
        ("cc", True, 2, 1),
        ("rc", True, 3, TRIES),
        ("cr", True, 2 + TRIES, TRIES),
        ("rrrc", True, 4, TRIES),
        ("r", False, 2 + TRIES, TRIES),
    ],
)
def test_a_failure_that_does_not_always_recur_is_sought_with_more_tries(
    replies: str, is_seen: bool, asked: int, tries: int
) -> None:
    given = Search(replies, CRASHES)
    assert (given.search._seen_often(BOARD) is not None) == is_seen
    assert (len(given.subject.asked), given.search._tries) == (asked, tries)


class Clock:
    """A clock that stands still but for a test."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    made = Clock()
    monkeypatch.setattr(shrinking, "time", made)
    yield made


def test_a_puzzle_is_asked_once_even_when_the_time_is_over(clock: Clock) -> None:
    for replies, is_seen in (("rc", False), ("c", True)):
        given = Search(replies, CRASHES, seconds=5.0)
        clock.now += 5.0
        assert (given.search.seen(BOARD) is not None) == is_seen
        assert len(given.subject.asked) == 1


def test_the_first_of_some_puzzles_that_fails_in_one_try_is_sought_while_there_is_time(clock: Clock) -> None:
    candidates = [
        Asked(Case(load(text), "f", True), number, RIGHT) for number, text in enumerate(["1", "11", "0", "00"])
    ]
    for replies, index in (("rrc", 2), ("c", 0), ("r", None), ("orc", 2)):
        given = Search(replies, CRASHES)
        assert given.search.first(candidates) == (None if index is None else candidates[index])
        assert len(given.subject.asked) == (4 if index is None else index + 1)
    late = Search("c", CRASHES, seconds=5.0)
    clock.now += 5.0
    assert late.search.first(candidates) is None
    assert not late.subject.asked

    def over(*_: object) -> Any:
        raise OutOfTime

    ended = Search("c", CRASHES)
    ended.subject._change = over
    assert ended.search.first(candidates) is None


def test_a_failure_that_does_not_recur_is_not_shrunk() -> None:
    given = Search("r", CRASHES)
    assert list(given.search.smallest(given.found)) == []
    again = Search("c", CRASHES)
    *_, last = again.search.smallest(again.found)
    assert (said(last), last.minimal, last.tried, again.search._tries) == ("0 crash x", True, 1, 1)
    assert len(again.subject.asked) == 3  # two to see it again, and its smallest reduction


def hanging(clock: Clock, needed: float, **given: Any) -> tuple[Search, list[tuple[str, float]]]:
    """A search of a solver that needs some seconds if a light is on; and what it is asked, with its limit of time."""
    made, asked = Search("r", Cause("hang", "", ""), "h", **given), list[tuple[str, float]]()
    made.subject.timeout = 1000.0

    def reply(_number: int, puzzle: Any) -> Any:
        asked.append((puzzle.text, round(made.subject.timeout, 6)))
        seconds = needed if puzzle.lit.count() else 0.0
        clock.now += min(seconds, made.subject.timeout)
        return HANG if seconds > made.subject.timeout else None

    made.subject._change = reply
    return made, asked


def test_a_hang_is_shrunk_with_a_short_limit_and_confirmed_with_a_long_one(clock: Clock) -> None:
    given, asked = hanging(clock, 1e6, seconds=100.0)
    (found,) = given.search.smallest(given.found)
    assert (said(found), found.minimal, found.tried) == ("1 hang late", True, 3)
    assert asked[:3] == [("0", 0.25), ("00", 0.25), ("1", 0.25)]
    assert asked[3:] == [("1", round(CONFIRMATION_SHARE * 99.75, 6))]
    assert (given.subject.closed, given.subject.timeout, given.search._tries) == (1, 1000.0, 1)


def test_half_of_the_time_is_left_for_the_confirmation_of_a_hang(clock: Clock) -> None:
    given = Search("r", Cause("hang", "", ""), "h", seconds=4.0)
    given.subject.timeout, columns, limits = 1000.0, 40, list[float]()

    def reply(_number: int, puzzle: Any) -> Any:  # it hangs if the puzzle is one column smaller
        nonlocal columns
        if puzzle.columns < columns - 1:
            return None
        columns = puzzle.columns
        limits.append(given.subject.timeout)
        clock.now += given.subject.timeout
        return HANG

    given.subject._change = reply
    (found,) = given.search.smallest(given.found.of(load("1" * columns), HANG, given.found.problem))
    assert (limits[:-1], found.minimal) == ([0.25] * 9, False)  # the last of them begins when half is over
    assert limits[-1] == pytest.approx(CONFIRMATION_SHARE * (4.0 - 9 * 0.25))


def test_a_hang_has_ten_times_the_slowest_answer(clock: Clock) -> None:
    given, asked = hanging(clock, 1e6)
    given.trial.slowest = 0.5
    list(given.search.smallest(given.found))
    assert asked[0] == ("0", SLOWER * 0.5)


def test_a_smaller_puzzle_that_is_only_slow_is_no_hang(clock: Clock) -> None:
    given, asked = hanging(clock, 2.0, seconds=100.0)
    (found,) = given.search.smallest(given.found)
    assert (found.asked, found.minimal) == (given.found.asked, True)
    assert [limit for _, limit in asked[:3]] == [0.25] * 3
    assert asked[3] == ("1", round(CONFIRMATION_SHARE * 99.75, 6))
    assert {limit for _, limit in asked[4:]} == {20.0}  # ten times the time that it took


def test_a_hang_for_whose_confirmation_there_is_no_time_is_not_shrunk(clock: Clock) -> None:
    for seconds, number in ((1.0, 1), (0.9, 1), (0.85, 0), (0.0, 0)):
        given, asked = hanging(clock, 1e6, seconds=seconds)
        found = list(given.search.smallest(given.found))
        assert len(found) == number, (seconds, asked)


def unknown(*_: object) -> Any:
    raise Unanswered("too large")


@pytest.mark.parametrize(
    ("other", "is_known", "expected", "aside"),
    [
        (UNSOLVABLE, False, "contradicts-relation", []),
        (UNSOLVABLE, True, "", ["false-unsolvable"]),  # the reply to the related puzzle is the wrong one
        (CRASH, False, "", ["crash"]),
        (None, False, "", []),
    ],
)
def test_a_contradiction_of_related_puzzles_needs_two_answers_that_no_reference_judges(
    other: Any, is_known: bool, expected: str, aside: list[str]
) -> None:
    board = load("1000")
    given = Search("r", Cause("contradicts-relation", "", ""))
    given.subject._change = lambda _, puzzle: other if puzzle != board else None
    if not is_known:
        given.trial.reference = unknown  # type: ignore[method-assign]
    given.search._tries = 1
    seen = given.search.seen(board)
    assert (seen.problem.group if seen else "") == expected
    assert [text.split()[1] for text in given.aside][:1] == aside


def test_the_picture_of_a_puzzle_is_its_first_solution() -> None:
    given = Search("r", CRASHES)
    assert given.search._picture(BOARD) == Grid.from_text("01")
    assert given.search._picture(load("10")) is None
    given.trial.reference = unknown  # type: ignore[method-assign]
    assert given.search._picture(BOARD) is None


@pytest.mark.parametrize(
    ("failing", "asks", "expected", "minimal"),
    [
        (["1/1/1", "111"], 5000, "111", True),  # fewer rows than columns
        (["111", "1/1/1"], 5000, "111", True),
        (["11/00", "10/10"], 5000, "10/10", True),  # or else the smaller text
        (["10/10", "11/00"], 5000, "10/10", True),
        (["1/1/1"], 5000, "1/1/1", True),
        (["1/1/1", "111"], 3, "1/1/1", False),  # a search without time turns nothing
    ],
)
def test_a_smallest_puzzle_is_turned_to_a_normal_form(
    failing: Sequence[str], asks: int, expected: str, minimal: bool
) -> None:
    found = shrink(load(failing[0]), lambda puzzle: puzzle.text in failing, asks=asks)
    assert (found.puzzle.text, found.minimal) == (expected, minimal)


@pytest.mark.parametrize(("asks", "minimal"), [(0, False), (1, False), (4, False), (5, False), (6, True)])
def test_a_search_ends_with_its_last_ask(monkeypatch: pytest.MonkeyPatch, asks: int, minimal: bool) -> None:
    monkeypatch.setattr(shrinking, "kind_of", lambda _: SimpleNamespace(smaller=smaller, exchanged=lambda _: []))
    asked: list[str] = []
    found = shrink(load("11"), fails(asked), asks=asks)
    assert (len(asked), found.asks, found.minimal) == (min(asks, 5), min(asks, 5), minimal)


def smaller(_puzzle: Puzzle, _picture: Grid | None, _square: bool) -> Iterator[Puzzle]:
    yield from map(load, ["0", "00", "1", "10", "01", "0"])


def fails(asked: list[str]) -> Callable[[Puzzle], bool]:
    return lambda puzzle: asked.append(puzzle.text) is not None


@pytest.mark.parametrize(("at_least", "before", "exchanges"), [(4, 2, 4), (0, 5, 5), (5, 5, 5)])
def test_an_exchange_takes_as_many_asks_as_were_needed_before(
    monkeypatch: pytest.MonkeyPatch, at_least: int, before: int, exchanges: int
) -> None:
    several = [load(f"{number:010b}") for number in range(1, 40)]
    kind = SimpleNamespace(
        smaller=lambda puzzle, *_: several[:before] if puzzle.columns == 11 else [], exchanged=lambda _: several[20:]
    )
    monkeypatch.setattr(shrinking, "kind_of", lambda _: kind)
    monkeypatch.setattr(shrinking, "MIN_EXCHANGE_ASKS", at_least)
    asked: list[str] = []
    found = shrink(load("1" * 11), fails(asked))
    assert (found.minimal, asked.count("1" * 11)) == (True, 0)
    assert len([text for text in asked if load(text) in several[20:]]) == exchanges

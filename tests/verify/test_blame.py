"""What removes the failures of a backend, and files of known ones."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from crosslit_verify import Settings, SolverAnswer, SolverFailure, Verification, blame, verify
from crosslit_verify.backend_command import BackendCommand
from crosslit_verify.blame import SECONDS, changes, cures, group, read_baseline, unknown_groups, with_cures
from crosslit_verify.clock import Deadline, OutOfTime
from crosslit_verify.failure import Failure

from crosslit import registry, solve
from crosslit.base.errors import InputError
from crosslit.formats import read
from crosslit.kinds import Puzzle
from tests.conftest import Command

BOARDS = Settings("lights-out")


def blamed(spec: str, board: str) -> Verification:
    """The verification of a backend on one board, with the cures of its failure."""
    puzzle = read(board)
    settings = replace(BOARDS, size=f"{puzzle.rows}x{puzzle.columns}")
    found = verify(backend=spec, kind="lights-out", size=settings.size, cases=100)
    with BackendCommand(spec, settings, puzzles=[puzzle]) as subject:
        return with_cures(found, subject)


def test_a_parameter_replaces_an_option_of_the_same_name() -> None:
    found = dict(changes("scip/xor:presolve=1:param.misc/usesymmetry=5", read("1")))
    assert found["presolve=0"] == "scip/xor:param.misc/usesymmetry=5:presolve=0"
    assert found["misc/usesymmetry=0"] == "scip/xor:presolve=1:param.misc/usesymmetry=0"


def test_the_encoding_of_the_spec_is_not_another_one() -> None:
    found = dict(changes("z3", read("1")))
    assert "encoding sum" in found
    assert "encoding chased" not in found  # the default


def test_an_unknown_backend_has_only_its_options_left_out() -> None:
    assert dict(changes("elsewhere:fast=1", read("1"))) == {"without fast=1": "elsewhere"}


def test_the_option_behind_a_fault_is_named(planted: None) -> None:
    (failure,) = blamed("switched", "00/00").failures
    assert failure.cures == ("presolve=0",)
    assert "  cure     presolve=0\n" in failure.text()
    assert failure.json()["cures"] == ["presolve=0"]
    assert group("switched", failure) == "switched lights-out wrong-unsolvable, cured by presolve=0"


def test_a_failure_that_nothing_removes_is_a_group_by_its_problem() -> None:
    found = verify(lambda _: None, "lights-out", cases=10)
    failure = replace(found.failures[0], cures=())
    assert group("gauss", failure) == "gauss lights-out wrong-unsolvable, cured by no change"
    assert (
        group("gauss:force=1", replace(failure, cures=("first", "last")))
        == "gauss lights-out wrong-unsolvable, cured by first"
    )
    assert "  cure     none of the single changes tried" in failure.text()


def test_failures_with_one_cure_are_counted_together() -> None:
    found = verify(lambda _: None, "lights-out", cases=10)
    twice = replace(found, failures=(replace(found.failures[0], cures=("presolve=0",)),) * 2)
    assert "  presolve=0 removes 2 failures\n" in twice.summary()
    assert "removes" not in replace(twice, failures=twice.failures[:1]).summary()


def test_a_failure_that_does_not_recur_has_no_cure() -> None:
    found = verify(lambda _: None, "lights-out", cases=10)
    with BackendCommand("gauss", BOARDS) as subject:
        assert [failure.cures for failure in with_cures(found, subject).failures] == [None]


def test_an_error_while_cures_are_sought_leaves_the_spec_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    (failure,) = verify(lambda _: None, "lights-out", cases=10).failures
    with BackendCommand("gauss:force=1", BOARDS) as subject:
        replies = [SolverFailure("crash", "")]
        monkeypatch.setattr(subject, "ask", lambda _: replies.pop())
        with pytest.raises(IndexError):
            cures(failure, subject)
        assert subject.spec == "gauss:force=1"


class Changed:
    """A backend that is right with some specs only, and notes what it is asked."""

    def __init__(self, spec: str, right: Sequence[str], late: int = 99) -> None:
        self.spec, self._right, self._late = spec, right, late
        self.asked: list[str] = []
        self.deadlines: list[float] = []

    def ask(self, puzzle: Puzzle) -> SolverAnswer | SolverFailure:
        if len(self.asked) >= self._late:
            raise OutOfTime
        self.asked.append(self.spec)
        if self.spec == "crash":
            return SolverFailure("crash", "x")
        found = solve(puzzle) if self.spec in self._right else None
        return SolverAnswer((found,) if found else (), found is None)

    def end_by(self, deadline: Deadline) -> None:
        self.deadlines.append(deadline.left)


@pytest.fixture
def failure(monkeypatch: pytest.MonkeyPatch) -> Failure:
    listed = ["one", "crash", "two", "three"]
    monkeypatch.setattr(blame, "changes", lambda *_: ((f"change {spec}", spec) for spec in listed))
    (found,) = verify(lambda _: None, "lights-out", cases=10).failures
    return found


@pytest.mark.parametrize(
    ("right", "late", "expected", "asked"),
    [
        ([], 99, (), ["bad", "one", "crash", "two", "three"]),
        (["two", "one"], 99, ("change one", "change two"), ["bad", "one", "crash", "two", "three"]),
        (["three"], 99, ("change three",), ["bad", "one", "crash", "two", "three"]),
        (["bad", "one"], 99, None, ["bad"]),  # it does not recur
        (["one", "two"], 3, ("change one",), ["bad", "one", "crash"]),  # those before the end of the time
    ],
)
def test_the_cures_of_a_failure_are_the_single_changes_after_which_the_answer_is_right(
    failure: Failure, right: list[str], late: int, expected: tuple[str, ...] | None, asked: list[str]
) -> None:
    subject: Any = Changed("bad", right, late)
    assert cures(failure, subject) == expected
    assert (subject.asked, subject.spec) == (asked, "bad")
    assert [0.9 * SECONDS < left <= SECONDS for left in subject.deadlines] == [True]


def test_a_failure_without_a_reference_has_no_cures(failure: Failure) -> None:
    subject: Any = Changed("bad", ["one"])
    assert cures(replace(failure, reference=None), subject) is None
    assert not subject.asked


def test_the_changes_of_a_spec_are_its_switches_then_its_options_then_other_encodings() -> None:
    board = read("1")
    found = list(changes("scip/xor:presolve=0:presolpairwise=1", board))
    kinds = [words.split()[0] for words, _ in found]
    assert [kind for kind, _ in itertools.groupby(kinds) if kind in ("without", "encoding")] == ["without", "encoding"]
    words = dict(found)
    assert "presolve=0" not in words  # it is set already
    assert words["without presolve=0"] == "scip/xor:presolpairwise=1"
    assert words["without presolpairwise=1"] == "scip/xor:presolve=0"
    encodings = {encoding.name for encoding in registry.all_encodings().values() if encoding.kind == board.kind}
    assert {name.removeprefix("encoding ") for name in words if name.startswith("encoding")} <= encodings - {"xor"}
    assert all(spec.endswith(":presolve=0:presolpairwise=1") for text, spec in found if text.startswith("encoding"))


@pytest.mark.parametrize(
    ("known", "groups", "new", "lines"),
    [
        (["# x"], {"a": ""}, ["a"], ["# x", "a"]),
        (["# x", "a"], {"a": ""}, [], ["# x", "a"]),
        (["# x", "a (last seen: 1)"], {"a": ""}, [], ["# x", "a"]),
        (["# x", "a (last seen: 1)", "b"], {"a": "2"}, [], ["# x", "a (last seen: 2)", "b"]),
        (["# x", "b"], {"c": "2", "a": ""}, ["c", "a"], ["# x", "b", "c (last seen: 2)", "a"]),
        ([], {}, [], []),
    ],
)
def test_a_baseline_keeps_its_lines_and_the_last_version(
    known: list[str], groups: dict[str, str], new: list[str], lines: list[str]
) -> None:
    found, data = unknown_groups(known, groups)
    assert (found, data.decode().splitlines()) == (new, lines)
    assert data.endswith(b"\n") or not lines


@pytest.mark.parametrize(
    ("known", "group", "is_covered"),
    [
        ("z fails with a, cured by x=1", "z fails with a + b, cured by x=1", True),
        ("z fails with a + c, cured by x=1", "z fails with a + b + c, cured by x=1", True),
        ("z fails with a + b, cured by x=1", "z fails with a, cured by x=1", False),  # fewer techniques
        ("z fails with a, cured by x=1", "z fails with ab, cured by x=1", False),  # other techniques
        ("z fails with a, cured by x=1", "z fails with a + b, cured by x=2", False),  # another cure
        ("z fails with a, cured by x=1", "z crash with a + b, cured by x=1", False),  # another problem
        ("z fails with a, cured by x=1", "y fails with a + b, cured by x=1", False),  # another engine
        ("z fails with no technique, cured by x=1", "z fails with a, cured by x=1", False),
        ("z fails with a, cured by no option", "z fails with a + b, cured by no option", False),
        ("z lights-out fails, cured by no change", "z lights-out fails, cured by x=1", False),
    ],
)
def test_a_known_group_covers_those_with_its_cure_and_more_techniques(known: str, group: str, is_covered: bool) -> None:
    new, data = unknown_groups([known], {group: "one 2"})
    seen = f"{known} (last seen: one 2)"
    lines = [seen] if is_covered else [known, f"{group} (last seen: one 2)"]
    assert (new, data.decode().splitlines()) == ([] if is_covered else [group], lines)


def test_new_groups_are_added_to_the_known_ones(tmp_path: Path) -> None:
    path = tmp_path / "known.txt"
    new, data = unknown_groups(read_baseline(str(path)), {"a": "", "b": "one 1.0"})
    assert new == ["a", "b"]
    path.write_bytes(data)
    new, data = unknown_groups(read_baseline(str(path)), {"b": "one 1.1", "c": ""})
    assert (new, data.decode().splitlines()[1:]) == (["c"], ["a", "b (last seen: one 1.1)", "c"])


def test_only_a_new_group_is_a_failure(crosslit: Command, tmp_path: Path) -> None:
    words = [
        "verify",
        "--backend",
        "no-no",
        "--solver",
        "no-no=sh -c 'echo s UNSATISFIABLE' {cnf}",
        "0",
        "--cases",
        "1",
    ]
    done = crosslit(*words, "--baseline", "known.txt", cwd=tmp_path)
    assert (
        done.returncode,
        "  new in known.txt: no-no lights-out wrong-unsolvable, cured by no change" in done.stdout,
    ) == (1, True)
    done = crosslit(*words, "--baseline", "known.txt", "--junit", "x.xml", cwd=tmp_path)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "  new in known.txt: none")
    assert "\nknown: 1 " in done.stdout
    junit = (tmp_path / "x.xml").read_text(encoding="utf-8")
    assert ('failures="0"' in junit, "<system-out>known: 1 " in junit) == (True, True)
    assert 'name="wrong-unsolvable"><skipped message="known: in known.txt"' in junit


def test_a_command_has_nothing_to_blame(crosslit: Command) -> None:
    done = crosslit("verify", "--kind", "lights-out", "--blame", "--", "cat")
    assert (done.returncode, "need --backend" in done.stderr) == (2, True)


def test_a_baseline_that_is_no_text_is_refused_before_any_puzzle(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\x95\xff")
    with pytest.raises(InputError, match="expected lines of text"):
        read_baseline(str(tmp_path / "binary"))
    with pytest.raises(InputError, match="No such file or directory"):  # where it cannot be written
        read_baseline(str(tmp_path / "missing" / "known.txt"))

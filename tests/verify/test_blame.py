"""What removes the failures of a backend, and files of known ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from crosslit_verify import Settings, SolverFailure, Verification, verify
from crosslit_verify.backend_command import BackendCommand
from crosslit_verify.blame import changes, cures, group, read_baseline, unknown_groups, with_cures

from crosslit.base.errors import InputError
from crosslit.formats import read
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


def test_new_groups_are_added_to_the_known_ones(tmp_path: Path) -> None:
    path = tmp_path / "known.txt"
    new, data = unknown_groups(read_baseline(str(path)), {"a": "", "b": "one 1.0"})
    assert new == ["a", "b"]
    path.write_bytes(data)
    new, data = unknown_groups(read_baseline(str(path)), {"b": "one 1.1", "c": ""})
    assert (new, data.decode().splitlines()[1:]) == (["c"], ["a", "b (last seen: one 1.1)", "c"])


def test_only_a_new_group_is_a_failure(crosslit: Command, tmp_path: Path) -> None:
    words = ["verify", "--backend", "no-no", "--solver", "no-no=sh -c 'echo s UNSATISFIABLE' {cnf}", "0"]
    done = crosslit(*words, "--baseline", "known.txt", cwd=tmp_path)
    assert (
        done.returncode,
        "  new in known.txt: no-no lights-out wrong-unsolvable, cured by no change" in done.stdout,
    ) == (1, True)
    done = crosslit(*words, "--baseline", "known.txt", cwd=tmp_path)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "  new in known.txt: none")


def test_a_command_has_nothing_to_blame(crosslit: Command) -> None:
    done = crosslit("verify", "--kind", "lights-out", "--blame", "--", "cat")
    assert (done.returncode, "need --backend" in done.stderr) == (2, True)


def test_a_baseline_that_is_no_text_is_refused_before_any_puzzle(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\x95\xff")
    with pytest.raises(InputError, match="expected lines of text"):
        read_baseline(str(tmp_path / "binary"))

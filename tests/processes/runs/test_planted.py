"""Every broken backend is caught and named, and none of them takes an honest one with it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import Command

BOARD = "1111/1111/1111/1111"  # 16 solutions


def compare(crosslit: Command, environment: dict[str, str], puzzle: str, name: str, *options: str) -> dict[str, Any]:
    """A broken backend with two correct ones, all solutions."""
    native = "line" if "," in puzzle else "gauss"
    arguments = ["compare", puzzle, "--backends", f"{name},{native},minisat22", "--all", "--json", *options]
    done = crosslit(*arguments, env=environment)
    assert not done.stderr
    comparison: dict[str, Any] = json.loads(done.stdout)
    assert (done.returncode == 1) == bool(comparison["findings"])
    assert comparison["consistent"] == (not comparison["findings"])
    honest = [run for run in comparison["runs"] if run["backend"] != name]
    assert all(run["status"] == "complete" for run in honest)
    assert all(finding["backend"] == name for finding in comparison["findings"])
    assert comparison["verdict"]["complete"]
    assert comparison["verdict"]["evidence"] == "agreed"
    discredited = {finding["problem"] for finding in comparison["findings"]} - {
        "stray-output",
        "timing",
        "orphaned-process",
    }
    assert not (discredited and name in comparison["verdict"]["by"])
    return comparison


COMPLETE = ("complete", "")


@pytest.mark.parametrize(
    ("name", "problems", "status", "error"),
    [
        ("wrong-grid", ["wrong-solution", "missing-solution"], *COMPLETE),
        ("crashes", ["error"], "error", "killed by SIGSEGV"),
        ("leaves", ["error"], "error", "exit status 0"),
        ("raises", ["error"], "error", "KeyError: 'no such clue' (planted_backends.py:"),
        ("yields-rubbish", ["error"], "error", "it yielded str where a Grid is expected"),
        ("prints-rubbish", ["stray-output"], *COMPLETE),
        (
            "floods-descriptors",
            ["wrong-solution", "duplicate-solution", "error"],
            "error",
            "it wrote 96 bytes where 32 ",
        ),
        ("nan-time", ["error"], "error", "it left in its task seconds ["),
        pytest.param("hides-time", ["timing"], *COMPLETE, marks=pytest.mark.slow),
        ("invents-time", ["timing"], *COMPLETE),
        ("gives-up", [], "gave-up", "the budget is spent"),
        ("cannot-import", [], "unsupported", "cannot be imported: libengine.so is missing"),
        ("tells-strange-stats", [], *COMPLETE),
        ("version-raises", [], "unsupported", "its version() raised ZeroDivisionError: "),
        ("refuses-exits", [], "unsupported", "its unsupported_reason() raised SystemExit: 3"),
        pytest.param("prints-without-end", ["error", "stray-output"], "error", "OSError: ", marks=pytest.mark.slow),
    ],
)
def test_the_guilty_one_is_named(
    crosslit: Command, planted_environment: dict[str, str], name: str, problems: list[str], status: str, error: str
) -> None:
    comparison = compare(crosslit, planted_environment, BOARD, name)
    assert [finding["problem"] for finding in comparison["findings"]] == problems
    assert comparison["verdict"]["solutions"] == 16
    run = comparison["runs"][0]
    assert (run["status"], (run["error"] or "")[: len(error)]) == (status, error)
    if name in ("crashes", "leaves", "raises", "gives-up"):
        assert run["solutions"] == 1  # it keeps those that came before
    if name == "tells-strange-stats":
        assert run["stats"] == {"many": "1" + "0" * 5000, "endless": "inf", "(1, 2)": "[3]"}


@pytest.mark.parametrize(
    ("name", "status", "solutions"),
    [
        ("deaf-hang", "timeout", 0),
        ("fills-an-orphan", "memory", 0),
    ],
)
def test_a_run_beyond_its_limits_is_ended(
    crosslit: Command, planted_environment: dict[str, str], name: str, status: str, solutions: int
) -> None:
    seconds = "2" if status == "timeout" else "60"
    comparison = compare(crosslit, planted_environment, BOARD, name, "--timeout", seconds, "--memory", "300")
    run = comparison["runs"][0]
    assert (run["status"], run["solutions"], comparison["findings"]) == (status, solutions, [])
    assert run["seconds"]["wall"] < 50  # without limits it takes a quarter of an hour
    if status == "timeout":
        assert run["seconds"]["wall"] >= 2
        assert 1 < run["seconds"]["solve"] <= run["seconds"]["wall"]
    else:
        assert 300 <= run["memory_mb"] < 3000

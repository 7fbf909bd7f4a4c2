"""The checks of a backend at its registration: its attributes, its methods and their parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crosslit import registry
from crosslit.contract import Backend, all_questions
from crosslit.kinds import plugins
from crosslit.registry import promises
from crosslit.registry.promises import find_problem


def breach(**attributes: Any) -> str:
    """What is wrong with a backend that has these attributes and methods; the methods take no self."""
    members = {name: staticmethod(value) if callable(value) else value for name, value in attributes.items()}
    name, problem = find_problem(type("Stub", (Backend,), {"name": "stub", "summary": "a stub", **members})())
    assert name == "stub"
    return problem.removeprefix(": this backend ")


def answer(self: Any, puzzle: Any, task: Any) -> Any: ...
def more(self: Any, puzzle: Any, task: Any, other: int = 0, *rest: Any, last: int = 0, **others: Any) -> Any: ...
def anything(*arguments: str) -> Any: ...


@pytest.mark.parametrize("method", [answer, more, anything, max])
def test_a_signature_that_suits(method: Callable[..., Any]) -> None:
    assert breach(solutions=method) == ""


def short(self: Any, puzzle: Any) -> Any: ...
def long(self: Any, puzzle: Any, task: Any, other: Any) -> Any: ...
def keyword(self: Any, puzzle: Any, *, task: Any) -> Any: ...
def extra(self: Any, puzzle: Any, task: Any, *, other: Any) -> Any: ...


@pytest.mark.parametrize("method", [short, long, keyword, extra])
@pytest.mark.parametrize("name", all_questions())
def test_a_signature_that_does_not_suit(name: str, method: Callable[..., Any]) -> None:
    expected = f"where {name}(self, puzzle, task) is expected"
    assert breach(**{name: method}).startswith(f"has {name}(self")
    assert breach(**{name: method}).endswith(expected)


@pytest.mark.parametrize("name", ["certify", "version", "batches", "unsupported_reason"])
def test_other_methods_are_compared_too(name: str) -> None:
    assert f"where {name}(self" in breach(solutions=answer, **{name: lambda self, one, other, third, fourth: None})


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("solution", "did you mean `solutions`?"),
        ("Solutions", "did you mean `solutions`?"),
        ("cuont", "did you mean `count`?"),
        ("answer", "its method would be one of solutions, fewest, count, backbone, reveal, mus"),
        ("_solutions", "its method would be one of solutions, fewest, count, backbone, reveal, mus"),
    ],
)
def test_a_backend_without_a_question(name: str, hint: str) -> None:
    assert breach(**{name: answer}) == f"answers no question; {hint}"


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("summary", None, "has summary = None where str is expected"),
        ("kinds", frozenset({1}), "has kinds = frozenset({1}) where Set of str is expected"),
        ("preload", ["os"], "has preload = ['os'] where tuple is expected"),
        ("solutions", (), "answers no question; its method would be one of solutions"),
    ],
)
def test_an_attribute_of_the_wrong_type(name: str, value: Any, expected: str) -> None:
    assert breach(**{name: value}).startswith(expected)


def test_every_registered_backend_suits() -> None:
    for name, backend in registry.all_backends().items():
        assert find_problem(backend) == (name, "")


def test_one_that_cannot_be_checked_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(found: Any) -> str:
        if found.name == "gauss":
            raise ZeroDivisionError("no attribute")
        return ""

    monkeypatch.setattr(promises, "_find_breach", fail)
    monkeypatch.setattr(plugins, "is_own", lambda point: False)
    monkeypatch.setattr(plugins, "FAILURES", {})
    found = registry.specs.all_backends.__wrapped__()
    assert isinstance(found["gauss"], promises.Broken)
    assert found["gauss"].reason.endswith("this backend cannot be checked: ZeroDivisionError: no attribute")
    assert not isinstance(found["chase"], promises.Broken)

"""The checks of a backend at its registration: its methods and their parameters."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from crosslit import Grid, LightsOut, Nonogram, registry
from crosslit.contract import Task, all_questions
from crosslit.kinds import plugins
from crosslit.registry import promises
from crosslit.registry.promises import find_breach, lacks

if TYPE_CHECKING:
    from nowhere import Unknown  # type: ignore[import-not-found]


def backend(**methods: Any) -> object:
    """A backend with these methods, which take no self."""
    return type("Stub", (), {name: staticmethod(method) for name, method in methods.items()})()


def answer(puzzle: Any, task: Any) -> Any: ...
def kind(puzzle: LightsOut | Nonogram, task: Task) -> Generator[Grid, None, None]: ...  # type: ignore[empty-body]
def iterates(puzzle: object, task: Task) -> Iterator[Grid]: ...  # type: ignore[empty-body]
def unknown(puzzle: Unknown, task: Unknown) -> Unknown: ...
def more(puzzle: Any, task: Any, other: int = 0, *rest: Any, last: int = 0, **others: Any) -> Any: ...
def anything(*arguments: str) -> Any: ...
def count(puzzle: Nonogram, task: Task) -> int: ...  # type: ignore[empty-body]
def certify(puzzle: Any, task: Task, solutions: list[Grid]) -> Any: ...
def unsupported_reason(puzzle: Any, options: dict[str, Any]) -> str: ...  # type: ignore[empty-body]


@pytest.mark.parametrize("method", [answer, kind, iterates, unknown, more, anything, lambda *_: None, max])
def test_a_signature_that_suits(method: Callable[..., Any]) -> None:
    assert find_breach(backend(solutions=method)) == ""


def test_annotations_that_say_less_or_more_suit() -> None:
    assert (
        find_breach(backend(count=count, certify=certify, unsupported_reason=unsupported_reason, version=lambda: ""))
        == ""
    )


def short(puzzle: Any) -> Any: ...
def long(puzzle: Any, task: Any, other: Any) -> Any: ...
def keyword(puzzle: Any, *, task: Any) -> Any: ...
def extra(puzzle: Any, task: Any, *, other: Any) -> Any: ...
def text(puzzle: str, task: Any) -> Any: ...
def texts(puzzle: str | list[str], task: Any) -> Any: ...
def options(puzzle: Any, task: dict[str, int]) -> Any: ...
def lists(puzzle: Any, task: Any) -> list[Grid]: ...  # type: ignore[empty-body]
def nothing(puzzle: Any, task: Any) -> None: ...


@pytest.mark.parametrize("method", [short, long, keyword, extra, text, texts, options, lists, nothing])
@pytest.mark.parametrize("name", all_questions())
def test_a_signature_that_does_not_suit(name: str, method: Callable[..., Any]) -> None:
    assert find_breach(backend(**{name: method})).startswith(f"has {name}(puzzle: ")
    assert find_breach(
        backend(solutions=answer, **{name: method}) if name != "solutions" else backend(solutions=method)
    )


def test_a_count_that_is_a_text_or_yields_is_none() -> None:
    def counts(puzzle: Any, task: Task) -> str: ...  # type: ignore[empty-body]

    expected = "where count(puzzle: Any, task: Task) -> int is expected"
    assert find_breach(backend(count=counts)) == f"has count(puzzle: Any, task: Task) -> str {expected}"
    assert find_breach(backend(count=iterates)).endswith(expected)


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("certify", answer),
        ("certify", lambda puzzle, task, solutions, more: None),
        ("batches", lists),
        ("version", lambda engine: "1"),
        ("unsupported_reason", lambda puzzle: None),
    ],
)
def test_other_methods_are_compared_too(name: str, method: Callable[..., Any]) -> None:
    assert f"where {name}(" in find_breach(backend(solutions=answer, **{name: method}))


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
    assert find_breach(backend(**{name: answer})) == f"answers no question; {hint}"


def test_a_question_that_is_no_method() -> None:
    class Constant:
        solutions: Sequence[Grid] = ()

    assert find_breach(Constant()) == "has solutions = () where a method is expected"


def test_every_registered_backend_suits() -> None:
    for found in registry.all_backends().values():
        assert not lacks(found)
        assert not find_breach(found)


def test_one_that_cannot_be_checked_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(found: Any) -> str:
        if found.name == "gauss":
            raise ZeroDivisionError("no attribute")
        return ""

    monkeypatch.setattr(promises, "find_breach", fail)
    monkeypatch.setattr(plugins, "is_own", lambda point: False)
    monkeypatch.setattr(plugins, "FAILURES", {})
    found = registry.specs.all_backends.__wrapped__()
    assert isinstance(found["gauss"], promises.Broken)
    assert found["gauss"].reason.endswith("this backend cannot be checked: ZeroDivisionError: no attribute")
    assert not isinstance(found["chase"], promises.Broken)

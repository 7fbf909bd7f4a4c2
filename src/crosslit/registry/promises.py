"""Checks that a registered backend keeps the contract, and a substitute for one that does not.

Without them a wrong signature would show as a `TypeError` in every run, and a misspelt method not at all.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import Any, ClassVar

from crosslit.contract import AnswersBatches, Backend, Certifies, Option, Options, all_questions
from crosslit.contract import backend as contract_of_backends
from crosslit.errors import Unavailable
from crosslit.kinds import Puzzle

_Classes = set[type] | None

# required attributes and their types: a list in place of a tuple would fail far from here
_PROMISED: Mapping[str, Any] = {
    "name": str,
    "summary": str,
    "kinds": Set,
    "targets": Set,
    "groups": Set,
    "trusted_base": Set,
    "options": Mapping,
    "preload": tuple,
    "version": Callable,
    "unsupported_reason": Callable,
}


@functools.cache
def _protocols() -> Mapping[str, Any]:
    """Return the protocol of every method that a backend must or may have."""
    questions = {question.name: question.protocol for question in all_questions().values()}
    return {
        "version": Backend,
        "unsupported_reason": Backend,
        "batches": AnswersBatches,
        "certify": Certifies,
        **questions,
    }


def lacks(backend: object) -> str:
    """Return the attributes of a backend that an object lacks, in words; empty if there are none.

    Examples:
        >>> lacks(object())
        'name, summary, kinds, targets, groups, trusted_base, options, preload, version, unsupported_reason'
    """
    found = []
    for name, kind in _PROMISED.items():
        try:
            value = getattr(backend, name)
        except Exception:
            found.append(name)
            continue
        words = isinstance(value, Set | tuple) and not all(isinstance(word, str) for word in value)
        if words or not isinstance(value, kind):
            found.append(f"{name} (it has {value!r:.40})")
    return ", ".join(found)


def find_breach(backend: object) -> str:
    """Return what is wrong with a backend's methods, to follow the words "this backend"; empty if they are right.

    Examples:
        >>> class Misspelt:
        ...     def solution(self, puzzle, task): ...
        >>> find_breach(Misspelt())
        'answers no question; did you mean `solutions`?'
        >>> class Wrong:
        ...     def count(self, puzzle: str) -> str: ...
        >>> find_breach(Wrong())
        'has count(puzzle: str) -> str where count(puzzle: Any, task: Task) -> int is expected'
    """
    methods = {name: method for name in _protocols() if (method := getattr(backend, name, None)) is not None}
    for name, method in methods.items():
        if not callable(method):
            return f"has {name} = {method!r:.40} where a method is expected"
        # A bound method has its function there, which is the same for all instances, so its check is cached.
        function = getattr(method, "__func__", method)
        if not _is_compatible(function, function is not method, name):
            expected = inspect.signature(getattr(_protocols()[name], name))
            shown = (_shown(name, inspect.signature(method)), _shown(name, expected).replace("(self, ", "("))
            return f"has {shown[0]} where {shown[1].replace('(self)', '()')} is expected"
    if methods.keys().isdisjoint(all_questions()):
        return f"answers no question; {_suggest_question(backend)}"
    return ""


def find_problem(backend: Any) -> tuple[str, str]:
    """Return the name of a backend, and how it breaks the contract; empty if it does not."""
    lacking = lacks(backend)
    if lacking:
        return ("" if lacking.startswith("name") else backend.name), f" lacks {lacking}"
    try:
        breach = find_breach(backend)
    except Exception as error:  # from an attribute that is a property
        breach = f"cannot be checked: {type(error).__name__}: {error}"
    return backend.name, f": this backend {breach}" if breach else ""


def _suggest_question(backend: object) -> str:
    own = [name for name in dir(backend) if not name.startswith("_") and name not in _PROMISED]
    questions = list(all_questions())
    close = dict.fromkeys(found for name in own for found in difflib.get_close_matches(name.lower(), questions, 1))
    if close:
        return f"did you mean {' or '.join(f'`{name}`' for name in close)}?"
    return f"its method would be one of {', '.join(questions)}"


def _shown(name: str, signature: inspect.Signature) -> str:
    return f"{name}{signature}".replace("'", "")  # the quotes of annotations given as text


@functools.cache  # backends of one class share their functions
def _is_compatible(function: Callable[..., Any], bound: bool, name: str) -> bool:
    """Return whether a method accepts its protocol's arguments, and no annotation contradicts the protocol's."""
    promised, answer = _expected(name)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # unknown for some compiled functions
        return True
    try:  # by position, as Crosslit calls it; each argument is the name of the promised parameter
        given = signature.bind(*(["self"] if bound else []), *promised).arguments
    except TypeError:
        return False
    names = getattr(function, "__globals__", {})
    pairs = [(signature.return_annotation, answer)]
    for own, value in given.items():
        if isinstance(value, str) and value in promised:  # not self, nor the values of *args
            pairs.append((signature.parameters[own].annotation, promised[value]))
    return not any(_contradict(_classes(annotation, names), classes) for annotation, classes in pairs)


@functools.cache
def _expected(name: str) -> tuple[dict[str, _Classes], _Classes]:
    """Return the classes that a protocol declares for a method's arguments and for its result."""
    signature = inspect.signature(getattr(_protocols()[name], name))
    names = vars(contract_of_backends)
    parameters = list(signature.parameters.items())[1:]
    promised = {key: _classes(parameter.annotation, names) for key, parameter in parameters}
    return promised, _classes(signature.return_annotation, names)


def _classes(annotation: Any, names: dict[str, Any]) -> _Classes:
    """Return the classes that an annotation stands for; None if they are unclear."""
    if isinstance(annotation, str):
        try:
            annotation = eval(annotation, names)
        except Exception:  # it may exist for type checkers only
            return None
    if annotation is None:
        return {type(None)}
    if annotation is inspect.Signature.empty:
        return None
    parts = typing.get_args(annotation) if isinstance(annotation, types.UnionType) else (annotation,)
    classes = {typing.get_origin(part) or part for part in parts}
    return classes if all(isinstance(part, type) for part in classes) else None


def _contradict(given: _Classes, promised: _Classes) -> bool:
    """Return whether no class of one is related to any of the other; only built-in classes are compared.

    The protocols declare a puzzle as `Any`, because a backend may support only one kind; but no kind is a built-in
    class.
    """
    if given is None or object in given:
        return False
    if promised is None:
        return all(one.__module__ == "builtins" for one in given)
    return not any(
        "builtins" not in (one.__module__, other.__module__) or issubclass(one, other) or issubclass(other, one)
        for one in given
        for other in promised
    )


@dataclass(frozen=True)
class Broken:
    """A substitute for an entry point that could not be loaded, listed with the reason."""

    name: str
    reason: str

    summary: ClassVar[str] = "could not be loaded"
    kinds: ClassVar[frozenset[str]] = frozenset()
    targets: ClassVar[frozenset[str]] = frozenset()
    groups: ClassVar[frozenset[str]] = frozenset()
    trusted_base: ClassVar[frozenset[str]] = frozenset()
    options: ClassVar[Mapping[str, Option]] = {}
    preload: ClassVar[tuple[str, ...]] = ()

    def version(self) -> str:
        """Raise `Unavailable` with the reason."""
        raise Unavailable(self.reason)

    def unsupported_reason(self, puzzle: Puzzle, options: Options) -> str | None:  # noqa: ARG002
        """Return the reason."""
        return self.reason

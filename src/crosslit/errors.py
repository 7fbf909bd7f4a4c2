"""What callers may catch."""

from __future__ import annotations


def wrong_type(expected: str, given: object) -> TypeError:
    """Return the error for an argument of a wrong type: one line with what was expected, and what was given.

    Examples:
        >>> wrong_type("a number of seconds", "5 s")
        TypeError("expected a number of seconds, found str '5 s'")
    """
    return TypeError(f"expected {expected}, found {type(given).__name__} {' '.join(repr(given).split()):.40}")


class CrosslitError(Exception):
    """Base of all errors that Crosslit raises for its user."""


class InputError(CrosslitError, ValueError):
    """Bad input: its message is one line that names the origin, the line if there is one, and what was expected."""

    def __init__(self, origin: str, problem: str, line: int | None = None) -> None:
        place = origin if line is None else f"{origin}:{line}"
        super().__init__(f"{place}: {problem}")

    def with_advice(self, advice: str) -> InputError:
        """Return the same error, with advice at the end of its message."""
        error = InputError.__new__(InputError)
        ValueError.__init__(error, f"{self} {advice}")
        return error


class SpecError(CrosslitError, ValueError):
    """A backend specification that cannot be read, or names what does not exist."""


class Unavailable(CrosslitError):
    """A backend cannot run here; the message says what is missing and how to get it."""


class GaveUp(CrosslitError):
    """A search stopped without the claim that there are no more solutions; the message says why."""


class ContractError(CrosslitError):
    """A backend broke its contract, for example by yielding something that is not a grid of the puzzle's shape."""


class WrongSolution(CrosslitError):
    """A backend gave a grid that breaks the rules of the puzzle."""


class CertificateRejected(CrosslitError):
    """A certificate does not prove its claim about a puzzle; the message says why."""


class UnreadableModel(CrosslitError, ValueError):
    """What a solver wrote is no answer about a formula; the message says why, as a sentence about the solver."""


def install_hint(extra: str) -> str:
    """Return the command that installs the packages of an extra.

    It names the packages, not ``crosslit[extra]``: while Crosslit is on no index, pip would not find that.

    Examples:
        >>> install_hint("plot")
        "pip install 'pillow>=10.3'"
    """
    import re
    import shlex
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires("crosslit") or []
    except PackageNotFoundError:  # run from its sources
        lines = []
    pattern = re.compile(rf"([^;\s]+)\s*;.*\bextra == ['\"]{re.escape(extra)}['\"]")
    packages = [found[1] for line in lines if (found := pattern.match(line))]
    return shlex.join(["pip", "install", *(packages or [f".[{extra}]"])])

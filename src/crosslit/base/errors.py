"""The exceptions that callers may catch."""

from __future__ import annotations


def wrong_type(expected: str, given: object) -> TypeError:
    """Return the TypeError for an argument of a wrong type: one line with the expected type and the value."""
    return TypeError(f"expected {expected}, found {type(given).__name__} {' '.join(repr(given).split()):.40}")


class CrosslitError(Exception):
    """Base class of all errors that Crosslit raises for its user."""


class InputError(CrosslitError, ValueError):
    """Bad input; the message is one line with the origin, the line number if there is one, and the expected form."""

    def __init__(self, origin: str, problem: str, line: int | None = None) -> None:
        super().__init__(f"{origin or 'an empty name'}: {problem}" if line is None else f"{origin}:{line}: {problem}")

    def with_advice(self, advice: str) -> InputError:
        """Append advice to the message, and return the error."""
        self.args = (f"{self} {advice}",)
        return self


class SpecError(CrosslitError, ValueError):
    """A backend specification that cannot be parsed, or names a backend, encoding or option that does not exist."""


class NoBackend(SpecError):
    """A question that no backend of a kind of puzzle answers."""


class Unavailable(CrosslitError):
    """A backend that cannot run here; the message says which package or program is missing and how to install it."""


class UnenforcedLimit(UserWarning):
    """A warning that a limit has no effect on this system."""


class GaveUp(CrosslitError):
    """A search that stopped without claiming that there are no more solutions; the message says why."""


class OneFound(GaveUp):
    """The end of a search that gives one solution, and does not say whether there are more."""


class ContractError(CrosslitError):
    """A broken contract of a backend, such as a yielded object that is not a grid of the puzzle's shape."""


class WrongSolution(CrosslitError):
    """A grid from a backend that breaks the rules of the puzzle."""


class CertificateRejected(CrosslitError):
    """A certificate that does not prove its claim about a puzzle; the message says why."""


class UnreadableModel(CrosslitError, ValueError):
    """Output of a solver that is not an answer about a formula; the message is a sentence about the solver."""


class InternalError(Exception):
    """A bug of Crosslit that it has noticed itself: no backend and no solver is to blame. The message says where."""


def install_hint(extra: str) -> str:
    """Return the command that installs the packages of an extra, or that they have no wheel for this Python."""
    import re
    import shlex
    import sys
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires("crosslit") or []
    except PackageNotFoundError:  # run from its sources
        lines = []
    lines = [line for line in lines if re.search(rf"\bextra == ['\"]{re.escape(extra)}['\"]", line)]
    limit = re.search(r"python_version < ['\"]3\.(\d+)", " ".join(lines))
    if limit and sys.version_info.minor >= int(limit[1]):
        return f"it has no wheel for Python 3.{sys.version_info.minor}"
    packages = [re.split(r"[;\s]", line)[0] for line in lines]  # which pip finds while Crosslit is on no index
    return shlex.join(["pip", "install", *(packages or [f".[{extra}]"])])

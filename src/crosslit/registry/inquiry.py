"""Questions to a backend or encoding about itself: its version, and why it does not support a puzzle.

The answers are needed before any run, for lists of all backends and by every command that chooses. A plugin that raises
an error is left out with the reason. It is not isolated: a plugin is code that its user has chosen to run.
"""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import NamedTuple

from crosslit.base.errors import Unavailable
from crosslit.contract import Backend, Encoding, Options
from crosslit.kinds import Puzzle

MAX_CHARACTERS, MAX_VERSION = 2000, 200  # maximum lengths of an answer and of a version


class Reply(NamedTuple):
    """A reply of a backend or encoding."""

    text: str = ""  # the answer; empty if there is none, or nothing to say
    problem: str = ""  # why there is no answer; otherwise empty


def version(backend: Backend) -> Reply:
    """Return the version of a backend's engine; if it cannot run here, ``problem`` says why."""
    reply = _answer(backend, "version")
    return reply._replace(text=reply.text[:MAX_VERSION])


def refusal(plugin: Backend | Encoding, puzzle: Puzzle, *options: Options) -> Reply:
    """Return why a backend or encoding does not support a puzzle; if it does not answer, ``problem`` says why."""
    return _answer(plugin, "unsupported_reason", puzzle, *options)


def hard_reason(encoding: Encoding, puzzle: Puzzle) -> Reply:
    """Return why search by an encoding may take long, if that is known; otherwise as `refusal`."""
    return _answer(encoding, "hard_reason", puzzle) if encoding.hard_reason else Reply()


def _answer(plugin: object, name: str, *arguments: object) -> Reply:
    try:
        # Standard output belongs to the command: a line there would precede its JSON.
        with redirect_stdout(sys.stderr):
            answer = getattr(plugin, name)(*arguments)
        return Reply("" if answer is None else _line(str(answer)))
    except Unavailable as error:
        return Reply(problem=_line(str(error)) or "it is not available")
    except (Exception, SystemExit) as error:
        return Reply(problem=_line(f"its {name}() raised {type(error).__name__}: {error}"))


def _line(text: str) -> str:
    """Return text as one line that is printable in any encoding, and not too long."""
    plain = text[:MAX_CHARACTERS].encode(errors="replace").decode()
    return " ".join(plain.split())

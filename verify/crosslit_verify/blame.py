"""The changes of a backend's spec that remove its failures, one at a time, and files of failures that are known."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from crosslit_backends.programs.protocol import SolverAnswer

from crosslit import registry
from crosslit.base.errors import InputError, SpecError
from crosslit.base.files import read_bytes, require_writable
from crosslit.contract import PARAMETER
from crosslit.kinds import Puzzle
from crosslit_verify.backend_command import BackendCommand
from crosslit_verify.clock import Deadline, OutOfTime
from crosslit_verify.failure import Failure
from crosslit_verify.judging import judge
from crosslit_verify.records import Verification
from crosslit_verify.subject import Subject

SECONDS = 60.0
"""Maximum seconds for one failure."""

_MAX_BASELINE = 1 << 24  # bytes
_COMMENT = "# failures that are known: backend, what fails, and what removes it"
_SEEN = " (last seen: "


def changes(spec: str, puzzle: Puzzle) -> Iterator[tuple[str, str]]:
    """Yield single changes of a spec, the most special first: in words, and as a spec.

    They are the switches of the engine, the spec without one of its options, and other encodings.

    Examples:
        >>> from crosslit.formats import read
        >>> found = dict(changes("scip/xor:presolpairwise=1", read("1")))
        >>> list(found)[0], found["presolve=0"]
        ('constraints/xor/presolpairwise=FALSE', 'scip/xor:presolpairwise=1:presolve=0')
        >>> found["without presolpairwise=1"], found["encoding sum"]
        ('scip/xor', 'scip/sum:presolpairwise=1')
    """
    head, *options = spec.split(":")
    choices: list[registry.Choice] = []
    with contextlib.suppress(SpecError):  # the backend is a plugin of another environment
        choices = registry.select([spec], puzzle)
    for choice in choices:
        for switch in choice.backend.switches:
            others = [option for option in options if option.partition("=")[0] != switch.partition("=")[0]]
            if switch not in options:
                yield switch.removeprefix(PARAMETER), ":".join([head, *others, switch])
    for option in options:
        yield f"without {option}", ":".join([head, *(other for other in options if other != option)])
    for choice in choices:
        for encoding in registry.all_encodings().values():
            is_suited = encoding.kind == puzzle.kind and encoding.target in choice.backend.targets
            if is_suited and encoding != choice.encoding:
                yield f"encoding {encoding.name}", ":".join([f"{choice.backend.name}/{encoding.name}", *options])


def cures(failure: Failure, subject: BackendCommand) -> tuple[str, ...] | None:
    """Return the changes that remove a failure, as `changes` orders them; None if it does not recur."""
    spec, reference = subject.spec, failure.reference
    if reference is None:
        return None
    known = reference

    def is_right(changed: str) -> bool:
        subject.spec = changed
        reply = subject.ask(failure.puzzle)
        return isinstance(reply, SolverAnswer) and judge(failure.puzzle, failure.claims, reply, lambda: known) is None

    found: list[str] = []
    subject.end_by(Deadline(SECONDS))
    try:
        if is_right(spec):
            return None
        with contextlib.suppress(OutOfTime):
            found.extend(words for words, changed in changes(spec, failure.puzzle) if is_right(changed))
    finally:
        subject.spec = spec
    return tuple(found)


def with_cures(verification: Verification, subject: Subject) -> Verification:
    """Return a verification of a backend with the cures of its failures."""
    assert isinstance(subject, BackendCommand)
    failures = tuple(replace(failure, cures=cures(failure, subject)) for failure in verification.failures)
    return replace(verification, failures=failures)


def group(spec: str, failure: Failure) -> str:
    """Return the group of a failure as a line: failures of a backend with one problem and one most special cure."""
    cure = failure.cures[0] if failure.cures else "no change"
    return f"{spec.partition(':')[0]} {failure.puzzle.kind} {failure.problem.group}, cured by {cure}"


def read_baseline(path: str) -> list[str]:
    """Return the lines of a file of known groups; raise `InputError` if it is no text, or cannot be written later."""
    require_writable(path)
    if not Path(path).exists():
        return [_COMMENT]
    try:
        return read_bytes(path, _MAX_BASELINE).decode().splitlines()
    except UnicodeDecodeError:
        raise InputError(path, "expected lines of text, as --baseline writes them") from None


def unknown_groups(known: Sequence[str], groups: Mapping[str, str]) -> tuple[list[str], bytes]:
    r"""Return the groups that the lines of a baseline lack, and the content of its file with them.

    A group has the version in which it was seen, which may be empty, and a line ends with the last of them. A fault
    that needs a technique shows with others as well, so a known group covers those with more techniques, see `_covers`.

    Examples:
        >>> unknown_groups(["# known", "z3 crash"], {"z3 crash": "z3-solver 5.4.1", "z3 new": ""})
        (['z3 new'], b'# known\nz3 crash (last seen: z3-solver 5.4.1)\nz3 new\n')
        >>> known = ["z3 crash with pair, cured by x=1"]
        >>> unknown_groups(known, {"z3 crash with flip + pair, cured by x=1": ""})
        ([], b'z3 crash with pair, cured by x=1\n')
    """
    lines = {line.partition(_SEEN)[0]: line for line in known}
    names, new = [*lines], []
    for group, version in groups.items():
        name = group if group in names else next((name for name in names if _covers(name, group)), group)
        new += [group] * (name not in names)
        lines[name] = f"{name}{_SEEN}{version})" if version else name
    return new, "\n".join([*lines.values(), ""]).encode()


def _covers(known: str, group: str) -> bool:
    """Return whether a group of variants has the problem, the cure and, with others, all techniques of a known one.

    A group without a cure or technique covers only itself: it says too little of the cause.
    """
    found = [re.fullmatch(r"(.+?) with (.+), cured by (.+)", line) for line in (known, group)]
    if not found[0] or not found[1] or found[0][2] == "no technique" or found[0][3] in ("no option", "no change"):
        return False
    techniques = [{*match[2].split(" + ")} for match in found if match]
    return found[0].group(1, 3) == found[1].group(1, 3) and techniques[0] <= techniques[1]

"""The registered backends and their descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from crosslit.base.records import Result, to_json
from crosslit.contract import registered
from crosslit.registry import specs


@dataclass(frozen=True, repr=False)
class BackendInfo(Result):
    """A description of a registered backend."""

    name: str  # in a spec
    version: str  # version of its engine; empty if it is unavailable
    unavailable: str  # why it cannot run here; empty if it can
    summary: str  # a line that describes it
    kinds: tuple[str, ...]  # the kinds of puzzles that it supports
    questions: tuple[str, ...]  # the questions that it answers
    encodings: tuple[tuple[str, str], ...]  # (kind, name); empty if it reads the puzzle itself
    groups: tuple[str, ...]  # its groups, in addition to `all`
    options: Mapping[str, str]  # a description of each option
    rests_on: tuple[str, ...]  # its trusted base, except that of an encoding
    abilities: tuple[str, ...] | None = None  # features of its engine; None if a backend does not state them

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        usable = {"available": not self.unavailable, "reason": self.unavailable or None}
        record = {"name": self.name, "version": self.version or None, **usable, **to_json(self)}
        del record["unavailable"]
        record["version"] = self.version or None
        names = {kind: [name for of, name in self.encodings if of == kind] for kind in self.kinds}
        record["encodings"] = names if self.encodings else {}
        if self.abilities is None:
            del record["abilities"]
        return record


def backends(names: str | Iterable[str] = ()) -> list[BackendInfo]:
    """Return a description of every registered backend, with the reason if it is unavailable.

    Args:
        names: names, groups and wildcards, as in specs, whose order is kept; by default all, native ones first.

    Raises:
        SpecError: if there is no such backend.

    Examples:
        >>> [backend.name for backend in backends("native") if "fewest" in backend.questions]
        ['fewest', 'howell']
    """
    listed = []
    names = names.split(",") if isinstance(names, str) else names
    for backend in specs.find_backends(names) if names else registered.all_backends().values():
        # A program is started for its version, so one that a file defines is not asked unless a name selects it.
        answer = registered.version(backend) if names or not registered.from_a_file(backend) else registered.Reply()
        usable = [encoding for encoding in registered.all_encodings().values() if encoding.target in backend.targets]
        listed.append(
            BackendInfo(
                name=backend.name,
                version=answer.text,
                unavailable=answer.problem,
                summary=backend.summary,
                kinds=tuple(sorted(specs.kinds(backend))),
                questions=specs.questions(backend),
                encodings=tuple((encoding.kind, encoding.name) for encoding in usable),
                groups=tuple(sorted(backend.groups)),
                options={key: option.summary for key, option in backend.options.items()},
                rests_on=tuple(sorted({backend.name, *backend.trusted_base})),
                abilities=tuple(sorted(backend.abilities)) if hasattr(backend, "abilities") else None,
            )
        )
    return listed


def kernel_note(versions: Mapping[str, str]) -> str:
    """Return a line on the backends that run in Python because there is no compiled kernel; empty if none does.

    Args:
        versions: the versions of backends, which say so, by their names.

    Examples:
        >>> kernel_note({"gauss": "1.0", "line": "1.0, kernel: compiled"})
        ''
    """
    # without the last parenthesis if the version is cut, as a compiler's message may be long
    found = {name: re.search(r"kernel: none, pure Python runs \((.*?)\)?$", text) for name, text in versions.items()}
    slow = {name: match[1] for name, match in found.items() if match}
    if not slow:
        return ""
    reason = next(iter(slow.values()))
    cure = "; with a C compiler, `pip install --force-reinstall --no-deps .` in a checkout adds it"
    if "CROSSLIT_KERNEL" in reason:
        cure = ""
    return f"{', '.join(slow)}: pure Python runs, up to 130 times as slow as the compiled kernel ({reason}){cure}"

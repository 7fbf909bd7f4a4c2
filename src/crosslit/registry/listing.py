"""The registered backends and what is known of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crosslit.registry import inquiry, specs


@dataclass(frozen=True)
class BackendInfo:
    """What there is to know of a registered backend.

    Args:
        name: as in a spec.
        version: of its engine; empty if it is unavailable.
        unavailable: why it cannot run here; empty if it can.
        summary: one line.
        kinds: of puzzles.
        questions: that it answers.
        encodings: (kind, name) of those that it takes; empty if it reads the puzzle itself.
        groups: beside ``all``.
        options: what each does.
        abilities: what its engine can do beside solving; None where a backend does not say.
    """

    name: str
    version: str
    unavailable: str
    summary: str
    kinds: tuple[str, ...]
    questions: tuple[str, ...]
    encodings: tuple[tuple[str, str], ...]
    groups: tuple[str, ...]
    options: Mapping[str, str]
    abilities: tuple[str, ...] | None = None

    def json(self) -> dict[str, Any]:
        """The JSON form."""
        encodings = {kind: [name for of, name in self.encodings if of == kind] for kind in self.kinds}
        return {
            "name": self.name,
            "version": self.version or None,
            "available": not self.unavailable,
            "reason": self.unavailable or None,
            "summary": self.summary,
            "kinds": list(self.kinds),
            "questions": list(self.questions),
            "encodings": encodings if self.encodings else {},
            "groups": list(self.groups),
            "options": dict(self.options),
            **({"abilities": list(self.abilities)} if self.abilities is not None else {}),
        }


def backends(names: Sequence[str] = ()) -> list[BackendInfo]:
    """Return every registered backend, and why it is unavailable if it is.

    Args:
        names: only these: names, groups and wildcards, as in a spec.

    Raises:
        SpecError: if there is no such backend.

    Examples:
        >>> [backend.name for backend in backends() if "native" in backend.groups]
        ['alignment', 'chase', 'fewest', 'first-row', 'frontier', 'gauss', 'hybrid', 'line', 'polynomial']
    """
    listed = []
    for backend in specs.find_backends(names) if names else specs.all_backends().values():
        answer = inquiry.version(backend)
        usable = [encoding for encoding in specs.all_encodings().values() if encoding.target in backend.targets]
        listed.append(
            BackendInfo(
                name=backend.name,
                version=answer.text,
                unavailable=answer.problem,
                summary=backend.summary,
                kinds=tuple(sorted(backend.kinds)),
                questions=specs.questions(backend),
                encodings=tuple((encoding.kind, encoding.name) for encoding in usable),
                groups=tuple(sorted(backend.groups)),
                options={key: option.summary for key, option in backend.options.items()},
                abilities=tuple(sorted(backend.abilities)) if hasattr(backend, "abilities") else None,
            )
        )
    return listed

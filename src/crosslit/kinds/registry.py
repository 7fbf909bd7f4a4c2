"""The kinds of puzzles by name: those of Crosslit, and those of other distributions.

A kind of another distribution is a class that derives from `Puzzle`, under the entry point group ``crosslit.kinds``,
by the name of the kind. That suffices to read, show, compare, enumerate, verify and measure its puzzles. For more than
the defaults of `Puzzle`, the module of the kind may add to these mappings by kind:

* ``drawing.text.FRAMES`` and ``drawing.scene.SCENES``: pictures
* ``generation.stream.MAKERS`` and ``ANY_RULES``, ``generation.exhaustive.FAMILIES`` and ``PICTURES``: generated puzzles
* ``generation.solution_count.COUNTERS`` and ``BOUNDS``, ``generation.relations.FURTHER``: facts about them
* ``conformance.samples.SAMPLERS``: puzzles that backends are checked on
* ``verification.reference.LINEAGES`` and ``verification.shrinking.REDUCTIONS``: the truth, and smaller puzzles
* ``questions.minimal_subset.FIRST`` and ``SECOND``, ``questions.trace.NARRATORS``: default backends
* ``certificates.narrowing.PARTS``: the check of formulas
"""

from __future__ import annotations

import functools
import re

from crosslit.errors import InputError
from crosslit.kinds import plugins
from crosslit.kinds.lights_out.puzzle import LightsOut
from crosslit.kinds.nonogram.puzzle import Nonogram
from crosslit.kinds.puzzle import Puzzle

ENTRY_POINTS = "crosslit.kinds"
"""The group of entry points whose values are classes of puzzles."""

KINDS: dict[str, type[Puzzle]] = {LightsOut.kind: LightsOut, Nonogram.kind: Nonogram}
"""The kinds of Crosslit, and those registered in this process."""

_OWN = frozenset(KINDS)
_HEAD = re.compile(r"\s*([a-z][a-z0-9-]*):")


def register_kind(kind: type[Puzzle]) -> type[Puzzle]:
    """Register a class of puzzles as a kind in this process; other processes find it by its entry point.

    Raises:
        TypeError: if it is not a class of puzzles.
        ValueError: if there is another kind of that name.
    """
    if not (isinstance(kind, type) and issubclass(kind, Puzzle)):
        raise TypeError(f"{kind!r:.40} is not a class derived from Puzzle")
    # The same class may be registered twice, by its module and by its entry point.
    if KINDS.setdefault(kind.kind, kind) is not kind:
        raise ValueError(f"there is a kind {kind.kind} already: {KINDS[kind.kind].__qualname__}")
    return kind


def all_kinds() -> dict[str, type[Puzzle]]:
    """Return every kind by name; the first call loads those of other distributions.

    Examples:
        >>> list(all_kinds())[:2]
        ['lights-out', 'nonogram']
    """
    _load()
    return KINDS


@functools.cache
def _load() -> None:
    list(plugins.load(ENTRY_POINTS, register_kind))


def kind_of(text: str) -> type[Puzzle] | None:
    """Return another distribution's kind whose one-line form starts like this text, or None.

    Raises:
        InputError: if the kind has an entry point of its name, which cannot be loaded.
    """
    head = _HEAD.match(text)
    # Texts of Crosslit's own kinds load no plugin.
    if head is None or head[1] in _OWN:
        return None
    found = all_kinds().get(head[1])
    if found is None and (problem := dict(plugins.FAILURES.get(ENTRY_POINTS, ())).get(head[1])):
        raise InputError(f"kind {head[1]!r}", problem)
    return found

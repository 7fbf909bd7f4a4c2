"""The cells that are equal in all solutions."""

from __future__ import annotations

from crosslit.contract import BACKBONE
from crosslit.judging.backbone import BackboneResult
from crosslit.kinds import Puzzle
from crosslit.questions.ask import ask
from crosslit.runs.run import Limits
from crosslit.runs.runner import Runner


def backbone(
    puzzle: Puzzle | str,
    backends: str | None = None,
    *,
    timeout: float = Limits.seconds,
    memory_mb: int = Limits.memory_mb,
    runner: Runner | None = None,
) -> BackboneResult:
    """Return the cells that are equal in all solutions, without finding all of them.

    Args:
        puzzle: the puzzle, or its one-line form.
        backends: one spec or several, separated by commas, to be cross-checked; by default one backend.
        timeout: limit of each run, in seconds of wall time.
        memory_mb: limit of each run, in 2^20 bytes.
        runner: an open runner to use, with its own limits; after an interrupt the answer is incomplete.

    Returns:
        A `BackboneResult`: ``lines`` shows the cells, ``proved`` and ``evidence`` say how certain they are.

    Raises:
        InputError: if the one-line form cannot be read.
        SpecError: if a spec cannot be parsed, or no backend supports the puzzle.
        KeyboardInterrupt: after an interrupt, when all processes have ended.

    See Also:
        reveal: the fewest cells to reveal so that one solution is left.
        draw: a picture of the cells.

    Examples:
        >>> from crosslit.formats import read
        >>> found = backbone(read("1,1,2|1,2,1"))
        >>> found.lines, found.proved
        (['?0?', '010', '?1?'], True)
    """
    found: BackboneResult = ask(puzzle, BACKBONE.name, backends, timeout=timeout, memory_mb=memory_mb, runner=runner)
    return found

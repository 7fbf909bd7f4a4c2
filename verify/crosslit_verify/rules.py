"""The rules of the Lights Out boards that a solver gets: press pattern, joined edges, missing cells, states."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from crosslit_generate import Case, Only
from crosslit_generate.solution_count import admitted

from crosslit.contract.chance import random_grid
from crosslit.grid import Grid
from crosslit.kinds import LightsOut, Puzzle
from crosslit.kinds.lights_out.format import rules
from crosslit.kinds.lights_out.puzzle import WRAPS as SIMPLE_WRAPS
from crosslit.kinds.modular_lights_out.makers import planted, random_lights
from crosslit.kinds.modular_lights_out.puzzle import MAX_STATES as MAX_STATES
from crosslit.kinds.modular_lights_out.puzzle import WRAPS as WRAPS
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut
from crosslit.kinds.modular_lights_out.puzzle import Wrap as Wrap

KINDS = (LightsOut.kind, ModularLightsOut.kind)
"""The kinds of puzzles that have such rules."""

_HOLES = 0.15  # share of the cells
_MAX_SOLUTIONS = 1024


@dataclass(frozen=True)
class Rules:
    """The rules of boards; raise a ValueError if there is no such press pattern or edge.

    Examples:
        >>> Rules("king", "torus").apply(LightsOut(Grid.from_text("10/00")), random.Random(0)).text
        'press=king/wrap=torus/10/00'
    """

    press: str = ""  # the name or the picture of a press pattern, as in a file; empty for the plus
    wrap: Wrap = "none"  # the joined edges
    holes: bool = False  # cells may be missing
    states: int = 0  # of a light, where that varies; 0 for any number
    kind: str = LightsOut.kind

    def __post_init__(self) -> None:
        wraps = SIMPLE_WRAPS if self.kind == LightsOut.kind else WRAPS
        if self.wrap not in wraps:
            raise ValueError(f"wrap is one of {', '.join(wraps)}, not {self.wrap!r:.40}")
        if self.states and self.kind != ModularLightsOut.kind:
            raise ValueError(f"only {ModularLightsOut.kind} boards have a number of states")
        _ = self._template if self.kind == LightsOut.kind else self._ruled(ModularLightsOut(self.states or 2, ("0",)))

    @property
    def are_usual(self) -> bool:
        """True if these are the rules of the usual game."""
        return not (self.press or self.holes or self.states) and self.wrap == "none"

    def allow(self, puzzle: Puzzle) -> bool:
        """Return whether a puzzle has these rules."""
        if isinstance(puzzle, ModularLightsOut):
            right = self.are_usual or (puzzle.is_grid and puzzle == self._ruled(puzzle))
            return right and (self.holes or not any(puzzle.gone)) and self.states in (0, puzzle.states)
        if not isinstance(puzzle, LightsOut):
            return True
        same = (puzzle.pattern, puzzle.wrap) == (self._template.pattern, self._template.wrap)
        return same and (self.holes or puzzle.missing is None or not puzzle.missing.bits)

    def apply(self, board: LightsOut, rng: random.Random, is_solvable: bool = False) -> LightsOut:
        """Return a board of these rules with the lights of another, or, to be solvable, with these cells pressed."""
        missing = random_grid(rng, board.rows, board.columns, _HOLES).bits if self.holes else 0
        cells = (1 << board.rows * board.columns) - 1
        # A board without any cell is not a board.
        missing = 0 if missing == cells else missing
        lit = Grid.from_bits(board.rows, board.columns, board.lit.bits & ~missing)
        gone = Grid.from_bits(board.rows, board.columns, missing) if missing else None
        ruled = replace(self._template, lit=lit, missing=gone)
        dark = replace(ruled, lit=Grid.from_bits(board.rows, board.columns, 0))
        return dark.pressed(lit) if is_solvable else ruled

    def cases(self, usual: Iterator[Case], only: Only | None, seed: int) -> Iterator[Case]:
        """Yield boards of these rules instead of usual ones; every other random one is made solvable."""
        rng = random.Random(f"rules {seed}")
        for number, case in enumerate(usual):
            is_whole = case.exhaustive and not self.holes and not self.states and only is None
            # every fourth case is random, from number 3 on
            is_solvable = not case.exhaustive and number % 8 == 3
            board: Puzzle
            if isinstance(case.puzzle, ModularLightsOut):
                if self.states and case.exhaustive and case.puzzle.states != self.states:
                    continue
                board = self._ruled(case.puzzle) if case.exhaustive else self._random(case.puzzle, rng, is_solvable)
            else:
                assert isinstance(case.puzzle, LightsOut)
                board = self.apply(case.puzzle, rng, is_solvable)
            if is_whole or admitted(board, None, only, _MAX_SOLUTIONS):
                family = case.family if is_whole else f"boards of these rules{f', {only}' if only else ''}"
                yield Case(board, family, is_whole, case.last and is_whole)

    def _ruled(self, board: ModularLightsOut) -> ModularLightsOut:
        return replace(board, rule=f"press={self.press or 'plus'}", wrap=self.wrap)

    def _random(self, board: ModularLightsOut, rng: random.Random, is_solvable: bool) -> ModularLightsOut:
        states, gone = self.states or board.states, _HOLES if self.holes else 0
        found = self._ruled(random_lights(rng, board.rows, board.columns, states, gone))
        return planted(rng, found) if is_solvable else found

    @property
    def _template(self) -> LightsOut:
        return rules(self.press or "plus", self.wrap)  # type: ignore[arg-type]  # checked above

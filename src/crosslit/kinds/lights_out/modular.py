"""Boards of 2 to 16 states, with more rules: the second name of Lights Out boards.

A kind is also the puzzles that are sent to a solver, and what a solver can be asked: so boards of two states may have
either name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from crosslit.base.errors import InputError
from crosslit.contract.puzzle import Puzzle, function_at
from crosslit.kinds.lights_out.board import MAX_STATES, LightsOut
from crosslit.kinds.lights_out.rules import MODULAR_PATTERNS, MODULAR_WRAPS, Offset, Wrap
from crosslit.kinds.lights_out.text import of_lights, parse, parse_modular

MAX_DATA_CELLS = 10_000  # the effects of more presses are left out of the data for programs


class ModularLightsOut(LightsOut):
    """A Lights Out board with k states: a press adds to the lights around it, modulo k; the goal is 0 everywhere.

    A solution says how often to press each cell, from 0 to k - 1 times. docs/reference/modular-lights-out.md describes
    the rules. Boards of this name say in their text how many states they have, also if there are two.

    Args:
        lit: the lights, from 0 to k - 1, with k from 2 to 16: a `Grid`.
        pattern: as in `LightsOut`, or with a third number, the amount that is added, if that is not 1.
        wrap: as in `LightsOut`, or ``moebius`` or ``klein``: left and right edge are joined with a half-turn.
        missing: cells that are not part of the board.
        name: title of the puzzle.
        graph: for one row of lights, in place of a pattern, ``edges=`` with the pairs of lights that change each other,
            or ``matrix=`` with a row for each press: the amount that it adds to each light. The number of presses, and
            so the shape of a solution, is that of the rows.

    Raises:
        ValueError: if a part of the board is not as described.

    Examples:
        >>> board = ModularLightsOut.parse("modular-lights-out:3/12/00")
        >>> list(board.violations(board.layout.parse("22/10"))), next(board.violations(board.layout.parse("00/00")))
        ([], 'row 1, column 1 is left at 1')
        >>> ModularLightsOut.parse("modular-lights-out:4/edges=3-4,2-1/0123").text
        'modular-lights-out:4/edges=1-2,3-4/0123'
    """

    __slots__ = ()

    kind: ClassVar[str] = "modular-lights-out"
    label: ClassVar[str] = "modular Lights Out"
    plural: ClassVar[str] = "modular Lights Out boards"
    uncovered: ClassVar[str] = "matrices with more or fewer presses than lights"
    is_linear: ClassVar[bool] = False
    file_format: ClassVar[str] = ""
    is_usual: ClassVar[bool] = True
    data_keys: ClassVar[tuple[str, ...]] = ("lights",)
    samples = staticmethod(function_at("crosslit.kinds.lights_out.families:modular_samples"))
    larger_samples = staticmethod(function_at("crosslit.kinds.lights_out.families:larger_modular_samples"))
    population = staticmethod(function_at("crosslit.kinds.lights_out.population:modular_population"))
    nullity = Puzzle.nullity
    count_up_to = function_at("crosslit.algebra.howell:count_up_to")
    max_states: ClassVar[int] = MAX_STATES
    patterns: ClassVar[Mapping[str, tuple[Offset, ...]]] = MODULAR_PATTERNS
    wraps: ClassVar[tuple[Wrap, ...]] = MODULAR_WRAPS
    min_reach: ClassVar[int] = 1

    @classmethod
    def parse(cls, text: str, origin: str = "text") -> Self:  # noqa: ARG003
        """Read a board from its one-line form: ``modular-lights-out:``, k, settings, and rows, separated by ``/``."""
        return parse_modular(cls, text)

    @property
    def head(self) -> tuple[str, ...]:
        """The kind and the number of states."""
        return (f"{self.kind}:{self.states}",)

    @property
    def facts(self) -> tuple[str, ...]:
        """The number of states, the settings, shortened, and the number of missing cells."""
        return (f"modulo {self.states}", *super().facts)

    @property
    def data(self) -> Mapping[str, Any]:
        """The lights and rules; ``effects`` has for each press its lights, by number from 0, with the amounts."""
        settings = dict(setting.split("=", 1) for setting in self.settings)
        found = {"states": self.states, "lights": list(self.lines), **settings}
        return {**found, "effects": self.effects} if self.rows * self.columns <= MAX_DATA_CELLS else found

    @classmethod
    def read_data(cls, record: Mapping[str, Any], origin: str) -> Self:
        """Read a board from its `data`, given with their origin for messages; effects must be those of its rules."""
        rules = [f"{key}={record[key]}" for key in ("press", "edges", "matrix") if key in record]
        try:
            if not isinstance(record["lights"], list):
                raise ValueError("the lights are a list of rows")
            rule, wrap = (*rules, "press=plus")[0], record.get("wrap", "none")
            board = of_lights(cls, record.get("states", 0), record["lights"], rule, wrap)
        except (TypeError, ValueError) as error:
            raise InputError(origin, f"expected states, lights and the rules: {error}") from None
        effects = record.get("effects")
        if effects is not None and effects != [[list(change) for change in effect] for effect in board.effects]:
            raise InputError(origin, "its effects are not those of its rules")
        return board

    @staticmethod
    def _words_of_light(light: int) -> str:
        return f"is left at {light}"


def parse_board(text: str, origin: str = "text") -> LightsOut:
    """Read a board of either name from a text without the name; see `crosslit.kinds.lights_out.text.parse`."""
    return parse(text, origin, ModularLightsOut)

"""One fault in any function that a verification executes is found, or does no harm: no honest solver is accused."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from crosslit.kinds import find_kind
from tests.conftest import PLANTED

RULES = {
    "lights-out": """
        .board: LightsOut.violations LightsOut._left LightsOut._fitting LightsOut._absent LightsOut._words_of_light
            LightsOut._bits_left LightsOut.by_shifts LightsOut.states
        .rules: _ranges moves
    """,
    "nonogram": """
        .puzzle: Nonogram.violations Nonogram.clues_of Nonogram.blocks Nonogram.states _line_blocks words
    """,
    "modular-lights-out": """
        .board: LightsOut.violations LightsOut._left LightsOut._fitting LightsOut._absent LightsOut.by_shifts
            LightsOut._bits_left LightsOut.states LightsOut.layout LightsOut.values LightsOut.effects LightsOut.offsets
        .modular: ModularLightsOut._words_of_light
        .rules: _ranges edges_of effects_of moves
    """,
    "coloured-nonogram": """
        .puzzle: Nonogram.violations Nonogram.clues_of Nonogram.states words
        .colours: ColouredNonogram.blocks Block.__str__ _line_blocks
    """,
}
"""The functions that decide what a solution is: with a fault in them the puzzles have other rules.

Everything is judged by these rules, so nothing could notice such a fault. All other functions are judged by them.
"""

FUNCTIONS = {
    "lights-out": """
        crosslit.contract.family: random_grid
        crosslit.contract.family: Sort.has
        crosslit.algebra.boards: BoardSystem.__init__ BoardSystem._cells BoardSystem.particular _toggled
            first_row_system toggled
        crosslit.algebra.chase: chase
        crosslit.algebra.nullity: invariant_factors nullity_by_factors
        .board: LightsOut.__post_init__ LightsOut.data LightsOut.image LightsOut.lines LightsOut.pressed
            LightsOut.text
        .changing: relations
        .making: _boards each_press _few_presses _pattern _quiet _quiet_shape _spoiled
        .rules: checked_pattern
        .view: defaults
        crosslit.kinds.registry: find_kind
        crosslit_generate.exhaustive: _family
        crosslit_generate.stream: _by_chance
        crosslit_verify.judging: _judge_claims claim
        crosslit_verify.reference: Oracle.fewest
        crosslit_verify.settings: BoardRules.are_usual
        crosslit_verify.trial: Trial._ask_related
    """,
    "nonogram": """
        crosslit.contract.family: to_grids
        .checks: _fit _has_blocks all_drawn
        .text: _ways
        .samples: _by_clues _line_clues _pairs
        .making: _drawn _empty_and_full _guesses _moved _ones _pigeonhole _some_picture _symmetric _tight _too_long
            _two_ones _unequal changed pigeonhole
        .puzzle: Nonogram.__init__ Nonogram.is_refuted Nonogram.sums Nonogram.text _clue _clues
        .changing: framed
        crosslit_verify.judging: _judge_claims _unrefuted
        crosslit_verify.records: Coverage.count_judged
        crosslit_verify.reference: Oracle._found
        crosslit_verify.trial: Trial.ask_again Trial._prepare
    """,
    "modular-lights-out": """
        crosslit.kinds.batch: wrong_grids _rejected record_bytes
        crosslit.algebra.howell: HowellForm.__init__ HowellForm._completed HowellForm.kernel HowellForm.options
            HowellForm.particular equations
        .batch: all_zero is_zero
        .board: LightsOut.__post_init__ LightsOut.back LightsOut.dark LightsOut.image LightsOut.settings
            LightsOut.text LightsOut.with_lights
        .changing: relations
        .making: _dark_boards _modular_boards _states planted random_graph random_grid_rules random_lights
            random_matrix
        .rules: checked_graph checked_pattern
        .text: of_lights
        crosslit_generate.exhaustive: Family._sort
        crosslit_generate.relations: symmetries
        crosslit_verify.judging: _first_broken _judge_claims contradiction
        crosslit_verify.reference: Oracle.reference _checked _team first_wrong_grid
        crosslit_verify.trial: Trial.reference
    """,
    "coloured-nonogram": """
        crosslit.contract.family: Chance.allows Chance.shape Chance.side Chance.strip between pick shuffled
        .puzzle: Nonogram._set Nonogram.colours Nonogram.text Nonogram.image Nonogram.lines
        .samples: _coloured_clues _coloured_pairs _coloured_pictures
        .making: _coloured_drawn _coloured_ones _coloured_picture _coloured_too_long _coloured_unequal random_colours
        .colours: ColouredNonogram.__init__ ColouredNonogram.space ColouredNonogram.text ColouredNonogram.total
        .changing: _renamed coloured_relations values
        crosslit.kinds.registry: all_kinds
        crosslit.contract.puzzle: Symmetry.__call__ Symmetry.axes Symmetry.lines
        crosslit_generate.exhaustive: Case.suits Family.cases families
        crosslit_generate.solution_count: count_up_to few_solutions
        crosslit_generate.stream: cases
        crosslit_verify.judging: _judge_word related_contradiction
        crosslit_verify.reference: Reference.solvable Reference.unique _inline
        crosslit_verify.session: Verifier._closing
        crosslit_verify.trial: Trial.ask
        crosslit_verify.stream: stream
    """,
}
"""Functions that a verification executes; about half of these faults are noticed, and none makes it endless."""


def names(kind: str, table: dict[str, str]) -> list[str]:
    """The full names of the functions in a table, in which a dot stands for the package of the kind."""
    found, module = [], ""
    for word in table[kind].split():
        if word.endswith(":"):
            module = f"{find_kind(kind).puzzle.__module__.rpartition('.')[0]}{word}" if word.startswith(".") else word
        else:
            found.append(f"{module}{word}")
    return found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the forks end with their parent on Linux only")
@pytest.mark.parametrize("kind", FUNCTIONS)
def test_a_fault_in_a_function_accuses_no_honest_solver(kind: str) -> None:
    words = [sys.executable, "-P", str(PLANTED / "faults.py"), kind, *names(kind, FUNCTIONS)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rules, *planted = map(json.loads, done.stdout.splitlines())
    assert {*rules} == {*names(kind, RULES)}
    ends = {tuple(fault): end for *fault, end in planted}
    assert not {fault: end for fault, end in ends.items() if not end.startswith(("passed", "70: "))}
    assert {function for function, *_ in ends} == {*names(kind, FUNCTIONS)}
    assert len(ends) > 100
    assert sum(end != "passed" for end in ends.values()) > 30

"""All encodings of nonograms to CP-SAT, and those that take their clauses or tables from an encoding to CNF."""

from __future__ import annotations

from crosslit.contract import Encoding, GaveUp
from crosslit.puzzles import Nonogram
from crosslit_encoders import nonogram_order, nonogram_table
from crosslit_encoders.cp_model import CpFormula, cell_model
from crosslit_encoders.nonogram_cpsat_lines import automaton, lines_that_fit, starts


def order(puzzle: Nonogram) -> CpFormula:
    """The clauses of the order encoding of the blocks' starts (`crosslit_encoders.nonogram_order`), by ``add_bool_or``.

    Sizes: its variables and its clauses.

    Examples:
        >>> from crosslit.formats import read
        >>> formula = order(read("1,0|1"))
        >>> len(formula.model.proto.variables), len(formula.model.proto.constraints)
        (3, 6)
    """
    clauses = nonogram_order.order(puzzle)
    formula = cell_model(puzzle.rows, puzzle.columns)
    model = formula.model
    variables = [*formula.cells, *(model.new_bool_var("") for _ in range(clauses.variables - clauses.cells))]
    # literal -v is at -v: where Python looks from the end
    literals = [None, *variables, *(~variable for variable in reversed(variables))]
    for clause in clauses.clauses():
        model.add_bool_or([literals[literal] for literal in clause])
    return formula


def table(puzzle: Nonogram) -> CpFormula:
    """The allowed lines of each clue, by ``add_allowed_assignments``.

    Sizes: rows * columns Boolean variables; a constraint a line, and in it for k blocks and slack d (cells beyond the
    tightest packing) the binomial coefficient (d + k choose k) of allowed lines. A clue that does not fit its line
    makes the model false.

    Examples:
        >>> from crosslit.formats import read
        >>> len(table(read("1,0|1")).model.proto.constraints)
        3
    """
    if reason := nonogram_table.too_large(puzzle):
        raise GaveUp(reason)
    formula = cell_model(puzzle.rows, puzzle.columns)
    for clue, line in lines_that_fit(puzzle, formula):
        allowed = nonogram_table.allowed_lines(clue, len(line)).astype(int).tolist()
        formula.model.add_allowed_assignments(line, allowed)
    return formula


ENCODINGS = [
    *(
        Encoding(
            name=name,
            kind="nonogram",
            target="cp-sat",
            encode=encode,
            trusted_base=frozenset({f"nonogram-{name}"}),
            summary=summary,
            default=name == "automaton",
        )
        for name, encode, summary in (
            ("automaton", automaton, "one automaton a line, by add_automaton"),
            ("starts", starts, "an integer variable for the start of each block"),
            ("order", order, "the clauses of the order encoding, by add_bool_or"),
        )
    ),
    Encoding(
        name="table",
        kind="nonogram",
        target="cp-sat",
        encode=table,
        trusted_base=frozenset({"nonogram-table"}),
        summary=f"the allowed lines, by add_allowed_assignments; up to {nonogram_table.MAX_TABLE_CELLS:,} cells in all",
        unsupported_reason=nonogram_table.too_large,
    ),
]

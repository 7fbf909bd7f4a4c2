"""Boards with k states as JSON values and on their pages, and the solver whose steps a page shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from crosslit.base.errors import InputError
from crosslit.base.layout import DIGITS
from crosslit.kinds.modular_lights_out.howell import howell_form
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut

_MAX_CELLS = 900  # of a board that is eliminated for its page
_MAX_WORK = 1 << 20  # cells of all solutions, among which the page searches the fewest presses


def read_data(record: Mapping[str, Any], origin: str) -> ModularLightsOut:
    """Read a board from its data, as `ModularLightsOut.data` gives them; ``effects`` must be those of its rules."""
    rules = [f"{key}={record[key]}" for key in ("press", "edges", "matrix") if key in record]
    try:
        if not isinstance(record["lights"], list):
            raise ValueError("the lights are a list of rows")
        wrap = record.get("wrap", "none")
        board = ModularLightsOut(record.get("states", 0), tuple(record["lights"]), (*rules, "press=plus")[0], wrap)
    except (TypeError, ValueError) as error:
        raise InputError(origin, f"expected states, lights and the rules: {error}") from None
    effects = record.get("effects")
    if effects is not None and effects != [[list(change) for change in effect] for effect in board.effects]:
        raise InputError(origin, "its effects are not those of its rules")
    return board


def page(board: ModularLightsOut) -> dict[str, Any]:
    """Return the rules of a grid, its lights, and its kernel if a page can use it; see `HowellForm.kernel`."""
    if not board.is_grid:
        raise InputError(board.name or board.text, "a page shows grids, not boards of edges or of a matrix")
    kernel = orders = None
    if (cells := board.rows * board.columns) <= _MAX_CELLS:
        form = howell_form(board)
        if form.count and form.count * cells <= _MAX_WORK:
            kernel = ["".join(DIGITS[value] for value in vector) for _, vector in form.kernel()]
            orders = [form.options[place] for place, _ in form.kernel()]
    return {
        "states": board.states,
        "lit": board.shown.text(),
        "missing": None if board.missing is None else board.missing.text(),
        "offsets": board.offsets,
        "wrap": board.wrap,
        "settings": list(board.settings),
        "nullity": None,
        "kernel": kernel,
        "orders": orders,
    }


def stories(board: ModularLightsOut) -> Iterator[tuple[str, str, str]]:
    """Yield the solver whose steps a page shows."""
    if board.rows * board.columns <= _MAX_CELLS:
        yield "howell", "howell: elimination, light by light", ""

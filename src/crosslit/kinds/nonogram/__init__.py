"""Nonograms in one colour and in several, their rules, and all that serves no other kind."""

from dataclasses import replace

from crosslit.contract.kind import Kind, later
from crosslit.kinds.nonogram.colours import ColouredNonogram
from crosslit.kinds.nonogram.puzzle import Nonogram

_HERE = "crosslit.kinds.nonogram"

KIND = Kind(
    puzzle=Nonogram,
    samples=later(f"{_HERE}.samples:samples"),
    file_format="non",
    parse=later(f"{_HERE}.text:parse"),
    data_keys=("rows", "columns"),
    read_data=later(f"{_HERE}.text:read_data"),
    solutions=later(f"{_HERE}.samples:solutions"),
    satisfied=later(f"{_HERE}.samples:satisfied"),
    all_right=later(f"{_HERE}.checks:all_drawn"),
    defaults=later(f"{_HERE}.view:defaults"),
    makers=later(f"{_HERE}.making:makers"),
    families=later(f"{_HERE}.samples:families"),
    most_solutions=later(f"{_HERE}.text:most_possible"),
    relations=later(f"{_HERE}.changing:relations"),
    smaller=later(f"{_HERE}.changing:smaller"),
    exchanged=later(f"{_HERE}.changing:exchanged"),
    certificates={"nonogram-sums": later(f"{_HERE}.checks:check_sums")},
    page=later(f"{_HERE}.view:page"),
    stories=later(f"{_HERE}.view:stories"),
    parts="line by line",
    check_formula=later(f"{_HERE}.checks:check_formula"),
    frame=later(f"{_HERE}.view:frame"),
    scene=later(f"{_HERE}.view:scene"),
)

COLOURED = replace(
    KIND,
    puzzle=ColouredNonogram,
    samples=later(f"{_HERE}.samples:coloured_samples"),
    file_format="xml",
    parse=None,
    data_keys=("palette", "rows", "columns"),
    read_data=later(f"{_HERE}.text:read_coloured_data"),
    all_right=None,
    makers=later(f"{_HERE}.making:coloured_makers"),
    families=later(f"{_HERE}.samples:coloured_families"),
    most_solutions=None,
    relations=later(f"{_HERE}.changing:coloured_relations"),
    smaller=later(f"{_HERE}.changing:coloured_smaller"),
    certificates={},
    tint=later(f"{_HERE}.view:tint"),
    scene=later(f"{_HERE}.view:coloured_scene"),
)
"""The second name: a kind is also the puzzles that are sent to a solver, and what a solver can be asked."""

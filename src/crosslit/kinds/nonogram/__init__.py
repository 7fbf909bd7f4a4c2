"""Nonograms, their rules, and all that serves no other kind."""

from crosslit.contract.kind import Kind, later
from crosslit.kinds.nonogram.puzzle import Nonogram

_HERE = "crosslit.kinds.nonogram"

KIND = Kind(
    puzzle=Nonogram,
    samples=later(f"{_HERE}.samples:samples"),
    file_format="non",
    parse=later(f"{_HERE}.formats.clues:parse"),
    data_keys=("rows", "columns"),
    read_data=later(f"{_HERE}.data:read_data"),
    solutions=later(f"{_HERE}.samples:solutions"),
    satisfied=later(f"{_HERE}.samples:satisfied"),
    all_right=later(f"{_HERE}.batch:all_drawn"),
    defaults=later(f"{_HERE}.defaults:defaults"),
    makers=later(f"{_HERE}.makers:makers"),
    families=later(f"{_HERE}.families:families"),
    most_solutions=later(f"{_HERE}.counting:most_possible"),
    relations=later(f"{_HERE}.relations:relations"),
    smaller=later(f"{_HERE}.smaller:smaller"),
    exchanged=later(f"{_HERE}.smaller:exchanged"),
    certificates={"nonogram-sums": later(f"{_HERE}.sums:check_sums")},
    page=later(f"{_HERE}.page:page"),
    stories=later(f"{_HERE}.page:stories"),
    parts="line by line",
    check_formula=later(f"{_HERE}.formula:check_formula"),
    frame=later(f"{_HERE}.drawing:frame"),
    scene=later(f"{_HERE}.drawing:scene"),
)

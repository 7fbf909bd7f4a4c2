"""Coloured nonograms, their rules, and all that serves no other kind."""

from crosslit.contract.kind import Kind, later
from crosslit.kinds.coloured_nonogram.puzzle import ColouredNonogram

_HERE = "crosslit.kinds.coloured_nonogram"

KIND = Kind(
    puzzle=ColouredNonogram,
    samples=later(f"{_HERE}.samples:samples"),
    file_format="xml",
    data_keys=("palette", "rows", "columns"),
    read_data=later(f"{_HERE}.data:read_data"),
    solutions=later("crosslit.kinds.nonogram.samples:solutions"),
    satisfied=later("crosslit.kinds.nonogram.samples:satisfied"),
    defaults=later(f"{_HERE}.data:defaults"),
    makers=later(f"{_HERE}.makers:makers"),
    families=later(f"{_HERE}.families:families"),
    relations=later(f"{_HERE}.relations:relations"),
    smaller=later(f"{_HERE}.relations:smaller"),
    exchanged=later("crosslit.kinds.nonogram.smaller:exchanged"),
    page=later(f"{_HERE}.data:page"),
    stories=later(f"{_HERE}.data:stories"),
    parts="line by line",
    check_formula=later("crosslit.kinds.nonogram.formula:check_formula"),
    frame=later(f"{_HERE}.drawing:frame"),
    tint=later(f"{_HERE}.drawing:tint"),
    scene=later(f"{_HERE}.drawing:scene"),
)

"""Lights Out: boards, their rules, and all that serves no other kind."""

from crosslit.base.grid import Grid
from crosslit.contract.kind import Kind, later
from crosslit.kinds.lights_out.puzzle import LightsOut

_HERE = "crosslit.kinds.lights_out"

KIND = Kind(
    puzzle=LightsOut,
    samples=later(f"{_HERE}.samples:samples"),
    file_format="board",
    is_usual=lambda board: not board.settings and board.missing is None,
    parse=later(f"{_HERE}.format:parse"),
    data_keys=("lit",),
    read_data=later(f"{_HERE}.data:read_data"),
    larger_samples=later(f"{_HERE}.samples:larger_samples"),
    solutions=later(f"{_HERE}.samples:solutions"),
    satisfied=later(f"{_HERE}.samples:satisfied"),
    all_right=later(f"{_HERE}.batch:all_dark"),
    defaults=later(f"{_HERE}.defaults:defaults"),
    makers=later(f"{_HERE}.makers:makers"),
    families=later(f"{_HERE}.families:families"),
    count_up_to=later(f"{_HERE}.nullity:count_up_to"),
    relations=later(f"{_HERE}.relations:relations"),
    smaller=later(f"{_HERE}.smaller:smaller"),
    certificates={
        "lights-out-parity": later(f"{_HERE}.certificates:check_parity"),
        "lights-out-polynomial": later(f"{_HERE}.certificates:check_polynomial"),
        "lights-out-free": later(f"{_HERE}.certificates:check_free"),
    },
    nullity=later(f"{_HERE}.nullity:board_nullity"),
    cost=Grid.count,
    page=later(f"{_HERE}.page:page"),
    stories=later(f"{_HERE}.page:stories"),
    parts="light by light",
    check_formula=later(f"{_HERE}.formula:check_formula"),
    scene=later(f"{_HERE}.drawing:scene"),
    contradiction=later(f"{_HERE}.drawing:contradiction"),
)

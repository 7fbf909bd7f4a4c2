"""Lights Out: boards of 2 to 16 states, their rules, and all that serves no other kind."""

from crosslit.base.grid import Grid
from crosslit.contract.kind import Kind, later
from crosslit.kinds.lights_out.board import LightsOut
from crosslit.kinds.lights_out.modular import ModularLightsOut

_HERE = "crosslit.kinds.lights_out"

KIND = Kind(
    puzzle=LightsOut,
    samples=later(f"{_HERE}.making:samples"),
    file_format="board",
    is_usual=lambda board: not board.settings and board.missing is None,
    parse=later(f"{_HERE}.text:parse"),
    data_keys=("lit",),
    read_data=later(f"{_HERE}.text:read_data"),
    larger_samples=later(f"{_HERE}.making:larger_samples"),
    solutions=later(f"{_HERE}.making:solutions"),
    satisfied=later(f"{_HERE}.making:satisfied"),
    all_right=later(f"{_HERE}.batch:all_zero"),
    defaults=later(f"{_HERE}.view:defaults"),
    makers=later(f"{_HERE}.making:makers"),
    families=later(f"{_HERE}.making:families"),
    count_up_to=later("crosslit.algebra.nullity:count_up_to"),
    relations=later(f"{_HERE}.changing:relations"),
    smaller=later(f"{_HERE}.changing:smaller"),
    certificates={
        "lights-out-parity": later(f"{_HERE}.certificates:check_parity"),
        "lights-out-polynomial": later(f"{_HERE}.certificates:check_polynomial"),
        "lights-out-free": later(f"{_HERE}.certificates:check_free"),
    },
    nullity=later("crosslit.algebra.nullity:board_nullity"),
    cost=Grid.count,
    page=later(f"{_HERE}.view:page"),
    stories=later(f"{_HERE}.view:stories"),
    parts="light by light",
    check_formula=later(f"{_HERE}.formula:check_formula"),
    scene=later(f"{_HERE}.view:scene"),
    contradiction=later(f"{_HERE}.view:contradiction"),
)

MODULAR = Kind(
    puzzle=ModularLightsOut,
    data_keys=("lights",),
    read_data=later(f"{_HERE}.text:read_modular_data"),
    samples=later(f"{_HERE}.making:modular_samples"),
    larger_samples=later(f"{_HERE}.making:larger_modular_samples"),
    solutions=later(f"{_HERE}.making:solutions"),
    satisfied=later(f"{_HERE}.making:satisfied"),
    all_right=later(f"{_HERE}.batch:all_zero"),
    defaults=later(f"{_HERE}.view:modular_defaults"),
    makers=later(f"{_HERE}.making:modular_makers"),
    families=later(f"{_HERE}.making:modular_families"),
    count_up_to=later("crosslit.algebra.howell:count_up_to"),
    relations=later(f"{_HERE}.changing:relations"),
    smaller=later(f"{_HERE}.changing:smaller"),
    certificates={
        "modular-lights": later(f"{_HERE}.certificates:check_lights"),
        "modular-form": later(f"{_HERE}.certificates:check_form"),
    },
    parts="light by light",
    check_formula=later(f"{_HERE}.formula:check_formula"),
    cost=lambda presses: presses.count(),
    page=later(f"{_HERE}.view:modular_page"),
    stories=later(f"{_HERE}.view:modular_stories"),
    frame=later(f"{_HERE}.view:frame"),
    scene=later(f"{_HERE}.view:scene"),
    contradiction=later(f"{_HERE}.view:contradiction"),
)

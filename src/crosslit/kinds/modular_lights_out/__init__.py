"""Lights Out with k states: boards, their rules, and all that serves no other kind."""

from crosslit.contract.kind import Kind, later
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut

_HERE = "crosslit.kinds.modular_lights_out"

KIND = Kind(
    puzzle=ModularLightsOut,
    data_keys=("lights",),
    read_data=later(f"{_HERE}.page:read_data"),
    samples=later(f"{_HERE}.samples:samples"),
    larger_samples=later(f"{_HERE}.samples:larger_samples"),
    solutions=later(f"{_HERE}.samples:solutions"),
    satisfied=later(f"{_HERE}.samples:satisfied"),
    all_right=later(f"{_HERE}.samples:all_zero"),
    defaults=later(f"{_HERE}.defaults:defaults"),
    makers=later(f"{_HERE}.makers:makers"),
    families=later(f"{_HERE}.samples:families"),
    count_up_to=later(f"{_HERE}.howell:count_up_to"),
    relations=later(f"{_HERE}.relations:relations"),
    smaller=later(f"{_HERE}.relations:smaller"),
    certificates={
        "modular-lights": later(f"{_HERE}.certificates:check_lights"),
        "modular-form": later(f"{_HERE}.certificates:check_form"),
    },
    parts="light by light",
    check_formula=later("crosslit.kinds.lights_out.formula:check_formula"),
    cost=lambda presses: presses.count(),
    page=later(f"{_HERE}.page:page"),
    stories=later(f"{_HERE}.page:stories"),
    frame=later(f"{_HERE}.drawing:frame"),
    scene=later(f"{_HERE}.drawing:scene"),
    contradiction=later(f"{_HERE}.drawing:contradiction"),
)

"""The two kinds of boards: what Crosslit can do with those of 2 states, and with those of 2 to 16."""

from __future__ import annotations

from functools import partial

from crosslit.algebra import nullity
from crosslit.base.grid import Grid
from crosslit.contract.kind import Kind
from crosslit.kinds.lights_out import alike, batch, certificates, changing, making, modular, text, view
from crosslit.kinds.lights_out.board import LightsOut
from crosslit.kinds.lights_out.modular import ModularLightsOut


def _count_up_to(board: LightsOut, limit: int) -> int:
    from crosslit.algebra import howell  # loads NumPy

    return howell.count_up_to(board, limit)


_CERTIFICATES = {"lights-out-parity": certificates.check_parity, "lights-out-free": certificates.check_free}

KIND = Kind(
    puzzle=LightsOut,
    samples=making.samples,
    file_format="board",
    is_usual=lambda board: not board.settings and board.missing is None,
    parse=partial(text.parse, general=ModularLightsOut),
    data_keys=("lit",),
    read_data=text.read_data,
    larger_samples=making.larger_samples,
    solutions=making.solutions,
    satisfied=making.satisfied,
    all_right=batch.all_zero,
    makers=making.makers,
    families=making.families,
    like=alike.like,
    count_up_to=nullity.count_up_to,
    smaller=changing.smaller,
    certificates=_CERTIFICATES,
    nullity=nullity.board_nullity,
    cost=Grid.count,
    page=view.page,
    stories=view.stories,
    scene=view.scene,
    contradiction=view.contradiction,
)

MODULAR = Kind(
    puzzle=ModularLightsOut,
    data_keys=("lights",),
    read_data=modular.read_data,
    samples=making.modular_samples,
    larger_samples=making.larger_modular_samples,
    solutions=making.solutions,
    satisfied=making.satisfied,
    all_right=batch.all_zero,
    makers=making.modular_makers,
    families=alike.modular_families,
    like=alike.like,
    count_up_to=_count_up_to,
    smaller=changing.smaller,
    certificates=_CERTIFICATES,
    cost=lambda presses: presses.count(),
    page=view.page,
    stories=view.stories,
    frame=view.frame,
    scene=view.scene,
    contradiction=view.contradiction,
)

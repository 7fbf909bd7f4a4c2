"""Elimination of the equations that a chase leaves, modulo each prime power that divides k."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosslit.contract import Backend
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut
from crosslit_backends.modular_lights_out.smith import Smith

if TYPE_CHECKING:
    from crosslit_backends.modular_lights_out.smith_form import Matrix


class ModularChase(Smith):
    """The equations of `crosslit_encoders.modular_lights_out.system`, solved as by `smith`."""

    name = "modular-chase"
    summary = "modular Lights Out: elimination modulo each prime power, one unknown per column of usual boards"
    trusted_base = frozenset({"modular-sums", "modular-chase", "smith"})
    max_cells = 250_000

    def _system(self, puzzle: ModularLightsOut) -> tuple[Matrix, Matrix]:
        from crosslit_encoders.modular_lights_out.system import chase  # imports numpy, which loading must not

        return chase(puzzle)[:2]


BACKENDS: list[Backend] = [ModularChase()]
